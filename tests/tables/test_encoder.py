"""Features: scaling, categories, dates, letters, words, missing cells, in place or not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from rarebit.tables import ColumnsMismatchError, Table, TableEncoder, TableError, read_table


def table_of(frame: pl.DataFrame, folder: Path, **options: object) -> Table:
    frame.write_csv(folder / "rows.csv")
    return read_table(folder / "rows.csv", **options)  # type: ignore[arg-type]


def test_numbers_are_standardised_and_missing_ones_take_the_mean(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    x = rng.normal(5, 3, size=500)
    frame = pl.DataFrame({"x": x, "same": 4.0, "gap": [None, *range(499)]})
    encoder = TableEncoder()
    table = table_of(frame, tmp_path)
    X = encoder.fit_transform(table)
    np.testing.assert_allclose(X[:, 0], (x - x.mean()) / x.std())
    assert encoder.dropped_ == {"same": "one value"}
    assert encoder.missing_ == {"gap": 1}
    assert X[0, 1] == 0.0
    assert encoder.schema_ == {"x": "number", "gap": "number"}
    marked = TableEncoder(indicate_missing=True).fit_transform(table)
    np.testing.assert_array_equal(marked[:, 2], [1.0, *[0.0] * 499])


def test_in_place_gives_the_same_features(tmp_path: Path, rng: np.random.Generator) -> None:
    frame = pl.DataFrame(rng.normal(size=(3000, 7)), schema=list("abcdefg"))
    frame = frame.with_columns(c=pl.lit(1.0), f=pl.lit(None, dtype=pl.Float64))
    table = table_of(frame, tmp_path, drop=["f"])
    encoder = TableEncoder().fit(table)
    expected = encoder.transform(table)
    place = table.numbers.__array_interface__["data"][0]
    found = encoder.transform(table, copy=False)
    np.testing.assert_array_equal(found, expected)
    assert found.__array_interface__["data"][0] == place
    assert found.shape == (3000, 5)


def test_infinite_cells_count_as_missing(tmp_path: Path) -> None:
    table = table_of(pl.DataFrame({"x": [1.0, float("inf"), 3.0]}), tmp_path)
    encoder = TableEncoder().fit(table)
    assert encoder.missing_ == {"x": 1}
    np.testing.assert_allclose(encoder.transform(table)[:, 0], [-1, 0, 1])


def test_unknown_categories_are_none_of_the_known_ones(tmp_path: Path) -> None:
    first = table_of(pl.DataFrame({"k": ["a", "b", None, "a"], "x": [1, 2, 3, 4]}), tmp_path)
    encoder = TableEncoder().fit(first)
    assert list(encoder.get_feature_names_out()) == ["x", "k_(missing)", "k_a", "k_b"]
    other = table_of(pl.DataFrame({"x": [1, 2, 3], "k": ["z", "b", "z"]}), tmp_path)
    np.testing.assert_array_equal(encoder.transform(other)[:, 1:], [[0, 0, 0], [0, 0, 1], [0] * 3])
    assert encoder.unknown_categories(other) == {"k": {"z": 2}}


def test_dates_become_their_parts(tmp_path: Path) -> None:
    days = pl.datetime_range(
        pl.datetime(2024, 1, 1), pl.datetime(2024, 3, 1), "3h", eager=True
    ).alias("when")
    table = table_of(pl.DataFrame({"when": days}), tmp_path)
    encoder = TableEncoder()
    X = encoder.fit_transform(table)
    names = list(encoder.get_feature_names_out())
    assert any("hour" in name for name in names)
    assert any("weekday" in name for name in names)
    assert np.isfinite(X).all()
    assert abs(X).max() < 10


def test_columns_of_strings_by_what_they_hold(tmp_path: Path) -> None:
    n = 400
    frame = pl.DataFrame(
        {
            "key": [f"k{i}" for i in range(n)],
            "city": [f"town {i % 150}" for i in range(n)],
            "say": [f"one two three four five six word{i % 190}" for i in range(n)],
            "kind": ["ab"[i % 2] for i in range(n)],
        }
    )
    encoder = TableEncoder(n_letters=8)
    X = encoder.fit_transform(table_of(frame, tmp_path))
    assert encoder.dropped_ == {"key": "nearly every row has its own value"}
    assert encoder.records_.kinds_ == {"city": "letters", "say": "words", "kind": "category"}
    assert sparse.issparse(X)
    assert X.shape == (n, encoder.n_features_)
    named = TableEncoder().fit(table_of(frame, tmp_path, text="city"))
    assert named.records_.kinds_["city"] == "words"


def test_other_order_of_columns_and_more_of_them(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.0, 2, 4], "b": [3.0, 1, 1], "k": ["u", "v", "u"]})
    table = table_of(frame, tmp_path)
    encoder = TableEncoder().fit(table)
    expected = encoder.transform(table)
    other = table_of(frame.select("k", "b", pl.lit(1.0).alias("more"), "a"), tmp_path)
    np.testing.assert_array_equal(encoder.transform(other), expected)


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.0, 2, 4], "b": [3.0, 1, 1], "k": ["u", "v", "u"]})
    encoder = TableEncoder().fit(table_of(frame, tmp_path))
    for missing in ("a", "k"):
        with pytest.raises(ColumnsMismatchError, match=f"columns?: '{missing}'"):
            encoder.transform(table_of(frame.drop(missing), tmp_path))


def test_nothing_to_learn_from(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="can be learned from: a \\(one value\\)"):
        TableEncoder().fit(table_of(pl.DataFrame({"a": [1.0, 1.0]}), tmp_path))


def test_clone_keeps_the_parameters() -> None:
    encoder = TableEncoder(max_categories=3, random_state=1)
    assert clone(encoder).get_params() == encoder.get_params()


def test_dates_after_those_of_the_training_rows_count_as_the_last(tmp_path: Path) -> None:
    days = [f"2026-09-{1 + i % 30:02d}" for i in range(90)]
    encoder = TableEncoder().fit(pl.DataFrame({"day": days, "n": range(90)}))
    later = [f"2027-{m:02d}-15" for m in range(1, 13)]
    before = encoder.transform(pl.DataFrame({"day": days, "n": range(90)}))
    after = encoder.transform(pl.DataFrame({"day": later, "n": range(12)}))
    assert (after <= before.max(axis=0) + 1e-12).all()
    assert (after >= before.min(axis=0) - 1e-12).all()
    # What comes again every week or month is still told apart.
    names = [str(name) for name in encoder.get_feature_names_out()]
    weekday = [j for j, name in enumerate(names) if "weekday" in name]
    assert len(np.unique(after[:, weekday].round(6), axis=0)) > 1
    assert np.ptp(after[:, names.index("day_total_seconds")]) == 0
