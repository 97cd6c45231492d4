"""The first two rounds of every rival, worked by hand.

A scripted component answers what the example says, so that every number can be followed on paper.
"""

from __future__ import annotations

from math import exp, log
from typing import Any, ClassVar

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from rarebit.rivals import (
    AdaCostClassifier,
    BalanceCascadeClassifier,
    DataBoostClassifier,
    OversampledClassifier,
    SMOTEBoostClassifier,
)
from rarebit.rivals._databoost import choose_seeds
from rarebit.rivals._oversampled import synthetic_rows

Floats = NDArray[np.float64]


class Scripted(ClassifierMixin, BaseEstimator):
    """Answers by row number, which is the only feature; the next fit takes the next answers."""

    script: ClassVar[list[list[float]]] = []
    seen: ClassVar[list[tuple[Floats, Floats, Floats | None]]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Scripted:
        self.answers_ = np.array(Scripted.script[len(Scripted.seen)])
        Scripted.seen.append((np.asarray(X), np.asarray(y), sample_weight))
        return self

    def predict(self, X: Any) -> Floats:
        return self.answers_[np.asarray(X)[:, 0].astype(int)]


class ScriptedConfidence(Scripted):
    def predict_proba(self, X: Any) -> Floats:
        share = self.answers_[np.asarray(X)[:, 0].astype(int)]
        return np.column_stack([1.0 - share, share])


class ByValue(ClassifierMixin, BaseEstimator):
    """Scores a row by its feature."""

    def fit(self, X: Any, y: Any) -> ByValue:
        self.rows_ = np.sort(np.asarray(X)[:, 0])
        return self

    def decision_function(self, X: Any) -> Floats:
        return np.asarray(X)[:, 0]

    def predict(self, X: Any) -> Floats:
        return np.where(self.decision_function(X) > 0, 1.0, -1.0)


def rows_of(n: int) -> Floats:
    return np.arange(float(n))[:, None]


def start(script: list[list[float]]) -> None:
    Scripted.script, Scripted.seen = script, []


def test_adacost() -> None:
    """Two rare rows of cost 1 and eight others of cost 2/8.

    Costs sum to 4, so that D = 1/4 for rare rows and 1/16 for others. Round 1 is wrong in the last
    row: β is 0 for rare rows, 3/8 for others that are right and 5/8 for the wrong one, and
    r = 7·(1/16)·(3/8) - (1/16)·(5/8) = 1/8.
    """
    y = np.array([1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    right = [1.0, 1.0, -1, -1, -1, -1, -1, -1, -1, -1]
    start([[1.0, 1.0, -1, -1, -1, -1, -1, -1, -1, 1], right])
    model = AdaCostClassifier(Scripted(), 2).fit(rows_of(10), y)
    run = model.runs_[0]
    assert_allclose(run.distributions[0], [1 / 4] * 2 + [1 / 16] * 8)
    a = 0.5 * log(1.125 / 0.875)
    assert_allclose(run.weights[0], a)
    D = np.array([1 / 4] * 2 + [exp(-a * 3 / 8) / 16] * 7 + [exp(a * 5 / 8) / 16])
    assert_allclose(run.distributions[1], D / D.sum())
    # Round 2 is right everywhere: r = Σ D·3/8 over the others.
    r = 3 / 8 * float(run.distributions[1][2:].sum())
    assert_allclose(run.weights[1], 0.5 * log((1 + r) / (1 - r)))
    assert_allclose(model.decision_function(rows_of(10))[-1], run.weights[0] - run.weights[1])


def test_smoteboost() -> None:
    """Confidences in the own class are .8 .6 .9 .8 .7 .6, so that ε = 1.6/6 and β = 4/11."""
    y = np.array([1, 1, 0, 0, 0, 0])
    first = [0.8, 0.6, 0.1, 0.2, 0.3, 0.4]
    start([first, [0.9] * 2 + [0.1] * 4])
    model = SMOTEBoostClassifier(ScriptedConfidence(), 2, percent=100, random_state=0)
    run = model.fit(rows_of(6), y).runs_[0]
    assert_allclose(run.distributions[0], 1 / 6)
    assert_allclose(run.weights[0], log(11 / 4))
    own = np.array([0.8, 0.6, 0.9, 0.8, 0.7, 0.6])
    D = (4 / 11) ** own
    assert_allclose(run.distributions[1], D / D.sum())
    # Round 2 believes .9 everywhere: ε = .1 whatever the weights, β = 1/9.
    assert_allclose(run.weights[1], log(9))
    X, sides, weights = Scripted.seen[0]
    assert_array_equal(sides, [1, 1, -1, -1, -1, -1, 1, 1])  # two synthetic rows
    assert np.all((X[6:, 0] >= 0.0) & (X[6:, 0] <= 1.0))  # between the two rare rows
    assert_allclose(weights, 1.0)
    want = log(11 / 4) * (2 * np.array(first) - 1) + log(9) * np.array([0.8] * 2 + [-0.8] * 4)
    assert_allclose(model.decision_function(rows_of(6)), want)


def test_databoost() -> None:
    """Two rare and four other rows; round 1 is wrong in one of each, so that ε = 1/3 and β = 1/2.

    Wrong rows then weigh 1/4, right ones 1/8. The N·ε = 2 heaviest are the wrong ones: one seed of
    each class. The majority seed yields n₋ = 4 rows of 1/16, the rare one n₊ = 2 of 1/8.
    """
    y = np.array([1, 1, 0, 0, 0, 0])
    right = [1.0, 1.0, -1, -1, -1, -1]
    start([[1.0, -1, -1, -1, -1, 1], right])
    model = DataBoostClassifier(Scripted(), 2, random_state=0).fit(rows_of(6), y)
    run = model.runs_[0]
    assert_allclose(run.weights[0], log(2))
    assert_allclose(run.distributions[1], [1 / 8, 1 / 4, 1 / 8, 1 / 8, 1 / 8, 1 / 4])
    X, sides, weights = Scripted.seen[1]
    assert_array_equal(sides, [1, 1, -1, -1, -1, -1, -1, -1, -1, -1, 1, 1])
    assert set(X[6:10, 0]) <= {2.0, 3.0, 4.0, 5.0}
    assert set(X[10:, 0]) <= {0.0, 1.0}
    # Totals of 3/8 + 2/8 (rare) and 5/8 + 2/8 (others) become those of the eight others with
    # a mean of 1.
    rare = np.array([1 / 8, 1 / 4, 1 / 8, 1 / 8]) / (5 / 8) * 8
    rest = np.array([1 / 8, 1 / 8, 1 / 8, 1 / 4, 1 / 16, 1 / 16, 1 / 16, 1 / 16]) / (7 / 8) * 8
    assert weights is not None
    assert_allclose(weights[sides > 0], rare)
    assert_allclose(weights[sides < 0], rest)


def test_databoost_seeds() -> None:
    """Ratio 2: at most two majority seeds, and at most twice as many rare ones as those."""
    y = np.array([1.0, 1.0, 1.0, -1, -1, -1, -1, -1, -1])
    D = np.array([9.0, 8, 7, 6, 5, 4, 3, 2, 1]) / 45
    majority, rare = choose_seeds(D, y, 6 / 9)
    assert_array_equal(majority, [3, 4])
    assert_array_equal(rare, [0, 1, 2])
    majority, rare = choose_seeds(D, y, 3 / 9)  # rare rows alone: no majority seed, so none
    assert len(majority) == len(rare) == 0


def test_balance_cascade() -> None:
    """Two rare rows, eight others scored 0 to 7, two stages: a false positive rate of 2/8.

    Stage 1 keeps the rows scored 7 and 6, its threshold is 5. Stage 2 keeps one, at threshold 6.
    """
    X = np.array([[9.0], [8.0], [0.0], [1], [2], [3], [4], [5], [6], [7]])
    y = np.array([1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    model = BalanceCascadeClassifier(ByValue(), 2, random_state=0).fit(X, y)
    run = model.runs_[0]
    assert run.thresholds == [5.0, 6.0]
    assert_array_equal(run.pools[0], np.arange(2, 10))
    assert_array_equal(run.pools[1], [8, 9])
    assert [len(c.rows_) for c in run.components] == [4, 4]
    assert_array_equal(run.components[1].rows_, [6, 7, 8, 9])
    assert_allclose(model.decision_function(X), 2 * X[:, 0] - 11)


def test_oversampling() -> None:
    """200 % of three rare rows are six new ones, each between a row and one of its neighbours."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], *[[5.0, i] for i in range(20)]])
    y = np.repeat([1, 0], [3, 20])
    start([[1.0] * 40])
    model = OversampledClassifier(Scripted(), 200, random_state=0).fit(X, y)
    made = Scripted.seen[0][0][23:]
    assert made.shape == (6, 2)
    assert np.all(made >= 0.0)
    assert np.all(made.sum(axis=1) <= 1.0 + 1e-9)  # in the triangle of the three
    assert model.minority_class_ == 1


def test_synthetic_rows_of_few_rare_rows() -> None:
    rng = np.random.RandomState(0)
    X, y = rows_of(5), np.array([1.0, -1, -1, -1, -1])
    assert_array_equal(synthetic_rows(X, y, 3, 5, rng), [[0.0], [0.0], [0.0]])
    y[1] = 1.0
    made = synthetic_rows(X, y, 7, 5, rng)
    assert made.shape == (7, 1)
    assert np.all((made >= 0.0) & (made <= 1.0))
    assert synthetic_rows(X, y, 0, 5, rng).shape == (0, 1)
