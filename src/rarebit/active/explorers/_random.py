"""Rows in random order: the yardstick of every explorer."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from rarebit.active._queries import QueryReason
from rarebit.active.explorers._explorer import Explorer


class RandomExplorer(Explorer):
    """Ask for rows in random order.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        Makes the order repeatable.

    Attributes
    ----------
    discovered_ : dict
        Class to the number of labels spent when it was first seen.
    labels_ : dict
        Row to class, in the order told.

    Examples
    --------
    >>> from rarebit import RandomExplorer
    >>> explorer = RandomExplorer(random_state=0).start([[0.0], [1.0], [2.0]])
    >>> explorer.tell(explorer.ask(2), ["a", "b"])
    >>> print(explorer.status())
    2 labels told of 3 rows; 2 classes found: 'a' (label 1), 'b' (label 2). Rows are drawn at
    random.
    """

    _reason = QueryReason.RANDOM

    def __init__(self, *, random_state: Any = None) -> None:
        self.random_state = random_state

    def _prepare(self) -> None:
        self._order = check_random_state(self.random_state).permutation(self._pool.n_rows)

    def _choose(self, ahead: int) -> int:
        return int(self._order[np.argmax(self._open[self._order])])

    def _doing(self) -> str:
        return "Rows are drawn at random"
