"""One count of labels on a page: those given beforehand are told, and not counted."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit import Project

N, N_ASKED = 240, 25
GIVEN = [i for i in range(20) if i != 13]  # one of them rare
N_GIVEN = len(GIVEN)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    y = np.where(np.arange(N) % 8 == 5, "fraud", "ok")
    X = np.random.default_rng(1).normal(size=(N, 3)) + 1.8 * (y == "fraud")[:, None]
    frame = pl.DataFrame(
        {"id": [f"P{i}" for i in range(N)], **dict(zip("abc", X.T, strict=True)), "truth": y}
    )
    frame.write_csv(tmp_path / "payments.csv")
    return tmp_path / "payments.csv"


def plain(page: str) -> str:
    page = re.sub(r"<(style|svg)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.mark.parametrize("task", ["learn", "discover"])
def test_given_labels_are_told_and_not_counted(file: Path, task: str, tmp_path: Path) -> None:
    settings = {"task": task, "oracle": "truth", "max_labels": N_ASKED, "reading": {"id": "id"}}
    if task == "learn":
        settings |= {"goal": "find", "rare": ["fraud"]}
    given = pl.DataFrame(
        {
            "id": [f"P{i}" for i in GIVEN],
            "label": ["fraud" if i == 5 else "ok" for i in GIVEN],
        }
    )
    with Project.open(file, store=tmp_path / "l.db", settings=settings) as project:
        project.import_labels(given, id="id")
        assert project.discovered == {"ok": 0, "fraud": 0}
        project.answer_from_column()
        assert {each.first_seen_at for each in project.status().classes} == {0}
        assert project.status().n_labels == N_GIVEN + N_ASKED
        page = plain(project.report().html())
    assert f"{N_GIVEN + N_ASKED} labels" in page or f"labels {N_GIVEN + N_ASKED}" in page
    assert f"of them given beforehand {N_GIVEN}" in page
    assert f"{N_GIVEN} labels were given beforehand: below, labels are counted from" in page
    assert "All of them have labels that were given beforehand." in page
    assert "fraud given" in page
    assert "first seen at label 1." not in page
    for number in range(N_ASKED + 1, N_ASKED + N_GIVEN + 1):
        assert f"fraud {number} " not in page


def test_without_given_labels_nothing_is_said(file: Path, tmp_path: Path) -> None:
    settings = {"oracle": "truth", "max_labels": N_ASKED, "reading": {"id": "id"}, "task": "learn"}
    with Project.open(file, store=tmp_path / "l.db", settings=settings) as project:
        project.answer_from_column()
        assert project.discovered == project.asker.discovered_
        page = plain(project.report().html())
    assert "beforehand" not in page
