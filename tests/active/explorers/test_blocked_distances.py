"""k-th distances by matrix products against the compiled tree."""

from __future__ import annotations

import numpy as np
import pytest

from rarebit import _core
from rarebit.active.explorers import _neighbours
from rarebit.active.explorers._blocked_distances import blocked_kth
from rarebit.active.explorers._neighbours import DenseNeighbours

KS = [1, 2, 11, 40]


def normal(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def with_column(values: np.ndarray, column: np.ndarray) -> np.ndarray:
    return np.column_stack([values, column])


POOLS = [
    pytest.param(normal(900, 30, 0), id="normal"),
    pytest.param(np.unique(np.round(normal(900, 24, 1)), axis=0), id="many equal distances"),
    pytest.param(normal(500, 30, 2).astype(np.float32), id="single precision"),
    pytest.param(
        with_column(normal(600, 25, 3), 1.7e9 + np.arange(600.0)), id="a column far from zero"
    ),
    pytest.param(with_column(1e-9 * normal(400, 25, 4), np.zeros(400)), id="small values"),
    pytest.param(
        np.vstack([normal(300, 22, 5), 1e6 + 1e-3 * normal(200, 22, 6)]), id="a far dense cluster"
    ),
    pytest.param(1e150 * normal(200, 21, 7), id="huge values"),
]


@pytest.mark.parametrize("rows", POOLS)
def test_distances_are_those_of_the_tree(rows: np.ndarray) -> None:
    make = _core.SingleNeighbours if rows.dtype == np.float32 else _core.Neighbours
    tree = make(rows)
    wanted = np.asarray(tree.kth_points(KS, 0))[:, tree.point_of_row]
    np.testing.assert_allclose(blocked_kth(rows, KS), wanted, rtol=1e-12)


def test_products_that_round_otherwise_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = normal(700, 33, 8)
    whole = blocked_kth(rows, KS)
    monkeypatch.setattr("rarebit.active.explorers._blocked_distances._BLOCK_BYTES", 4 * 700 * 13)
    np.testing.assert_array_equal(blocked_kth(rows, KS), whole)


def test_wide_pools_take_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.repeat(normal(600, 25, 9), 2, axis=0)  # equal rows share a point
    by_tree = DenseNeighbours(rows).kth(KS)
    monkeypatch.setattr(_neighbours, "_MANY_PRODUCTS", 0.0)
    taken = []
    monkeypatch.setattr(
        _neighbours, "blocked_kth", lambda points, ks: taken.append(1) or blocked_kth(points, ks)
    )
    np.testing.assert_allclose(DenseNeighbours(rows).kth(KS), by_tree, rtol=1e-12)
    assert taken
