"""Classes of a frame that are numbers, or true and false, come back as what they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rarebit import RarebitError
from rarebit.models import explain, load_model, save_model, train_model
from rarebit.tables import ColumnsMismatchError, TableError

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


def test_text_stays_text_and_a_rest_makes_names_of_numbers() -> None:
    rows = frame()
    named = rows.assign(rare=np.where(rows["rare"], "yes", "no"))
    assert train_model(named, target="rare", **FAST).predict(rows).dtype.kind == "U"
    three = rows.assign(rare=rows["rare"].astype(int) + (rows["x"] < -1.5))
    three.loc[three["x"] < -1.5, "rare"] = 2
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
