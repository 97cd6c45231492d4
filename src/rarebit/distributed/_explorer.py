"""Looking for classes over a pool that no single machine holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rarebit.active import BaseAsker, QueryReason, RowPool

# Rows that are sought at first; as many again four times over when all of them were asked for.
_FIRST = 400
_MORE = 4
# Of so many sparse rows one is drawn.
_EVERY_SPARSE = 2


def draw_rows(rng: np.random.Generator, n: int, n_rows: int, taken: set[int]) -> list[int]:
    """Draw rows uniformly from those that are not taken, without listing them.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws.
    n : int
        Number of rows.
    n_rows : int
        Rows of the pool.
    taken : set of int
        Rows to leave out.

    Returns
    -------
    list of int
        ``n`` rows, or as many as are left.
    """
    n = min(n, n_rows - len(taken))
    if 2 * (len(taken) + n) >= n_rows:
        left = np.setdiff1d(np.arange(n_rows), np.fromiter(taken, dtype=np.intp))
        return [int(row) for row in rng.choice(left, n, replace=False)]
    drawn: dict[int, None] = {}
    while len(drawn) < n:
        row = int(rng.integers(n_rows))
        if row not in taken:
            drawn[row] = None
    return list(drawn)


class PoolExplorer(BaseAsker):
    """Asks for rows of a `PartitionedPool` where rare classes are likely, and for random ones.

    Each partition names the rows that `Scout` would ask for first in it, and the partitions take
    turns. When they have no more, and between sparse rows, rows are drawn uniformly. It is the
    explorer of a `Hunt` over many files.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the draws.
    every : int or None, default=None
        Of so many rows one is drawn uniformly; 1 draws all of them, 0 none. None for 0 where rows
        are dense, and for 2 where they are sparse and distances tell little.

    Examples
    --------
    >>> from rarebit.active import Hunt
    >>> from rarebit.distributed import PartitionedPool, PoolExplorer, PoolLearner, open_cluster
    >>> with open_cluster("local") as client:  # doctest: +SKIP
    ...     pool = PartitionedPool.open(client, "payments/", drop=["fraud"])
    ...     hunt = Hunt(PoolExplorer(), PoolLearner()).start(pool)
    ...     rows = hunt.ask()
    """

    def __init__(self, random_state: int = 0, *, every: int | None = None) -> None:
        self.every = every
        self.random_state = random_state

    def _open_pool(self, X: Any) -> int:
        self._pool: RowPool = X
        return int(X.n_rows)

    def _begin(self, X: Any, given: Mapping[int, Any]) -> None:
        self._rng = np.random.default_rng(self.random_state)
        self._candidates: list[int] = []
        self._offered: set[int] = set()
        self._n_sought = 0
        self._n_asked = 0
        super()._begin(X, given)

    def _next_queries(self, n: int) -> Sequence[tuple[int, QueryReason]]:
        chosen: dict[int, QueryReason] = {}
        every = self.every if self.every is not None else _EVERY_SPARSE * self._pool.is_sparse
        while len(chosen) < n:
            taken = {*self._ledger.labels, *self._ledger.skipped, *self._ledger.pending, *chosen}
            if len(taken) >= self._ledger.n_rows:
                break
            self._n_asked += 1
            draws = every > 0 and self._n_asked % every == 0
            row = None if draws else self._candidate(taken)
            if row is not None:
                chosen[row] = QueryReason.EXPLORE
            else:
                (drawn,) = draw_rows(self._rng, 1, self._ledger.n_rows, taken)
                chosen[drawn] = QueryReason.RANDOM
        return list(chosen.items())

    def _candidate(self, taken: set[int]) -> int | None:
        """Return the next row that a partition names, None where they have no more."""
        while True:
            while self._candidates:
                row = self._candidates.pop(0)
                if row not in taken:
                    return row
            if self._n_sought >= self._ledger.n_rows:
                return None
            self._n_sought = min(self._ledger.n_rows, max(_FIRST, _MORE * self._n_sought))
            found = [int(row) for row in self._pool.candidates(self._n_sought)]
            self._candidates = [row for row in found if row not in self._offered]
            self._offered.update(found)
            if not self._candidates:
                self._n_sought = self._ledger.n_rows
                return None

    def _phase(self) -> str:
        return "explore"

    def _activity(self) -> str:
        return "" if self.done else "Rows are asked for where the density of a file changes"
