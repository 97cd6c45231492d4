"""The NumPy twin against scikit-learn's SVC, hand-solved problems and LASVM's invariants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC

from rarebit._engine.reference import (
    OnlineTwin,
    dual_objective,
    kernel_matrix,
    kkt_gap,
    solve_batch,
)

from .problems import overlapping_classes

Floats = NDArray[np.float64]

KERNELS = {
    "linear": {},
    "rbf": {"gamma": 0.4},
    "poly": {"gamma": 0.5, "degree": 3, "coef0": 1.0},
    "sigmoid": {"gamma": 0.3, "coef0": -0.5},
}


def gram(X: Floats, kernel: str) -> Floats:
    return kernel_matrix(X, X, kernel, **KERNELS[kernel])


def line(*points: float) -> Floats:
    """Linear kernel matrix of points on a line."""
    x = np.array(points)
    return np.outer(x, x)


def assert_feasible(y: Floats, C: float | Floats, alpha: Floats) -> None:
    assert (alpha * y >= 0).all()
    assert (alpha * y <= C).all()
    assert abs(alpha.sum()) <= 1e-11 * max(1.0, np.abs(alpha).sum())


# Kernels


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_equal_scikit_learn(kernel: str) -> None:
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(7, 4)), rng.normal(size=(5, 4))
    expected = pairwise_kernels(A, B, metric=kernel, **KERNELS[kernel])
    K = kernel_matrix(A, B, kernel, **KERNELS[kernel])
    assert_allclose(K, expected, rtol=1e-12, atol=1e-14)


def test_rbf_stays_accurate_far_from_the_origin() -> None:
    K = kernel_matrix([[1.7e9]], [[1.7e9 + 1.0]], "rbf", gamma=1.0)
    assert_allclose(K, [[np.exp(-1.0)]], rtol=1e-14)


def test_precomputed_returns_the_block() -> None:
    block = np.array([[1, 2, 3]], dtype=np.float32)
    K = kernel_matrix(block, None, "precomputed")
    assert K.dtype == np.float64
    assert_array_equal(K, block)


def test_unknown_kernel_is_refused() -> None:
    with pytest.raises(ValueError, match=r"precomputed\. Got 'gauss'"):
        kernel_matrix([[1.0]], [[1.0]], "gauss")


# Batch


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_batch_equals_svc(kernel: str, C: float) -> None:
    X, y = overlapping_classes(seed=3)
    costs = C * np.random.default_rng(4).uniform(0.2, 3.0, size=y.size)
    K = gram(X, kernel).astype(np.float32).astype(np.float64)  # SVC caches float32 values
    ours = solve_batch(K, y, costs, tol=1e-8)
    svc = SVC(kernel="precomputed", C=1.0, tol=1e-8).fit(K, y, sample_weight=costs)
    theirs = np.zeros_like(y)
    theirs[svc.support_] = svc.dual_coef_[0]

    assert_feasible(y, costs, ours.alpha)
    assert ours.gap <= 1e-8
    assert ours.gap == kkt_gap(K, y, costs, ours.alpha)
    assert ours.dual_objective == pytest.approx(dual_objective(K, y, theirs), rel=1e-6)
    free = (np.abs(ours.alpha) > 1e-6) & (np.abs(ours.alpha) < costs - 1e-6)
    assert free.any()  # else the bias is an interval
    assert ours.bias == pytest.approx(svc.intercept_[0], abs=1e-6)
    X_new = np.random.default_rng(5).normal(size=(20, X.shape[1]))
    K_new = kernel_matrix(X_new, X, kernel, **KERNELS[kernel])
    assert_allclose(K_new @ ours.alpha + ours.bias, svc.decision_function(K_new), atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(4, 25), log_C=st.floats(-2, 2))
def test_batch_closes_the_duality_gap(seed: int, n: int, log_C: float) -> None:
    """The primal objective (1) bounds D from above: equality proves alpha and bias optimal."""
    X, y = overlapping_classes(seed, n=n)
    C = 10.0**log_C
    K = gram(X, "rbf")
    s = solve_batch(K, y, C, tol=1e-8)
    slack = np.maximum(0.0, 1.0 - y * (K @ s.alpha + s.bias))
    primal = 0.5 * s.alpha @ K @ s.alpha + C * slack.sum()
    assert_feasible(y, C, s.alpha)
    assert abs(primal - s.dual_objective) <= 1e-8 * C * n + 1e-11 * primal


@pytest.mark.parametrize(
    ("C", "alpha", "bias", "gap", "objective"),
    [(10.0, 0.5, -2.0, 0.0, 0.5), (0.25, 0.25, -1.0, -1.0, 0.375)],
)
def test_two_points_solved_by_hand(
    C: float, alpha: float, bias: float, gap: float, objective: float
) -> None:
    """Points 3 (+1) and 1 (-1): D = 2a - 2a², best at a = 1/2 unless C is smaller."""
    s = solve_batch(line(3, 1), [1, -1], C)
    assert s.alpha.tolist() == [alpha, -alpha]
    assert (s.bias, s.gap, s.dual_objective, s.n_iter) == (bias, gap, objective, 1)


def test_nearly_equal_points_keep_their_true_curvature() -> None:
    """eta = 2**-20 is far above the floor: one step of 2 / eta."""
    s = solve_batch(line(1 + 2**-10, 1), [1, -1], C=1e9)
    assert s.alpha.tolist() == [2**21, -(2**21)]
    assert s.n_iter == 1


def test_limits_are_reached_exactly() -> None:
    a, C = 0.022, 0.11
    assert a + (C - a) < C  # what rounding would leave
    s = solve_batch(line(3, 1), [1, -1], C, alpha0=[a, -a])
    assert s.alpha.tolist() == [C, -C]


def test_batch_selects_the_pair_of_largest_gain() -> None:
    """Both negatives violate alike; the nearer one has the smaller eta, so the larger gain."""
    s = solve_batch(line(3, 0, 1), [1, -1, -1], C=10.0, max_iter=1)
    assert s.alpha.tolist() == [0.5, 0.0, -0.5]


def test_duplicated_rows_equal_doubled_costs() -> None:
    X, y = overlapping_classes(seed=8, n=30)
    K = gram(X, "rbf")
    twice = np.repeat(np.arange(30), 2)
    doubled = solve_batch(K, y, 2 * 0.7, tol=1e-9)
    repeated = solve_batch(K[np.ix_(twice, twice)], y[twice], 0.7, tol=1e-9)
    assert repeated.dual_objective == pytest.approx(doubled.dual_objective, rel=1e-9)
    assert repeated.bias == pytest.approx(doubled.bias, abs=1e-7)
    assert_allclose(repeated.alpha.reshape(30, 2).sum(axis=1), doubled.alpha, atol=1e-6)


def test_warm_start_at_the_solution_takes_no_step_and_keeps_its_input() -> None:
    X, y = overlapping_classes(seed=1)
    K = gram(X, "rbf")
    cold = solve_batch(K, y, 1.0, tol=1e-6)
    start = cold.alpha.copy()
    assert solve_batch(K, y, 1.0, alpha0=start, tol=1e-6).n_iter == 0
    larger_box = solve_batch(K, y, 2.0, alpha0=start, tol=1e-6)
    assert_array_equal(start, cold.alpha)
    assert larger_box.n_iter > 0
    assert larger_box.dual_objective == pytest.approx(
        solve_batch(K, y, 2.0, tol=1e-6).dual_objective, rel=1e-6
    )


@pytest.mark.parametrize(
    ("alpha0", "C"), [([0.5, -0.25], [1, 1]), ([2, -2], [1, 5]), ([2, -2], [5, 1])]
)
def test_infeasible_start_is_refused(alpha0: list[float], C: list[float]) -> None:
    with pytest.raises(ValueError, match="in the box and sum to 0"):
        solve_batch(line(3, 1), [1, -1], C, alpha0=alpha0)


@pytest.mark.parametrize(
    ("K", "y", "C"),
    [(line(3, 1, 2), [1, -1], 1.0), (line(3, 1), [1, 0], 1.0), (line(3, 1), [1, -1], -1.0)],
)
def test_malformed_problem_is_refused(K: Floats, y: list[int], C: float) -> None:
    with pytest.raises(ValueError, match="K must be"):
        solve_batch(K, y, C)


@pytest.mark.parametrize("label", [1.0, -1.0])
def test_one_class_only_gives_a_constant_of_that_class(label: float) -> None:
    s = solve_batch(line(3, 1), [label, label])
    assert s.alpha.tolist() == [0.0, 0.0]
    assert (s.bias, s.gap, s.n_iter) == (label, -np.inf, 0)


def test_rows_of_cost_zero_have_no_say() -> None:
    s = solve_batch(line(3, 1, 2.5), [1, -1, -1], C=[10.0, 10.0, 0.0])
    assert s.alpha.tolist() == [0.5, -0.5, 0.0]
    assert s.bias == -2.0


def test_step_limit_is_kept_and_the_gap_tells() -> None:
    X, y = overlapping_classes(seed=2)
    K = gram(X, "rbf")
    assert not solve_batch(K, y, 10.0, max_iter=0).alpha.any()
    s = solve_batch(K, y, 10.0, tol=1e-6, max_iter=3)
    assert s.n_iter == 3
    assert s.gap > 1e-6
    assert_feasible(y, 10.0, s.alpha)


def test_gap_by_definition() -> None:
    X, y = overlapping_classes(seed=6, n=12)
    K, C = gram(X, "rbf"), 1.0
    alpha = solve_batch(K, y, C, max_iter=6).alpha
    g = [y[i] - sum(alpha[j] * K[i, j] for j in range(12)) for i in range(12)]
    up = [g[i] for i in range(12) if alpha[i] < (C if y[i] > 0 else 0.0)]
    low = [g[i] for i in range(12) if alpha[i] > (0.0 if y[i] > 0 else -C)]
    assert 0 < len(up) < 12
    assert 0 < len(low) < 12
    assert kkt_gap(K, y, C, alpha) == pytest.approx(max(up) - min(low), rel=1e-12)


def test_negative_curvature_goes_to_the_box() -> None:
    """K = [[0, 1], [1, 0]] has eta = -2, so D = 2a + a² grows up to a = C."""
    K = np.array([[0.0, 1.0], [1.0, 0.0]])
    s = solve_batch(K, [1, -1], C=3.0)
    assert s.alpha.tolist() == [3.0, -3.0]
    assert s.dual_objective == 15.0
    twin = OnlineTwin(K, [1, -1], C=3.0)
    twin.run_pass([0, 1])
    assert twin.alpha.tolist() == [3.0, -3.0]


def test_batch_never_loses_objective_on_an_indefinite_kernel() -> None:
    X, y = overlapping_classes(seed=11, n=30)
    K = gram(X, "sigmoid")
    assert np.linalg.eigvalsh(K)[0] < -0.1
    values = [solve_batch(K, y, 5.0, max_iter=m).dual_objective for m in range(40)]
    assert (np.diff(values) >= -1e-12).all()
    assert values[-1] > values[1] > 0.0
    assert solve_batch(K, y, 5.0).gap <= 1e-3


# Online


def watched_pass(twin: OnlineTwin, C: float | Floats, order: NDArray[np.intp]) -> dict[str, int]:
    """One pass that checks every invariant after every operation; counts what happened."""
    K, y = twin.K, twin.y
    seen = {"rejected": 0, "evicted": 0}
    last = dual_objective(K, y, twin.alpha)

    def check() -> None:
        nonlocal last
        now = dual_objective(K, y, twin.alpha)
        assert now >= last - 1e-12 * max(1.0, abs(last))
        last = now
        assert_feasible(y, C, twin.alpha)
        assert not twin.alpha[~twin.in_S].any()
        assert_allclose(twin.g[twin.S], (y - K @ twin.alpha)[twin.S], atol=1e-10)

    for k in order:
        was_in, before = bool(twin.in_S[k]), twin.S.size
        inserted = twin.process(int(k))
        assert twin.S.size == before + inserted
        seen["rejected"] += not inserted and not was_in
        check()
        evicted = twin.reprocess()
        seen["evicted"] += evicted
        assert twin.S.size == before + inserted - evicted
        check()
        S = twin.S
        if (y[S] > 0).any() and (y[S] < 0).any():
            g, a, yS = twin.g[S], twin.alpha[S], y[S]
            cost = np.broadcast_to(C, y.shape)[S]
            g_max = g[a < np.where(yS > 0, cost, 0.0)].max()
            g_min = g[a > np.where(yS > 0, 0.0, -cost)].min()
            idle = a == 0.0
            assert not (idle & (yS < 0) & (g >= g_max)).any()
            assert not (idle & (yS > 0) & (g <= g_min)).any()
    return seen


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [0.5, 20.0])
def test_online_invariants_hold_at_every_step(kernel: str, C: float) -> None:
    X, y = overlapping_classes(seed=21, n=80)
    costs = C * np.random.default_rng(2).uniform(0.5, 2.0, size=80)
    K = gram(X, kernel)
    twin = OnlineTwin(K, y, costs, tol=1e-3)
    seen = watched_pass(twin, costs, np.arange(80))
    assert seen["rejected"] > 0
    assert seen["evicted"] > 0
    before = twin.gap, dual_objective(K, y, twin.alpha)
    n_calls = twin.finish()
    assert n_calls > 0
    assert before[0] > 1e-3 >= twin.gap
    assert dual_objective(K, y, twin.alpha) > before[1]
    assert twin.finish() == 0


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_epochs_converge_to_the_batch_solution(kernel: str) -> None:
    X, y = overlapping_classes(seed=13, n=70)
    K = gram(X, kernel)
    best = solve_batch(K, y, 2.0, tol=1e-8)
    rng = np.random.default_rng(0)
    twin = OnlineTwin(K, y, 2.0, tol=1e-7)
    twin.run_pass(rng.permutation(70))
    first = dual_objective(K, y, twin.alpha)
    assert 0.5 * best.dual_objective < first < best.dual_objective * (1 - 1e-6)
    for _ in range(8):
        twin.run_pass(rng.permutation(70))
        twin.finish()
    assert kkt_gap(K, y, 2.0, twin.alpha) <= 1e-6
    assert dual_objective(K, y, twin.alpha) == pytest.approx(best.dual_objective, rel=1e-7)
    assert twin.bias == pytest.approx(best.bias, abs=1e-5)
    assert_allclose(twin.decision(K), K @ best.alpha + best.bias, atol=1e-4)


def test_finish_looks_at_the_expansion_only() -> None:
    X, y = overlapping_classes(seed=17, n=80)
    K = gram(X, "rbf")
    half = np.arange(40)
    twin = OnlineTwin(K, y, 1.0, tol=1e-6)
    twin.run_pass(half)
    twin.finish()
    assert not twin.in_S[40:].any()
    assert kkt_gap(K[:40, :40], y[:40], 1.0, twin.alpha[:40]) < kkt_gap(K, y, 1.0, twin.alpha)


def test_finish_obeys_its_limit() -> None:
    X, y = overlapping_classes(seed=17, n=80)
    twin = OnlineTwin(gram(X, "rbf"), y, 10.0, tol=1e-9)
    twin.run_pass(np.arange(80))
    assert twin.finish(max_iter=2) == 2
    assert twin.gap > 1e-9


def solved_line(*more: float, tol: float = 1e-3) -> OnlineTwin:
    """Rows 0 and 1 at 3 (+1) and 1 (-1) are in S and solved: f(x) = x - 2; `more` are -1."""
    twin = OnlineTwin(line(3, 1, *more), [1] + [-1] * (1 + len(more)), C=10.0, tol=tol)
    for k in (0, 1):
        twin.process(k)
    twin.reprocess()
    assert twin.alpha[:2].tolist() == [0.5, -0.5]
    assert twin.bias == -2.0
    return twin


def test_process_rejects_a_row_that_cannot_violate() -> None:
    twin = solved_line(0.0)
    assert not twin.process(2)
    assert twin.S.tolist() == [0, 1]


def test_process_has_tolerance_zero() -> None:
    """The row at 1.0001 violates by 1e-4, a tenth of tau: it enters and moves."""
    twin = solved_line(1.0001, tol=1e-3)
    assert twin.process(2)
    assert twin.alpha[2] < 0.0


def test_reprocess_evicts_even_without_a_step() -> None:
    """A copy of row 1 is at the edge of rejection: it enters with no step, then is evicted."""
    twin = solved_line(1.0)
    alpha = twin.alpha.copy()
    assert twin.process(2)
    assert twin.S.tolist() == [0, 1, 2]
    assert twin.gap < twin.tol
    assert twin.reprocess() == 1
    assert twin.S.tolist() == [0, 1]
    assert_array_equal(twin.alpha, alpha)


def test_reprocess_skips_the_step_below_tolerance() -> None:
    twin = OnlineTwin(line(3, 1), [1, -1], C=10.0, tol=2.5)  # the gap of two new rows is 2
    for k in (0, 1):
        twin.process(k)
        twin.reprocess()
    assert twin.alpha.tolist() == [0.0, 0.0]
    exactly = OnlineTwin(line(3, 1), [1, -1], C=10.0, tol=2.0)
    for k in (0, 1):
        exactly.process(k)
        exactly.reprocess()
    assert exactly.alpha.tolist() == [0.5, -0.5]


def test_process_of_a_row_in_the_expansion_changes_nothing() -> None:
    twin = solved_line()
    twin.tol = 0.0
    alpha, g = twin.alpha.copy(), twin.g.copy()
    assert not twin.process(0)
    assert_array_equal(twin.alpha, alpha)
    assert_array_equal(twin.g, g)


def test_one_class_is_inserted_and_never_evicted() -> None:
    twin = OnlineTwin(line(3, 4, 1), [1, 1, -1], C=10.0)
    for k in (1, 0):
        assert twin.process(k)
        assert twin.reprocess() == 0
    assert twin.S.tolist() == [0, 1]
    assert twin.bias == 1.0
    assert twin.process(2)
    assert not twin.alpha.any()  # the first row of the other class is only inserted, too
    twin.reprocess()
    assert twin.alpha[2] < 0.0


@pytest.mark.parametrize("sign", [1, -1])
def test_ties_go_to_the_smallest_row(sign: int) -> None:
    twin = OnlineTwin(line(3, 1, 3), sign * np.array([1, -1, 1]), C=10.0)
    for k in (2, 0, 1):
        twin.process(k)
    twin.reprocess()
    assert twin.alpha.tolist() == [sign * 0.5, sign * -0.5, 0.0]


def test_reprocess_keeps_idle_rows_that_can_still_violate() -> None:
    """Positives at 3, 4, 2 and a negative at 1; the step on 3 and 1 leaves f(x) = x - 2."""
    twin = OnlineTwin(line(3, 4, 2, 1), [1, 1, 1, -1], C=10.0)
    for k in (0, 1, 2, 3):
        twin.process(k)
    assert twin.reprocess() == 1
    assert twin.alpha.tolist() == [0.5, 0.0, 0.0, -0.5]
    assert twin.S.tolist() == [0, 2, 3]


def test_row_of_cost_zero_is_never_inserted() -> None:
    twin = OnlineTwin(line(3, 1, 2.5), [1, -1, -1], C=[10.0, 10.0, 0.0])
    assert not twin.process(2)
    twin.run_pass([2, 1, 0])
    assert twin.S.tolist() == [0, 1]


class Recorder(OnlineTwin):
    """Remembers the order of operations."""

    def __init__(self, K: Floats, y: Floats) -> None:
        super().__init__(K, y)
        self.log: list[int | str] = []

    def process(self, k: int) -> bool:
        self.log.append(k)
        return super().process(k)

    def reprocess(self) -> int:
        self.log.append("r")
        return super().reprocess()


def test_pass_takes_alternating_seeds_first_and_only_once() -> None:
    y = np.array([-1.0, -1, -1, -1, 1, 1, 1])
    X = np.random.default_rng(0).normal(size=(7, 2)) + y[:, None]
    twin = Recorder(gram(X, "rbf"), y)
    twin.run_pass([3, 0, 1, 6, 2, 4, 5], n_seed=2)
    assert twin.log[1::2] == ["r"] * 7
    assert twin.log[::2] == [6, 3, 4, 0, 1, 2, 5]
    twin.log.clear()
    twin.run_pass([3, 0, 1, 6, 2, 4, 5], n_seed=2)
    assert twin.log[::2] == [3, 0, 1, 6, 2, 4, 5]


def test_seeds_of_a_class_smaller_than_asked() -> None:
    twin = Recorder(line(3, 1, 0, -1), np.array([1.0, -1, -1, -1]))
    twin.run_pass([3, 2, 1, 0], n_seed=5)
    assert twin.log[::2] == [0, 3, 2, 1]
