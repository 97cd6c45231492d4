"""Columns that were complete in training and are empty in the rows to judge are told."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.cli import main
from rarebit.models import Model, ReadingWarning, save_model, train_model
from rarebit.tables import RangeCheck

SAID = (
    "'a' is empty in all 300 rows, and had a value in every training row: scores without it are "
    "less certain; fill it in, or train without it."
)


def rows() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    rare = rng.random(300) < 0.15
    return pl.DataFrame(
        {
            "a": rng.normal(size=300) + 3.0 * rare,
            "b": rng.normal(size=300),
            "gap": [None if i % 3 else i / 7 for i in range(300)],
            "where": [("north", "south")[i % 2] for i in range(300)],
            "k": np.where(rare, "x", "z"),
        }
    )


@pytest.fixture(scope="module")
def model() -> Model:
    return train_model(rows(), target="k", method="kernel", validate=False)


def emptied(*names: str) -> pl.DataFrame:
    return rows().with_columns(pl.lit(None).alias(name) for name in names)


def test_frames_warn(model: Model) -> None:
    for judge in (model.predict, model.minority_score):
        with pytest.warns(ReadingWarning) as told:
            judge(emptied("a"))
        assert [str(each.message) for each in told] == [SAID]
        assert told[0].filename == __file__
    with pytest.warns(ReadingWarning, match="'a' and 'where' are empty in all 300 rows, and had"):
        model.predict(emptied("a", "where"))


def test_other_frames_do_not(model: Model) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(rows())
        model.predict(emptied("gap"))  # had gaps in training
        model.predict(emptied("a").head(2))  # two rows may lack a value
        model.predict(pl.concat([emptied("a").head(299).cast(rows().schema), rows().tail(1)]))


def test_checks_of_parts_are_merged(model: Model) -> None:
    first, second = RangeCheck(model.encoder), RangeCheck(model.encoder)
    first.add(model.table(emptied("a", "where")))
    assert set(first.empty()) == {"a", "where"}
    second.add(model.table(emptied("a")))
    first.merge(second)
    assert (first.empty(), first.anew().empty()) == (["a"], [])
    assert "'a' is empty in all 600 rows" in first.sentence()


@pytest.mark.parametrize("name", ["predict", "evaluate"])
def test_commands_tell(
    model: Model, tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    save_model(model, tmp_path / "m.rarebit")
    emptied("a").write_csv(tmp_path / "new.csv")
    options: list[Any] = [name, tmp_path / "m.rarebit", tmp_path / "new.csv"]
    assert main([*map(str, options)]) == 0
    assert f"note: {SAID}" in capfd.readouterr().err
    assert main([*map(str, options), "--json"]) == 0
    assert '"empty_columns": ["a"]' in capfd.readouterr().out
