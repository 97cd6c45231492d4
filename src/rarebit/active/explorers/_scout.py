"""Scout: no priors, no number of classes; several rules take turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarebit.active.explorers._explorer import Explorer, Indices

Reals = NDArray[np.float64]


class Rule(NamedTuple):
    """A row's merit: its distance to the nearest labelled row over a power of its own spacing.

    ``k`` and ``power`` belong to the spacing, the distance of a row to its k-th neighbour: power 0
    asks for the farthest row, power 1 for the one that is farthest in units of its own spacing,
    which is one in a dense place. With ``by_class`` the classes take turns, and only rows whose
    nearest label is of one class are considered.
    """

    why: str
    k: int = 0
    power: float = 0.0
    by_class: bool = False


RULES = (
    Rule("a row far from all labels, in a fairly dense place", 5, 0.5),
    Rule("a row in the densest small place without a label", 10, 1.0),
    Rule("the oddest row of what one class seems to hold", by_class=True),
    Rule("a row in the densest large place without a label", 30, 1.0),
)
_FIRST_K = 10  # of a rule whose power is 1
# Spacings below this share of the pool's mean spacing are no denser than it: repeated values on
# some features would otherwise outweigh everything.
_FLOOR = 0.02
_BLOCK = 1 << 18  # rows that are compared at a time


class Scout(Explorer):
    """Find the classes of a pool about which nothing is known.

    The default explorer. Several rules that need no priors take turns, because no rule is good on
    every pool: dense places far from what is labelled, small and large, find compact classes, and
    the oddest rows of what each class seems to hold find scattered ones. It cannot know that
    nothing is left, so it is `done` when every row is labelled; stop when further labels are worth
    less than they cost. A question takes time in proportion to the pool.

    Parameters
    ----------
    scale : bool, default=True
        Bring every column of a dense pool to [0, 1] first.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance between rows.
    n_jobs : int or None, default=None
        Number of threads that look for neighbours: None for one, -1 for one per processor. Rows are
        asked for in the same order whatever it is.

    Attributes
    ----------
    discovered_ : dict
        Class to the number of labels spent when it was first seen.
    labels_ : dict
        Row to class, in the order told.

    Examples
    --------
    >>> from rarebit import Scout, discover
    >>> from rarebit.datasets import make_malice_synthetic_2
    >>> X, y = make_malice_synthetic_2(random_state=0)
    >>> result = discover(X, lambda row: y[row], Scout(), n_classes=5)
    >>> sorted(result.discovered)
    [0, 1, 2, 3, 4]
    """

    def __init__(
        self, *, scale: bool = True, metric: str = "euclidean", n_jobs: int | None = None
    ) -> None:
        self.scale = scale
        self.metric = metric
        self.n_jobs = n_jobs

    # --- the pool -----------------------------------------------------------------------

    def _prepare(self) -> None:
        self._point_of_row = self._pool.neighbours.point_of_row
        self.__dict__.pop("_spacing", None)  # of another pool
        # A hunt over sparse rows draws its first questions and need not wait for distances.
        if not self._pool.sparse:
            self._spacing  # noqa: B018

    @cached_property
    def _spacing(self) -> dict[int, Reals]:
        """What distances are divided by, for each k: the spacing to its rule's power."""
        near, made = self._pool.neighbours, {}
        powers = {rule.k: rule.power for rule in sorted(RULES, key=lambda rule: rule.k) if rule.k}
        # The k-th besides itself; a pool with fewer points takes the farthest.
        spacings = near.kth([min(k + 1, near.n_points) for k in powers])
        np.sqrt(spacings, out=spacings)
        for (k, power), spacing in zip(powers.items(), spacings, strict=True):
            floor = _FLOOR * float(spacing.mean())
            if floor > 0.0:
                np.maximum(spacing, floor, out=spacing)
            else:
                spacing += 1.0
            spacing **= power
            made[k] = spacing
        return made

    # --- labels -------------------------------------------------------------------------

    def _reset(self) -> None:
        n = self._pool.neighbours.n_points
        self._distance = np.full(n, np.inf)
        self._class_of = np.full(n, -1, dtype=np.int32)
        self._classes: dict[Any, int] = {}

    def _learn(self, row: int, label: Any) -> None:
        number = self._classes.setdefault(label, len(self._classes))
        point = int(self._point_of_row[row])
        distance = self._pool.neighbours.distances_from(point)
        np.sqrt(distance, out=distance)
        nearer = distance < self._distance
        np.minimum(self._distance, distance, out=self._distance)
        self._class_of[nearer] = number

    # --- questions ----------------------------------------------------------------------

    def _choose(self, ahead: int) -> int:
        if not self._ledger.labels:
            spacing = self._spacing[_FIRST_K]
            return self._best(lambda points: -spacing[points])
        turn = len(self._ledger.labels) + ahead
        rule = RULES[turn % len(RULES)]
        if rule.by_class:
            present = np.zeros(len(self._classes), dtype=np.bool_)
            for _, points in self._open_blocks():
                present[self._class_of[points]] = True
            numbers = np.flatnonzero(present)
            number = numbers[turn // len(RULES) % len(numbers)]
            return self._best(
                lambda points: np.where(
                    self._class_of[points] == number, self._distance[points], -1.0
                )
            )
        divisor = self._spacing[rule.k]
        return self._best(lambda points: self._distance[points] / divisor[points])

    def _open_blocks(self) -> Iterator[tuple[Indices, NDArray[np.int32]]]:
        """Rows that may be asked for, and their points: some at a time, for pools are large."""
        for start in range(0, self._pool.n_rows, _BLOCK):
            rows = np.flatnonzero(self._open[start : start + _BLOCK]) + start
            if rows.size:
                yield rows, self._point_of_row[rows]

    def _best(self, merit: Callable[[NDArray[np.int32]], Reals]) -> int:
        """Return the first row of the greatest merit among the open ones."""
        best, greatest = -1, -np.inf
        for rows, points in self._open_blocks():
            merits = merit(points)
            at = int(merits.argmax())
            if best < 0 or merits[at] > greatest:
                best, greatest = int(rows[at]), float(merits[at])
        return best

    def _beside(self, row: int) -> Indices:
        """Rows that would be nearer to this one than it is to a label, had it one, by half."""
        point = int(self._point_of_row[row])
        reach = 0.5 * self._distance[point] if np.isfinite(self._distance[point]) else 0.0
        near = self._pool.neighbours.within(point, reach * reach)
        is_near = np.zeros(self._pool.neighbours.n_points, dtype=np.bool_)
        is_near[near] = True
        return np.flatnonzero(is_near[self._point_of_row]).astype(np.intp)

    def _doing(self) -> str:
        if not self._ledger.labels:
            return "The first question is a row in the densest place"
        return f"The next question is {RULES[len(self._ledger.labels) % len(RULES)].why}"
