"""``rarebit learn`` by a person at a real terminal."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rarebit.cli import ExitCode
from rarebit.models import load_model

from .terminal import Typist, events

pytestmark = pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")


@pytest.fixture
def truth(good: Path) -> dict[str, str]:
    return dict(pl.read_csv(good).select("id", "class").iter_rows())


def start(good: Path, *options: object) -> Typist:
    arguments = ["learn", good.name, "--id", "id", "--drop", "class", "--classes", "ok,fraud"]
    return Typist(*arguments, *options, cwd=good.parent)


def answer(person: Typist, truth: dict[str, str], n: int) -> None:
    for _ in range(n):
        person.type("1" if truth[person.row()] == "ok" else "2")


def test_quit_before_two_classes_and_go_on_to_a_model(good: Path, truth: Any) -> None:
    person = start(good, "--export-ranked", "ranked.csv")
    answer(person, truth, 1)
    person.row()
    person.type("q")
    code, seen = person.end()
    assert code == ExitCode.OK
    assert "No model yet" in seen
    assert "ranked.csv was not written" in seen

    person = start(good)
    person.wait("Continuing with 1 label")
    answer(person, truth, 24)
    row = person.row()
    person.type("2" if truth[row] == "ok" else "1")  # a slip
    person.row()
    person.type("u")
    assert person.row() == row
    person.type("1" if truth[row] == "ok" else "2")
    person.row()
    person.type("\x03")
    code, seen = person.end()
    assert code == ExitCode.INTERRUPTED
    assert "26 labels are saved" in seen
    assert not (good.parent / "good.learned.rarebit").exists()

    person = start(good, "--max-labels", 30, "--report", "r.html")
    answer(person, truth, 4)
    code, seen = person.end()
    assert code == ExitCode.OK, seen
    assert "Wrote good.learned.rarebit" in seen
    standing = {
        name: label for what, name, label in events(good.parent / "good.labels.db")
        if what == "label"
    }  # fmt: skip
    assert len(standing) == 30
    assert all(truth[name] == label for name, label in standing.items())
    manifest = load_model(good.parent / "good.learned.rarebit").manifest
    assert manifest["labels_used"] == 30
    assert manifest["classes"] == {
        label: sum(1 for each in standing.values() if each == label) for label in ("fraud", "ok")
    }
    assert (good.parent / "r.html").exists()


def test_a_rare_class_that_was_never_met_is_told(good: Path, truth: Any) -> None:
    person = start(good, "--rare", "nosuch", "--max-labels", 26, "--report", "r.html")
    answer(person, truth, 26)
    code, seen = person.end()
    assert code == ExitCode.OK, seen
    said = " ".join(seen.split())
    assert "No row of the class 'nosuch' is among the 26 labels" in said
    assert "No model yet: no row of the class 'nosuch' was labelled." in said
    assert "Traceback" not in said
    assert "No row of the class" in (good.parent / "r.html").read_text(encoding="utf-8")


def test_notes_are_broken_between_words(good: Path) -> None:
    pl.read_csv(good).with_columns(
        pl.when(pl.int_range(pl.len()) % 3 == 0)
        .then(pl.col("class").str.to_uppercase())
        .otherwise(pl.col("class"))
    ).write_csv(good.parent / "mixed.csv")
    seen = Typist("look", "mixed.csv", "--target", "class", cwd=good.parent, size=(40, 70)).end()[1]
    notes = seen[seen.index("note: 'F") :].splitlines()
    assert all(len(line) <= 70 for line in notes)
    assert "count as different classes: spell them alike if they are one." in (
        " ".join(" ".join(notes).split())
    )


def test_classes_that_are_named_have_keys_and_close_names_are_asked_about(good: Path) -> None:
    known = pl.read_csv(good).filter(pl.col("class") == "fraud")["id"][0]
    person = Typist(
        "learn", good.name, "--id", "id", "--drop", "class", "--known", f"{known}=fraud",
        "--normal", "normal", cwd=good.parent,
    )  # fmt: skip
    seen = person.wait()
    assert "[1] normal  [2] fraud" in seen
    person.name("Normal")
    person.wait("normal exists already")
    person.type("y")
    assert "[1] normal  [2] fraud" in person.wait()
    person.type("q")
    assert person.end()[0] == ExitCode.OK
    assert [each[2] for each in events(good.parent / "good.labels.db")] == ["fraud", "normal"]
