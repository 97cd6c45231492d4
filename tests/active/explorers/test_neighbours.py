"""The compiled tree and the sparse products against all distances in NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rarebit import _core
from rarebit.active.explorers._neighbours import DenseNeighbours, SparseNeighbours
from rarebit.active.explorers._pool import Pool

TIE = 1.0 + 1e-10
KINDS = {"tree": DenseNeighbours, "sparse": lambda X: SparseNeighbours(sp.csr_matrix(X))}


def all_distances(X: np.ndarray) -> np.ndarray:
    return ((X[:, None] - X[None]) ** 2).sum(axis=2)


def pool(n: int, d: int, seed: int, *, grid: bool = False) -> np.ndarray:
    X = np.random.default_rng(seed).normal(size=(n, d))
    return np.round(X, 1) if grid else X


POOLS = [
    pytest.param(pool(1, 2, 0), id="one row"),
    pytest.param(pool(7, 1, 1), id="less than a block"),
    pytest.param(pool(33, 2, 2), id="a leaf and one"),
    pytest.param(pool(300, 3, 3), id="three features"),
    pytest.param(pool(300, 2, 4, grid=True), id="values on a grid"),
    pytest.param(pool(250, 40, 5), id="forty features"),
    pytest.param(np.repeat(pool(40, 3, 6), 8, axis=0), id="duplicates"),
    pytest.param(np.ones((20, 2)), id="equal rows"),
    pytest.param(np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0]]), id="signed zeros"),
    pytest.param(pool(300, 3, 7) * 1e-8 + 1e3, id="far from zero"),
]


@pytest.mark.parametrize("X", POOLS)
def test_single_precision_is_exact_for_its_own_numbers(X: np.ndarray) -> None:
    single = X.astype(np.float32)
    near, exact = DenseNeighbours(single), DenseNeighbours(single.astype(np.float64))
    np.testing.assert_array_equal(near.point_of_row, exact.point_of_row)
    np.testing.assert_array_equal(near.distances_from(0), exact.distances_from(0))
    np.testing.assert_array_equal(near.kth([1, near.n_points]), exact.kth([1, near.n_points]))
    ks = sorted({1, (len(X) + 1) // 2, len(X)})
    for got, wanted in zip(near.smallest_radii(ks), exact.smallest_radii(ks), strict=True):
        np.testing.assert_array_equal(got, wanted)
    limit, counts = near.smallest_radii(ks)[0][1:2], near.smallest_radii(ks)[1][1:2]
    if len(limit):
        rows = np.arange(near.n_points, dtype=np.int32)
        args = counts[0], 4.0 * float(limit[0]), rows
        assert near.steepest(*args) == exact.steepest(*args)


def test_sparse_pools_of_single_precision_lose_nothing(rng: np.random.Generator) -> None:
    X = sp.random_array((200, 30), density=0.2, rng=rng, format="csr", dtype=np.float32)
    single, double = Pool(X).neighbours, Pool(X.astype(np.float64)).neighbours
    np.testing.assert_array_equal(single.distances_from(3), double.distances_from(3))


@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_pools_are_kept_once_and_scaled_where_they_are_read(
    number: type[np.floating], rng: np.random.Generator
) -> None:
    X = (rng.normal(size=(400, 4)) * [1.0, 1e-3, 1e6, 0.0] + [0.0, 5.0, -3.0, 2.0]).astype(number)
    pool = Pool(X)
    assert np.shares_memory(pool.rows, X)
    scaled = pool.dense_rows(slice(None))
    np.testing.assert_array_equal(scaled.min(axis=0), 0.0)
    np.testing.assert_allclose(scaled.max(axis=0), [1.0, 1.0, 1.0, 0.0], rtol=1e-6)
    tree = pool.neighbours
    squares = ((scaled - scaled[0]) ** 2).sum(axis=1)
    distances = tree.distances_from(int(tree.point_of_row[0]))[tree.point_of_row]
    np.testing.assert_allclose(distances, squares, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("X", POOLS)
def test_radii_and_counts(X: np.ndarray, kind: str) -> None:
    if kind == "sparse" and np.abs(X).max() > 100.0:
        pytest.skip("products of rows far from zero have lost the differences")
    near = KINDS[kind](X)
    D = all_distances(X)
    n = len(X)
    ks = sorted({k for k in (1, 2, 5, n // 3, n) if 1 <= k <= n})
    limits, counts = near.smallest_radii(ks)
    for k, limit, count in zip(ks, limits, counts, strict=True):
        radii = np.sort(D, axis=1)[:, k - 1]
        positive = radii[radii > 1e-25]
        smallest = positive.min() if positive.size else 0.0
        assert limit == pytest.approx(smallest, rel=1e-8, abs=1e-30)
        np.testing.assert_array_equal(
            count[near.point_of_row], (limit * (1.0 + 1e-8) >= D).sum(axis=1)
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("X", POOLS)
def test_steepest_fall(X: np.ndarray, kind: str) -> None:
    near = KINDS[kind](X)
    p = near.point_of_row
    n_points = near.n_points
    rng = np.random.default_rng(0)
    distances = np.stack([near.distances_from(i) for i in range(n_points)])
    for limit, most in itertools.product((0.0, 0.1, 1.0, 100.0), (2, 4, 30)):
        counts = rng.integers(1, most, size=n_points).astype(np.int32)
        lowest = np.where(distances <= limit, counts, 10**6).min(axis=1)
        for share in (0.0, 0.3, 1.0):
            open_points = rng.random(n_points) < share
            rows = np.where(open_points, rng.permutation(n_points), -1).astype(np.int32)
            scores = np.where(open_points, counts - lowest, -1)
            best = near.steepest(counts, limit, rows)
            assert (best == -1) == (not open_points.any())
            if best >= 0:
                ties = np.flatnonzero(scores == scores.max())
                assert best == ties[rows[ties].argmin()]
    assert p.max() == n_points - 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("X", POOLS[:7])
def test_distances_and_neighbours(X: np.ndarray, kind: str) -> None:
    near = KINDS[kind](X)
    p = near.point_of_row
    D = all_distances(X)
    for row in range(0, len(X), 17):
        own = near.distances_from(int(p[row]))
        np.testing.assert_allclose(own[p], D[row], atol=1e-12)
        for limit in (0.0, 0.5, 1e9):
            expected = set(np.flatnonzero(own <= limit).tolist())
            assert set(near.within(int(p[row]), limit).tolist()) == expected


@pytest.mark.parametrize("X", POOLS[:7])
def test_kth_points(X: np.ndarray) -> None:
    near = DenseNeighbours(X)
    distinct = np.unique(X, axis=0)
    assert near.n_points == len(distinct)
    first = np.zeros_like(distinct)
    first[near.point_of_row] = X
    D = np.sort(all_distances(first), axis=1)
    wanted = {1, 2, len(distinct) // 2 + 1, len(distinct)}
    ks = sorted(k for k in wanted if k <= len(distinct))
    for k, distances in zip(ks, near.kth(ks), strict=True):
        np.testing.assert_allclose(distances, D[:, k - 1], rtol=1e-12)


def test_few_leaves_bound_the_distances_from_above(rng: np.random.Generator) -> None:
    tree = _core.Neighbours(rng.normal(size=(3000, 6)))
    exact, rough = tree.kth_points([10], 0), tree.kth_points([10], 4)
    assert (rough >= exact).all()
    assert np.median(rough / exact) < 2.0
    np.testing.assert_array_equal(tree.kth_points([10], 10**6), exact)


def test_equal_rows_share_a_point(rng: np.random.Generator) -> None:
    X = rng.integers(0, 3, size=(500, 3)).astype(float)
    near = DenseNeighbours(X)
    _, expected = np.unique(X, axis=0, return_inverse=True)
    pairs = set(zip(near.point_of_row.tolist(), np.ravel(expected).tolist(), strict=True))
    assert len(pairs) == near.n_points == 27


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda tree: tree.within(50, 1.0), IndexError),
        (lambda tree: tree.distances_from(-1), IndexError),
        (lambda tree: tree.kth_points([51], 0), ValueError),
        (lambda tree: tree.kth_points([0, 3], 0), ValueError),
        (lambda tree: tree.kth_points([3, 2], 0), ValueError),
        (lambda tree: tree.smallest_radii([0]), ValueError),
        (lambda tree: tree.smallest_radii([51]), ValueError),
        (
            lambda tree: tree.steepest(np.ones(3, np.int32), 1.0, np.ones(50, np.int32)),
            ValueError,
        ),
    ],
)
def test_calls_that_make_no_sense(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call(_core.Neighbours(np.arange(100.0).reshape(50, 2)))
