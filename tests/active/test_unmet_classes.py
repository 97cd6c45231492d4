"""A class that was named and never met is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rarebit import Hunt, Project

X = np.random.default_rng(0).normal(size=(24, 2))
Y = np.where(X[:, 0] > 0, "ok", "fraud")


def asked_all(**options: Any) -> Hunt:
    hunt = Hunt(random_state=0, goal="find", **options)
    hunt.start(X)
    while len(rows := hunt.ask()):
        hunt.tell(rows, Y[rows])
    return hunt


def test_a_hunt_says_that_its_class_was_never_seen() -> None:
    hunt = asked_all(rare="nosuch")
    assert hunt.done
    told = hunt.stop_reasons_["unmet"]
    assert told.startswith("No row of the class 'nosuch' is among the 24 labels, which have ")
    assert told.endswith(": check its name.")
    assert told in str(hunt.status())
    known = asked_all(rare="fraud")
    assert "unmet" not in known.stop_reasons_
    assert known.unmet() == ""


def test_so_does_a_project(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}).write_csv(file)
    settings = {"rare": ["nosuch"], "goal": "find"}
    with Project.open(file, store=tmp_path / "a.db", settings=settings) as project:
        assert project.status().unmet == ""
        for row in range(3):
            project.answer(row, str(Y[row]))
        status = project.status()
    assert "No row of the class 'nosuch' is among the 3 labels" in status.unmet
    assert status.unmet.endswith(", or label more rows.")
    assert status.unmet in str(status)
    assert status.to_json()["unmet"] == status.unmet
