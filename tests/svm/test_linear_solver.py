"""Linear machines of many rows: as exact as those by pairs, whichever method their shape gets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.datasets import make_classification

from rarebit import KernelSVC

Floats = NDArray[np.float64]


def problem(shape: str) -> tuple[Any, NDArray[np.int64]]:
    rng = np.random.default_rng(3)
    if shape == "tall":
        return make_classification(2000, 20, weights=[0.9], flip_y=0.05, random_state=0)
    if shape == "shifted":  # far from the origin: the bias is large
        X, y = make_classification(2000, 12, weights=[0.7], flip_y=0.02, random_state=1)
        return X + 30.0, y
    if shape == "wide":
        X, y = make_classification(1600, 700, n_informative=40, flip_y=0.02, random_state=2)
        return X / np.sqrt(700.0), y
    entries = sp.random(2500, 900 if shape == "text" else 60, 0.04, random_state=4, format="csr")
    y = (np.asarray(entries[:, :30].sum(axis=1)).ravel() + 0.1 * rng.normal(size=2500) > 0.8) * 1
    if shape == "zeros":  # dense, but hardly anything in it
        return entries.toarray(), y
    return entries, y


SHAPES = ("tall", "shifted", "wide", "text", "few", "zeros")


def violation(machine: KernelSVC, X: Any, y: NDArray[np.int64], cost: Floats) -> float:
    """Largest g of rows that may grow less the smallest of rows that may shrink, in float64."""
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    X = X - X.mean(axis=0)
    side = np.where(y == 1, 1.0, -1.0)
    alpha = np.zeros(len(y))
    alpha[machine.support_] = machine.dual_coef_[0]
    assert abs(alpha.sum()) <= 1e-9 * np.abs(alpha).sum()
    size = alpha * side
    assert size.min() >= 0.0
    assert np.all(size <= cost)
    g = side - X @ (X.T @ alpha)
    up = g[np.where(side > 0, size < cost, size > 0.0)].max()
    low = g[np.where(side > 0, size > 0.0, size < cost)].min()
    return float(up - low)


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_gap_over_all_rows_is_within_the_tolerance(shape: str, C: float) -> None:
    X, y = problem(shape)
    machine = KernelSVC("linear", C=C).fit(X, y)
    assert machine.optimality_gap_ <= 1e-3
    assert violation(machine, X, y, np.full(len(y), C)) <= 1e-3 + 2e-4
    # A limit of the steps leaves the work to the solver by pairs.
    pairs = KernelSVC("linear", C=C, max_iter=10**9).fit(X, y)
    assert_allclose(machine.dual_objective_, pairs.dual_objective_, rtol=1e-3)
    apart = np.abs(machine.decision_function(X) - pairs.decision_function(X))
    assert np.median(apart) < 0.02
    assert np.mean(machine.predict(X) == pairs.predict(X)) > 0.995


@pytest.mark.parametrize("C", [1e3, 1e5])
@pytest.mark.parametrize("shape", ["tall", "shifted", "few", "zeros"])
def test_large_costs_are_solved_to_the_tolerance_of_the_rows_given(shape: str, C: float) -> None:
    # Rows rounded to float32 move w by the cost times their rounding: the machine is another one.
    X, y = problem(shape)
    machine = KernelSVC("linear", C=C).fit(X, y)
    assert machine.optimality_gap_ <= 1e-3
    assert violation(machine, X, y, np.full(len(y), C)) <= 1e-3 + 1e-5


def test_the_objective_is_between_primal_and_dual() -> None:
    X, y = problem("shifted")
    machine = KernelSVC("linear", C=1.0, tol=1e-4).fit(X, y)
    w = machine.dual_coef_[0] @ machine.support_vectors_
    slack = np.maximum(0.0, 1.0 - np.where(y == 1, 1.0, -1.0) * machine.decision_function(X))
    primal = 0.5 * float(w @ w) + float(slack.sum())
    assert machine.dual_objective_ <= primal * (1.0 + 1e-6)
    assert primal - machine.dual_objective_ <= 1e-3 * primal


def test_weights_are_limits_and_0_leaves_a_row_out() -> None:
    X, y = problem("tall")
    weights = np.random.default_rng(0).choice([0.0, 0.5, 2.0], size=len(y))
    machine = KernelSVC("linear").fit(X, y, sample_weight=weights)
    assert not np.isin(np.flatnonzero(weights == 0.0), machine.support_).any()
    kept = weights > 0.0
    alone = KernelSVC("linear").fit(X[kept], y[kept], sample_weight=weights[kept])
    assert_allclose(machine.dual_objective_, alone.dual_objective_, rtol=1e-3)


def test_threads_and_repeats_change_nothing() -> None:
    for shape in ("tall", "text"):
        X, y = problem(shape)
        first = KernelSVC("linear").fit(X, y)
        for n_jobs in (None, 2, 3):
            again = KernelSVC("linear", n_jobs=n_jobs).fit(X, y)
            assert_array_equal(again.dual_coef_, first.dual_coef_)
            assert_array_equal(again.intercept_, first.intercept_)


def test_several_classes_and_small_tolerances() -> None:
    X, y = make_classification(2400, 15, n_informative=8, n_classes=3, random_state=5)
    machine = KernelSVC("linear", tol=1e-5).fit(X, y)
    assert np.all(machine.optimality_gap_ <= 1e-5)
    loose = KernelSVC("linear", max_iter=10**9).fit(X, y)
    assert_allclose(machine.dual_objective_, loose.dual_objective_, rtol=1e-3)
