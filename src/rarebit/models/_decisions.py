"""What a model says of some rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Decisions:
    """What a model says of some rows.

    Attributes
    ----------
    classes : ndarray of str of shape (n_rows,)
        Class of each row.
    scores : ndarray of shape (n_rows,)
        Higher the more a row looks like one of the rare classes.
    each : dict of str to ndarray of shape (n_rows,)
        The same for each rare class.
    rare : ndarray of bool of shape (n_rows,)
        Whether the class is one of the rare ones.
    probabilities : dict of str to ndarray of shape (n_rows,)
        ``probability`` of the rare class where it was asked for; where the base rate is not known,
        ``probability_low`` and ``probability_high`` as well.
    """

    classes: NDArray[np.str_]
    scores: NDArray[np.float64]
    each: dict[str, NDArray[np.float64]]
    rare: NDArray[np.bool_]
    probabilities: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    def take(self, rows: NDArray[Any]) -> Decisions:
        """Return the decisions on some of the rows, by position or by a mask."""
        each = {name: scores[rows] for name, scores in self.each.items()}
        shares = {name: column[rows] for name, column in self.probabilities.items()}
        return Decisions(self.classes[rows], self.scores[rows], each, self.rare[rows], shares)
