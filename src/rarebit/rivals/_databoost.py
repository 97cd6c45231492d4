"""DataBoost-IM: boosting with synthetic rows made after the hardest ones."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from rarebit.rivals._base import RareEnsemble, Run, fit_component, sides
from rarebit.rivals._oversampled import stack

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]


def choose_seeds(D: Floats, y: Floats, error: float) -> tuple[Ids, Ids]:
    """Return majority and rare seeds: the heaviest rows, as many as the paper says.

    Of the N·ε heaviest rows the first ``M_L = min(n₋/n₊, majority among them)`` of the majority
    and the first ``M_S = min(n₋·M_L/n₊, rare among them)`` rare ones.
    """
    heaviest = np.argsort(-D, kind="stable")[: round(len(y) * error)]
    ratio = np.sum(y < 0) / np.sum(y > 0)
    majority, rare = heaviest[y[heaviest] < 0], heaviest[y[heaviest] > 0]
    M_L = int(min(ratio, len(majority)))
    M_S = int(min(ratio * M_L, len(rare)))
    return majority[:M_L], rare[:M_S]


class DataBoostClassifier(RareEnsemble):
    """AdaBoost.M1 that adds synthetic rows of both classes, and equal weight for both.

    Before each round but the first the heaviest rows become seeds. Each majority seed yields n₋
    and each rare seed n₊ synthetic rows, every feature drawn from the values of the seed's class;
    they share the seed's weight. Then, whether there were seeds or not, both classes are brought
    to the same total weight.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Component; None for a `LinearComponent`.
    n_estimators : int, default=40
        Largest number of rounds. A weighted error of ½ and more ends the run.
    max_synthetic : int, default=2000
        Largest number of synthetic rows of a class in a round. The paper has no such limit; a few
        hundred rare rows would make millions. Seeds then yield fewer rows of more weight.
    random_state : int, RandomState or None, default=None
        Draws synthetic rows.

    References
    ----------
    H. Guo and H. L. Viktor, "Learning from imbalanced data sets with boosting and data generation:
    the DataBoost-IM approach", SIGKDD Explorations 6, 2004.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit.rivals import DataBoostClassifier
    >>> X, y = make_classification(n_samples=200, weights=[0.9], random_state=0)
    >>> DataBoostClassifier(n_estimators=5, random_state=0).fit(X, y).predict(X).shape
    (200,)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RareEnsemble._parameter_constraints,
        "max_synthetic": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 40,
        max_synthetic: int = 2000,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_synthetic = max_synthetic
        self.random_state = random_state

    def _fit_sides(self, X: Any, y: Floats, rng: np.random.RandomState) -> Run:
        n = len(y)
        D = np.full(n, 1.0 / n)
        run = Run()
        more: Any = None
        more_y, more_D = np.empty(0), np.empty(0)
        for _ in range(int(self.n_estimators)):
            rows = X if more is None else stack(X, more)
            targets, weights = np.concatenate([y, more_y]), np.concatenate([D, more_D])
            total = None
            if run.components:
                for side in (-1.0, 1.0):
                    weights[targets == side] /= weights[targets == side].sum()
                # Rows of the larger class weigh 1 in the mean, as in the first round.
                total = 2.0 * max(np.sum(targets < 0), np.sum(targets > 0))
            component = fit_component(
                self._component(rng), rows, targets, weights, rng, total=total
            )
            wrong = sides(component, X) != y
            error = float(D[wrong].sum())
            if error >= 0.5 and run.components:
                break
            bounded = min(max(error, 1e-10), 0.5 - 1e-10)
            beta = bounded / (1.0 - bounded)
            run.distributions.append(D)
            run.add(component, float(np.log(1.0 / beta)))
            if not 0.0 < error < 0.5:
                break
            D = np.where(wrong, D, D * beta)
            D /= D.sum()
            more, more_y, more_D = self._synthesise(X, y, D, error, rng)
        return run

    def _synthesise(
        self, X: Any, y: Floats, D: Floats, error: float, rng: np.random.RandomState
    ) -> tuple[Any, Floats, Floats]:
        parts, targets, weights = [], [], []
        for side, seeds in zip((-1.0, 1.0), choose_seeds(D, y, error), strict=True):
            if not len(seeds):
                continue
            pool = np.flatnonzero(y == side)
            each = max(1, min(len(pool), int(self.max_synthetic) // len(seeds)))
            count = each * len(seeds)
            values = X[pool].toarray() if sp.issparse(X) else X[pool]
            drawn = rng.randint(len(pool), size=(count, values.shape[1]))
            parts.append(np.take_along_axis(values, drawn, axis=0))
            targets.append(np.full(count, side))
            weights.append(np.repeat(D[seeds] / each, each))
        if not parts:
            return None, np.empty(0), np.empty(0)
        rows = np.concatenate(parts)
        made = sp.csr_matrix(rows) if sp.issparse(X) else rows
        return made, np.concatenate(targets), np.concatenate(weights)
