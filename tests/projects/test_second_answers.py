"""A second answer to a row, and a correction of a row without a label."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from rarebit import Project


def test_what_a_second_answer_does(tmp_path: Path) -> None:
    frame = pl.DataFrame({"amount": [float(i * i % 97) for i in range(60)], "hour": range(60)})
    with Project.open(frame, store=tmp_path / "f.db") as project:
        project.correct(3, "rare")
        assert project.labels == {3: "rare"}
        assert [event.what for event in project.store.events() if event.row == 3] == ["correction"]
        project.answer(3, "ok")
        assert project.labels == {3: "ok"}
        assert project.undo() == 3
        assert project.labels == {3: "rare"}
        project.answer(3, "ok", "bob")
        assert project.labels == {3: "rare"}  # the rule "first"
