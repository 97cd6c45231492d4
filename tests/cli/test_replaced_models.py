"""A model that is replaced under a name that nobody gave is told."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from rarebit.cli import ExitCode

from .conftest import Command


@pytest.fixture(autouse=True)
def folder(good: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(good.parent)
    frame = pl.read_csv(good)
    frame.with_columns(old=(pl.col("age") > 60).cast(pl.Int8)).write_csv("pay.csv")
    return good.parent


def _fit(command: Command, target: str, *more: str) -> str:
    run = ["fit", "pay.csv", "-t", target, "--drop", "id", "-m", "kernel", "--no-validation"]
    outcome = command(*run, *more)
    assert outcome.code == ExitCode.OK, outcome.err
    return " ".join(outcome.err.split())


def test_fit_names_the_model_that_it_replaces(command: Command) -> None:
    assert "replaced" not in _fit(command, "class")
    told = _fit(command, "old")
    assert re.search(
        r"note: pay\.rarebit, a model of pay\.csv with the target 'class' of \d{4}-\d\d-\d\d "
        r"\d\d:\d\d, is replaced: --out NAME keeps both next time\.",
        told,
    ), told
    assert "replaced" not in _fit(command, "class", "-o", "pay.rarebit")
    Path("pay.rarebit").write_text("no model")
    assert "which was no model that can be read, is replaced." in _fit(command, "class")


def test_learn_names_the_model_of_another_file(command: Command) -> None:
    pl.read_csv("pay.csv").write_csv("pay.tsv", separator="\t")
    run = ["--oracle", "class", "--drop", "id", "--max-labels", "30", "--method", "border"]
    for file, labels, told in (
        ("pay.csv", "a.db", False), ("pay.csv", "a.db", False), ("pay.tsv", "b.db", True)
    ):  # fmt: skip
        outcome = command("learn", file, *run, "--labels", labels)
        assert outcome.code == ExitCode.OK, outcome.err
        assert ("pay.learned.rarebit, a model of pay.csv" in outcome.err) == told
