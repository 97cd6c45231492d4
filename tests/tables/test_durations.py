"""A duration means the same however a frame, a Parquet file or a text file holds it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rarebit.tables import (
    ColumnsMismatchError,
    TableEncoder,
    TableError,
    as_table,
    concatenate,
    read_table,
)


def _frame(hours: bool, n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    seconds = rng.integers(-90_000, 900_000, n) * 1.5 if hours else rng.integers(0, 40, n) * 86_400
    seconds[0] = 1.5 if hours else 86_400  # one cell shows what all are
    wait = pd.Series(pd.to_timedelta(seconds, unit="s"))
    wait[7] = pd.NaT
    return pd.DataFrame({"wait": wait, "x": rng.normal(size=n)})


@pytest.mark.parametrize("hours", [False, True])
@pytest.mark.parametrize("learned", ["frame", "parquet", "csv"])
def test_files_and_frames_of_durations_agree(learned: str, hours: bool, tmp_path: Path) -> None:
    frame = _frame(hours)
    frame.to_parquet(tmp_path / "spans.parquet")
    frame.to_csv(tmp_path / "spans.csv", index=False)

    def table(kind: str, encoder: TableEncoder | None = None) -> object:
        if kind == "frame":
            return frame
        schema, forms = (None, None) if encoder is None else (encoder.schema_, encoder.forms_)
        return read_table(tmp_path / f"spans.{kind}", schema=schema, forms=forms)

    encoder = TableEncoder().fit(table(learned))
    assert list(encoder.get_feature_names_out()) == ["wait", "x"]
    wanted = encoder.transform(table(learned))
    for kind in ("frame", "parquet", "csv"):
        np.testing.assert_allclose(encoder.transform(table(kind, encoder)), wanted, atol=1e-9)


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("1 days 02:03:04", 93_784.0),
        ("1 day, 2:03:04", 93_784.0),
        ("2:03:04.250000", 7_384.25),
        ("-1 days +23:00:00", -3_600.0),
        ("0 days 00:00:00.123456789", 0.123456),
        ("12 days", 12 * 86_400.0),
    ],
)
def test_durations_are_read_as_pandas_and_python_write_them(cell: str, seconds: float) -> None:
    table = as_table({"wait": ["3 days 01:00:00", cell, ""]})
    assert table.forms["wait"].kind == "duration"
    np.testing.assert_array_equal(table.numbers.ravel()[:2], [262_800e6, seconds * 1e6])
    assert np.isnan(table.numbers[2, 0])


def test_durations_of_iso_8601_are_read() -> None:
    table = as_table({"wait": ["P1DT6H", "PT0S", "-PT90M", "P2D", "PT0.25S"]})
    np.testing.assert_array_equal(table.numbers.ravel() / 60e6, [1_800, 0, -90, 2_880, 1 / 240])
    assert "wait" not in as_table({"wait": ["P", "PT0S", "Paris"]}).forms


def test_times_and_other_words_are_no_durations() -> None:
    table = as_table({"t": ["2:03:04", "12:00:00"], "w": ["1 days 02:03:04", "soon 02:03:04"]})
    assert table.forms["t"].kind == "time"
    assert "w" not in table.forms


def test_numbers_are_no_durations_and_durations_no_numbers() -> None:
    spans = TableEncoder().fit(_frame(hours=True))
    plain = TableEncoder().fit(pd.DataFrame({"wait": np.arange(60) % 9, "x": np.arange(60.0)}))
    days = _frame(hours=False)
    with pytest.raises(ColumnsMismatchError, match=r"'wait' of the frame must hold durations.*to_"):
        spans.transform(days.assign(wait=days.wait.dt.days))
    with pytest.raises(ColumnsMismatchError, match=r"must hold numbers, and it holds durations"):
        plain.transform(days)
    with pytest.raises(TableError, match="of the form 'duration'"):
        spans.transform(days.assign(wait="soon"))
    missing = days.assign(wait=None)
    assert np.isfinite(spans.transform(missing)).all()


def test_durations_are_converted_into_the_unit_of_the_model() -> None:
    encoder = TableEncoder().fit({"wait": ["32 min", "90 min", "4 min"], "x": [1.0, 2.0, 4.0]})
    minutes = pl.Series([32, 90, 4])
    frame = pl.select(wait=pl.duration(minutes=minutes), x=pl.Series([1.0, 2.0, 4.0]))
    written = {"wait": ["32 min", "90 min", "4 min"], "x": [1.0, 2.0, 4.0]}
    np.testing.assert_allclose(encoder.transform(frame), encoder.transform(written))
    pounds = TableEncoder().fit({"wait": ["32 kg", "90 kg", "4 kg"], "x": [1.0, 2.0, 4.0]})
    with pytest.raises(ColumnsMismatchError, match=r"must hold numbers \(kg\), and it holds dur"):
        pounds.transform(frame)


def test_the_wish_for_a_number_keeps_a_duration_and_others_are_refused(tmp_path: Path) -> None:
    _frame(hours=True).to_parquet(tmp_path / "spans.parquet")
    table = read_table(tmp_path / "spans.parquet", columns={"wait": "number"})
    assert table.number_names == ("wait", "x")
    with pytest.raises(TableError, match="was said to be date"):
        read_table(tmp_path / "spans.parquet", columns={"wait": "date"})


def test_durations_and_numbers_are_not_put_below_each_other() -> None:
    frame = _frame(hours=False)
    spans, days = as_table(frame), as_table(frame.assign(wait=frame.wait.dt.days))
    for first, other in ((spans, days), (days, spans)):
        with pytest.raises(
            ColumnsMismatchError, match=r"'wait' has (numbers|durations) in .*: read"
        ):
            concatenate([first, other])
    assert concatenate([spans, spans]).n_rows == 120
