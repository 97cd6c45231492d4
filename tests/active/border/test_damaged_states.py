"""States from outside: every damaged one is refused in one sentence, and the learner stays as it
was; what is accepted behaves."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

from rarebit import BorderLearner
from rarebit.active import StateError
from rarebit.exceptions import RarebitError

X, y = make_classification(
    n_samples=400, n_features=6, weights=[0.8], class_sep=1.5, random_state=0
)


@pytest.fixture(scope="module")
def state() -> dict[str, Any]:
    learner = BorderLearner(gamma=0.2, random_state=0, stop="auto").start(X)
    for _ in range(30):
        rows = learner.ask(3)
        learner.tell(rows[:2], y[rows[:2]])
        if _ % 4 == 0:
            learner.skip(rows[2:])
    assert learner.n_labels_ > 50
    made: dict[str, Any] = json.loads(json.dumps(learner.state()))
    assert made["looks"]
    assert made["pending"]["row"]
    assert made["skipped"]
    return made


def learner() -> BorderLearner:
    return BorderLearner(gamma=0.2, random_state=0, stop="auto")


def test_a_whole_state_is_taken(state: dict[str, Any]) -> None:
    one, other = learner().restore(X, state), learner().restore(X, copy.deepcopy(state))
    np.testing.assert_array_equal(one.ask(5), other.ask(5))


DAMAGES: dict[str, Any] = {
    "no mapping": lambda s: 7,
    "a list": lambda s: list(s),
    "empty": lambda s: {},
    "version of text": lambda s: {**s, "version": "1"},
    "newer version": lambda s: {**s, "version": 2},
    "zero random state": lambda s: {**s, "random_state": [0, 0, 0, 0]},
    "short random state": lambda s: {**s, "random_state": [1, 2, 3]},
    "negative random state": lambda s: {**s, "random_state": [1, 2, 3, -4]},
    "wide random state": lambda s: {**s, "random_state": [1, 2, 3, 2**64]},
    "random state of text": lambda s: {**s, "random_state": "1234"},
    "other pool": lambda s: {**s, "n_rows": 399},
    "rows of text": lambda s: {**s, "n_rows": "400"},
    "rows of truth": lambda s: {**s, "n_rows": True},
    "negative seed": lambda s: {**s, "seed": -1},
    "seed of text": lambda s: {**s, "seed": "0"},
    "no seed": lambda s: {**s, "seed": None},
    "classes of text": lambda s: {**s, "classes": "01"},
    "class twice": lambda s: {**s, "classes": [0, 0]},
    "class missing": lambda s: {**s, "classes": [0, None]},
    "class of nan": lambda s: {**s, "classes": [0, float("nan")]},
    "class is a list": lambda s: {**s, "classes": [0, [1]]},
    "too few classes": lambda s: {**s, "classes": [0]},
    "no classes": lambda s: {**s, "classes": []},
    "log is a list": lambda s: {**s, "log": []},
    "log without rows": lambda s: {**s, "log": {k: v for k, v in s["log"].items() if k != "row"}},
    "log with more": lambda s: {**s, "log": {**s["log"], "support": []}},
    "pending is none": lambda s: {**s, "pending": None},
    "skipped is labelled": lambda s: {**s, "skipped": [s["log"]["row"][0]]},
    "skipped is pending": lambda s: {**s, "skipped": [s["pending"]["row"][0]]},
    "skipped twice": lambda s: {**s, "skipped": s["skipped"][:1] * 2},
    "skipped far away": lambda s: {**s, "skipped": [400]},
    "skipped is a number": lambda s: {**s, "skipped": 3},
    "looks of numbers": lambda s: {**s, "looks": [1, 2]},
    "looks of another length": lambda s: {**s, "looks": [[10, [0, 1]]]},
    "looks backwards": lambda s: {**s, "looks": [s["looks"][0]] * 2},
    "looks later than labels": lambda s: {**s, "looks": [[10**6, s["looks"][0][1]]]},
    "looks of other classes": lambda s: {**s, "looks": [[10, [9] * len(s["looks"][0][1])]]},
    "next look never": lambda s: {**s, "next_look": 10**12},
    "next look of text": lambda s: {**s, "next_look": "60"},
    "next look before": lambda s: {**s, "next_look": -1},
    "reasons of a list": lambda s: {**s, "reasons": ["done"]},
    "reasons of numbers": lambda s: {**s, "reasons": {"done": 1}},
    "labelled twice": lambda s: {
        **s,
        "log": {k: v + v[:1] for k, v in s["log"].items()},
    },
    "endless number": lambda s: {**s, "seed": 10**5000},
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_states_are_refused_and_change_nothing(name: str, state: dict[str, Any]) -> None:
    damaged = DAMAGES[name](copy.deepcopy(state))
    busy = learner().restore(X, state)
    with pytest.raises(StateError) as refused:
        busy.restore(X, damaged)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300
    assert isinstance(refused.value, RarebitError)
    np.testing.assert_array_equal(busy.ask(4), learner().restore(X, state).ask(4))
    with pytest.raises(StateError):
        learner().restore(X, damaged)


STRANGE = [None, True, -1, 0, 1, 5, 400, 2**31, 2**63, 2**64, 10**30, 0.5, float("nan"),
           float("inf"), "x", "", [], [1], {}, [[1]], [None]]  # fmt: skip


def mutate(state: dict[str, Any], random: np.random.Generator) -> None:
    """Change one place of a state, however deep it lies."""
    place: Any = state
    while True:
        keys = sorted(place) if isinstance(place, dict) else list(range(len(place)))
        key = keys[int(random.integers(len(keys)))]
        deeper = place[key]
        if isinstance(deeper, dict | list) and len(deeper) and random.random() < 0.8:
            place = deeper
            continue
        break
    how = random.random()
    if how < 0.15:
        del place[key]
    elif how < 0.25 and isinstance(place, list):
        place.append(place[key])
    elif how < 0.35 and isinstance(place, list):
        other = int(random.integers(len(place)))
        place[key], place[other] = place[other], place[key]
    else:
        place[key] = STRANGE[int(random.integers(len(STRANGE)))]


def test_hundreds_of_mutated_states_are_refused_or_behave(state: dict[str, Any]) -> None:
    random = np.random.default_rng(0)
    refused: list[str] = []
    accepted = 0
    for _ in range(600):
        mutated = copy.deepcopy(state)
        for _ in range(int(random.integers(1, 4))):
            mutate(mutated, random)
        made = learner()
        try:
            made.restore(X, mutated)
        except StateError as error:
            refused.append(str(error))
            continue
        accepted += 1
        rows = made.ask(2)
        assert set(rows.tolist()).isdisjoint(made.labels_)
        made.tell(rows, y[rows])
        made.status(), made.history_, made.state()
    assert len(refused) > 400
    assert not any("\n" in sentence for sentence in refused)
    assert accepted > 0


def test_the_engine_checks_what_it_is_told() -> None:
    made = BorderLearner(gamma=0.2, random_state=0).start(X)
    rows = made.ask(20)
    made.tell(rows, np.arange(20) % 2)
    engine = made._search.engine
    ids = np.zeros(400, dtype=np.int32)
    numbers = np.array([0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="code out of range"):
        engine.run(30, ids + 2, numbers, None)
    with pytest.raises(ValueError, match="code out of range"):
        engine.run(30, ids - 1, numbers, None)
    with pytest.raises(ValueError, match="class number out of range"):
        engine.run(30, ids, numbers + 1, None)
    with pytest.raises(ValueError, match="one entry per row"):
        engine.run(30, ids[:-1], numbers, None)
    for wrong in (-1, 400, 2**31 - 1):
        with pytest.raises(IndexError):
            engine.watch(np.array([0, wrong], dtype=np.int32))
        with pytest.raises(IndexError):
            engine.tell(wrong, 0)
        with pytest.raises(IndexError):
            engine.skip(wrong)
    for wrong in (-1, 1, 2**31 - 1):
        with pytest.raises(IndexError):
            engine.solution(wrong)
    with pytest.raises(ValueError, match="all zeros"):
        engine.random_state = [0, 0, 0, 0]
    with pytest.raises(ValueError, match="cost for each class"):
        engine.set_classes(np.ones(1), None)
    with pytest.raises(ValueError, match="finite"):
        engine.set_classes(np.array([1.0, np.inf]), None)
    pending = engine.pending()
    with pytest.raises(ValueError, match="missing or of another kind"):
        engine.set_pending({})
    made.ask(2)
    pending = engine.pending()
    for name, value in (("row", 400), ("way", 6), ("machine", 2), ("expected", 2), ("drawn", -1)):
        wrong_columns = {k: v.copy() for k, v in pending.items()}
        wrong_columns[name][0] = value
        with pytest.raises(ValueError):  # noqa: PT011 - each has its own sentence
            engine.set_pending(wrong_columns)
    with pytest.raises(ValueError, match="one length"):
        engine.set_pending({**pending, "distance": pending["distance"][:1]})
