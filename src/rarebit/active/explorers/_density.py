"""What ALICE and MALICE share: radii of the classes, counts of neighbours, the steepest fall.

Notation of the paper, for rare class i and row j:

======  =============================================================================
K_i     rows that class i is expected to have
r'_i    the smallest distance of a row to its K_i-th nearest row
n_j     rows within r'_i of row j
s_j     n_j minus the smallest n_k among the rows k within t r'_i of row j
t       how far to look for a place where the density falls; 2 at first
======  =============================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active.explorers._explorer import Explorer, Indices
from rarebit.active.explorers._targets import Priors, Targets, read_priors

_FIRST_T = 2


class DensityExplorer(Explorer):
    """Base of `Alice` and `Malice`: asks for the row around which the density falls most."""

    def __init__(
        self,
        priors: Priors,
        *,
        scale: bool = True,
        metric: str = "euclidean",
        n_jobs: int | None = None,
    ) -> None:
        self.priors = priors
        self.scale = scale
        self.metric = metric
        self.n_jobs = n_jobs

    # --- the pool -----------------------------------------------------------------------

    def _prepare(self) -> None:
        self._targets: Targets = read_priors(self.priors, self._pool.n_rows)
        ks = [target.n_rows(self._pool.n_rows) for target in self._targets.items]
        self._limits, self._counts = self._pool.neighbours.smallest_radii(ks)
        self._point_of_row = self._pool.neighbours.point_of_row
        order = np.argsort(self._point_of_row, kind="stable")
        self._rows_by_point = order.astype(np.int32)
        self._first = np.searchsorted(
            self._point_of_row[order], np.arange(self._pool.neighbours.n_points + 1)
        )

    # --- labels -------------------------------------------------------------------------

    def _reset(self) -> None:
        self._excluded = np.zeros(self._pool.neighbours.n_points, dtype=np.bool_)
        self._t = [_FIRST_T] * len(self._targets.items)
        self._at: int | None = 0
        self._times: dict[Any, int] = {}

    def _learn(self, row: int, label: Any) -> None:
        sought = self._at
        self._times[label] = self._times.get(label, 0) + 1
        self._exclude(row, label)
        given = len(self._ledger.labels) <= len(self._ledger.given)
        if sought is not None and not given and self._widens(label):
            self._t[sought] += 1
        self._at = self._next_target()

    def _next_target(self) -> int | None:
        """Which target the next question is for; None when all are found."""
        targets = self._targets
        if targets.bound:
            return (len(self._ledger.labels) - len(self._ledger.given)) % len(targets.items)
        if targets.named:
            sought = (
                i
                for i, target in enumerate(targets.items)
                if target.name not in self._ledger.discovered
            )
            return next(sought, None)
        n_rare = max(0, len(self._ledger.discovered) - 1)
        return n_rare if n_rare < len(targets.items) else None

    def _is_majority(self, label: Any) -> bool:
        """Whether a class is not among the rare ones.

        Without names it is the class that was told most often, the earliest such.
        """
        if self._targets.named:
            return all(target.name != label for target in self._targets.items)
        return label == max(self._times, key=self._times.__getitem__)

    def _widens(self, label: Any) -> bool:
        """Whether t grows after a row of this class."""
        raise NotImplementedError

    def _exclude(self, row: int, label: Any) -> None:
        """Close what need not be asked for after this label."""

    # --- questions ----------------------------------------------------------------------

    def _choose(self, ahead: int) -> int:
        assert self._at is not None
        free = self._lowest_open_rows()
        rows = np.where(self._excluded, np.int32(-1), free)
        if (rows < 0).all():
            # Every row left is near a labelled one; the class must be among them.
            rows = free
        reach = self._t[self._at] ** 2 * self._limits[self._at]
        point = self._pool.neighbours.steepest(self._counts[self._at], reach, rows)
        return int(rows[point])

    def _lowest_open_rows(self) -> NDArray[np.int32]:
        """The lowest row of each point that may be asked for; -1 where there is none."""
        lowest = np.full(self._pool.neighbours.n_points, -1, dtype=np.int32)
        # From the last row to the first, so that the first has the last word.
        open_rows = np.flatnonzero(self._open)[::-1].astype(np.int32)
        lowest[self._point_of_row[open_rows]] = open_rows
        return lowest

    def _near(self, row: int, limit: float) -> NDArray[np.int32]:
        return self._pool.neighbours.within(int(self._point_of_row[row]), limit)

    def _beside(self, row: int) -> Indices:
        assert self._at is not None
        near = self._near(row, float(self._limits[self._at]))
        rows = [self._rows_by_point[self._first[p] : self._first[p + 1]] for p in near.tolist()]
        return np.concatenate(rows).astype(np.intp)

    def _found_all(self) -> bool:
        return self._at is None

    def _doing(self) -> str:
        assert self._at is not None
        target = self._targets.items[self._at]
        k = target.n_rows(self._pool.n_rows)
        radius = float(np.sqrt(self._limits[self._at]))
        name = "a rare class" if target.name is None else f"class {target.name!r}"
        return (
            f"Seeking {name} of about {k:,} rows: the next question is where the number of rows "
            f"within {radius:.4g} falls most over {self._t[self._at]} times that distance"
        )
