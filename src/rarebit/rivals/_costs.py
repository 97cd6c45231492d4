"""Asymmetric costs: an error in the rare class costs as many times more as it has fewer rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.rivals._base import RareEnsemble, Run, SingleRun, fit_component

Floats = NDArray[np.float64]


def asymmetric_costs(y: Floats) -> Floats:
    """Factors of ``C`` by row: 1 for the larger side, the ratio of the sides for the smaller."""
    rare, rest = int(np.sum(y > 0)), int(np.sum(y < 0))
    return np.where(y > 0, max(rest / rare, 1.0), max(rare / rest, 1.0))


class AsymmetricCostClassifier(RareEnsemble):
    """One SVM whose errors cost ``C·n₋/n₊`` in the rare class and ``C`` in the other.

    The scale is that of `rarebit.BoostedSVC`, of which this is the first round.
    ``class_weight="balanced"`` has the same ratio with another ``C``, by a factor of n/(2·n₋).

    Parameters
    ----------
    estimator : estimator or None, default=None
        Component; None for a `LinearComponent`. One that takes no sample weights is fitted on rows
        drawn in proportion to their costs.
    random_state : int, RandomState or None, default=None
        Seed of the component and of the draw.

    References
    ----------
    K. Veropoulos, C. Campbell and N. Cristianini, "Controlling the sensitivity of support vector
    machines", IJCAI 1999.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit.rivals import AsymmetricCostClassifier
    >>> X, y = make_classification(n_samples=200, weights=[0.9], random_state=0)
    >>> AsymmetricCostClassifier().fit(X, y).predict(X).shape
    (200,)
    """

    def __init__(self, estimator: Any = None, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _fit_sides(self, X: Any, y: Floats, rng: np.random.RandomState) -> Run:
        costs = asymmetric_costs(y)
        run = SingleRun()
        run.add(fit_component(self._component(rng), X, y, costs, rng, total=costs.sum()), 1.0)
        return run
