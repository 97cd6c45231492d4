"""The SVM that ranks rows by how rare they look, for people who want the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing

from rarebit.active.hunt._urn import Urn
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


class Ranker(ABC):
    """Fits the SVM that ranks, when enough labels are new.

    Parameters
    ----------
    X : ndarray, sparse matrix or RowPool
        The pool.
    learner : estimator
        Its kernel is taken, where it has one.
    least : int, default=1
        Fewest labels that are new when the SVM learns again.
    """

    def __init__(self, X: Any, learner: Any, least: int = 1) -> None:
        self.X = X
        self._least = least
        own = learner.get_params(deep=False)
        self._options = {name: own[name] for name in _KERNEL if name in own}
        if "kernel" not in self._options and self.is_sparse:
            self._options["kernel"] = "linear"
        self._learned: dict[int, bool] = {}

    @property
    @abstractmethod
    def is_sparse(self) -> bool:
        """Whether features are sparse."""

    @abstractmethod
    def sample(self, step: int) -> Any:
        """Return features of every so-manieth row."""

    def rows_for(self, classifier: Any, step: int | None = None) -> Any:
        """Return every so-manieth row as a classifier takes it; the pool itself without a step."""
        return self.X if step is None else self.sample(step)

    @abstractmethod
    def first(self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], urn: Urn) -> int:
        """Return the row of the urn that looks rare most; of equal ones, the lowest."""

    @abstractmethod
    def ranked(
        self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], urn: Urn
    ) -> NDArray[np.intp]:
        """Return all rows without a label by all labels at hand, the highest score first.

        Which questions come next does not change.
        """

    @abstractmethod
    def _scale(self) -> float:
        """Return the kernel coefficient that ``gamma="scale"`` has on the whole pool."""

    @abstractmethod
    def _take(self, rows: NDArray[np.intp]) -> Any:
        """Return features of rows."""

    def _is_due(self, known: dict[int, bool]) -> bool:
        """Whether enough has changed since the SVM learned."""
        if len(known) < len(self._learned) or any(
            known.get(row) != rare for row, rare in self._learned.items()
        ):
            return True
        new = len(known) - len(self._learned)
        return new >= max(self._least, int(GROWTH * len(known)))

    def _kernel_options(self) -> dict[str, Any]:
        """Return the kernel's parameters, with a width of the whole pool."""
        gamma = self._options.get("gamma", "scale")
        # Not before it is wanted: the first question would wait for a look at the whole pool.
        if gamma != "auto" and not isinstance(gamma, int | float):
            self._options["gamma"] = self._scale()
        return self._options

    def _machine(self, known: dict[int, bool], urn: Urn) -> KernelSVC:
        taken = np.fromiter(known, dtype=np.intp, count=len(known))
        rare = np.fromiter(known.values(), dtype=np.bool_, count=len(known))
        if rare.all():
            # Evenly spread over the rows, so that nothing random is needed.
            step = max(1, len(urn) // STAND_INS)
            others = np.array([urn.nth(at) for at in range(0, len(urn), step)], dtype=np.intp)
            taken = np.concatenate([taken, others])
            rare = np.concatenate([rare, np.zeros(len(others), dtype=np.bool_)])
        share = RATIO / (1.0 + RATIO)
        n, n_rare = len(rare), int(rare.sum())
        weights = {1: share * n / n_rare, 0: (1.0 - share) * n / (n - n_rare)}
        machine = KernelSVC(C=COST, class_weight=weights, **self._kernel_options())
        return machine.fit(self._take(taken), rare.astype(np.int64))


class Ranking(Ranker):
    """Scores of all rows of a pool in memory: higher for rows that look rare.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_features)
        The pool.
    learner : estimator
        Its kernel is taken, where it has one.
    """

    def __init__(self, X: Any, learner: Any) -> None:
        super().__init__(X.tocsr() if issparse(X) else np.asarray(X), learner)
        # Classifiers that were fitted to names of columns warn of rows without.
        self._frame = X if hasattr(X, "columns") else None
        self._scores: NDArray[np.float64] | None = None

    @property
    def is_sparse(self) -> bool:
        """Whether features are sparse."""
        return bool(issparse(self.X))

    def sample(self, step: int) -> Any:
        """Return features of every so-manieth row."""
        return self.X[::step]

    def rows_for(self, classifier: Any, step: int | None = None) -> Any:
        """Return rows, with names of columns for a classifier that knows them."""
        if self._frame is None or not hasattr(classifier, "feature_names_in_"):
            return super().rows_for(classifier, step)
        if step is None:
            return self._frame
        return _safe_indexing(self._frame, np.arange(0, len(self.X), step))

    def first(self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], urn: Urn) -> int:
        """Return the row of the urn that looks rare most; of equal ones, the lowest."""
        known = {row: is_rare(label) for row, label in labels.items()}
        if self._scores is None or self._is_due(known):
            self._scores = self._rank(known, urn)
            self._learned = known
        rows = urn.rows
        return int(rows[int(self._scores[rows].argmax())])

    def ranked(
        self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], urn: Urn
    ) -> NDArray[np.intp]:
        """Return all rows without a label by all labels at hand, the highest score first."""
        unseen = np.ones(self.X.shape[0], dtype=np.bool_)
        unseen[list(labels)] = False
        rows = np.flatnonzero(unseen)
        scores = self._rank({row: is_rare(label) for row, label in labels.items()}, urn)
        return rows[np.argsort(-scores[rows], kind="stable")]

    def _rank(self, known: dict[int, bool], urn: Urn) -> NDArray[np.float64]:
        scores = self._machine(known, urn).decision_function(self.X)
        return np.asarray(scores, dtype=np.float64)

    def _scale(self) -> float:
        return _scale_of(self.X)

    def _take(self, rows: NDArray[np.intp]) -> Any:
        return self.X[rows]


def _scale_of(X: Any) -> float:
    """The kernel coefficient that ``gamma="scale"`` has on the whole pool."""
    if issparse(X):
        mean = X.mean()
        variance = float(X.multiply(X).mean() - mean * mean)
    else:
        variance = float(np.var(X, dtype=np.float64))
    return 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0
