"""Labelling by a person at a real terminal: answer, undo, skip, quit, interrupt, kill, go on."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from rarebit.cli import ExitCode

from .terminal import Typist, events

pytestmark = pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")

LABELS = "good.labels.db"


@pytest.fixture
def typist(good: Path) -> Any:
    """Start a session on the good file, as often as wanted."""
    started: list[Typist] = []

    def start(*options: object) -> Typist:
        arguments = ["discover", good.name, "--id", "id", "--drop", "class", *options]
        started.append(Typist(*arguments, cwd=good.parent))
        return started[-1]

    yield start
    for each in started:
        each.child.close(force=True)


def test_nobody_is_asked_where_a_column_has_answered(typist: Any, good: Path) -> None:
    by_column = Typist("discover", good.name, "--id", "id", "--oracle", "class", cwd=good.parent)
    assert by_column.end()[0] == ExitCode.OK
    before = events(good.parent / LABELS)
    for _ in range(2):  # the column is named from the history, whatever the last session was
        code, seen = typist().end()
        assert code == ExitCode.INPUT
        assert "of the column 'class', and labels given by hand would" in " ".join(seen.split())
    assert events(good.parent / LABELS) == before


def test_label_undo_skip_quit_and_go_on(typist: Any, good: Path) -> None:
    person = typist()
    first = person.row()
    person.name("ok")
    second = person.row()
    person.type("1")
    third = person.row()
    person.type("s")
    fourth = person.row()
    person.type("u")  # takes back the skip
    assert person.row() == third
    person.type("u")  # and the second label
    assert person.row() == second
    person.name("fraud")
    again = person.row()
    person.type("?")
    assert "undo the last answer" in person.wait("continues")
    person.type("%")
    person.wait("does nothing here")
    person.type("q")
    code, seen = person.end()
    assert code == ExitCode.OK
    assert "2 of 300 rows are labelled" in seen
    assert "More labels should help" in seen
    kept = [("label", first, "ok"), ("label", second, "ok"), ("skip", third, None),
            ("undo", third, None), ("undo", second, None), ("label", second, "fraud")]  # fmt: skip
    assert events(good.parent / LABELS) == kept
    assert len({first, second, third, fourth}) == 4

    resumed = typist("--report", "found.html", "--export", "labels.csv")
    assert "Continuing with 2 labels" in resumed.wait(f"{again} ")
    seen = resumed.wait()
    assert "[1] ok  [2] fraud" in seen
    resumed.type("2")
    resumed.row()
    resumed.type("q")
    assert resumed.end()[0] == ExitCode.OK
    assert events(good.parent / LABELS) == [*kept, ("label", again, "fraud")]
    written = (good.parent / "labels.csv").read_text(encoding="utf-8").split()
    assert written == ["id,label", f"{first},ok", f"{second},fraud", f"{again},fraud"]
    assert "Classes of good.csv" in (good.parent / "found.html").read_text(encoding="utf-8")


def test_interrupted_nothing_is_lost(typist: Any, good: Path) -> None:
    person = typist("--classes", "ok, fraud")
    row = person.row()
    person.type("2")
    person.row()
    person.type("\x03")
    code, seen = person.end()
    assert code == ExitCode.INTERRUPTED == 130
    assert "1 label is saved in good.labels.db" in seen
    assert "Traceback" not in seen
    assert events(good.parent / LABELS) == [("label", row, "fraud")]

    person = typist()
    person.row()
    person.type("n")
    person.wait("Name of the class: ")
    person.child.send("half a na\x03")
    assert person.end()[0] == 130
    assert events(good.parent / LABELS) == [("label", row, "fraud")]


def test_killed_and_gone_on(typist: Any, good: Path) -> None:
    asked = []
    for _ in range(2):
        person = typist("--classes", "ok,fraud")
        for _ in range(4):
            asked.append(person.row())
            person.type("1")
        waiting = person.row()  # shown, and never answered
        person.child.kill(signal.SIGKILL)
        person.child.wait()
    assert events(good.parent / LABELS) == [("label", row, "ok") for row in asked]
    assert len(set(asked)) == 8
    person = typist()
    assert person.row() == waiting


def test_text_images_of_control_characters_and_long_rows(tmp_path: Path) -> None:
    evil = "wipe \x1b[2J\x07 the screen " + "long " * 500
    many = {f"column {i}": [0.5 + i, 1.0] for i in range(60)}
    pl.DataFrame({"note": [evil, "short"], **many}).write_csv(tmp_path / "odd.csv")
    person = Typist("discover", "odd.csv", "--text", "note", cwd=tmp_path)
    try:
        texts = ""
        for _ in range(2):
            texts += person.wait()
            person.type("m")
            texts += person.wait()
            if "screen" in texts:
                break
            person.type("s")
        assert r"\x1b[2J\x07 the screen" in texts
        assert "letters more: m shows them" in texts
        assert "columns more: m shows them" in texts
        assert "column 59" in texts
    finally:
        person.child.close(force=True)


def test_esc_capitals_and_earlier_answers(good: Path) -> None:
    typist = Typist("discover", good, "--id", "id", "--drop", "class", cwd=good.parent)
    first = typist.row()
    typist.type("n")
    typist.wait("Name of the class: ")
    typist.type("fra\x1b")  # Esc leaves the name: nothing is saved
    typist.wait("No name was given")
    typist.wait()
    typist.type("nfra\x1bnFrau\x1b")  # typed ahead: Esc is no part of the next key
    for _ in range(2):
        typist.wait("No name was given")
        typist.wait()
    typist.name("fraud")
    typist.row()
    typist.name("Fraud")
    typist.wait("fraud exists already")
    typist.type("y")
    typist.row()
    typist.name("ok, new")
    typist.row()
    typist.type("e")
    seen = typist.wait("Number to change, text to search, Enter to continue: ")
    assert "3 answers." in seen
    typist.child.send(f"{first}\r")  # a search for its id
    typist.wait("with '")
    typist.wait("Number to change, text to search, Enter to continue: ")
    typist.child.send("1\r")
    typist.wait(re.escape("[Esc] leave"))
    typist.type("2")
    typist.wait("Number to change, text to search, Enter to continue: ")
    typist.child.send("\r")
    typist.wait()
    typist.type("q")
    assert typist.end()[0] == 0
    with closing(sqlite3.connect(good.parent / "good.labels.db")) as database:
        found = database.execute(
            "SELECT what, label FROM rarebit_event WHERE what IN ('label', 'correction') "
            "ORDER BY number"
        ).fetchall()
    assert [(what, json.loads(label)) for what, label in found] == [
        ("label", "fraud"), ("label", "fraud"), ("label", "ok, new"), ("correction", "ok, new"),
    ]  # fmt: skip


def test_a_long_prompt_is_written_once_in_a_narrow_terminal(good: Path) -> None:
    arguments = ["discover", good, "--id", "id", "--drop", "class"]
    typist = Typist(*arguments, cwd=good.parent, size=(24, 44))
    typist.wait()
    typist.name("ok")
    typist.wait()
    typist.type("e")
    typist.wait("Enter to\\s+continue:")
    typist.type("abcdef")
    seen = typist.wait("abcdef")
    assert "Number" not in seen
    assert "> abc" in seen
    typist.type("\x1b")
    typist.wait()
    typist.type("q")
    assert typist.end()[0] == 0


def test_the_heading_stays_in_sight_in_24_lines(good: Path) -> None:
    wide = pl.read_csv(good).with_columns(pl.lit(i).alias(f"more{i}") for i in range(40))
    wide.write_csv(good.parent / "wide.csv")
    typist = Typist("discover", good.parent / "wide.csv", "--id", "id", cwd=good.parent)
    typist.child.setwinsize(24, 80)
    typist.wait()
    typist.type("s")
    seen = typist.wait()
    shown = seen[seen.rindex("0 labels, 0 classes") :]
    assert "columns more: m shows them" in shown
    assert shown.count("\n") < 24
    typist.type("q")
    typist.end()


def test_images_have_a_key_that_opens_them(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for i in range(4):
        pixels = np.full((8, 8), 60 * i, dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / "parts" / f"{i}.png")
    person = Typist("discover", "parts", cwd=tmp_path)
    try:
        person.row()
        person.type("?")  # the keys were shown up to here
        assert "o        open the file of an image" in person.wait("quit;")
        person.type("m")
        assert "[e] earlier  [o] open the file  [q] quit" in person.wait()
    finally:
        person.child.close(force=True)
