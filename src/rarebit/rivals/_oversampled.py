"""Synthetic rare rows (SMOTE), alone or with costs."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from imblearn.over_sampling import SMOTE
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from rarebit.rivals._base import RareEnsemble, Run, SingleRun

Floats = NDArray[np.float64]


def synthetic_rows(
    X: Any, y: Floats, count: int, k_neighbors: int, rng: np.random.RandomState
) -> Any:
    """Return rows between a rare row (+1) and one of its nearest rare neighbours.

    With fewer rare rows than neighbours asked for, all others are neighbours; a lone row is
    repeated.
    """
    rare = np.flatnonzero(y > 0)
    if count <= 0 or len(rare) == 1:
        return X[np.repeat(rare[:1], max(count, 0))]
    sampler = SMOTE(
        sampling_strategy={1: len(rare) + count},
        k_neighbors=min(k_neighbors, len(rare) - 1),
        random_state=rng.randint(np.iinfo(np.int32).max),
    )
    # SMOTE only looks at the rare rows; one other row makes it a task of two classes.
    others = np.flatnonzero(y < 0)[:1]
    chosen = np.concatenate([rare, others])
    sampled, _ = sampler.fit_resample(X[chosen], (y[chosen] > 0).astype(int))
    return sampled[len(chosen) :]


def stack(X: Any, more: Any) -> Any:
    """Append rows, keeping the layout."""
    if sp.issparse(X):
        return sp.vstack([X, more], format="csr")
    return np.concatenate([X, np.asarray(more)])


class OversampledClassifier(RareEnsemble):
    """SMOTE, then one SVM; with costs where the component has them.

    Parameters
    ----------
    estimator : estimator or None, default=None
        Component; None for a `LinearComponent`. An `AsymmetricCostClassifier` gives
        oversampling with costs.
    percent : float, default=300
        Synthetic rows for 100 rare ones, at most up to the size of the rest.
    k_neighbors : int, default=5
        Neighbours that synthetic rows lie between.
    random_state : int, RandomState or None, default=None
        Draws synthetic rows.

    References
    ----------
    N. V. Chawla, K. W. Bowyer, L. O. Hall and W. P. Kegelmeyer, "SMOTE: synthetic minority
    over-sampling technique", JAIR 16, 2002. R. Akbani, S. Kwek and N. Japkowicz, "Applying support
    vector machines to imbalanced datasets", ECML 2004.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit.rivals import AsymmetricCostClassifier, OversampledClassifier
    >>> X, y = make_classification(n_samples=200, weights=[0.9], random_state=0)
    >>> model = OversampledClassifier(AsymmetricCostClassifier(), random_state=0)
    >>> model.fit(X, y).predict(X).shape
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
        percent: float = 300,
        k_neighbors: int = 5,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.percent = percent
        self.k_neighbors = k_neighbors
        self.random_state = random_state

    def _fit_sides(self, X: Any, y: Floats, rng: np.random.RandomState) -> Run:
        rare, rest = int(np.sum(y > 0)), int(np.sum(y < 0))
        count = max(0, min(round(rare * float(self.percent) / 100.0), rest - rare))
        more = synthetic_rows(X, y, count, int(self.k_neighbors), rng)
        sides = np.concatenate([y, np.ones(count)])
        run = SingleRun()
        run.add(self._component(rng).fit(stack(X, more), sides), 1.0)
        return run
