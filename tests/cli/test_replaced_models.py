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
    assert "which could not be read as a model, is replaced." in _fit(command, "class")


LEARN = ("--oracle", "class", "--drop", "id", "--max-labels", "30", "--method", "border")


def test_learn_names_the_model_of_another_file(command: Command) -> None:
    pl.read_csv("pay.csv").write_csv("pay.tsv", separator="\t")
    for file, labels, told in (
        ("pay.csv", "pay.db", False), ("pay.csv", "pay.db", False), ("pay.tsv", "pay.jsonl", True)
    ):  # fmt: skip
        outcome = command("learn", file, *LEARN, "--labels", labels)
        assert outcome.code == ExitCode.OK, outcome.err
        assert ("pay.learned.rarebit, a model of pay.csv" in outcome.err) == told


def test_other_labels_of_the_same_file_make_a_model_of_another_name(command: Command) -> None:
    assert command("learn", "pay.csv", *LEARN).code == ExitCode.OK
    first = Path("pay.learned.rarebit").read_bytes()
    outcome = command("learn", "pay.csv", *LEARN, "--labels", "second.labels.db", "--seed", "7")
    assert outcome.code == ExitCode.OK, outcome.err
    assert "Wrote second.learned.rarebit." in outcome.out
    assert Path("pay.learned.rarebit").read_bytes() == first
    # The usual place of the labels, written out, is nothing else.
    outcome = command("learn", "pay.csv", *LEARN, "--labels", "pay.labels.db")
    assert "Wrote pay.learned.rarebit." in outcome.out
    assert "replaced" not in outcome.err


def test_learn_names_the_model_of_other_labels_of_the_same_name(command: Command) -> None:
    Path("other").mkdir()
    for labels, told in (("a.db", False), ("other/a.db", True), ("other/a.db", False)):
        outcome = command("learn", "pay.csv", *LEARN, "--labels", labels)
        assert outcome.code == ExitCode.OK, outcome.err
        said = "note: a.learned.rarebit, a model of pay.csv with the target 'class' from the labels"
        assert (f"{said} a.db of " in " ".join(outcome.err.split())) == told, outcome.err
    found = command("learn", "pay.csv", *LEARN, "--labels", "a.db", "--json").json
    assert "from the labels other/a.db of " in found["notes"][-1]
