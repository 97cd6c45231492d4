"""AdaCost: boosting in which costly errors gain more weight and costly successes lose less."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.rivals._base import RareEnsemble, Run, fit_component, sides

Floats = NDArray[np.float64]


class AdaCostClassifier(RareEnsemble):
    """AdaBoost with misclassification costs.

    A rare row costs 1, another row n₊/n₋; weights of the first round are n₋/n₊ and 1, so that ``C``
    means what it means to `AsymmetricCostClassifier`. Weights start in proportion to the costs and
    follow ``D ← D·exp(−a·y·h(x)·β)`` with β = ½(1 − cost) where h is right and ½(1 + cost) where it
    is wrong, ``a = ½·log((1 + r)/(1 − r))`` and ``r = Σ D·y·h(x)·β``.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Component; None for a `LinearComponent`.
    n_estimators : int, default=40
        Largest number of rounds. A round with r ≤ 0 ends the run.
    random_state : int, RandomState or None, default=None
        Seeds the components.

    References
    ----------
    W. Fan, S. J. Stolfo, J. Zhang and P. K. Chan, "AdaCost: misclassification cost-sensitive
    boosting", ICML 1999.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit.rivals import AdaCostClassifier
    >>> X, y = make_classification(n_samples=200, weights=[0.9], random_state=0)
    >>> AdaCostClassifier(n_estimators=5).fit(X, y).predict(X).shape
    (200,)
    """

    def __init__(
        self, estimator: Any = None, n_estimators: int = 40, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _fit_sides(self, X: Any, y: Floats, rng: np.random.RandomState) -> Run:
        cost = np.where(y > 0, 1.0, min(1.0, np.sum(y > 0) / np.sum(y < 0)))
        D = cost / cost.sum()
        total = cost.sum() / cost.min()  # at first a row of the majority weighs 1
        run = Run()
        for _ in range(int(self.n_estimators)):
            component = fit_component(self._component(rng), X, y, D, rng, total=total)
            agreement = y * sides(component, X)
            beta = 0.5 * (1.0 - agreement * cost)
            r = float(np.sum(D * agreement * beta))
            if r <= 0.0 and run.components:
                break
            r = min(max(r, 1e-10), 1.0 - 1e-10)
            a = 0.5 * float(np.log((1.0 + r) / (1.0 - r)))
            run.distributions.append(D)
            run.add(component, a)
            D = D * np.exp(-a * agreement * beta)
            D /= D.sum()
            if not np.any(agreement < 0.0):
                break
        return run
