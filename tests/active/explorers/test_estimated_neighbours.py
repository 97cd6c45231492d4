"""Neighbours of large pools, whose distances are estimated: near the truth, and as good a guide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.preprocessing import normalize

from rarebit import Hunt, Scout, discover
from rarebit.active.explorers import _neighbours
from rarebit.active.explorers._projected_trees import projected_kth
from rarebit.active.explorers._telling_columns import telling_kth

KS = [6, 11, 31]


def wide_pool(seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows of 150 columns on few directions, and three small dense classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2500, 8)) @ rng.normal(size=(8, 150)) + 0.5 * rng.normal(size=(2500, 150))
    y = np.zeros(len(X), dtype=int)
    for name, size in ((1, 12), (2, 20), (3, 40)):
        rows = np.arange(100 * name, 100 * name + size)
        X[rows] = X[5 * name] + rng.normal(size=150) + 0.4 * rng.normal(size=(size, 150))
        y[rows] = name
    return X, y


def text_pool(seed: int) -> tuple[Any, NDArray[Any]]:
    """Bags of words with falling frequencies; two small classes have twelve words of their own."""
    rng = np.random.default_rng(seed)
    n, d = 1200, 3000
    usual = 1.0 / np.arange(1, d + 1)
    y = np.zeros(n, dtype=int)
    y[:15], y[15:40] = 1, 2
    counts = np.zeros((n, d))
    for row in range(n):
        words = rng.choice(d, size=60, p=usual / usual.sum())
        own = 200 + 100 * y[row] + rng.integers(0, 12, size=25 if y[row] else 0)
        np.add.at(counts[row], np.concatenate([words, own]), 1.0)
    weight = np.log((n + 1.0) / (1.0 + (counts > 0).sum(axis=0)))
    return sp.csr_matrix(normalize(np.log1p(counts) * weight)), y


def labels_until_found(X: Any, y: NDArray[Any], **options: Any) -> int:
    found = discover(X, lambda row: y[row], Scout(**options), n_classes=len(set(y)), max_labels=200)
    assert set(found.discovered) == set(y.tolist())
    return max(found.discovered.values())


@pytest.mark.parametrize("seed", range(3))
def test_trees_give_upper_limits_near_the_truth(seed: int) -> None:
    X, y = wide_pool(seed)
    exact = np.sort(cdist(X, X, "sqeuclidean"), axis=1)[:, [k - 1 for k in KS]].T
    found = projected_kth(*X.shape, lambda rows: X[rows], KS)
    assert np.all(found >= exact * (1 - 1e-4))
    assert np.median(np.sqrt(found / exact)) < 1.2
    # The dense places, for which they are wanted, are met nearly whole.
    dense = y > 0
    assert np.median(np.sqrt(found / exact)[:, dense]) < 1.05


def test_one_leaf_is_exact_and_small_pools_have_no_kth() -> None:
    X = np.random.default_rng(0).normal(size=(40, 20))
    exact = np.sort(cdist(X, X, "sqeuclidean"), axis=1)
    np.testing.assert_allclose(
        projected_kth(40, 20, lambda rows: X[rows], [1, 6]), exact[:, [0, 5]].T, atol=1e-4
    )
    few = projected_kth(4, 20, lambda rows: X[:4][rows], [6])
    np.testing.assert_allclose(few[0], exact_farthest(X[:4]), rtol=1e-5)


def exact_farthest(X: NDArray[Any]) -> NDArray[Any]:
    farthest: NDArray[Any] = cdist(X, X, "sqeuclidean").max(axis=1)
    return farthest


def test_equal_projections_stay_in_their_order() -> None:
    # Whole numbers: many rows lie at the same place of a direction, and all in one leaf are equal.
    X = np.random.default_rng(1).integers(0, 2, size=(3000, 5)).astype(np.float64)
    found = projected_kth(3000, 5, lambda rows: X[rows], [2, 11])
    assert np.array_equal(found, projected_kth(3000, 5, lambda rows: X[rows], [2, 11]))
    assert (found == 0.0).mean() > 0.9


def test_columns_that_tell_most_keep_near_rows_near() -> None:
    X, y = text_pool(0)
    norms = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    dense = X.toarray()
    exact = np.sort(cdist(dense, dense, "sqeuclidean"), axis=1)[:, [k - 1 for k in KS]].T
    found = telling_kth(X, norms, KS)
    assert np.all(found > exact - 0.3)
    # Rows of the small classes have nearer neighbours than nearly all others, as in truth.
    for row in (0, 1):
        border = np.quantile(found[row][y == 0], 0.02)
        assert np.median(found[row][y == 2]) < border


def test_rows_without_entries_have_no_neighbours() -> None:
    X = sp.csr_matrix((5, 7))
    assert telling_kth(X, np.zeros(5), [1, 3]).tolist() == [[0.0] * 5, [0.0] * 5]


def test_rows_that_share_few_columns_are_compared_by_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    columns = rng.integers(0, 4000, size=(900, 30))
    columns[:20, :20] = rng.integers(0, 30, size=(20, 20))  # a small class with words of its own
    rows = np.repeat(np.arange(900), 30)
    entries = (np.ones(rows.size), (rows, columns.ravel()))
    X = normalize(sp.csr_matrix(entries, shape=(900, 4000)))
    near = _neighbours.SparseNeighbours(X)
    exact = near.kth(KS)
    monkeypatch.setattr(_neighbours, "_EXACT_POINTS", 100)
    found = near.kth(KS)
    np.testing.assert_allclose(found, exact, atol=1e-12)
    # The heaviest columns alone would not have met that class whole.
    assert not np.allclose(telling_kth(X, np.ones(900), KS)[:, :20], exact[:, :20], atol=1e-6)


def test_a_hunt_over_sparse_rows_need_not_wait_for_distances(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = text_pool(1)
    compared = []
    kth = _neighbours.SparseNeighbours.kth

    def counted(self: Any, ks: Any) -> Any:
        compared.append(len(ks))
        return kth(self, ks)

    monkeypatch.setattr(_neighbours.SparseNeighbours, "kth", counted)
    hunt = Hunt(Scout(metric="cosine"), random_state=0).start(X)
    row = int(hunt.ask()[0])
    assert not compared
    hunt.tell([row], [y[row]])
    hunt.tell([0, 500], [1, 0])
    for _ in range(4):
        row = int(hunt.ask()[0])
        hunt.tell([row], [y[row]])
    assert len(compared) == 1


@pytest.mark.parametrize("seed", range(2))
def test_estimates_guide_the_search_as_exact_distances_do(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = (wide_pool(seed), {}), (text_pool(seed), {"metric": "cosine"})
    exact = [labels_until_found(*pool, **options) for pool, options in pools]
    monkeypatch.setattr(_neighbours, "_MOST_PRODUCTS", 0.0)
    monkeypatch.setattr(_neighbours, "_MOST_SPARSE_PRODUCTS", 0.0)
    estimated = [labels_until_found(*pool, **options) for pool, options in pools]
    assert all(after <= before + 8 for before, after in zip(exact, estimated, strict=True))


def test_the_same_pool_gives_the_same_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_neighbours, "_MOST_PRODUCTS", 0.0)
    X, y = wide_pool(0)
    asked = []
    for rows in (X, X.copy(), X.astype(np.float32)[:, :]):
        scout = Scout().start(rows)
        asked.append([])
        for _ in range(12):
            row = int(scout.ask()[0])
            scout.tell(row, y[row])
            asked[-1].append(row)
    assert asked[0] == asked[1]
    assert len(set(asked[2])) == 12
