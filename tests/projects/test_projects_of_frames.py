"""A project of a frame in memory: partly labelled, wrongly called, numbers as labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rarebit import Project, RarebitError
from rarebit.projects import ProjectError, SettingsError


@pytest.fixture
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rare = rng.random(150) < 0.1
    return pd.DataFrame(
        {
            "claim": [f"C{i}" for i in range(150)],
            "x": rng.normal(size=150) + 6.0 * rare,
            "who": rng.choice(["ann", "bob"], 150),
            "rare": rare,
        }
    )


@pytest.fixture
def project(tmp_path: Path, rows: pd.DataFrame) -> Any:
    pool = rows.drop(columns="rare")
    settings = {"reading": {"id": "claim"}, "max_labels": 20}
    with Project.open(pool, store=tmp_path / "a.labels.db", settings=settings) as opened:
        yield opened


@pytest.mark.parametrize("row", ["x", "C5", True, np.True_, None, [1]])
def test_a_row_is_a_position(project: Project, row: Any) -> None:
    for call in (project.answer, project.correct):
        with pytest.raises(ProjectError, match="named by its position"):
            call(row, "ok")
    with pytest.raises(ProjectError, match="named by its position"):
        project.skip(row)
    assert not project.labels


@pytest.mark.parametrize("label", ["", "  ", None, float("nan"), ["a"]])
def test_a_label_names_a_class(project: Project, label: Any) -> None:
    question = project.question()
    assert question is not None
    with pytest.raises(RarebitError, match="A label must"):
        project.answer(question.row, label)
    assert not project.labels
    assert project.question() == question


@pytest.mark.parametrize("kind", [int, bool, float, np.int64, np.bool_])
def test_the_model_predicts_what_was_answered(
    tmp_path: Path, rows: pd.DataFrame, kind: Any
) -> None:
    truth = rows["rare"].to_numpy()
    settings = {"max_labels": 40, "reading": {"id": "claim"}}
    pool = rows.drop(columns="rare")
    with Project.open(pool, store=tmp_path / "k.labels.db", settings=settings) as opened:
        while (question := opened.question()) is not None:
            opened.answer(question.row, kind(truth[question.row]))
        predicted = opened.finish().predict(pool)
    assert predicted.dtype.kind in "bif"
    assert np.mean(predicted == truth) > 0.9


def test_a_partly_labelled_frame_starts_a_session(tmp_path: Path, rows: pd.DataFrame) -> None:
    some = rows.assign(checked=rows["rare"].astype(int).where(rows.index % 10 == 0))
    settings = {"target": "checked", "reading": {"id": "claim", "drop": ["rare"]}}
    with Project.open(some, store=tmp_path / "p.labels.db", settings=settings) as opened:
        assert opened.status().n_given == 15
        assert "checked" not in opened.table.columns
        question = opened.question()
        assert question is not None
        assert question.row % 10


def test_columns_that_are_only_shown_are_no_features(tmp_path: Path, rows: pd.DataFrame) -> None:
    settings = {"reading": {"aside": ["who"], "drop": ["rare", "claim"]}}
    with Project.open(rows, store=tmp_path / "s.labels.db", settings=settings) as opened:
        assert opened.table.columns == ("x",)
        assert opened.show(0).fields["who"] in ("ann", "bob")


@pytest.mark.parametrize("source", [None, np.zeros((5, 2)), 7, [1, 2], []])
def test_what_cannot_be_opened(tmp_path: Path, source: Any) -> None:
    with pytest.raises(ProjectError, match="A project is opened with a file"):
        Project.open(source, store=tmp_path / "n.labels.db")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"id": "claim"}, r"'reading', such as {'reading': {'id': …}}"),
        ({"random_state": 1}, "'seed'"),
        ({"max_label": 5}, "did you mean 'max_labels'"),
        ({"zzzzzz": 5}, "the names are C, classes"),
        (5, "got int: give one of these"),
    ],
)
def test_settings_that_there_are_not(
    tmp_path: Path, rows: pd.DataFrame, settings: Any, said: str
) -> None:
    with pytest.raises(SettingsError, match=said):
        Project.open(rows, store=tmp_path / "n.labels.db", settings=settings)


def test_a_store_that_is_none(rows: pd.DataFrame) -> None:
    with pytest.raises(ProjectError, match="A store must be an address"):
        Project.open(rows, store=5)  # type: ignore[arg-type]


def test_classes_that_differ_by_capitals_are_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [float(i) for i in range(30)]})
    with Project.open(frame, store=tmp_path / "a.db") as project:
        project.answer(0, "fraud")
        project.answer(1, "ok")
        assert not any("different classes" in note for note in project.notes)
        project.answer(2, "Fraud")
        project.answer(3, "Fraud")
        told = [note for note in project.notes if "different classes" in note]
    assert told == [
        "'Fraud' (1) and 'fraud' (1) count as different classes: spell them alike if they are one."
    ]
    with Project.open(frame, store=tmp_path / "a.db") as project:
        assert any("'Fraud' (2) and 'fraud' (1)" in note for note in project.notes)
