"""A session over a file of labels goes on where the last one ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rarebit import BorderLearner, Hunt, Malice, RandomExplorer, Scout
from rarebit.labels import LabelSession, LabelStore

ASKERS: dict[str, Callable[[], Any]] = {
    "scout": lambda: Scout(),
    "malice": lambda: Malice(0.1),
    "random": lambda: RandomExplorer(random_state=3),
    "hunt": lambda: Hunt(learner=BorderLearner(random_state=3)),
}


@pytest.fixture(scope="module")
def pool() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(250, 2)), rng.normal(3.5, 0.3, size=(12, 2))])
    y = np.repeat(["usual", "rare"], [250, 12])
    order = rng.permutation(len(y))
    return X[order], y[order]


def begin(name: str, path: Path, pool: Any) -> LabelSession:
    X, _ = pool
    store = LabelStore(path, ids=range(len(X)), fingerprint="f")
    return LabelSession(ASKERS[name]().start(X), store, by=name)


def answer(session: LabelSession, y: Any, n: int) -> list[int]:
    asked = []
    for _ in range(n):
        row = session.question()
        assert row is not None
        assert session.question() == row  # until it has an answer
        asked.append(row)
        if row % 17 == 0:
            session.skip()
            continue
        if row % 11 == 0:  # a slip of the finger
            session.answer("rare" if y[row] == "usual" else "usual")
            assert session.undo() == row
            assert session.question() == row
        session.answer(str(y[row]))
    return asked


@pytest.mark.parametrize("name", ASKERS)
def test_broken_off_and_gone_on_it_asks_the_same(name: str, pool: Any, tmp_path: Path) -> None:
    _, y = pool
    whole = begin(name, tmp_path / "whole.jsonl", pool)
    expected = answer(whole, y, 60)
    asked: list[int] = []
    for part in (1, 13, 26, 20):
        session = begin(name, tmp_path / "parts.jsonl", pool)
        asked += answer(session, y, part)
        session.question()  # asked, and never answered
        session.store.close()
    assert asked == expected
    again = begin(name, tmp_path / "parts.jsonl", pool)
    assert again.store.labels == whole.store.labels
    assert again.asker.labels_ == whole.asker.labels_
    assert again.asker.discovered_ == whole.asker.discovered_
    if name == "hunt":
        how = [session.asker.learner_.history_["how"].tolist() for session in (again, whole)]
        assert how[0] == how[1]


def test_undone_across_sessions(pool: Any, tmp_path: Path) -> None:
    _, y = pool
    path = tmp_path / "labels.jsonl"
    first = begin("scout", path, pool)
    asked = answer(first, y, 10)
    first.store.close()
    second = begin("scout", path, pool)
    assert second.undo() == asked[-1]
    assert second.undo() == asked[-2]
    assert second.question() == asked[-2]
    second.store.close()
    third = begin("scout", path, pool)
    assert third.question() == asked[-2]
    third.skip()
    assert third.question() == asked[-1]
    third.store.undo()
    assert len(third.store.events) == len(second.store.events) + 2


def test_labels_of_one_asker_serve_another(pool: Any, tmp_path: Path) -> None:
    _, y = pool
    path = tmp_path / "labels.jsonl"
    found = begin("scout", path, pool)
    answer(found, y, 30)
    found.store.close()
    learned = begin("hunt", path, pool)
    assert learned.asker.labels_ == found.asker.labels_
    more = answer(learned, y, 20)
    assert not set(more) & set(found.asker.labels_)


def test_there_is_an_end(tmp_path: Path) -> None:
    X = np.arange(6.0).reshape(-1, 1)
    store = LabelStore(tmp_path / "six.jsonl", ids=range(6))
    session = LabelSession(Scout().start(X), store, by="scout")
    while session.question() is not None:
        session.answer("one")
    assert len(store.labels) == 6
    with pytest.raises(ValueError, match="no question"):
        session.answer("one")
    for _ in range(6):
        assert session.undo() is not None
    assert session.undo() is None
