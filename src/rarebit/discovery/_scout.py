"""Scout: no priors, no number of classes; several rules take turns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rarebit.discovery._explorer import Explorer, Rows

Reals = NDArray[np.float64]


class Rule(NamedTuple):
    """A row's merit: its distance to the nearest labelled row over a power of its own spacing.

    ``k`` and ``power`` belong to the spacing, the distance of a row to its k-th neighbour: power 0
    asks for the farthest row, power 1 for the one that is farthest in units of its own spacing,
    which is one in a dense place. With ``by_class`` the row is drawn instead, among the rows whose
    nearest label is of one class, classes being equally likely, with odds that are the square of
    the distance.
    """

    why: str
    k: int = 0
    power: float = 0.0
    by_class: bool = False


RULES = (
    Rule("a row far from all labels, in a fairly dense place", 5, 0.5),
    Rule("a dense place without a label", 10, 1.0),
    Rule("the row farthest from all labels"),
    Rule("a row drawn from what one class seems to hold", by_class=True),
)
_FIRST_K = 10
# Spacings below this share of the pool's mean spacing are no denser than it: repeated values on
# some features would otherwise outweigh everything.
_FLOOR = 0.02


class Scout(Explorer):
    """Find the classes of a pool about which nothing is known.

    The default explorer. Several rules that need no priors take turns, because no rule is good on
    every pool: dense places far from what is labelled find compact classes, far rows find classes
    at the outskirts, and draws from what each class seems to hold find classes that hide within
    others. It cannot know that nothing is left, so it is `done` when every row is labelled; stop
    when further labels are worth less than they cost. A question takes time in proportion to the
    pool.

    Parameters
    ----------
    scale : bool, default=True
        Bring every column of a dense pool to [0, 1] first.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance between rows.
    random_state : int, RandomState or None, default=0
        Decides on the draws.

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
        self, *, scale: bool = True, metric: str = "euclidean", random_state: Any = 0
    ) -> None:
        self.scale = scale
        self.metric = metric
        self.random_state = random_state

    # --- the pool -----------------------------------------------------------------------

    def _prepare(self) -> None:
        near = self._pool.neighbours
        self._seed = int(check_random_state(self.random_state).randint(2**31))
        self._point_of_row = near.point_of_row
        ks = {rule.k for rule in RULES if rule.k} | {_FIRST_K}
        self._spacing: dict[int, Reals] = {}
        for k in sorted(ks):
            # The k-th besides itself; a pool with fewer points takes the farthest.
            spacing = np.sqrt(near.kth(min(k + 1, near.n_points)))
            floor = _FLOOR * float(spacing.mean())
            self._spacing[k] = np.maximum(spacing, floor) if floor > 0.0 else spacing + 1.0

    # --- labels -------------------------------------------------------------------------

    def _reset(self) -> None:
        n = self._pool.neighbours.n_points
        self._distance = np.full(n, np.inf)
        self._class_of = np.full(n, -1, dtype=np.int32)
        self._classes: dict[Any, int] = {}

    def _learn(self, row: int, label: Any) -> None:
        number = self._classes.setdefault(label, len(self._classes))
        point = int(self._point_of_row[row])
        distance = np.sqrt(self._pool.neighbours.distances_from(point))
        nearer = distance < self._distance
        self._distance[nearer] = distance[nearer]
        self._class_of[nearer] = number

    # --- questions ----------------------------------------------------------------------

    def _choose(self, ahead: int) -> int:
        rows = np.flatnonzero(self._open)
        points = self._point_of_row[rows]
        if not self.labels_:
            return int(rows[self._spacing[_FIRST_K][points].argmin()])
        turn = len(self.labels_) + ahead
        rule = RULES[turn % len(RULES)]
        distance = self._distance[points]
        if rule.by_class:
            return int(rows[self._draw(points, distance, turn)])
        merit = distance
        if rule.power:
            merit = distance / self._spacing[rule.k][points] ** rule.power
        return int(rows[merit.argmax()])

    def _draw(self, points: NDArray[np.int32], distance: Reals, turn: int) -> int:
        """Draw a row with odds distance², from the rows nearest to labels of a class."""
        random = np.random.default_rng([self._seed, turn])
        owner = self._class_of[points]
        present = np.unique(owner)
        mine = np.flatnonzero(owner == present[random.integers(len(present))])
        odds = distance[mine] ** 2
        total = odds.sum()
        if total <= 0.0:
            return int(mine[random.integers(len(mine))])
        at = np.searchsorted(np.cumsum(odds), random.random() * total, side="right")
        return int(mine[min(int(at), len(mine) - 1)])

    def _beside(self, row: int) -> Rows:
        """Rows that would be nearer to this one than it is to a label, had it one, by half."""
        point = int(self._point_of_row[row])
        reach = 0.5 * self._distance[point] if np.isfinite(self._distance[point]) else 0.0
        near = self._pool.neighbours.within(point, reach * reach)
        return np.flatnonzero(np.isin(self._point_of_row, near)).astype(np.intp)

    def _doing(self) -> str:
        if not self.labels_:
            return "The first question is a row in the densest place"
        return f"The next question is {RULES[len(self.labels_) % len(RULES)].why}"
