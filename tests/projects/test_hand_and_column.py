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


def import_from(folder: Path, text: str) -> Path:
    (folder / "given.csv").write_text(text)
    return folder / "given.csv"


ORACLE = {"oracle": "kind", "max_labels": 5}
BY_HAND = {"oracle": None, "reading": {"drop": ["kind"]}}


def test_imported_labels_are_a_start_for_a_column_that_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "numbers.csv"
    pl.DataFrame({"a": list(range(20)), "kind": ["x", "y"] * 10}).write_csv(file)
    store = tmp_path / "b.db"
    with Project.open(file, store=store, settings=BY_HAND) as project:
        assert project.import_labels(import_from(tmp_path, "row,label\n2,x\n3,y\n")) == 2
    with Project.open(file, store=store, settings={**ORACLE, "reading": {}}) as project:
        project.answer_from_column()
        assert len(project.labels) == 7
        # The other way round the rule is the same.
        left = next(row for row in range(0, 20, 2) if row not in project.labels)
        assert project.import_labels(import_from(tmp_path, f"row,label\n{left},x\n")) == 1
        left = next(row for row in range(0, 20, 2) if row not in project.labels)
        with pytest.raises(ProjectError, match="of the column 'kind'"):
            project.import_labels(import_from(tmp_path, f"row,label\n{left},y\n"))


def test_imported_labels_that_the_column_contradicts_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "numbers.csv"
    pl.DataFrame({"a": list(range(20)), "kind": ["x", "y"] * 10}).write_csv(file)
    store = tmp_path / "b.db"
    with Project.open(file, store=store, settings=BY_HAND) as project:
        project.import_labels(import_from(tmp_path, "row,label\n2,x\n3,x\n"))
    said = (
        r"1 imported label of which the column 'kind' says something else.*row '3' is 'x', and 'y' "
        r"in the column; .*--labels column\.labels\.db"
    )
    with pytest.raises(ProjectError, match=said):
        Project.open(file, store=store, settings={**ORACLE, "reading": {}})
    with Project.open(file, store=tmp_path / "d.db", settings=ORACLE) as project:
        project.import_labels(import_from(tmp_path, "row,label\n2,x\n3,x\n"))
        with pytest.raises(ProjectError, match=said):
            project.answer_from_column()
