"""Answers of people and of a column never stand in one store, whoever takes them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rarebit import Project
from rarebit.projects import Desk, ProjectError

REFUSED = "1 answer of the column 'kind'.*--labels hand.labels.db"


@pytest.fixture
def answered(tmp_path: Path) -> tuple[Path, Path]:
    """Data, and a store in which a column has answered."""
    file, store = tmp_path / "numbers.csv", tmp_path / "a.db"
    a = [i % 7 for i in range(60)]
    pl.DataFrame({"a": a, "kind": ["odd" if i else "even" for i in a]}).write_csv(file)
    with Project.open(file, store=store, settings={"oracle": "kind", "max_labels": 1}) as project:
        project.answer_from_column()
    return file, store


def test_people_cannot_answer_where_a_column_has(answered: tuple[Path, Path]) -> None:
    file, store = answered
    settings = {"oracle": None, "max_labels": None, "reading": {"drop": ["kind"]}}
    with Project.open(file, store=store, settings=settings) as project:
        assert "came from a column" in project.notes[0]
        for refused in (
            lambda: project.answer(3, "odd"),
            lambda: project.correct(3, "even"),
            lambda: project.skip(4),
        ):
            with pytest.raises(ProjectError, match=REFUSED):
                refused()
        assert len(project.store.labels()) == 1


def test_the_page_does_not_open_such_a_store(answered: tuple[Path, Path]) -> None:
    file, store = answered
    with pytest.raises(ProjectError, match=REFUSED):
        Desk.open(file, store=store, settings={"oracle": None}, at_once=True)


def test_a_column_does_not_continue_after_people(tmp_path: Path) -> None:
    file = tmp_path / "numbers.csv"
    pl.DataFrame({"a": list(range(20)), "kind": ["x", "y"] * 10}).write_csv(file)
    settings = {"oracle": "kind", "max_labels": 5}
    with Project.open(file, store=tmp_path / "b.db", settings=settings) as project:
        project.answer(3, "y")
        with pytest.raises(ProjectError, match="given by hand"):
            project.answer_from_column()
