"""SMOTEBoost: every round of boosting sees fresh synthetic rare rows."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from rarebit.rivals._base import RareEnsemble, Run, confidence, fit_component
from rarebit.rivals._oversampled import stack, synthetic_rows

Floats = NDArray[np.float64]


class SMOTEBoostClassifier(RareEnsemble):
    """AdaBoost.M2 whose components are trained with SMOTE rows that are then dropped.

    With p the confidence in a row's own class, the pseudo-loss is ``ε = Σ D·(1 − p)``, then
    ``β = ε/(1 − ε)`` and ``D ← D·β^p``; the output is ``Σ log(1/β)·(2·p₊ − 1)``. An SVM's
    confidence is a logistic of its decision value. Synthetic rows carry the mean weight.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Component; None for a `LinearComponent`.
    n_estimators : int, default=40
        Largest number of rounds. A pseudo-loss of ½ and more ends the run.
    percent : float, default=300
        Synthetic rows for 100 rare ones in every round, at most up to the size of the rest.
    k_neighbors : int, default=5
        Neighbours that synthetic rows lie between.
    random_state : int, RandomState or None, default=None
        Draws synthetic rows.

    References
    ----------
    N. V. Chawla, A. Lazarevic, L. O. Hall and K. W. Bowyer, "SMOTEBoost: improving prediction of
    the minority class in boosting", PKDD 2003.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit.rivals import SMOTEBoostClassifier
    >>> X, y = make_classification(n_samples=200, weights=[0.9], random_state=0)
    >>> SMOTEBoostClassifier(n_estimators=5, random_state=0).fit(X, y).predict(X).shape
    (200,)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RareEnsemble._parameter_constraints,
        "percent": [Interval(Real, 0.0, None, closed="left")],
        "k_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 40,
        percent: float = 300,
        k_neighbors: int = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.percent = percent
        self.k_neighbors = k_neighbors
        self.random_state = random_state

    def _fit_sides(self, X: Any, y: Floats, rng: np.random.RandomState) -> Run:
        n, rare = len(y), int(np.sum(y > 0))
        count = max(0, min(round(rare * float(self.percent) / 100.0), n - 2 * rare))
        D = np.full(n, 1.0 / n)
        run = _Confident()
        for _ in range(int(self.n_estimators)):
            more = synthetic_rows(X, y, count, int(self.k_neighbors), rng)
            component = fit_component(
                self._component(rng),
                stack(X, more),
                np.concatenate([y, np.ones(count)]),
                np.concatenate([D, np.full(count, 1.0 / n)]),
                rng,
            )
            belief = confidence(component, X)
            own = np.where(y > 0, belief, 1.0 - belief)
            loss = float(np.sum(D * (1.0 - own)))
            if loss >= 0.5 and run.components:
                break
            bounded = min(max(loss, 1e-10), 0.5 - 1e-10)
            beta = bounded / (1.0 - bounded)
            run.distributions.append(D)
            run.add(component, float(np.log(1.0 / beta)))
            if not 0.0 < loss < 0.5:
                break
            D = D * beta**own
            D /= D.sum()
        return run


class _Confident(Run):
    """Weighs confidences instead of labels."""

    def score(self, X: Any) -> Floats:
        beliefs = np.stack([2.0 * confidence(c, X) - 1.0 for c in self.components], axis=1)
        return np.asarray(beliefs @ np.array(self.weights))
