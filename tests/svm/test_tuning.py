"""C and gamma chosen by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from rarebit import KernelSVC
from rarebit.svm import tune_kernel


def waves(n: int = 400, seed: int = 0) -> tuple[Any, Any]:
    """A border of waves: the usual width is far too wide for it."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    y = (np.sin(12 * X[:, 0]) * np.sin(12 * X[:, 1]) > 0.45).astype(int)
    return X, y


def test_a_border_of_waves_is_learned() -> None:
    X, y = waves()
    X_test, y_test = waves(seed=1)
    tuned = KernelSVC(C="tuned", gamma="tuned").fit(X, y)
    usual = KernelSVC().fit(X, y)
    assert tuned.gamma_ > usual.gamma_
    ap = [average_precision_score(y_test, m.decision_function(X_test)) for m in (usual, tuned)]
    assert ap[1] > ap[0] + 0.1


def test_the_choice_is_as_good_as_that_of_an_honest_search() -> None:
    X, y = waves(200)
    tuned = KernelSVC(C="tuned", gamma="tuned").fit(X, y)
    folds = StratifiedKFold(5, shuffle=True, random_state=1)

    def quality(**parameters: Any) -> float:
        machine = KernelSVC(**parameters)
        scores = cross_val_predict(machine, X, y, cv=folds, method="decision_function")
        return float(average_precision_score(y, scores))

    own = quality(C=tuned.C_, gamma=tuned.gamma_)
    others = [quality(C=C, gamma=g * KernelSVC().fit(X, y).gamma_) for C in (0.1, 1.6, 25.6)
              for g in (1 / 16, 1.0, 4.0)]  # fmt: skip
    assert own > max(others) - 0.03


def test_what_is_given_is_kept() -> None:
    X, y = waves()
    assert KernelSVC(C=7.0, gamma="tuned").fit(X, y).C_ == 7.0
    assert KernelSVC(C="tuned", gamma=0.25).fit(X, y).gamma_ == 0.25
    plain = KernelSVC(C=2.0).fit(X, y)
    assert plain.C_ == 2.0
    assert plain.gamma_ == pytest.approx(1.0 / (2 * X.var()))
    # Parameters are never overwritten, and a later fit without tuning does not remember one.
    machine = KernelSVC(C="tuned", gamma="tuned").fit(X, y)
    assert (machine.C, machine.gamma) == ("tuned", "tuned")
    assert machine.set_params(C=1.0, gamma="scale").fit(X, y).gamma_ == KernelSVC().fit(X, y).gamma_


def test_the_tuned_machine_is_the_machine_with_these_numbers() -> None:
    X, y = waves()
    tuned = KernelSVC(C="tuned", gamma="tuned", n_jobs=2).fit(X, y)
    again = KernelSVC(C=tuned.C_, gamma=tuned.gamma_).fit(X, y)
    assert_array_equal(tuned.decision_function(X), again.decision_function(X))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
def test_every_kernel_dense_and_sparse(kernel: str) -> None:
    X, y = waves(120)
    dense = KernelSVC(kernel, C="tuned", gamma="tuned").fit(X, y)
    csr = KernelSVC(kernel, C="tuned", gamma="tuned").fit(sp.csr_matrix(X), y)
    assert 0.05 < dense.C_ < 200.0
    assert dense.decision_function(X).shape == csr.decision_function(X).shape == (120,)


def test_a_precomputed_kernel_has_a_cost_to_tune() -> None:
    X, y = waves(150)
    K = X @ X.T
    own = KernelSVC("precomputed", C="tuned", gamma="tuned").fit(K, y)
    assert own.C_ in 0.1 * 4.0 ** np.arange(6)
    assert own.gamma_ == 1.0


def test_few_labels_have_usual_values() -> None:
    X = np.array([[0.0], [1.0], [2.0]])
    machine = KernelSVC(C="tuned", gamma="tuned").fit(X, [0, 0, 1])
    assert machine.C_ == 3.0
    assert machine.gamma_ == KernelSVC().fit(X, [0, 0, 1]).gamma_


def test_several_classes_and_many_rows() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [1900, 60, 40])
    X = rng.normal(size=(2000, 3)) + 1.5 * y[:, None]
    machine = KernelSVC(C="tuned", gamma="tuned").fit(X, y)
    again = KernelSVC(C="tuned", gamma="tuned").fit(X, y)
    assert (machine.C_, machine.gamma_) == (again.C_, again.gamma_)
    assert machine.decision_function(X).shape == (2000, 3)


def test_rows_without_weight_do_not_count() -> None:
    X, y = waves(200)
    weights = np.ones(260)
    weights[200:] = 0.0
    X_more, y_more = waves(260)
    X_more[:200], y_more[:200] = X, y
    found = tune_kernel(
        X_more, y_more, weights, kernel="rbf", C="tuned", gamma="tuned", degree=3, coef0=0.0,
        scale=1.0,
    )  # fmt: skip
    alone = tune_kernel(
        X, y, np.ones(200), kernel="rbf", C="tuned", gamma="tuned", degree=3, coef0=0.0, scale=1.0
    )
    assert found == alone
