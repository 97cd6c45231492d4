"""The batch solver against its NumPy twin: optimum, costs, warm starts, limits, interruption."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from rarebit import _core
from rarebit._engine.reference import dual_objective, kernel_matrix, kkt_gap, solve_batch

from .problems import overlapping_classes

Floats = NDArray[np.float64]

KERNELS: dict[str, dict[str, float]] = {
    "linear": {},
    "rbf": {"gamma": 0.4},
    "poly": {"gamma": 0.5, "degree": 3, "coef0": 1.0},
    "sigmoid": {"gamma": 0.05, "coef0": 0.1},
}
CACHE = 1 << 24


def source(X: Floats, name: str = "rbf", **settings: float) -> _core.DirectProvider:
    settings = KERNELS.get(name, {}) | settings
    rows = _core.Rows.dense(X)
    kernel = _core.Kernel(
        name,
        float(settings.get("gamma", 1.0)),
        float(settings.get("coef0", 0.0)),
        int(settings.get("degree", 3)),
        rows,
    )
    return _core.DirectProvider(kernel, rows)


def full_block(direct: _core.KernelProvider, n: int) -> Floats:
    ids = np.arange(n, dtype=np.int32)
    return direct.block(ids, ids).astype(np.float64)


def solve(
    direct: _core.KernelProvider,
    y: Floats,
    cost: float | Floats,
    *,
    ids: NDArray[np.int32] | None = None,
    start: Floats | None = None,
    tol: float = 1e-5,
    max_steps: int = -1,
    cache: int = CACHE,
    observer: Any = None,
) -> _core.Solution:
    costs = np.broadcast_to(np.asarray(cost, dtype=np.float64), y.shape).copy()
    return _core.solve(direct, ids, y, costs, start, tol, max_steps, cache, observer)


def assert_feasible(y: Floats, cost: float | Floats, alpha: Floats) -> None:
    assert (alpha * y >= 0.0).all()
    assert (alpha * y <= cost).all()
    assert abs(alpha.sum()) <= 1e-11 * max(1.0, float(np.abs(alpha).sum()))


# The optimum


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("C", [0.05, 1.0, 40.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_objective_equals_the_twin(name: str, C: float, seed: int) -> None:
    X, y = overlapping_classes(seed, n=80)
    direct = source(X, name)
    K = kernel_matrix(X, X, name, **KERNELS[name])
    ours = solve(direct, y, C, tol=1e-6)
    twin = solve_batch(K, y, C, tol=1e-6)
    assert ours.converged
    assert ours.steps > 0
    assert_feasible(y, C, ours.alpha)
    # The engine's values are float32, the twin's float64: rounding of K times C is left.
    grain = 1e-6 * C + 2e-8 * C * np.abs(K).max()
    assert kkt_gap(K, y, C, ours.alpha) <= 2e-6 + grain
    rel = 1e-4 if name == "sigmoid" else 1e-5
    assert dual_objective(K, y, ours.alpha) == pytest.approx(twin.dual_objective, rel=rel)
    engine_K = full_block(direct, 80)
    assert ours.objective == pytest.approx(dual_objective(engine_K, y, ours.alpha), rel=1e-5)
    if name in ("rbf", "poly") and ((np.abs(twin.alpha) > 0) & (np.abs(twin.alpha) < C)).any():
        assert ours.bias == pytest.approx(twin.bias, abs=1e-3 * max(1.0, abs(twin.bias)))


def test_gap_over_all_rows_is_the_gap_reported() -> None:
    """More rows than the first portion holds, so that most never enter the active set."""
    X, y = overlapping_classes(5, n=3000, d=4, rare=0.1)
    direct = source(X, gamma=0.3)
    ours = solve(direct, y, 2.0, tol=1e-4)
    K = full_block(direct, 3000)
    assert ours.converged
    assert ours.sweeps > 0
    assert ours.rows_swept >= 3000
    gap = kkt_gap(K, y, 2.0, ours.alpha)
    assert gap <= 1e-4 + 2e-5
    assert gap == pytest.approx(ours.gap, abs=2e-5)
    assert ours.objective == pytest.approx(dual_objective(K, y, ours.alpha), rel=1e-6)


def test_costs_by_row() -> None:
    X, y = overlapping_classes(7, n=90)
    costs = np.random.default_rng(8).uniform(0.05, 5.0, size=90)
    direct = source(X)
    ours = solve(direct, y, costs, tol=1e-6)
    twin = solve_batch(full_block(direct, 90), y, costs, tol=1e-6)
    assert_feasible(y, costs, ours.alpha)
    assert ours.objective == pytest.approx(twin.dual_objective, rel=1e-6)
    assert_allclose(ours.alpha, twin.alpha, atol=2e-3)


@pytest.mark.parametrize("seed", [0, 1])
def test_rows_of_cost_zero_are_left_out(seed: int) -> None:
    X, y = overlapping_classes(seed, n=100)
    keep = np.random.default_rng(seed).random(100) < 0.6
    ours = solve(source(X), y, np.where(keep, 1.5, 0.0), tol=1e-7)
    alone = solve(source(np.ascontiguousarray(X[keep])), y[keep], 1.5, tol=1e-7)
    assert_array_equal(ours.alpha[~keep], 0.0)
    assert ours.objective == pytest.approx(alone.objective, rel=1e-6)
    assert ours.bias == pytest.approx(alone.bias, abs=1e-4)


def test_one_class_has_nothing_to_solve() -> None:
    X, _ = overlapping_classes(0, n=20)
    ours = solve(source(X), np.ones(20), 1.0)
    assert ours.converged
    assert ours.steps == 0
    assert_array_equal(ours.alpha, 0.0)


def test_two_points_solved_by_hand() -> None:
    """Points 3 (+1) and 1 (-1) on a line: the border is at 2, a = 1/2."""
    X = np.array([[3.0], [1.0]])
    ours = solve(source(X, "linear"), np.array([1.0, -1.0]), 10.0)
    assert_allclose(ours.alpha, [0.5, -0.5], rtol=1e-6)
    assert ours.objective == pytest.approx(0.5, rel=1e-6)


def test_identical_rows_of_both_classes() -> None:
    X = np.ones((10, 2))
    y = np.tile([1.0, -1.0], 5)
    ours = solve(source(X), y, 2.0)
    assert ours.converged
    assert_feasible(y, 2.0, ours.alpha)
    assert_allclose(np.abs(ours.alpha), 2.0)  # D = sum |a| while K a = 0: every row at its limit


# Memory, subsets, layouts


@pytest.mark.parametrize("cache", [0, 1, 4096, 1 << 16])
def test_a_tiny_cache_changes_time_only(cache: int) -> None:
    X, y = overlapping_classes(3, n=400, d=5)
    direct = source(X)
    tiny, roomy = solve(direct, y, 1.0, cache=cache), solve(direct, y, 1.0)
    assert tiny.converged
    assert tiny.objective == pytest.approx(roomy.objective, rel=1e-6)
    assert kkt_gap(full_block(direct, 400), y, 1.0, tiny.alpha) <= 2e-5


@pytest.mark.parametrize("size", [2, 37, 1500])
def test_a_subset_of_rows_is_solved_as_a_copy_of_it(size: int) -> None:
    X, y = overlapping_classes(4, n=2000, rare=0.4)
    rng = np.random.default_rng(1)
    ids = rng.permutation(2000)[:size].astype(np.int32)
    ids[0], ids[1] = np.flatnonzero(y > 0)[0], np.flatnonzero(y < 0)[0]
    ids = np.unique(ids).astype(np.int32)
    rows = _core.Rows.dense(X)
    kernel = _core.Kernel("rbf", 0.4, 0.0, 3, rows)
    direct = _core.DirectProvider(kernel, rows)
    ours = solve(direct, y[ids], 1.0, ids=ids)
    # The same kernel object, hence the same centre: nothing may differ, not even rounding.
    copied_rows = _core.Rows.dense(np.ascontiguousarray(X[ids]))
    alone = solve(_core.DirectProvider(kernel, copied_rows), y[ids], 1.0)
    assert_array_equal(ours.alpha, alone.alpha)
    assert ours.bias == alone.bias
    assert ours.steps == alone.steps


def test_sparse_rows_are_solved_as_dense_ones() -> None:
    X, y = overlapping_classes(6, n=150, d=6)
    X[np.abs(X) < 0.6] = 0.0
    S = sp.csr_matrix(X)
    rows = _core.Rows.csr(S.data, S.indices, S.indptr, 6)
    kernel = _core.Kernel("rbf", 0.4, 0.0, 3, rows)
    sparse = solve(_core.DirectProvider(kernel, rows), y, 1.0, tol=1e-7)
    dense = solve(source(X), y, 1.0, tol=1e-7)
    assert sparse.objective == pytest.approx(dense.objective, rel=1e-6)
    assert sparse.bias == pytest.approx(dense.bias, abs=1e-4)


@pytest.mark.parametrize("n", [63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 2049])
def test_sizes_around_the_blocks_of_the_engine(n: int) -> None:
    X, y = overlapping_classes(n, n=n, d=2)
    direct = source(X)
    ours = solve(direct, y, 1.0, tol=1e-4)
    assert ours.converged
    assert_feasible(y, 1.0, ours.alpha)
    assert kkt_gap(full_block(direct, n), y, 1.0, ours.alpha) <= 1.3e-4


def test_the_same_call_gives_the_same_bits() -> None:
    X, y = overlapping_classes(9, n=2500)
    first, second = solve(source(X), y, 1.0), solve(source(X), y, 1.0)
    assert_array_equal(first.alpha, second.alpha)
    assert first.bias == second.bias


# Warm starts


@pytest.mark.parametrize("n", [100, 2500])
def test_starting_at_the_solution_takes_hardly_a_step(n: int) -> None:
    X, y = overlapping_classes(10, n=n)
    direct = source(X)
    cold = solve(direct, y, 1.0)
    warm = solve(direct, y, 1.0, start=cold.alpha)
    assert warm.converged
    assert warm.steps <= max(5, cold.steps // 50)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [70, 1600])
def test_an_infeasible_start_still_converges(seed: int, n: int) -> None:
    X, y = overlapping_classes(seed, n=n)
    direct = source(X)
    wild = np.random.default_rng(seed).normal(scale=5.0, size=n)  # wrong signs, sums and sizes
    warm, cold = solve(direct, y, 1.0, start=wild), solve(direct, y, 1.0)
    assert warm.converged
    assert_feasible(y, 1.0, warm.alpha)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)


def test_a_start_on_one_side_only_is_as_good_as_none() -> None:
    X, y = overlapping_classes(2, n=70)
    direct = source(X)
    warm = solve(direct, y, 1.0, start=np.where(y > 0, 1.0, 0.0))
    assert warm.objective == pytest.approx(solve(direct, y, 1.0).objective, rel=1e-6)
    assert_feasible(y, 1.0, warm.alpha)


@pytest.mark.parametrize("before", [0.1, 10.0])
def test_starting_from_other_costs(before: float) -> None:
    X, y = overlapping_classes(11, n=1500)
    rng = np.random.default_rng(0)
    costs = rng.uniform(0.5, 2.0, size=1500) * (rng.random(1500) < 0.9)
    direct = source(X)
    start = solve(direct, y, before).alpha
    warm, cold = solve(direct, y, costs, start=start), solve(direct, y, costs)
    assert warm.converged
    assert_feasible(y, costs, warm.alpha)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)


# Limits


@pytest.mark.parametrize("most", [0, 1, 7, 300])
def test_the_limit_of_steps_is_kept(most: int) -> None:
    X, y = overlapping_classes(12, n=1500)
    ours = solve(source(X), y, 5.0, max_steps=most)
    assert not ours.converged
    assert ours.steps <= most
    assert_feasible(y, 5.0, ours.alpha)


def test_enough_steps_converge() -> None:
    X, y = overlapping_classes(12, n=100)
    direct = source(X)
    needed = solve(direct, y, 1.0).steps
    assert solve(direct, y, 1.0, max_steps=needed + 1).converged


def test_wrong_lengths_are_refused() -> None:
    X, y = overlapping_classes(0, n=20)
    direct = source(X)
    costs = np.ones(20)
    with pytest.raises(ValueError, match="one entry per row"):
        _core.solve(direct, None, y, costs[:5], None, 1e-3, -1, CACHE, None)
    with pytest.raises(ValueError, match="one entry per row"):
        _core.solve(direct, None, y[:5], costs[:5], None, 1e-3, -1, CACHE, None)
    wrong = np.full(20, 20, dtype=np.int32)
    with pytest.raises(IndexError):
        _core.solve(direct, wrong, y, costs, None, 1e-3, -1, CACHE, None)


# Watching and stopping


def long_problem(n: int = 12_000) -> tuple[_core.DirectProvider, Floats]:
    """Labels that are noise: nearly all rows become support vectors."""
    rng = np.random.default_rng(0)
    return source(rng.normal(size=(n, 60)), gamma=0.02), np.where(rng.random(n) < 0.5, 1.0, -1.0)


class Enough(Exception):
    """Raised by observers to end a fit."""


def test_the_observer_sees_progress() -> None:
    direct, y = long_problem()
    seen: list[tuple[int, float, int, int]] = []

    def watch(steps: int, gap: float, rows: int, active: int) -> None:
        seen.append((steps, gap, rows, active))
        if len(seen) == 5:
            raise Enough

    with pytest.raises(Enough):
        solve(direct, y, 10.0, cache=1 << 26, observer=watch)
    assert len(seen) == 5
    steps, _, rows, active = zip(*seen, strict=True)
    assert list(steps) == sorted(steps)
    assert list(rows) == sorted(rows)
    assert 0 < max(active) <= max(rows) <= 12_000


def test_an_exception_of_the_observer_is_raised_and_ends_the_work() -> None:
    direct, y = long_problem()
    calls = 0

    def fail(*_: object) -> None:
        nonlocal calls
        calls += 1
        raise Enough("that will do")

    with pytest.raises(Enough, match="that will do"):
        solve(direct, y, 10.0, observer=fail)
    assert calls == 1


def test_other_threads_run_during_a_fit() -> None:
    direct, y = long_problem()
    ticks = 0
    ended = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not ended.is_set():
            ticks += 1
            time.sleep(0.005)

    moments: list[int] = []

    def watch(*_: object) -> None:
        moments.append(ticks)
        if len(moments) >= 6 and moments[-1] - moments[0] > 2 * len(moments):
            raise Enough

    thread = threading.Thread(target=tick)
    thread.start()
    # Observer calls are a tenth of a second apart. The lock is theirs to hold for microseconds: a
    # fit that kept it in between would let the ticking thread run at these moments only.
    try:
        with pytest.raises(Enough):
            solve(direct, y, 10.0, observer=watch)
    finally:
        ended.set()
        thread.join()


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT to a process")
def test_ctrl_c_ends_a_fit_soon() -> None:
    program = textwrap.dedent(
        """
        import sys, time
        import numpy as np
        from rarebit import KernelSVC
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60_000, 200)).astype(np.float32)
        y = rng.random(60_000) < 0.5
        print("ready", flush=True)
        try:
            KernelSVC(gamma=0.005, cache_size=200).fit(X, y)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            sys.exit(3)
        print("finished", flush=True)
        """
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(2.0)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        said = child.stdout.readline()
        waited = time.monotonic() - sent
        assert said == "interrupted\n"
        assert child.wait(timeout=300) == 3
        print(f"stopped {waited:.2f} s after SIGINT")
        assert waited < 60.0  # a hang guard: the whole fit takes minutes
    finally:
        child.kill()
        child.wait()
