"""How many rows without a label a model calls rare, and whether that is plausible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._text import counted
from rarebit.models import Model, doubt_alarms

_MOST_SCORED = 20_000  # rows without a label that are predicted


@dataclass(frozen=True)
class CalledRare:
    """Rows without a label that a model calls rare.

    Attributes
    ----------
    rows : int
        Rows without a label.
    called : int
        Those called rare.
    exact : bool
        Whether all of them were predicted, not a sample.
    doubt : str
        The sentence of `rarebit.models.doubt_alarms`; empty where the number is plausible.
    """

    rows: int
    called: int
    exact: bool
    doubt: str = ""

    def sentence(self, rare: str, held_out: int = 0) -> str:
        """Say how many are called the rare class, and how many rows held out are not counted."""
        about = "" if self.exact else "about "
        many = f"{about}{self.called:,}" if self.called else "none"
        verb = "is" if self.called <= 1 else "are"
        rows = f"{counted(self.rows, 'row')} without a label"
        rows += f" (the {held_out:,} held out are not counted)" if held_out else ""
        return f"Of {rows} {many} {verb} predicted {rare!r}."


def count_called(model: Model, X: Any, rows: NDArray[np.intp]) -> CalledRare:
    """Count the rows that a model calls rare, or estimate their number from a sample.

    Parameters
    ----------
    model : Model
        With the final classifier.
    X : array or CSR matrix of shape (n_rows, n_features)
        Features of all rows.
    rows : ndarray of int
        Rows without a label.

    Returns
    -------
    CalledRare
        Data.
    """
    if not len(rows):
        return CalledRare(0, 0, True)
    drawn = some_of(rows)
    share = np.count_nonzero(calls_rare(model, X, drawn)) / len(drawn)
    called, exact = round(share * len(rows)), len(drawn) == len(rows)
    doubt = doubt_alarms(model, len(rows), called, about=not exact)
    return CalledRare(len(rows), called, exact, doubt)


def calls_rare(model: Model, X: Any, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which rows a model calls rare."""
    return np.asarray(model.classifier.predict(X[rows])).astype(str) == model.rare_class


def some_of(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return all rows, or as many as can be predicted in a moment, drawn at random."""
    if len(rows) <= _MOST_SCORED:
        return rows
    return np.sort(np.random.default_rng(0).choice(np.sort(rows), _MOST_SCORED, replace=False))
