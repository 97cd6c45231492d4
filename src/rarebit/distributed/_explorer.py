"""Looking for classes over a pool that no single machine holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rarebit.active import BaseAsker, QueryReason, RowPool
from rarebit.distributed._part import ScoutedPart, choose_part

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
    """Looks for classes in a pool that no single computer holds.

    A `Scout` asks over a part of the pool that is held here: rows drawn uniformly, and rows that
    the partitions name, each by a `Scout` of its own. A pool of no more than ``n_drawn`` rows is
    taken whole, and asked about exactly as `Scout` does on one computer. When no row of the part is
    left, and between sparse rows, rows are drawn uniformly. It is the explorer of a `Hunt` over
    many files.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the draws.
    every : int or None, default=None
        Of so many rows one is drawn uniformly; 1 draws all of them, 0 none. None for 0 where rows
        are dense, and for 2 where they are sparse and distances tell little.
    n_drawn : int, default=20_000
        Rows of the part that are drawn uniformly.
    n_named : int, default=1_000
        Rows of the part that the partitions name.

    Examples
    --------
    >>> from rarebit.active import Hunt
    >>> from rarebit.distributed import PartitionedPool, PoolExplorer, PoolLearner, open_cluster
    >>> with open_cluster("local") as client:  # doctest: +SKIP
    ...     pool = PartitionedPool.open(client, "payments/", drop=["fraud"])
    ...     hunt = Hunt(PoolExplorer(), PoolLearner()).start(pool)
    ...     rows = hunt.ask()
    """

    def __init__(
        self,
        random_state: int = 0,
        *,
        every: int | None = None,
        n_drawn: int = 20_000,
        n_named: int = 1_000,
    ) -> None:
        self.every = every
        self.random_state = random_state
        self.n_drawn = n_drawn
        self.n_named = n_named

    def _open_pool(self, X: Any) -> int:
        self._pool: RowPool = X
        return int(X.n_rows)

    def _begin(self, X: Any, given: Mapping[int, Any]) -> None:
        self._rng = np.random.default_rng(self.random_state)
        self._n_asked = 0
        self._part: ScoutedPart | None = None
        self._part_rows: Any = None
        super()._begin(X, given)

    # --- questions ----------------------------------------------------------------------

    def _next_queries(self, n: int) -> Sequence[tuple[int, QueryReason]]:
        chosen: dict[int, QueryReason] = {}
        every = self.every if self.every is not None else _EVERY_SPARSE * self._pool.is_sparse
        while len(chosen) < n:
            taken = {*self._ledger.labels, *self._ledger.skipped, *self._ledger.pending, *chosen}
            if len(taken) >= self._ledger.n_rows:
                break
            self._n_asked += 1
            draws = every > 0 and self._n_asked % every == 0
            row = None if draws else self._scouted(taken)
            if row is not None:
                chosen[row] = QueryReason.EXPLORE
            else:
                (drawn,) = draw_rows(self._rng, 1, self._ledger.n_rows, taken)
                chosen[drawn] = QueryReason.RANDOM
        return list(chosen.items())

    def _scouted(self, taken: set[int]) -> int | None:
        """Return the row of the part that `Scout` asks for, None where none is left."""
        part = self._scouted_part()
        # A row that waits for its answer because it was drawn is passed over.
        while (row := part.ask()) is not None and row in taken:
            pass
        return row

    def _scouted_part(self) -> ScoutedPart:
        """Return the part with its `Scout`, chosen when it is first wanted."""
        if self._part is None:
            if self._part_rows is None:
                known = np.fromiter(self._ledger.given, dtype=np.intp)
                rng = np.random.default_rng(self.random_state)
                self._part_rows = choose_part(self._pool, self.n_drawn, self.n_named, known, rng)
            self._part = ScoutedPart(self._pool, self._part_rows)
            self._part.skip(list(self._ledger.skipped))
            self._part.tell(dict(self._ledger.labels))
        return self._part

    # --- answers ------------------------------------------------------------------------

    def _learn_labels(self, told: Mapping[int, Any]) -> None:
        replaced = [row for row in told if row in self._ledger.labels]
        super()._learn_labels(told)
        if self._part is None:
            return
        if replaced and not self._part.follows(replaced):
            self._part = None  # begun anew from all labels
            return
        for row in replaced:
            self._part.replace(row, told[row])
        self._part.tell({row: label for row, label in told.items() if row not in replaced})

    def _leave_out(self, rows: Iterable[int]) -> None:
        if self._part is not None:
            self._part.skip(list(rows))

    def _take_back(self, rows: Sequence[int]) -> None:
        super()._take_back(rows)
        if self._part is None:
            return
        if self._part.follows(list(rows)):
            self._part.retract(list(rows))
        else:
            self._part = None

    def _phase(self) -> str:
        return "explore"

    def _activity(self) -> str:
        return "" if self.done else "Rows are asked for where density changes"
