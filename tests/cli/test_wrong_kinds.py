"""``--as`` that contradicts the file or the model is told, never followed without a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode


def _payments(path: Path, days: str) -> Path:
    rng = np.random.default_rng(0)
    fraud = rng.random(120) < 0.2
    month, day = rng.integers(1, 13, 120), rng.integers(1, 28, 120)
    parts = {"day-first": (day, month), "month-first": (month, day)}[days]
    dates = [f"{a:02d}/{b:02d}/2026" for a, b in zip(*parts, strict=True)]
    pl.DataFrame(
        {
            "amount": np.round(rng.normal(np.where(fraud, 90.0, 30.0), 9.0), 2),
            "paid_on": dates,
            "class": np.where(fraud, "fraud", "ok"),
        }
    ).write_csv(path)
    return path


@pytest.fixture
def model(tmp_path: Path, command: Any) -> Path:
    path = tmp_path / "m.rarebit"
    train = _payments(tmp_path / "old.csv", "day-first")
    outcome = command("fit", train, "-t", "class", "-m", "kernel", "-o", path)
    assert outcome.code == ExitCode.OK, outcome.err
    return path


def test_cells_that_a_wrong_kind_loses_are_counted(model: Path, command: Any) -> None:
    new = _payments(model.with_name("new.csv"), "month-first")
    outcome = command(
        "predict", model, new, "--as", "paid_on=day-first", "-o", model.parent / "a.csv"
    )
    assert outcome.code == ExitCode.OK
    dates = pl.read_csv(new)["paid_on"].to_list()
    lost = sum(int(date.split("/")[1]) > 12 for date in dates)
    told = [line for line in outcome.err.splitlines() if "cannot be read" in line]
    assert len(told) == 1
    assert f"paid_on: {lost} cells such as" in told[0]
    assert "count as missing; --as paid_on=month-first reads such cells." in told[0]
    good = command(
        "predict", model, new, "--as", "paid_on=month-first", "-o", model.parent / "b.csv"
    )
    assert "cannot be read" not in good.err


@pytest.mark.parametrize("name", ["predict", "evaluate"])
def test_a_column_that_the_model_needs_cannot_be_dropped(
    name: str, model: Path, command: Any
) -> None:
    outcome = command(name, model, model.with_name("old.csv"), "--as", "amount=drop")
    assert outcome.code == ExitCode.INPUT
    assert "'amount' of old.csv cannot be left out" in outcome.error
    assert "leave out --as amount=drop" in outcome.error


def test_a_column_cannot_become_another_kind_than_the_model_knows(
    model: Path, command: Any
) -> None:
    outcome = command("predict", model, model.with_name("old.csv"), "--as", "amount=category")
    assert outcome.code == ExitCode.INPUT
    assert "must be read as a number" in outcome.error
    assert "'category' is a text" in outcome.error


def test_a_column_that_the_model_does_not_use_may_be_dropped(model: Path, command: Any) -> None:
    outcome = command("predict", model, model.with_name("old.csv"), "--as", "class=drop")
    assert outcome.code == ExitCode.OK, outcome.err
