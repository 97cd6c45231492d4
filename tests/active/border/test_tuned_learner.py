"""A learner that tunes C and gamma while it asks."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rarebit import BorderLearner, Hunt
from rarebit.active import StateError


def pool() -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.random((1500, 2))
    return X, (np.sin(9 * X[:, 0]) * np.sin(9 * X[:, 1]) > 0.8).astype(int)


def learner() -> BorderLearner:
    return BorderLearner(C="tuned", gamma="tuned", stop=None, random_state=0)


def teach(asker: Any, y: Any, n: int) -> Any:
    while len(asker.labels_) < n:
        rows = asker.ask()
        asker.tell(rows, y[rows])
    return asker


def test_it_tunes_when_labels_have_grown_by_half() -> None:
    X, y = pool()
    asker = learner().start(X)
    changes = []
    for n in range(1, 120):
        teach(asker, y, n)
        changes.append(asker.state()["tuned"][2])
    steps = sorted(set(changes))
    assert steps[0] == 20
    assert all(b == a + (a + 1) // 2 or b == a + 1 for a, b in pairwise(steps))
    C, gamma, _ = asker.state()["tuned"]
    assert (asker.classifier_.C_, asker.classifier_.gamma_) == (C, gamma)
    assert gamma > 1.0 / (2 * X.var())


def test_a_restored_learner_asks_the_same_questions() -> None:
    X, y = pool()
    asker = teach(learner().start(X), y, 70)
    asker.skip(asker.ask())
    waiting = asker.ask()
    state = json.loads(json.dumps(asker.state()))
    again = learner().restore(X, state)
    for each in (asker, again):
        each.tell(waiting, y[waiting])
        teach(each, y, 160)
    assert asker.labels_ == again.labels_
    assert asker.state()["tuned"] == again.state()["tuned"]
    assert_array_equal(
        asker.classifier_.decision_function(X), again.classifier_.decision_function(X)
    )


def test_answers_taken_back_and_corrected() -> None:
    X, y = pool()
    asker = teach(learner().start(X), y, 60)
    rows = list(asker.labels_)
    asker.retract(rows[-3:])
    asker.tell([rows[0]], [1 - y[rows[0]]], replace=True)
    teach(asker, y, 90)
    assert asker.labels_[rows[0]] == 1 - y[rows[0]]


def test_a_damaged_tuning_is_refused() -> None:
    X, y = pool()
    state = teach(learner().start(X), y, 40).state()
    for wrong in ([1.0, 2.0], [0.0, 1.0, 30], [1.0, float("nan"), 30], [1.0, 1.0, 0], "tuned"):
        with pytest.raises(StateError, match="tuned"):
            learner().restore(X, {**state, "tuned": wrong})


def test_a_hunt_takes_a_tuned_learner() -> None:
    X, y = pool()
    hunt = teach(Hunt(learner=learner(), random_state=0).start(X), y, 80)
    assert hunt.classifier_.C_ > 0.0
