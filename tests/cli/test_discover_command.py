"""``rarebit discover`` with a column that answers, and what can be wrong with its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rarebit.cli import ExitCode
from rarebit.projects.stores import LabelFile
from rarebit.tables import read_table

from .terminal import events


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_column_answers(command: Any, good: Path) -> None:
    outcome = command("discover", good, "--oracle", "class", "--id", "id", "--report", "r.html")
    assert outcome.code == ExitCode.OK, outcome.err
    assert "fraud" in outcome.out
    assert "You may stop" in outcome.out
    truth = dict(pl.read_csv(good).select("id", "class").iter_rows())
    answers = events(Path("good.labels.db"))
    assert answers
    assert all(truth[name] == label for _, name, label in answers)
    assert "fraud" in Path("r.html").read_text(encoding="utf-8")


def test_for_machines_and_in_two_runs(command: Any, good: Path) -> None:
    common = ["discover", good, "--oracle", "class", "--json", "--explorer", "random"]
    whole = command(*common, "--max-labels", 50, "--labels", "whole.jsonl").json
    assert whole["labels"] == 50
    assert whole["classes"][0]["class"] == "ok"
    assert command(*common, "--max-labels", 20, "--labels", "parts.jsonl").json["labels"] == 20
    parts = command(*common, "--max-labels", 50, "--labels", "parts.jsonl").json
    assert parts["classes"] == whole["classes"]
    again = command(*common, "--max-labels", 50, "--labels", "parts.jsonl").json
    assert again == parts


@pytest.mark.parametrize("explorer", ["malice", "alice"])
def test_explorers_that_need_priors(command: Any, good: Path, explorer: str) -> None:
    common = ["discover", good, "--oracle", "class", "--explorer", explorer, "--json"]
    found = command(*common, "--prior", 0.1, "--max-labels", 60)
    assert found.code == ExitCode.OK, found.err
    assert found.json["labels"] == 60
    outcome = command(*common[:-1])
    assert outcome.code == ExitCode.USAGE
    assert "--prior" in outcome.error
    outcome = command("discover", good, "--oracle", "class", "--prior", 0.1)
    assert outcome.code == ExitCode.USAGE


def test_rows_without_an_answer_are_skipped(command: Any, good: Path, tmp_path: Path) -> None:
    frame = pl.read_csv(good)
    blank = pl.when(pl.int_range(pl.len()) % 3 == 0).then(None).otherwise(pl.col("class"))
    frame.with_columns(blank.alias("class")).write_csv(tmp_path / "gaps.csv")
    found = command("discover", "gaps.csv", "--oracle", "class", "--json", "--max-labels", 30).json
    assert found["labels"] == 30
    assert found["skipped"] > 0


def test_nobody_can_answer(process: Any, good: Path) -> None:
    outcome = process("discover", good, stdin=-3)  # no terminal: /dev/null
    assert outcome.code == ExitCode.USAGE
    assert "--oracle COLUMN" in outcome.error


def test_labels_of_another_file(command: Any, good: Path, tmp_path: Path) -> None:
    run = ["--oracle", "class", "--max-labels", 5, "--labels", "x.jsonl"]
    assert command("discover", good, *run).code == ExitCode.OK
    pl.read_csv(good).head(250).write_csv(tmp_path / "other.csv")
    before = Path("x.jsonl").read_bytes()
    outcome = command("discover", "other.csv", *run)
    assert outcome.code == ExitCode.INPUT
    assert "holds labels of good.csv (300 rows)" in outcome.error
    outcome = command("discover", good, "--id", "id", *run)
    assert outcome.code == ExitCode.INPUT
    assert "same options" in outcome.error
    assert Path("x.jsonl").read_bytes() == before
    outcome = command("discover", good, *run[:-1], good)
    assert "The address of a store must be" in outcome.error


def test_places_that_cannot_be_written(command: Any, good: Path) -> None:
    for option in ("--report", "--export"):
        outcome = command("discover", good, "--oracle", "class", option, "absent/x")
        assert outcome.code == ExitCode.OUTPUT
        assert "its folder does not exist" in outcome.error
    outcome = command("discover", good, "--oracle", "class", "--labels", "absent/x.jsonl")
    assert outcome.code == ExitCode.INPUT
    assert "does not exist" in outcome.error


def test_one_class(command: Any, good: Path, tmp_path: Path) -> None:
    frame = pl.read_csv(good).filter(pl.col("class") == "ok")
    frame.head(60).write_csv(tmp_path / "one.csv")
    found = command("discover", "one.csv", "--oracle", "class", "--json", "--id", "id").json
    assert found["labels"] == 60
    assert [c["class"] for c in found["classes"]] == ["ok"]


def test_a_second_session_on_the_same_labels_is_refused(command: Any, good: Path) -> None:
    run = ["discover", good, "--oracle", "class", "--max-labels", 5, "--labels", "x.jsonl"]
    first = command(*run, "--json").json
    table = read_table(good, target="class")
    with LabelFile(first["labels_file"], ids=table.ids, fingerprint=table.fingerprint):
        outcome = command(*run)
    assert outcome.code == ExitCode.INPUT
    assert "is being written by another process" in outcome.error
