"""The shared gram: what it counts, how much it keeps, and that sharing changes no bit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from rarebit import _core

Floats = NDArray[np.float64]
N = 700
CACHE = 1 << 24


def classes(seed: int, n: int = N, d: int = 4) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 4, 1.0, -1.0)
    X = rng.normal(size=(n, d)) + 0.6 * y[:, None]
    order = rng.permutation(n)
    return np.ascontiguousarray(X[order]), y[order]


def kernel_of(X: Floats, name: str = "rbf") -> tuple[_core.Kernel, _core.Rows]:
    rows = _core.Rows.dense(X)
    return _core.Kernel(name, 0.4, 0.5, 3, rows), rows


def solve(
    source: _core.KernelProvider, y: Floats, C: float, ids: NDArray[np.int32] | None = None
) -> _core.Solution:
    y = y if ids is None else y[ids]
    return _core.solve(source, ids, y, np.full(len(y), C), None, 1e-4, -1, CACHE, None)


def budget(rows: int, n: int = N) -> int:
    return 4 * n * rows


# Counting


def test_a_second_machine_computes_nothing_new() -> None:
    X, y = classes(0)
    gram = _core.Gram(*kernel_of(X), budget(N))
    assert gram.rows_affordable == N
    assert (gram.values_computed, gram.values_reused, gram.rows_held) == (0, 0, 0)
    first = solve(gram, y, 1.0)
    computed, reused = gram.values_computed, gram.values_reused
    assert 0 < computed <= N * N
    assert computed == gram.rows_held * N
    second = solve(gram, y, 1.0)
    assert gram.values_computed == computed
    assert gram.values_reused > reused
    assert_array_equal(second.alpha, first.alpha)


def test_no_value_is_computed_twice_by_many_machines() -> None:
    X, y = classes(1)
    gram = _core.Gram(*kernel_of(X), budget(N))
    rng = np.random.default_rng(0)
    for C in (0.1, 1.0, 10.0, 100.0):
        solve(gram, y, C)
        solve(gram, y, C, np.sort(rng.permutation(N)[:400]).astype(np.int32))
    assert gram.values_computed <= N * N
    assert gram.values_reused > gram.values_computed


def test_the_kernel_counts_what_the_gram_computes() -> None:
    X, y = classes(2)
    kernel, rows = kernel_of(X)
    gram = _core.Gram(kernel, rows, budget(N))
    solve(gram, y, 1.0)
    assert kernel.values_computed == gram.values_computed
    assert kernel.seconds > 0.0


# The budget


@pytest.mark.parametrize("affordable", [0, 1, 3, 50, 200, 699, 5000])
def test_the_budget_is_kept(affordable: int) -> None:
    X, y = classes(3)
    kernel, rows = kernel_of(X)
    gram = _core.Gram(kernel, rows, budget(affordable))
    assert gram.rows_affordable == min(affordable, N)
    solution = solve(gram, y, 2.0)
    assert gram.rows_held <= gram.rows_affordable
    assert_array_equal(solution.alpha, solve(_core.Gram(kernel, rows, budget(N)), y, 2.0).alpha)
    ids = np.arange(N, dtype=np.int32)
    gram.block(ids, ids)
    assert gram.rows_held <= gram.rows_affordable


def test_rows_that_left_are_computed_again() -> None:
    X, _ = classes(4)
    gram = _core.Gram(*kernel_of(X), budget(100))
    ids = np.arange(N, dtype=np.int32)
    first = gram.block(ids, ids)
    assert gram.values_computed == N * N
    assert_array_equal(gram.block(ids, ids), first)
    assert gram.values_computed > N * N


def test_rows_used_lately_stay() -> None:
    X, _ = classes(4)
    gram = _core.Gram(*kernel_of(X), budget(40))
    some = np.arange(20, dtype=np.int32)
    gram.block(some, some)
    for at in range(20, 100, 10):
        gram.block(np.arange(at, at + 10, dtype=np.int32), some)
        gram.block(some, some)
    computed = gram.values_computed
    gram.block(some, some)
    assert gram.values_computed == computed == 100 * N


# Values


@pytest.mark.parametrize("name", ["linear", "rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("affordable", [2, N])
def test_values_equal_those_computed_directly(name: str, affordable: int) -> None:
    X, _ = classes(5)
    kernel, rows = kernel_of(X, name)
    direct, gram = _core.DirectProvider(kernel, rows), _core.Gram(kernel, rows, budget(affordable))
    rng = np.random.default_rng(0)
    for size in (1, 5, 97, N):
        left = rng.permutation(N)[:size].astype(np.int32)
        right = rng.permutation(N)[: size + 3].astype(np.int32)
        assert_array_equal(gram.block(left, right), direct.block(left, right))


def test_more_columns_than_are_computed_at_a_time() -> None:
    X, _ = classes(6, n=1100)
    kernel, rows = kernel_of(X)
    ids = np.arange(1100, dtype=np.int32)
    gram = _core.Gram(kernel, rows, budget(1100, 1100))
    assert_array_equal(gram.block(ids, ids), _core.DirectProvider(kernel, rows).block(ids, ids))


def test_a_row_may_be_asked_for_twice() -> None:
    X, _ = classes(7)
    kernel, rows = kernel_of(X)
    gram = _core.Gram(kernel, rows, budget(3))
    twice = np.array([4, 4, 9, 4], dtype=np.int32)
    assert_array_equal(
        gram.block(twice, twice), _core.DirectProvider(kernel, rows).block(twice, twice)
    )


def test_the_same_optimum_as_without_a_gram() -> None:
    X, y = classes(8)
    kernel, rows = kernel_of(X)
    shared = solve(_core.Gram(kernel, rows, budget(N)), y, 1.0)
    alone = solve(_core.DirectProvider(kernel, rows), y, 1.0)
    assert shared.objective == pytest.approx(alone.objective, rel=1e-6)


# Threads


@pytest.mark.parametrize("affordable", [5, 120, N])
def test_machines_trained_at_once_equal_those_trained_in_turn(affordable: int) -> None:
    X, y = classes(9)
    kernel, rows = kernel_of(X)
    rng = np.random.default_rng(1)
    jobs = [
        (C, np.sort(rng.permutation(N)[:size]).astype(np.int32))
        for C, size in [(0.3, 650), (3.0, 500), (1.0, 700), (30.0, 300), (0.1, 600), (8.0, 450)]
    ]
    alone = [solve(_core.Gram(kernel, rows, budget(N)), y, C, ids) for C, ids in jobs]
    for _ in range(4):
        gram = _core.Gram(kernel, rows, budget(affordable))
        with ThreadPoolExecutor(2) as threads:
            at_once = list(threads.map(lambda job, g=gram: solve(g, y, *job), jobs))
        for one, other in zip(at_once, alone, strict=True):
            assert_array_equal(one.alpha, other.alpha)
            assert one.bias == other.bias
        if affordable == N:
            assert gram.values_computed <= N * N  # no row was computed by two threads


def test_many_threads_ask_for_the_same_rows() -> None:
    X, _ = classes(10)
    kernel, rows = kernel_of(X)
    ids = np.arange(N, dtype=np.int32)
    expected = _core.DirectProvider(kernel, rows).block(ids, ids)
    for affordable in (7, N):
        gram = _core.Gram(kernel, rows, budget(affordable))
        with ThreadPoolExecutor(8) as threads:
            blocks = list(threads.map(lambda _, g=gram: g.block(ids, ids), range(16)))
        for block in blocks:
            assert_array_equal(block, expected)
