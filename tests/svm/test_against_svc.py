"""KernelSVC against scikit-learn's SVC: objective, optimality over all rows, predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from rarebit import KernelSVC

Floats = NDArray[np.float64]


def in_float64(X: Any) -> Any:
    return X.astype(np.float64)


def decision_part(machine: Any, X: Any, **kernel: Any) -> Floats:
    """Sum of coefficients times kernel values for all rows, in float64, a few rows at a time."""
    right = in_float64(X[machine.support_])
    coefficients = as_array(machine.dual_coef_)[0]
    parts = []
    for at in range(0, X.shape[0], 2000):
        values = pairwise_kernels(in_float64(X[at : at + 2000]), right, **kernel)
        parts.append(np.asarray(values) @ coefficients)
    return np.concatenate(parts)


def as_array(values: Any) -> Floats:
    return np.asarray(values.toarray() if sp.issparse(values) else values, dtype=np.float64)


def objective_and_gap(
    machine: Any, X: Any, y: NDArray[Any], C: float, **kernel: Any
) -> tuple[float, float]:
    """Dual objective and largest violation over all rows, both from ``dual_coef_`` alone."""
    signs = np.where(y == machine.classes_[1], 1.0, -1.0)
    alpha = np.zeros(len(signs))
    alpha[machine.support_] = as_array(machine.dual_coef_)[0]
    f = decision_part(machine, X, **kernel)
    gradient = signs - f
    up = alpha < np.where(signs > 0, C, 0.0)
    low = alpha > np.where(signs > 0, 0.0, -C)
    objective = float(alpha @ signs - 0.5 * alpha @ f)
    return objective, float(gradient[up].max() - gradient[low].min())


def assert_matches_svc(X: Any, y: Any, X_test: Any, C: float, gamma: float) -> None:
    ours = KernelSVC(C=C, gamma=gamma).fit(X, y)
    # SVC trains on float64 only; the rows are the same.
    theirs = SVC(C=C, gamma=gamma, cache_size=1000).fit(X, y)
    kernel = {"metric": "rbf", "gamma": gamma}
    reached, gap = objective_and_gap(ours, X, y, C, **kernel)
    to_reach, _ = objective_and_gap(theirs, X, y, C, **kernel)
    assert reached >= to_reach - 1e-4 * abs(to_reach)
    assert ours.dual_objective_ == pytest.approx(reached, rel=1e-4)
    assert gap <= 1.1e-3
    assert abs(float(ours.dual_coef_.sum())) <= 1e-9 * float(np.abs(ours.dual_coef_).sum())
    differ = np.mean(ours.predict(X_test) != theirs.predict(X_test))
    assert differ <= 1e-3


@pytest.mark.parametrize("name", ["letter-A", "satimage-4", "usps-0", "reuters-crude"])
def test_real_tasks(name: str, require_task: Callable[..., Any]) -> None:
    task = require_task(name)
    assert_matches_svc(task.X_train, task.y_train, task.X_test, task.C, task.gamma)


LARGE = ["a9a", "mnist-8"]


@pytest.mark.parametrize("name", LARGE)
def test_part_of_a_large_task(name: str, require_task: Callable[..., Any]) -> None:
    task = require_task(name)
    rows = np.sort(np.random.default_rng(0).permutation(len(task.y_train))[:6000])
    X, y = task.X_train[rows], task.y_train[rows]
    assert_matches_svc(X, y, task.X_test[:3000], task.C, task.gamma)


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_the_whole_of_a_large_task(name: str, require_task: Callable[..., Any]) -> None:
    task = require_task(name)
    assert_matches_svc(task.X_train, task.y_train, task.X_test, task.C, task.gamma)


# Other kernels, layouts and numbers


KERNELS: dict[str, dict[str, Any]] = {
    "linear": {},
    "rbf": {"gamma": 0.3},
    "poly": {"gamma": 0.3, "degree": 3, "coef0": 1.0},
    "sigmoid": {"gamma": 0.02, "coef0": 0.1},
}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("C", [0.1, 5.0])
def test_kernels_layouts_and_numbers(kernel: str, number: Any, sparse: bool, C: float) -> None:
    rng = np.random.default_rng(1)
    y = (np.arange(400) < 80).astype(int)
    dense = rng.normal(size=(400, 5)) + 0.8 * y[:, None]
    dense[rng.random(dense.shape) < 0.3] = 0.0
    X: Any = dense.astype(number)
    X = sp.csr_matrix(X) if sparse else X
    ours = KernelSVC(kernel, C=C, tol=1e-4, **KERNELS[kernel]).fit(X, y)
    theirs = SVC(kernel=kernel, C=C, tol=1e-4, **KERNELS[kernel]).fit(X, y)
    settings = {"metric": kernel, **KERNELS[kernel]}
    reached, gap = objective_and_gap(ours, X, y, C, **settings)
    to_reach, _ = objective_and_gap(theirs, X, y, C, **settings)
    assert reached == pytest.approx(to_reach, rel=1e-4)
    assert ours.dual_objective_ == pytest.approx(reached, rel=1e-4)
    assert gap <= 1.1e-4 + 1e-6 * C * 400
    values, expected = ours.decision_function(X), theirs.decision_function(X)
    assert np.mean((values > 0) != (expected > 0)) <= 0.005
    np.testing.assert_allclose(values, expected, atol=0.02 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("gamma", ["scale", "auto"])
@pytest.mark.parametrize("sparse", [False, True])
def test_named_gammas(gamma: str, sparse: bool) -> None:
    rng = np.random.default_rng(2)
    X: Any = 3.0 * rng.normal(size=(200, 4)) + 1.0
    y = (X[:, 0] + rng.normal(size=200) > 3.0).astype(int)
    X = sp.csr_matrix(X) if sparse else X
    ours = KernelSVC(gamma=gamma, tol=1e-5).fit(X, y)
    theirs = SVC(gamma=gamma, tol=1e-5).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


def test_weights_by_class_and_row() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + 0.7 * rng.normal(size=300) > 1.0).astype(int)
    weights = rng.uniform(0.2, 3.0, size=300)
    settings: dict[str, Any] = {"gamma": 0.4, "tol": 1e-5, "class_weight": {0: 1.0, 1: 4.0}}
    ours = KernelSVC(**settings).fit(X, y, sample_weight=weights)
    theirs = SVC(**settings).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
