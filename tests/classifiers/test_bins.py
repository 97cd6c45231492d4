"""Trees grown on bin numbers decide by values."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import HistGradientBoostingClassifier

from rarebit.classifiers._bins import bin_numbers, column_edges, edges_of_bins
from rarebit.classifiers._trees import TreeEnsemble


def test_trees_of_bins_are_trees_of_values() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=900), rng.integers(3, size=900), np.ones(900)])
    y = (X[:, 0] + X[:, 1] + rng.normal(size=900) > 2.5).astype(int)
    edges = column_edges(X, 16)
    assert [len(own) for own in edges] == [15, 2, 0]
    boosting = HistGradientBoostingClassifier(max_iter=10, class_weight="balanced")
    boosting.fit(bin_numbers(X, edges), y)
    trees = TreeEnsemble.of_boosting(boosting)
    trees.threshold = edges_of_bins(trees.feature, trees.threshold, edges)
    fresh = np.column_stack([rng.normal(size=50), rng.integers(-1, 5, size=50), np.zeros(50)])
    for rows in (X, fresh):
        expected = boosting.decision_function(bin_numbers(rows, edges))
        assert_allclose(trees.values(rows)[:, 0], expected, rtol=1e-12)


def test_rows_on_an_edge_belong_below_it() -> None:
    X = np.arange(10.0)[:, None]
    edges = column_edges(X, 2)
    assert_array_equal(edges[0], [4.5])
    assert bin_numbers(np.array([[4.5], [4.6]]), edges).tolist() == [[0.0], [1.0]]
