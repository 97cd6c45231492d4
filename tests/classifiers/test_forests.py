"""Balanced forests grown tree by tree, and average precision without checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.metrics import average_precision_score
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from rarebit._precision import quick_average_precision
from rarebit.classifiers._forests import grow_forest


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("kind", "rival"),
    [(DecisionTreeClassifier, RandomForestClassifier), (ExtraTreeClassifier, ExtraTreesClassifier)],
)
def test_trees_and_unseen_rows_are_those_of_scikit_learn(
    kind: Any, rival: Any, n_classes: int
) -> None:
    X, y = make_classification(
        200,
        6,
        n_informative=4,
        n_classes=n_classes,
        random_state=3,
        weights=[0.7, 0.2][: n_classes - 1],
    )
    trees, shares = grow_forest(kind, X, y, 40, 7, None)
    forest = rival(
        40, bootstrap=True, oob_score=True, class_weight="balanced_subsample", random_state=7
    ).fit(X, y)
    for own, other in zip(trees, forest.estimators_, strict=True):
        np.testing.assert_array_equal(own.tree_.threshold, other.tree_.threshold)
        np.testing.assert_array_equal(own.tree_.value, other.tree_.value)
    np.testing.assert_allclose(shares, forest.oob_decision_function_, rtol=1e-12)


def test_any_number_of_jobs_grows_the_same_trees() -> None:
    X, y = make_classification(120, weights=[0.9], random_state=1)
    one, two = (grow_forest(ExtraTreeClassifier, X, y, 12, 5, n)[1] for n in (None, 2))
    np.testing.assert_array_equal(one, two)


def test_rows_that_every_tree_has_seen_have_equal_shares() -> None:
    X, y = make_classification(60, random_state=0)
    tree_of_one, shares = grow_forest(DecisionTreeClassifier, X, y, 1, 0, None)
    assert len(tree_of_one) == 1
    assert np.isfinite(shares).all()
    assert (shares == 0.5).all(axis=1).sum() > 20  # in the one sample are about 38 of 60


@pytest.mark.parametrize("seed", range(5))
def test_average_precision_is_that_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    positive = rng.random(80) < 0.2
    positive[0] = True
    for scores in (rng.normal(size=80), rng.integers(0, 6, 80) / 2.0, np.zeros(80)):
        wanted = average_precision_score(positive, scores)
        assert quick_average_precision(positive, scores) == pytest.approx(wanted, rel=1e-12)
