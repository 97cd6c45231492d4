"""Threads of the engine: the same results to the bit, whatever n_jobs."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.testing import assert_array_equal
from sklearn.base import clone

from rarebit import (
    BaggedSVC,
    BoostedSVC,
    BorderLearner,
    BorderSVC,
    KernelSVC,
    OnlineSVC,
    PrunedSVC,
    _core,
)
from rarebit._engine.threads import engine_threads

N = 5000


def clouds(n: int = N, columns: int = 8, classes: int = 2) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    y = rng.choice(classes, size=n, p=[0.8] + [0.2 / (classes - 1)] * (classes - 1))
    return rng.normal(size=(n, columns)) + 0.6 * y[:, None], y


MACHINES: dict[str, tuple[Any, int, int]] = {
    "kernel": (KernelSVC(C=2.0, tol=0.05), N, 2),
    "classes": (KernelSVC(tol=0.05), 1500, 3),
    "online": (OnlineSVC(random_state=0, tol=0.05, max_iter=2000), 3000, 2),
    "full": (BorderSVC(search="full", max_labels=60, stop=None, random_state=0), N, 2),
    "pool": (BorderSVC(max_labels=60, stop=None, random_state=0), N, 2),
    "bags": (BaggedSVC(n_estimators=6, random_state=0), 2000, 2),
    "pruned": (PrunedSVC(max_removals=6, random_state=0), 300, 2),
    "boosted": (BoostedSVC(n_estimators=2, kernel="rbf", random_state=0), 400, 2),
}


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", MACHINES)
def test_machines_are_the_same_to_the_bit(name: str, sparse: bool) -> None:
    machine, n, classes = MACHINES[name]
    X, y = clouds(n, classes=classes)
    rows = sp.csr_matrix(np.where(X > 0.5, X, 0.0)) if sparse else X
    alone = clone(machine).fit(rows, y)
    values = alone.decision_function(rows)
    for n_jobs in (2, 3):
        shared = clone(machine).set_params(n_jobs=n_jobs).fit(rows, y)
        assert_array_equal(shared.support_, alone.support_)
        assert_array_equal(shared.dual_coef_, alone.dual_coef_)
        assert_array_equal(shared.intercept_, alone.intercept_)
        assert_array_equal(shared.decision_function(rows), values)


def test_learners_ask_the_same() -> None:
    X, y = clouds()
    asked = []
    for n_jobs in (None, 2, 3):
        learner = BorderLearner(search="full", random_state=0, n_jobs=n_jobs)
        learner.start(X)
        rows = []
        for _ in range(40):
            row = int(learner.ask()[0])
            learner.tell([row], [y[row]])
            rows.append(row)
        asked.append(rows)
    assert asked[0] == asked[1] == asked[2]


@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_neighbours_are_the_same(number: type) -> None:
    X = np.ascontiguousarray(clouds()[0], dtype=number)
    tree = (_core.SingleNeighbours if number is np.float32 else _core.Neighbours)(X)
    calls: list[Callable[[int], tuple[Any, ...]]] = [
        lambda threads: (tree.kth_points([2, 9], 0, threads),),
        lambda threads: (tree.count_within(np.array([0.5, 1.0]), threads),),
        lambda threads: tree.smallest_radii([10, 50], threads),
    ]
    for call in calls:
        alone = call(1)
        for threads in (2, 3):
            for one, other in zip(alone, call(threads), strict=True):
                assert_array_equal(one, other)


def test_a_fit_on_threads_can_be_stopped() -> None:
    X, y = clouds()
    rows = _core.Rows.dense(X)
    provider = _core.DirectProvider(_core.Kernel("rbf", 5.0, 0.0, 3, rows), rows)

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _core.solve(
            provider, None, np.where(y == 1, 1.0, -1.0), np.full(N, 1e6), None, 1e-9, -1,
            1 << 22, stop, 3,
        )  # fmt: skip
    # And the threads are there for the next call.
    assert KernelSVC(n_jobs=3).fit(X[:500], y[:500]).n_jobs == 3


def test_threads_within_threads_and_processes() -> None:
    X, y = clouds(1500)
    expected = KernelSVC().fit(X, y).dual_coef_
    for backend in ("threading", "loky"):
        fitted = Parallel(n_jobs=2, backend=backend)(
            delayed(KernelSVC(n_jobs=2).fit)(X, y) for _ in range(4)
        )
        for machine in fitted:
            assert_array_equal(machine.dual_coef_, expected)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own() -> None:
    X, y = clouds(1500)
    expected = KernelSVC(n_jobs=2).fit(X, y).dual_coef_
    with multiprocessing.get_context("fork").Pool(1) as pool:
        child = pool.apply_async(KernelSVC(n_jobs=2).fit, (X, y)).get(timeout=600)
    assert_array_equal(child.dual_coef_, expected)


def test_n_jobs_are_counted_as_in_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine_threads(None) == 1
    assert engine_threads(3) == 3
    assert engine_threads(-1) >= 1
    with pytest.raises(ValueError, match="got 0: use None"):
        engine_threads(0)
    # A worker of an ensemble has its share of the processors.
    monkeypatch.setattr("rarebit._engine.threads.parent_process", lambda: object())
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert engine_threads(8) == 2


@pytest.mark.parametrize("n_jobs", [float("inf"), float("nan"), 0.5, "two", b"2"])
def test_a_machine_with_a_spoilt_n_jobs_says_so(n_jobs: Any) -> None:
    X, y = clouds(60)
    machine = OnlineSVC(random_state=0).fit(X, y)
    machine.n_jobs = n_jobs
    with pytest.raises(ValueError, match="n_jobs must be None, a number of threads"):
        machine.predict(X)


def test_more_threads_than_there_are_numbers() -> None:
    X, y = clouds(60)
    machine = KernelSVC(n_jobs=2**70).fit(X, y)
    assert_array_equal(machine.dual_coef_, KernelSVC().fit(X, y).dual_coef_)
