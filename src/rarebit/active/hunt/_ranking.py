"""The machine that ranks rows by how rare they look, for people who want the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from rarebit.svm import KernelSVC

# Chosen on the development sets: a soft machine whose rare rows together weigh so many times as
# much as the others.
COST = 0.1
RATIO = 9.8
# While every label is of a rare class, so many rows without a label stand in for the others.
STAND_INS = 200
# Labels that may be new before the machine learns again, as a share of all.
GROWTH = 0.02

_KERNEL = ("kernel", "gamma", "degree", "coef0", "tol", "cache_size")


class Ranking:
    """Scores of all rows of a pool: higher for rows that look rare.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        The pool.
    learner : estimator
        Its kernel is taken, where it has one.
    """

    def __init__(self, X: Any, learner: Any) -> None:
        self.X = X.tocsr() if issparse(X) else np.asarray(X)
        own = learner.get_params(deep=False)
        self._options = {name: own[name] for name in _KERNEL if name in own}
        if "kernel" not in self._options and issparse(X):
            self._options["kernel"] = "linear"
        if self._options.get("gamma", "scale") not in ("auto",) and not isinstance(
            self._options.get("gamma"), int | float
        ):
            self._options["gamma"] = _scale_of(self.X)
        self._scores: NDArray[np.float64] | None = None
        self._learned: dict[int, bool] = {}

    def scores(
        self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], rows: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return one score per row of the pool.

        Parameters
        ----------
        labels : mapping of int to object
            Row to class, with one rare class at least.
        is_rare : callable
            Whether a class is rare.
        rows : ndarray of int
            Rows without a label, of which some stand in for normal ones while none is known.
        """
        known = {row: is_rare(label) for row, label in labels.items()}
        if self._scores is None or self._is_due(known):
            self._scores = self._rank(known, rows)
            self._learned = known
        return self._scores

    def fresh_scores(
        self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], rows: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return scores of all labels at hand; which questions come next does not change."""
        return self._rank({row: is_rare(label) for row, label in labels.items()}, rows)

    def _is_due(self, known: dict[int, bool]) -> bool:
        """Whether enough has changed since the machine learned."""
        if len(known) < len(self._learned) or any(
            known.get(row) != rare for row, rare in self._learned.items()
        ):
            return True
        new = len(known) - len(self._learned)
        return new >= max(1, int(GROWTH * len(known)))

    def _rank(self, known: dict[int, bool], rows: NDArray[np.intp]) -> NDArray[np.float64]:
        taken = np.fromiter(known, dtype=np.intp, count=len(known))
        rare = np.fromiter(known.values(), dtype=np.bool_, count=len(known))
        if rare.all():
            # Evenly spread over the rows, so that nothing random is needed.
            step = max(1, len(rows) // STAND_INS)
            taken = np.concatenate([taken, rows[::step]])
            rare = np.concatenate([rare, np.zeros(len(rows[::step]), dtype=np.bool_)])
        share = RATIO / (1.0 + RATIO)
        n, n_rare = len(rare), int(rare.sum())
        weights = {1: share * n / n_rare, 0: (1.0 - share) * n / (n - n_rare)}
        machine = KernelSVC(C=COST, class_weight=weights, **self._options)
        machine.fit(self.X[taken], rare.astype(np.int64))
        return np.asarray(machine.decision_function(self.X), dtype=np.float64)


def _scale_of(X: Any) -> float:
    """The kernel coefficient that ``gamma="scale"`` has on the whole pool."""
    if issparse(X):
        mean = X.mean()
        variance = float(X.multiply(X).mean() - mean * mean)
    else:
        variance = float(np.var(X, dtype=np.float64))
    return 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0
