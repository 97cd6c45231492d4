"""What must hold for any data: order, copies, units, layout and names of classes do not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from rarebit import KernelSVC

Floats = NDArray[np.float64]

# Kernel values are float32: two ways to the same optimum agree to about its grain times C times n.
SLACK = 5e-4
many = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 10_000)
sizes = st.integers(12, 60)
kernels = st.sampled_from(["linear", "rbf", "poly"])


def problem(seed: int, n: int) -> tuple[Floats, NDArray[np.intp], Floats]:
    """Overlapping classes on a grid that float32 holds exactly, and rows to decide."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < max(3, n // 4)).astype(np.intp)
    X = np.round((rng.normal(size=(n, 3)) + y[:, None]) * 64.0) / 64.0
    order = rng.permutation(n)
    new = np.round(rng.normal(size=(15, 3)) * 64.0) / 64.0
    return np.ascontiguousarray(X[order]), y[order], new


def machine(kernel: str = "rbf", **settings: Any) -> KernelSVC:
    defaults: dict[str, Any] = {"gamma": 0.5, "coef0": 1.0, "degree": 2, "tol": 1e-7, "C": 0.7}
    return KernelSVC(kernel, **(defaults | settings))


def decide(model: KernelSVC, X: Any, y: Any, new: Any, **fit: Any) -> Floats:
    return model.fit(X, y, **fit).decision_function(new)


def assert_same_machine(first: KernelSVC, second: KernelSVC, a: Floats, b: Floats) -> None:
    """Equal objectives always; equal decisions where the bias is not an interval."""
    assert first.dual_objective_ == pytest.approx(second.dual_objective_, rel=1e-5, abs=1e-6)
    limit = first.C * (1.0 - 1e-6)
    free = (np.abs(first.dual_coef_) > 1e-6) & (np.abs(first.dual_coef_) < limit)
    if free.any():
        assert_allclose(a, b, atol=SLACK * max(1.0, float(np.abs(a).max())))
    else:
        assert_allclose(a - a.mean(), b - b.mean(), atol=SLACK * max(1.0, float(np.abs(a).max())))


@many
@given(seed=seeds, n=sizes, kernel=kernels)
def test_the_order_of_rows_does_not_matter(seed: int, n: int, kernel: str) -> None:
    X, y, new = problem(seed, n)
    order = np.random.default_rng(seed + 1).permutation(n)
    first, second = machine(kernel), machine(kernel)
    a, b = decide(first, X, y, new), decide(second, X[order], y[order], new)
    assert_same_machine(first, second, a, b)


@many
@given(seed=seeds, n=sizes, kernel=kernels)
def test_rows_given_twice_are_rows_of_weight_two(seed: int, n: int, kernel: str) -> None:
    X, y, new = problem(seed, n)
    twice = np.random.default_rng(seed + 1).random(n) < 0.4
    rows = np.concatenate([np.arange(n), np.flatnonzero(twice)])
    first, second = machine(kernel), machine(kernel)
    a = decide(first, X[rows], y[rows], new)
    b = decide(second, X, y, new, sample_weight=1.0 + twice)
    assert first.dual_objective_ == pytest.approx(second.dual_objective_, rel=1e-5, abs=1e-6)
    # Copies may share a coefficient in any way, so freedom is judged on the weighted machine.
    limits = 0.7 * (1.0 + twice)[second.support_]
    coefficients = np.abs(second.dual_coef_[0])
    if ((coefficients > 1e-4) & (coefficients < limits - 1e-4)).any():
        assert_allclose(a, b, atol=SLACK * max(1.0, float(np.abs(a).max())))


@many
@given(seed=seeds, n=sizes, factor=st.floats(0.1, 10.0))
def test_class_weights_scale_the_cost(seed: int, n: int, factor: float) -> None:
    X, y, new = problem(seed, n)
    first = machine(C=0.7 * factor)
    second = machine(class_weight={0: factor, 1: factor})
    a, b = decide(first, X, y, new), decide(second, X, y, new)
    # The product of C and the weight may differ in its last bit, which may turn the path.
    assert first.dual_objective_ == pytest.approx(second.dual_objective_, rel=1e-6)
    assert_same_machine(first, second, a, b)


@many
@given(seed=seeds, n=sizes, kernel=kernels)
def test_sparse_equals_dense(seed: int, n: int, kernel: str) -> None:
    X, y, new = problem(seed, n)
    X[np.abs(X) < 0.5] = 0.0
    first, second = machine(kernel), machine(kernel)
    a = decide(first, X, y, new)
    b = decide(second, sp.csr_matrix(X), y, sp.csr_matrix(new))
    assert_same_machine(first, second, a, b)
    assert_allclose(second.decision_function(new), b, atol=1e-9)
    assert_allclose(first.decision_function(sp.csr_matrix(new)), a, atol=1e-9)


@many
@given(seed=seeds, n=sizes, kernel=kernels)
def test_float32_equals_float64(seed: int, n: int, kernel: str) -> None:
    X, y, new = problem(seed, n)
    first, second = machine(kernel), machine(kernel)
    a = decide(first, X, y, new)
    b = decide(second, X.astype(np.float32), y, new.astype(np.float32))
    assert_same_machine(first, second, a, b)


@many
@given(
    seed=seeds,
    n=sizes,
    kernel=st.sampled_from(["linear", "rbf"]),
    shift=st.integers(-(2**20), 2**20),
)
def test_moving_all_rows_changes_nothing(seed: int, n: int, kernel: str, shift: int) -> None:
    X, y, new = problem(seed, n)
    by = float(shift) * np.array([1.0, 0.0, -0.5])
    first, second = machine(kernel), machine(kernel)
    a, b = decide(first, X, y, new), decide(second, X + by, y, new + by)
    assert_same_machine(first, second, a, b)


@many
@given(seed=seeds, n=sizes, kernel=kernels)
def test_turning_the_classes_round_turns_the_sign(seed: int, n: int, kernel: str) -> None:
    X, y, new = problem(seed, n)
    first, second = machine(kernel), machine(kernel)
    a, b = decide(first, X, y, new), -decide(second, X, 1 - y, new)
    assert first.dual_objective_ == pytest.approx(second.dual_objective_, rel=1e-5, abs=1e-6)
    limit = first.C * (1.0 - 1e-6)
    coefficients = np.abs(first.dual_coef_)
    if ((coefficients > 1e-6) & (coefficients < limit)).any():
        assert_allclose(a, b, atol=SLACK * max(1.0, float(np.abs(a).max())))
        assert_allclose(
            first.minority_score(new),
            second.minority_score(new),
            atol=SLACK * max(1.0, float(np.abs(a).max())),
        )


@many
@given(seed=seeds, n=sizes)
def test_names_of_classes_do_not_matter(seed: int, n: int) -> None:
    X, y, new = problem(seed, n)
    names = np.array(["normal", "rare"])
    first, second = machine(), machine()
    a, b = decide(first, X, y, new), decide(second, X, names[y], new)
    assert_allclose(a, b, atol=0.0)
    assert second.predict(new).tolist() == names[first.predict(new)].tolist()


@many
@given(seed=seeds, n=sizes)
def test_a_precomputed_kernel_is_the_kernel(seed: int, n: int) -> None:
    X, y, new = problem(seed, n)

    def rbf(A: Floats) -> Floats:
        return np.asarray(np.exp(-0.5 * ((A[:, None] - X[None]) ** 2).sum(axis=2)))

    first, second = machine(), machine("precomputed")
    a, b = decide(first, X, y, new), decide(second, rbf(X), y, rbf(new))
    assert_same_machine(first, second, a, b)


@many
@given(seed=seeds, n=sizes, kernel=kernels, tol=st.sampled_from([1e-2, 1e-3, 1e-5]))
def test_margins_of_the_rows_agree_with_their_coefficients(
    seed: int, n: int, kernel: str, tol: float
) -> None:
    X, y, _ = problem(seed, n)
    model = machine(kernel, tol=tol).fit(X, y)
    coefficients = np.zeros(n)
    coefficients[model.support_] = np.abs(model.dual_coef_[0])
    margin = np.where(y == 1, 1.0, -1.0) * model.decision_function(X)
    slack = tol + 1e-4 * max(1.0, float(np.abs(margin).max()))
    assert (margin[coefficients == 0.0] >= 1.0 - slack).all()
    assert (margin[coefficients == 0.7] <= 1.0 + slack).all()
    free = (coefficients > 0.0) & (coefficients < 0.7)
    assert_allclose(margin[free], 1.0, atol=slack)
