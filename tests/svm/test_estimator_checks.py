"""scikit-learn's conformance checks, and our own for what they cannot ask of a kernel machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from sklearn.utils.estimator_checks import parametrize_with_checks

from rarebit import KernelSVC, OnlineSVC

Floats = NDArray[np.float64]

MACHINES = [
    KernelSVC(),
    KernelSVC("linear"),
    KernelSVC("poly", degree=2, coef0=1.0),
    KernelSVC("sigmoid"),
    KernelSVC("precomputed"),
    KernelSVC(class_weight="balanced"),
    KernelSVC(C="tuned", gamma="tuned"),
    OnlineSVC(),
    OnlineSVC("linear", n_epochs=2),
    OnlineSVC(finish=False),
]

REASON = (
    "the check compares decision values far below the tolerance of an iterative solver (SVC is "
    "excused as well); converged fits are compared in this module"
)


def expected_failures(machine: Any) -> dict[str, str]:
    return {
        "check_sample_weight_equivalence_on_dense_data": REASON,
        "check_sample_weight_equivalence_on_sparse_data": REASON,
    }


@parametrize_with_checks(MACHINES, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


# Weights, on converged fits


def weighted_problem(seed: int) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp], Floats]:
    """Rows, labels, whole weights from 0 to 3, and rows to decide."""
    rng = np.random.default_rng(seed)
    y = (np.arange(60) < 24).astype(np.intp)
    X = rng.normal(size=(60, 4)) + 0.8 * y[:, None]
    order = rng.permutation(60)
    weights = rng.integers(0, 4, size=60)
    return X[order], y[order], weights, rng.normal(size=(30, 4))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_weight_is_a_number_of_copies(
    kernel: str, sparse: bool, class_weight: str | None, seed: int
) -> None:
    X, y, weights, new = weighted_problem(seed)
    repeated = np.repeat(np.arange(60), weights)
    matrix = sp.csr_matrix if sparse else np.asarray
    options: dict[str, Any] = {
        "gamma": 0.2, "degree": 2, "coef0": 1.0, "tol": 1e-8, "class_weight": class_weight,
    }  # fmt: skip
    weighted = KernelSVC(kernel, **options).fit(matrix(X), y, sample_weight=weights)
    copied = KernelSVC(kernel, **options).fit(matrix(X[repeated]), y[repeated])
    assert weighted.dual_objective_ == pytest.approx(copied.dual_objective_, rel=1e-6)
    assert_allclose(
        weighted.decision_function(matrix(new)), copied.decision_function(matrix(new)), atol=2e-4
    )
    assert not set(weighted.support_.tolist()) & set(np.flatnonzero(weights == 0).tolist())


@pytest.mark.parametrize("tol", [1e-8, 1e-10])
def test_rows_of_weight_zero_might_as_well_be_absent(tol: float) -> None:
    X, y, weights, new = weighted_problem(3)
    left = weights > 0
    weighted = KernelSVC(gamma=0.2, tol=tol).fit(X, y, sample_weight=left.astype(float))
    alone = KernelSVC(gamma=0.2, tol=tol).fit(X[left], y[left])
    assert weighted.dual_objective_ == pytest.approx(alone.dual_objective_, rel=1e-7)
    assert_allclose(weighted.decision_function(new), alone.decision_function(new), atol=1e-4)
    assert weighted.minority_class_ == alone.minority_class_


def test_weights_of_one_change_nothing() -> None:
    X, y, _, new = weighted_problem(4)
    plain = KernelSVC(gamma=0.2).fit(X, y)
    weighted = KernelSVC(gamma=0.2).fit(X, y, sample_weight=np.ones(60))
    assert_allclose(weighted.decision_function(new), plain.decision_function(new), atol=0.0)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_weight_is_a_number_of_copies_online(sparse: bool, seed: int) -> None:
    X, y, weights, new = weighted_problem(seed)
    repeated = np.repeat(np.arange(60), weights)
    matrix = sp.csr_matrix if sparse else np.asarray
    options: dict[str, Any] = {"gamma": 0.2, "tol": 1e-6, "n_epochs": 10, "random_state": 0}
    weighted = OnlineSVC(**options).fit(matrix(X), y, sample_weight=weights)
    copied = OnlineSVC(**options).fit(matrix(X[repeated]), y[repeated])
    exact = KernelSVC(gamma=0.2, tol=1e-8).fit(X[repeated], y[repeated])
    for machine in (weighted, copied):
        assert machine.dual_objective_ == pytest.approx(exact.dual_objective_, rel=1e-5)
        assert_allclose(machine.decision_function(new), exact.decision_function(new), atol=2e-3)


def test_a_class_of_weight_zero_is_never_predicted() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 3], 40)
    X = rng.normal(size=(160, 2)) + np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])[y]
    weights = np.where(y == 2, 0.0, 1.0)
    for machine in (KernelSVC(gamma=0.5), OnlineSVC(gamma=0.5, random_state=0)):
        machine.fit(X, y, sample_weight=weights)
        assert set(machine.predict(X).tolist()) <= {0, 1, 3}
        assert machine.minority_class_ != 2
