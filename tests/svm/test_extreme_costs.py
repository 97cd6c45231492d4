"""Costs and tolerances at the end of what numbers can hold: the exact machine, or a warning."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from rarebit import KernelSVC, OnlineSVC, PrunedSVC


def rows_of(seed: int, separable: bool) -> tuple[Any, Any]:
    X, y = make_classification(n_samples=150, n_features=6, flip_y=0.05, random_state=seed)
    if not separable:  # rows that are alike and of both classes: coefficients grow up to C
        X, y = np.vstack([X, X[:20]]), np.concatenate([y, 1 - y[:20]])
    return X, y


def warned(machine: Any, X: Any, y: Any) -> bool:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine.fit(X, y)
    return any(issubclass(one.category, ConvergenceWarning) for one in caught)


@pytest.mark.parametrize("C", [1e9, 1e12, 1e15, 2.0**64, 1e100])
@pytest.mark.parametrize("seed", range(3))
def test_where_svc_converges_so_do_we(C: float, seed: int) -> None:
    X, y = rows_of(seed, separable=True)
    machine = KernelSVC(C=C)
    assert not warned(machine, X, y)
    expected = SVC(C=C).fit(X, y).decision_function(X)
    np.testing.assert_allclose(machine.decision_function(X), expected, atol=0.02)


@pytest.mark.parametrize("C", [1e9, 1e12, 1e15, 1e100])
@pytest.mark.parametrize("machine", [KernelSVC, OnlineSVC])
def test_a_machine_that_is_none_is_never_silent(machine: Any, C: float) -> None:
    X, y = rows_of(0, separable=True)
    made = machine(C=C, **({"random_state": 0} if machine is OnlineSVC else {}))
    if warned(made, X, y):
        return
    # Conditions of optimality among the rows kept: margins of support vectors within the limits.
    kept = made.support_
    margins = made.decision_function(X[kept]) * np.where(y[kept] == made.classes_[1], 1.0, -1.0)
    alpha = np.abs(made.dual_coef_[0])
    assert np.all(np.abs(margins[alpha < 0.99 * C] - 1.0) < 0.05)


@pytest.mark.parametrize(
    "machine", [KernelSVC(tol=1e-300), OnlineSVC(tol=1e-300, random_state=0), PrunedSVC(tol=1e-300)]
)
def test_a_tolerance_below_rounding_ends(machine: Any) -> None:
    X, y = rows_of(1, separable=False)
    assert warned(machine, X, y)
    usual = type(machine)(**machine.get_params() | {"tol": 1e-4}).fit(X, y)
    assert np.mean(machine.predict(X) == usual.predict(X)) > 0.9


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("machine", [KernelSVC(), OnlineSVC(), PrunedSVC(), KernelSVC("linear")])
def test_a_finite_row_that_is_huge_is_refused(machine: Any, sparse: bool) -> None:
    X, y = rows_of(0, separable=True)
    huge = X.copy()
    huge[3] = -1e160
    rows = sp.csr_matrix(huge) if sparse else huge
    with pytest.raises(ValueError, match=r"at most 1e\+150, got 1e\+160: scale"):
        clone(machine).fit(rows, y)
    fitted = clone(machine).fit(sp.csr_matrix(X) if sparse else X, y)
    with pytest.raises(ValueError, match=r"at most 1e\+150, got 1e\+160: scale"):
        fitted.predict(rows)


@pytest.mark.parametrize("C", [1e6, 1e9, 1e12])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_online_machines_end_where_classes_overlap(C: float) -> None:
    # Steps on the most violating pair alone did not end in minutes.
    X, y = make_classification(n_samples=150, n_features=6, flip_y=0.05, random_state=0)
    X, y = np.vstack([X, X[:20]]), np.concatenate([y, 1 - y[:20]])
    machine = OnlineSVC(C=C, random_state=0).fit(X, y)
    assert np.mean(machine.predict(X) == y) > 0.8
