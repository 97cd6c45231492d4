"""A learner that was saved continues where it was; one that does not fit is not used."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.projects import Desk, Project
from rarebit.projects._saving import Keeping, SavedLearner
from rarebit.projects._settings import Settings

RARE = np.random.default_rng(0).random(500) < 0.05
SETTINGS = {"goal": "find", "recall": 0.9, "rare": ["rare"]}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAREBIT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    path = tmp_path / "pool.csv"
    pl.DataFrame({name: rng.normal(size=500) + 2 * RARE for name in "abc"}).write_csv(path)
    return path


def opened(file: Path) -> Project:
    return Project.open(file, store=file.with_suffix(".db"), settings=SETTINGS)


def saved_of(project: Project) -> SavedLearner:
    return SavedLearner(project.features, project.settings, project.store.address)


def label(project: Project, n: int) -> list[tuple[int, str]]:
    asked = []
    for _ in range(n):
        question = project.question()
        assert question is not None
        project.answer(question.row, "rare" if RARE[question.row] else "usual")
        asked.append((question.row, question.reason))
    return asked


def test_a_saved_learner_asks_what_it_would_have_asked(file: Path) -> None:
    with opened(file) as project:
        label(project, 60)
        project.ask_ahead(3)
        saved = saved_of(project)
        project.save(saved)
        assert saved.path.stat().st_mode & 0o077 == 0
        project.correct(next(iter(project.labels)), "third")  # after it was saved
        label(project, 5)
    with opened(file) as repeated:
        store, table, settings = repeated.store, repeated.table, repeated.settings
        restored = Project(table, store, settings, saved=saved_of(repeated))
        assert restored.n_restored > 120
        assert restored.asker.queries_ == repeated.asker.queries_
        assert restored.labels == repeated.labels
        assert str(restored.status()) == str(repeated.status())
        assert label(restored, 25)
        replayed = Project(table, store, settings)
        assert replayed.asker.queries_ == restored.asker.queries_


def test_what_does_not_fit_is_not_used(file: Path) -> None:
    with opened(file) as project:
        label(project, 10)
        saved = saved_of(project)
        project.save(saved)
        events = project.store.events()
        assert saved.load(events) is not None
        assert saved.load(events[:-1]) is None  # of a store that has lost something
        assert saved.load([*events[1:], events[0]]) is None
        other = project.settings.with_changes(goal="learn")
        assert SavedLearner(project.features, other, project.store.address).path != saved.path
        shown = project.settings.with_changes(guidelines="Look twice.")
        assert SavedLearner(project.features, shown, project.store.address).path == saved.path
        assert SavedLearner(project.features * 2, Settings(), "").path != saved.path
        content = saved.path.read_bytes()
        for damaged in (b"", content[:-1], content[:-1] + b"!", b"x" + content):
            saved.path.write_bytes(damaged)
            assert saved.load(events) is None
        saved.path.write_bytes(content)
        saved.path.chmod(0o622)  # a pickle that others can write may run what they like
        assert os.name != "posix" or saved.load(events) is None


def test_a_desk_continues_with_it_and_verifies_it(file: Path) -> None:
    with opened(file) as project:
        rows = [row for row, _ in label(project, 40)]
        project.save(saved_of(project))
    with Desk.open(file, store=file.with_suffix(".db"), settings=SETTINGS) as desk:
        limit = time.monotonic() + 300.0
        while desk.learner.verified is None and time.monotonic() < limit:
            time.sleep(0.05)
        assert desk.learner.verified
        assert list(desk.learner.call("asker").labels_) == rows


def test_a_large_project_continues_from_what_it_left(
    file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(file) as project:
        label(project, 2)
    assert not list(cache.glob("learners/*"))  # few rows: the history is repeated
    file.with_suffix(".db").unlink()
    monkeypatch.setattr("rarebit.projects._saving._FEW_ROWS", 499)
    with opened(file) as project:
        asked = label(project, 40)
        history = project.asker.queries_
    (kept,) = cache.glob("learners/*.state")
    with opened(file) as project:
        assert project.n_restored == len(project.store.events())
        assert project.asker.queries_ == history
        changed = kept.stat().st_mtime_ns
        project.question()
        more = label(project, 20)
        assert project.add_rows(more_rows(file)) == 10  # another pool: not kept under this name
    assert kept.stat().st_mtime_ns == changed
    file.with_suffix(".db").unlink()
    kept.write_bytes(b"damaged")
    with opened(file) as project:
        assert project.n_restored == 0
        assert label(project, 60) == asked + more


def test_a_large_project_that_is_killed_continues_from_what_it_kept_at_work(
    file: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rarebit.projects._saving._FEW_ROWS", 499)
    monkeypatch.setattr("rarebit.projects._saving._LEAST_SECONDS", 0.0)
    monkeypatch.setattr("rarebit.projects._saving._SHARE", 1e9)  # each time, whatever it costs
    killed = opened(file)
    asked = label(killed, 40)
    monkeypatch.setattr("rarebit.projects._saving._LEAST_SECONDS", 1e9)
    asked += label(killed, 3)  # not kept any more
    killed._keeps = None  # a process that is killed does not close anything
    killed.close()
    assert len(list(cache.glob("learners/*.state"))) == 1
    with opened(file) as project:
        assert project.n_restored == len(project.store.events()) - 6  # questions and answers
        more = label(project, 20)
        project._keeps = None
    file.with_suffix(".db").unlink()
    monkeypatch.setattr("rarebit.projects._saving._FEW_ROWS", 500)
    with opened(file) as project:
        assert project.n_restored == 0
        assert label(project, 63) == asked + more


def test_keeping_takes_a_small_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("rarebit.projects._saving.time.monotonic", lambda: clock[0])

    class Slow:
        def save(self, *what: object) -> None:
            clock[0] += 3.0

    keeping = Keeping(Slow())  # type: ignore[arg-type]
    spent = 0.0
    for n in range(1, 2000):
        clock[0] += 1.0
        if keeping.is_due():
            before = clock[0]
            keeping.save(None, n, [])  # type: ignore[arg-type]
            spent += clock[0] - before
    assert 0.03 < spent / clock[0] < 0.06


def more_rows(file: Path) -> Path:
    path = file.with_name("more.csv")
    pl.DataFrame({name: np.random.default_rng(2).normal(size=10) for name in "abc"}).write_csv(path)
    return path
