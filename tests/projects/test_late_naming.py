"""A proof does not choose its classes after it has seen its draws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.projects import Project, Settings, SettingsError
from rarebit.projects._rare_classes import refuse_late_naming
from rarebit.projects.stores import Audit, Event

ASKED = [Event(1, "ask", row=3, id="3", reason="random", order=1, audit=Audit(100, 0.9))]
DRAWN = [*ASKED, replace(ASKED[0], number=2, what="label", label="ok")]


def test_rare_classes_stay_once_random_rows_prove_a_recall() -> None:
    proving = Settings(recall=0.9)
    named = proving.with_changes(rare=("fraud",))
    refuse_late_naming(proving, named, [])  # nothing is drawn yet
    refuse_late_naming(Settings(), Settings(rare=("fraud",)), DRAWN)  # nothing is proved
    refuse_late_naming(named, named.with_changes(goal="find"), DRAWN)
    with pytest.raises(SettingsError, match="cannot change once random rows are drawn"):
        refuse_late_naming(proving, named, DRAWN)
    with pytest.raises(SettingsError, match="begin another project"):
        refuse_late_naming(named, named.with_changes(rare=("theft",), recall=None), DRAWN)


def test_rare_classes_can_be_named_together_with_the_recall() -> None:
    """Draws from before do not count then, as where the classes are named first."""
    named = Settings(rare=("fraud",), recall=0.9)
    refuse_late_naming(Settings(), named, DRAWN)
    refuse_late_naming(Settings(recall=0.9), named, ASKED)  # nobody has answered a draw yet


@pytest.fixture
def rows() -> tuple[pl.DataFrame, list[str]]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    names = np.where(x > 1.9, "fraud", np.where(x < -1.9, "theft", "ok")).tolist()
    return pl.DataFrame({"x": x, "z": rng.normal(size=400)}), names


def proof(
    rows: tuple[pl.DataFrame, list[str]], store: Path, n: int, **named: Any
) -> tuple[int, int, list[str]]:
    """Return audits and finds that count after so many further answers, and the notes."""
    frame, names = rows
    with Project.open(
        frame, store=store, settings={"recall": 0.9, "goal": "find", **named}
    ) as project:
        for _ in range(n):
            question = project.question()
            assert question is not None
            project.answer(question.row, names[question.row])
        found = project.asker.guarantee()
        by_class = project.asker.guarantees()
        assert all(one.audits == found.audits for one in by_class.values())
        return found.audits, found.found, project.notes


def test_draws_from_before_the_classes_were_named_prove_nothing(
    rows: tuple[pl.DataFrame, list[str]], tmp_path: Path
) -> None:
    store = tmp_path / "labels.db"
    first, _, notes = proof(rows, store, 150, rare=["fraud"])
    assert first > 5
    assert not any("named differently" in note for note in notes)
    audits, known, notes = proof(rows, store, 0, rare=["theft"])
    assert audits == 0
    assert known > 0  # labels stay
    assert any(f"{first} random rows drawn until then do not count" in note for note in notes)
    later, *_ = proof(rows, store, 60, rare=["theft"])
    assert 0 < later <= 60
    again, *_ = proof(rows, store, 0, rare=["theft"])
    assert again == later  # as in the process that asked
    back, *_ = proof(rows, store, 0, rare=["fraud"])
    assert back == 0


def test_draws_count_while_the_classes_stay(
    rows: tuple[pl.DataFrame, list[str]], tmp_path: Path
) -> None:
    store = tmp_path / "labels.db"
    first, *_ = proof(rows, store, 150, rare=["fraud"])
    again, _, notes = proof(rows, store, 0, rare=["fraud"], max_labels=500)
    assert again == first
    assert not any("named differently" in note for note in notes)
