"""Several threads on one object: each call is whole, none crashes the process."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification

from rarebit import BorderLearner, KernelSVC, OnlineSVC, _core
from rarebit.exceptions import InUseError, RarebitError

X, y = make_classification(
    n_samples=1500, n_features=10, weights=[0.85], class_sep=1.2, random_state=2
)


def hammer(*calls: Callable[[], Any]) -> list[BaseException]:
    """Run the calls at once and return what they raised."""
    raised: list[BaseException] = []
    ready = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> None:
        ready.wait()
        try:
            call()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


@pytest.mark.parametrize("search", ["pool", "full"])
def test_one_learner_asked_and_told_by_many_threads(search: str) -> None:
    learner = BorderLearner(gamma=0.1, search=search, random_state=0, stop=None).start(X)
    told: list[list[int]] = [[] for _ in range(4)]

    def work(own: list[int]) -> None:
        for turn in range(25):
            rows = learner.ask(2)
            learner.tell(rows, y[rows])
            own += rows.tolist()
            if turn % 5 == 0:
                assert learner.classifier_.predict(X[:5]).shape == (5,)
                learner.status(), learner.pending_, learner.history_, learner.state()

    # Two classes first, so that a classifier exists whoever comes first.
    seeds = np.array([np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]])
    learner.tell(seeds, y[seeds])
    assert hammer(*(lambda own=own: work(own) for own in told)) == []
    rows = [row for own in told for row in own]
    assert len(set(rows)) == len(rows) == 200
    assert len(learner.labels_) == 200 + len(seeds) - len(set(rows) & set(seeds.tolist()))
    assert all(learner.labels_[row] == y[row] for row in rows)
    # What the threads built is what one thread builds from the same answers.
    again = BorderLearner(gamma=0.1, search=search, random_state=0, stop=None)
    again.restore(X, learner.state())
    np.testing.assert_array_equal(again.ask(3), learner.ask(3))


def test_one_online_machine_fed_and_read_by_many_threads() -> None:
    machine = OnlineSVC(gamma=0.1).partial_fit(X[:100], y[:100], classes=[0, 1])
    pieces = np.array_split(np.arange(100, 900), 40)

    def feed(part: int) -> None:
        for piece in pieces[part::4]:
            machine.partial_fit(X[piece], y[piece])

    def read() -> None:
        for _ in range(30):
            assert np.isfinite(machine.decision_function(X[:50])).all()
            pickle.dumps(machine)

    feeding = [lambda part=part: feed(part) for part in range(4)]
    assert hammer(*feeding, read, read) == []
    assert machine.n_samples_seen_ == 900
    assert machine.predict(X).shape == (1500,)


def test_locks_are_not_saved_and_not_cloned() -> None:
    learner = BorderLearner(gamma=0.1, random_state=0).start(X)
    machine = OnlineSVC(gamma=0.1).partial_fit(X, y)
    for one in (learner, machine):
        again = pickle.loads(pickle.dumps(one))
        clone(one)
        assert type(again) is type(one)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(learner)).ask(3), learner.ask(3))


@pytest.mark.parametrize("budget", [0, 200, 1500])
def test_one_gram_used_by_many_threads_gives_the_values_of_one(budget: int) -> None:
    rows = _core.Rows.dense(np.ascontiguousarray(X))
    kernel = _core.Kernel("rbf", 0.1, 0.0, 3, rows)
    gram = _core.Gram(kernel, rows, 4 * 1500 * budget)
    direct = _core.DirectProvider(kernel, rows)
    ids = np.arange(1500, dtype=np.int32)
    parts = [np.sort(np.random.default_rng(i).choice(ids, 300, replace=False)) for i in range(6)]
    found: dict[int, Any] = {}

    def solve(number: int) -> None:
        part = parts[number]
        target, cost = np.where(y[part] == 1, 1.0, -1.0), np.ones(len(part))
        solved = _core.solve(gram, part, target, cost, None, 1e-3, -1, 1 << 20, None)
        found[number] = solved.alpha

    def fill() -> None:
        gram.fill()

    assert hammer(*(lambda i=i: solve(i) for i in range(6)), fill) == []
    for number, part in enumerate(parts):
        target, cost = np.where(y[part] == 1, 1.0, -1.0), np.ones(len(part))
        alone = _core.solve(direct, part, target, cost, None, 1e-3, -1, 1 << 20, None)
        np.testing.assert_array_equal(found[number], alone.alpha)
    np.testing.assert_array_equal(gram.block(ids[:40], ids), direct.block(ids[:40], ids))


def test_many_threads_predict_with_one_machine() -> None:
    machine = KernelSVC(gamma=0.1).fit(X, y)
    wanted = machine.decision_function(X)
    found: list[Any] = []
    calls = [lambda: found.append(machine.decision_function(X)) for _ in range(6)]
    assert hammer(*calls) == []
    for values in found:
        np.testing.assert_array_equal(values, wanted)


def test_the_engine_refuses_a_second_caller_in_one_sentence() -> None:
    rows = _core.Rows.dense(np.ascontiguousarray(X))
    kernel = _core.Kernel("rbf", 0.1, 0.0, 3, rows)
    machine = _core.OnlineMachine(kernel, rows, 1e-3, 1 << 20)
    order = np.arange(1500, dtype=np.int32)
    target, cost = np.where(y == 1, 1.0, -1.0), np.ones(1500)
    refused: list[BaseException] = []

    def called_back(*_: object) -> None:
        # The caller itself, from within the call that it waits for.
        with pytest.raises(InUseError, match="in use by another thread") as error:
            machine.finish(-1, None)
        refused.append(error.value)

    # Enough rows that the observer is called at least once.
    for _ in range(200):
        machine.process(rows, order, np.full(1500, -1, dtype=np.int32), target, cost, called_back)
        if refused:
            break
    assert refused
    assert isinstance(refused[0], RarebitError)
    assert isinstance(refused[0], RuntimeError)
    assert "\n" not in str(refused[0])
    machine.finish(-1, None)
