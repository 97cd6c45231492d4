"""BalanceCascade: each stage leaves to the next what it could not tell from the rare class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.rivals._base import RareEnsemble, Run, raw_score

Floats = NDArray[np.float64]


class BalanceCascadeClassifier(RareEnsemble):
    """Balanced stages in sequence; majority rows that a stage gets right leave the pool.

    A stage is trained on all rare rows and as many majority rows of the pool. Its threshold is set
    to a false positive rate of ``(n₊/n₋)^(1/(T − 1))`` on the pool, so that after T − 1 stages
    about n₊ majority rows are left. The output sums the stages' scores less their thresholds.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Component; None for a `LinearComponent`. The paper uses AdaBoost.
    n_estimators : int, default=10
        Number of stages T.
    random_state : int, RandomState or None, default=None
        Draws the majority rows of the stages.

    References
    ----------
    X.-Y. Liu, J. Wu and Z.-H. Zhou, "Exploratory under-sampling for class-imbalance learning",
    ICDM 2006.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit.rivals import BalanceCascadeClassifier
    >>> X, y = make_classification(n_samples=200, weights=[0.9], random_state=0)
    >>> BalanceCascadeClassifier(n_estimators=4, random_state=0).fit(X, y).predict(X).shape
    (200,)
    """

    def __init__(
        self, estimator: Any = None, n_estimators: int = 10, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _fit_sides(self, X: Any, y: Floats, rng: np.random.RandomState) -> Run:
        rare, pool = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
        stages = int(self.n_estimators)
        ratio = min(1.0, len(rare) / len(pool))
        keep = ratio ** (1.0 / (stages - 1)) if stages > 1 else 1.0
        run = _Cascade()
        for _ in range(stages):
            drawn = rng.choice(pool, min(len(rare), len(pool)), replace=False)
            chosen = np.concatenate([rare, drawn])
            component = self._component(rng).fit(X[chosen], y[chosen])
            scores = raw_score(component, X[pool])
            # The share `keep` of the pool with the highest scores stays.
            staying = max(1, round(keep * len(pool)))
            order = np.argsort(-scores, kind="stable")
            threshold = float(scores[order[staying]]) if staying < len(pool) else -np.inf
            # Without a row to leave there is no threshold to learn: the component's own is kept.
            run.thresholds.append(threshold if np.isfinite(threshold) else 0.0)
            run.pools.append(pool)
            run.add(component, 1.0)
            pool = np.sort(pool[order[:staying]])
        return run


class _Cascade(Run):
    def __init__(self) -> None:
        super().__init__()
        self.thresholds: list[float] = []
        self.pools: list[NDArray[np.intp]] = []  # majority rows before each stage

    def score(self, X: Any) -> Floats:
        scores = np.stack([raw_score(c, X) for c in self.components], axis=1)
        return np.asarray((scores - np.array(self.thresholds)).sum(axis=1))
