"""One finite row that is far from the others: the machine that SVC makes, or one sentence."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from rarebit import KernelSVC, OnlineSVC


def rows_with(value: float) -> tuple[Any, Any]:
    X, y = make_classification(n_samples=120, n_features=6, flip_y=0.05, random_state=0)
    X[3] = value
    return X, y


@pytest.mark.parametrize("machine", [KernelSVC, OnlineSVC])
@pytest.mark.parametrize(
    ("kernel", "gamma", "value"),
    [
        ("linear", "scale", 1e8),
        ("linear", "scale", 1e25),
        ("rbf", 0.1, 1e12),
        ("rbf", 0.1, 1e100),
        ("poly", 0.1, 1e16),
        ("poly", "scale", 1e20),
        ("sigmoid", "scale", 1e25),
    ],
)
def test_a_far_row_is_refused_told_or_harmless(
    machine: Any, kernel: str, gamma: Any, value: float
) -> None:
    X, y = rows_with(value)
    made = machine(kernel, gamma=gamma, **({"random_state": 0} if machine is OnlineSVC else {}))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        refused = ""
        try:
            values = made.fit(X, y).decision_function(X)
        except ValueError as error:
            refused = str(error)
    if refused:
        assert "features" in refused  # not "intercept_ must be finite: fit it again"
        return
    assert np.isfinite(values).all()
    assert all(issubclass(each.category, ConvergenceWarning) for each in told)
    if told:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = SVC(kernel=kernel, gamma=gamma, max_iter=100_000).fit(X, y).predict(X)
    # Right for as many rows as SVC, or nearly.
    assert np.mean(made.predict(X) == y) > np.mean(expected == y) - 0.05


@pytest.mark.parametrize("kernel", ["poly", "sigmoid"])
def test_values_of_far_rows_are_numbers_or_refused(kernel: str) -> None:
    X, y = rows_with(0.0)
    made = KernelSVC(kernel).fit(X, y)
    far = np.full((1, 6), 1e140)
    try:
        values = made.decision_function(far)
    except ValueError:
        return
    assert np.isfinite(values).all()


def test_far_rows_that_come_later_are_refused() -> None:
    X, y = rows_with(0.0)
    made = OnlineSVC("linear", random_state=0).partial_fit(X, y)
    with pytest.raises(ValueError, match="Kernel values of these features must be at most"):
        made.partial_fit(np.full((2, 6), 1e25), [0, 1])
    assert np.isfinite(made.decision_function(X)).all()


def test_the_row_whose_value_is_no_number_is_named() -> None:
    X, y = rows_with(0.0)
    made = KernelSVC("poly").fit(X, y)
    with pytest.raises(ValueError, match="for row 1: its features are too large"):
        made.decision_function(np.vstack([X[0], np.full(6, 1e140)]))
