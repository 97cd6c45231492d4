"""The SVM that ranks rows of a pool that no single computer holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active._row_pool import RowPool
from rarebit.active.hunt._ranking import Ranker
from rarebit.active.hunt._urn import Urn

# Rows of the highest scores that come with one pass over the pool, and labels that are new before
# there is another one: a pass looks at every row.
HARVEST = 20


class PoolRanking(Ranker):
    """The rows of a `RowPool` that look rare most, some at a time.

    Parameters
    ----------
    pool : RowPool
        The pool.
    learner : estimator
        Its kernel is taken, where it has one.
    """

    X: RowPool

    def __init__(self, pool: RowPool, learner: Any) -> None:
        super().__init__(pool, learner, HARVEST)
        self._fitted: Any = None
        self._best: list[int] = []
        self._sampled: tuple[int, Any] | None = None

    @property
    def is_sparse(self) -> bool:
        """Whether features are sparse."""
        return self.X.is_sparse

    def sample(self, step: int) -> Any:
        """Return features of every so-manieth row."""
        if self._sampled is None or self._sampled[0] != step:
            self._sampled = (step, self.X.take(np.arange(0, self.X.n_rows, step)))
        return self._sampled[1]

    def first(self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], urn: Urn) -> int:
        """Return the row of the urn that looks rare most; of equal ones, the lowest."""
        known = {row: is_rare(label) for row, label in labels.items()}
        if self._fitted is None or self._is_due(known):
            self._fitted, self._best = self._machine(known, urn), []
            self._learned = known
        self._best = [row for row in self._best if row in urn]
        if not self._best:
            self._best = self.X.best(self._fitted, 1, HARVEST, urn.outside).tolist()
        return self._best[0]

    def ranked(
        self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], urn: Urn
    ) -> NDArray[np.intp]:
        """Return all rows without a label by all labels at hand, the highest score first."""
        machine = self._machine({row: is_rare(label) for row, label in labels.items()}, urn)
        out = np.fromiter(labels, dtype=np.intp, count=len(labels))
        return self.X.best(machine, 1, self.X.n_rows, out)

    def _scale(self) -> float:
        return self.X.gamma

    def _take(self, rows: NDArray[np.intp]) -> Any:
        return self.X.take(rows)
