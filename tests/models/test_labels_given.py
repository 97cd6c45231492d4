"""Classes of a frame that are numbers, or true and false, come back as what they were."""

from __future__ import annotations

import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rarebit import RarebitError
from rarebit.models import (
    ClassNamesWarning,
    ReadingWarning,
    explain,
    load_model,
    save_model,
    train_model,
)
from rarebit.projects import Project
from rarebit.tables import ColumnsMismatchError, TableError, as_table

FAST: dict[str, Any] = {"method": "kernel", "validate": False}


def frame(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rare = rng.random(n) < 0.15
    return pd.DataFrame(
        {
            "x": rng.normal(size=n) + 6.0 * rare,
            "customer": rng.integers(0, 60, n),
            "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(n), unit="D"),
            "rare": rare,
        }
    )


@pytest.mark.parametrize("kind", [bool, int, np.int8, float, "boolean", "Int64", "category"])
def test_predictions_are_of_the_type_of_the_labels(tmp_path: Path, kind: Any) -> None:
    rows = frame()
    y = rows["rare"].astype(kind)
    for given, target in ((rows.assign(rare=y), "rare"), (rows.drop(columns="rare"), y)):
        model = train_model(given, target=target, **FAST)
        save_model(model, tmp_path / "m.rarebit")
        for each in (model, load_model(tmp_path / "m.rarebit")):
            predicted = each.predict(rows)
            assert predicted.dtype.kind in "bif"
            assert np.mean(predicted == rows["rare"].to_numpy()) > 0.95
        assert set(model.judge(model.table(rows))[0]) == set(model.classes)  # names stay text


@pytest.mark.parametrize("one", ["1", "0.50", "12345678901234567890.5"])
def test_decimal_classes_come_back(tmp_path: Path, one: str) -> None:
    rows = frame()
    y = pd.Series([Decimal(one) if each else Decimal(0) for each in rows["rare"]])
    x = rows[["x"]]
    frames = (x.assign(rare=y), pl.DataFrame({"x": x["x"].to_numpy(), "rare": y.tolist()}))
    given = [(each, "rare") for each in frames] + [(x, y), (x, y.tolist())]
    for data, target in given:
        model = train_model(data, target=target, **FAST)
        save_model(model, tmp_path / "m.rarebit")
        predicted = load_model(tmp_path / "m.rarebit").predict(x)
        assert {type(each) for each in predicted} == {Decimal}
        assert np.mean(predicted == y.to_numpy()) > 0.95


def test_equal_decimal_numbers_are_one_class() -> None:
    y = [Decimal("1.0"), Decimal("1.00"), Decimal("NaN"), Decimal(0)] * 5
    table = as_table(pd.DataFrame({"x": range(20)}), target=y)
    assert table.target is not None
    assert set(table.target.tolist()) == {"1.0", "", "0"}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_near_names_of_classes_are_told(make: Any, tmp_path: Path) -> None:
    rows = frame()
    names = np.where(rows["rare"], np.where(rows.index % 2, "Fraud", "fraud "), "ok")
    data = make({"x": rows["x"].to_numpy(), "kind": names})
    (told,) = as_table(data, target="kind").notes
    assert told.startswith("'Fraud' (")
    assert "count as different classes" in told
    with pytest.warns(ClassNamesWarning, match="count as different classes") as caught:
        train_model(data, target="kind", **FAST)
    assert caught[0].filename == __file__
    with Project.open(data, store=tmp_path / "l.db", settings={"oracle": "kind"}) as project:
        assert project.notes.count(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", ClassNamesWarning)
        train_model(rows, target="rare", **FAST)


def test_text_stays_text_and_a_rest_makes_names_of_numbers() -> None:
    rows = frame()
    named = rows.assign(rare=np.where(rows["rare"], "yes", "no"))
    assert train_model(named, target="rare", **FAST).predict(rows).dtype.kind == "U"
    three = rows.assign(rare=rows["rare"].astype(int) + (rows["x"] < -1.5))
    three.loc[three["x"] < -1.5, "rare"] = 2
    with pytest.warns(ClassNamesWarning, match=r"Predictions are texts, such as '1' and 'rest'"):
        model = train_model(three, target="rare", rare=1, **FAST)
    assert set(model.predict(rows)) <= {"1", "rest"}


@pytest.mark.parametrize("kind", [bool, int, float])
def test_rare_and_normal_may_be_labels_of_the_frame(kind: Any) -> None:
    rows = frame()
    rows["rare"] = rows["rare"].astype(kind)
    one, other = kind(1), kind(0)
    for name in (one, np.array([one])[0], [one]):
        assert train_model(rows, target="rare", rare=name, **FAST).predict(rows).max() == one
    assert train_model(rows, target="rare", normal=other, **FAST).predict(rows).max() == one
    with pytest.raises(TableError, match="has no class '7'"):
        train_model(rows, target="rare", rare=7, **FAST)


def test_columns_to_hold_out_by_are_no_features_and_must_be_there() -> None:
    rows = frame()
    by_group = train_model(rows, target="rare", method="kernel", group="customer")
    assert set(by_group.manifest["columns"]) == {"x", "day"}
    assert by_group.manifest["metrics"]["how"] == "5 folds by group"
    by_time = train_model(rows, target="rare", method="kernel", time="day")
    assert set(by_time.manifest["columns"]) == {"x", "customer"}
    assert by_time.predict(rows).dtype.kind == "b"
    with pytest.raises(ColumnsMismatchError, match="did you mean 'customer'"):
        train_model(rows, target="rare", group="custmer", **FAST)


def test_a_parameter_that_the_method_has_not() -> None:
    with pytest.raises(RarebitError, match="method kernel has no parameter 'gama': did you mean"):
        train_model(frame(), target="rare", gama=0.1, **FAST)
    with pytest.raises(TypeError, match="has no parameter 'zzzz': it has kernel, C"):
        train_model(frame(), target="rare", zzzz=0.1, **FAST)


def test_the_only_other_class_has_its_name_in_explanations() -> None:
    rows = frame()
    named = rows.assign(rare=np.where(rows["rare"], "fraud", "ok"))
    model = train_model(named, target="rare", **FAST)
    told = explain(model, model.table(named.head(3)))
    assert {name for each in told for _, name, _ in each.rows} <= {"fraud", "ok"}


def test_classes_of_several_types_are_refused() -> None:
    rows = frame()[["x"]]
    for odd in ("ok", True, Decimal(1)):
        with pytest.raises(TableError, match=r"The classes mix types \(.*int.*one: convert them"):
            train_model(rows, target=[0, 1, odd, 1] * 50, **FAST)
    table = as_table(rows, target=[np.int64(0), np.int64(1)] * 100)
    assert table.target_kind == "int"
    numbers = as_table(rows, target=[0, 1.0] * 100)
    assert numbers.target is not None
    assert len(set(numbers.target.tolist())) == 2
    texts = as_table(rows, target=[np.str_("a"), "b"] * 100)
    assert texts.target_kind == "str"


def test_a_target_is_one_column() -> None:
    rows = frame()
    with pytest.raises(TableError, match=r"must be one column, got a DataFrame: give one of its"):
        train_model(rows[["x"]], target=rows[["rare"]], **FAST)


def test_messages_on_frames_begin_with_a_capital() -> None:
    rows = frame()[["x", "rare"]]
    model = train_model(rows, target="rare", **FAST)
    with pytest.raises(ColumnsMismatchError, match=r"^The frame lacks 1 of 1 column"):
        model.predict(rows[["rare"]])


@pytest.mark.parametrize("kind", [int, str])
def test_probabilities_of_all_classes(kind: Any) -> None:
    rows = frame()[["x", "rare"]]
    rows["rare"] = rows["rare"].astype(int).astype(kind)
    model = train_model(rows, target="rare", method="blend", validate=False)
    shares = model.predict_proba(rows)
    assert shares.shape == (200, 2)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert model.classes_.tolist() == [kind(0), kind(1)]
    own = model.decide(model.table(rows), probability=True).probabilities["probability"]
    np.testing.assert_array_equal(shares[:, 1], own)
    with pytest.raises(ValueError, match="has scores and no probabilities"):
        train_model(rows, target="rare", **FAST).predict_proba(rows)


def test_guesses_and_rows_without_a_class_are_told(rng: np.random.Generator) -> None:
    n = 60
    data = pd.DataFrame(
        {
            "when": [f"{1 + i % 12:02d}/{1 + i % 11:02d}/2025" for i in range(n)],
            "paid": [f"{'$' if i % 2 else '€'}{i}.50" for i in range(n)],
            "x": rng.normal(size=n),
        }
    )
    classes = pd.Series(np.where(rng.random(n) < 0.3, "a", "b"), dtype=object)
    classes[:9] = None
    with pytest.warns(ReadingWarning) as told:
        train_model(data, target=classes, **FAST)
    said = " ".join(str(each.message) for each in told)
    assert "when: date, day first" in said
    assert "paid: money" in said
    assert "9 rows without a class are left out." in said
