"""An answer that is taken back leaves no trace, for every object that asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rarebit import Alice, BorderLearner, Hunt, Interleave, Malice, RandomExplorer, Scout

ASKERS: dict[str, Callable[[], Any]] = {
    "Alice": lambda: Alice(0.1),
    "Malice": lambda: Malice(0.1),
    "Interleave": lambda: Interleave(4, random_state=0),
    "RandomExplorer": lambda: RandomExplorer(random_state=0),
    "Scout": lambda: Scout(),
    "BorderLearner": lambda: BorderLearner(random_state=0),
    "Hunt": lambda: Hunt(),
}


@pytest.fixture
def pool() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(size=(180, 3)), rng.normal(3.0, 0.3, size=(12, 3)),
                        rng.normal(-3.0, 0.3, size=(8, 3))])  # fmt: skip
    y = np.repeat(["a", "b", "c"], [180, 12, 8])
    order = rng.permutation(len(y))
    return X[order], y[order]


def run(asker: Any, y: Any, n: int, doubtful: set[int]) -> list[int]:
    """Answer so many questions; answers of doubtful ones are first wrong, and taken back."""
    asked: list[int] = []
    while len(asked) < n:
        (row,) = asker.ask().tolist()
        if len(asked) in doubtful:
            asker.tell(row, "b" if len(asked) % 2 else "never seen")
            asker.retract(row)
            assert row in asker.pending_
        asker.tell(row, y[row])
        asked.append(row)
    return asked


@pytest.mark.parametrize("name", ASKERS)
def test_what_was_taken_back_leaves_no_trace(name: str, pool: Any) -> None:
    X, y = pool
    plain, doubting = ASKERS[name]().start(X), ASKERS[name]().start(X)
    expected = run(plain, y, 60, set())
    assert run(doubting, y, 60, {0, 1, 2, 5, 19, 20, 40, 59}) == expected
    if hasattr(plain, "discovered_"):
        assert doubting.discovered_ == plain.discovered_
    if hasattr(plain, "classifier_"):
        guess = doubting.classifier_.predict(X)
        assert guess.tolist() == plain.classifier_.predict(X).tolist()
    assert doubting.done == plain.done
    if name == "Hunt":
        assert doubting.status() == plain.status()


def test_the_history_of_a_learner_is_as_if_nothing_had_been_said(pool: Any) -> None:
    X, y = pool
    plain, doubting = (BorderLearner(random_state=0).start(X) for _ in range(2))
    run(plain, y, 60, set())
    run(doubting, y, 60, {0, 1, 24, 25, 33, 59})
    for column in ("row", "label", "how"):
        assert doubting.history_[column].tolist() == plain.history_[column].tolist()
    checks, expected = doubting.history_.checks, plain.history_.checks
    assert checks["n_labels"].tolist() == expected["n_labels"].tolist()


@pytest.mark.parametrize("name", ASKERS)
def test_a_skip_can_be_taken_back(name: str, pool: Any) -> None:
    X, y = pool
    asker = ASKERS[name]().start(X)
    (row,) = asker.ask().tolist()
    asker.skip(row)
    asker.retract(row)
    asker.tell(row, y[row])
    assert "skipped" not in str(asker.status())


@pytest.mark.parametrize("name", ASKERS)
def test_an_old_answer_can_be_taken_back(name: str, pool: Any) -> None:
    X, y = pool
    asker = ASKERS[name]().start(X)
    asked = run(asker, y, 30, set())
    asker.retract(asked[3])
    assert asked[3] in asker.pending_
    assert len(run(asker, y, 10, set())) == 10


@pytest.mark.parametrize("name", ASKERS)
def test_there_is_nothing_to_take_back(name: str, pool: Any) -> None:
    asker = ASKERS[name]().start(pool[0])
    (row,) = asker.ask().tolist()
    with pytest.raises(ValueError, match="neither told nor skipped"):
        asker.retract(row)
    assert asker.pending_.tolist() == [row]
