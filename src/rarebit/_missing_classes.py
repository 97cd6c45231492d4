"""Rows without a class, whatever a frame writes in their place."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from rarebit._text import counted
from rarebit.exceptions import InputError


def is_missing(cell: Any) -> bool:
    """Return whether a cell stands for nothing: None, NaN, or what pandas has for them.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return isinstance(cell, float) and cell != cell


def refuse_missing_classes(y: Any) -> None:
    """Refuse classes of which some are missing, and name the first such row.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Anything that is no column is left to other checks.
    """
    try:
        column = np.asarray(y)
    except ValueError:  # lists of several lengths
        return
    if column.ndim == 2 and column.shape[1] == 1:
        column = column.ravel()
    if column.ndim != 1 or column.dtype.kind not in "fO":
        return
    if column.dtype.kind == "f":
        missing = np.isnan(column)
    else:
        missing = np.fromiter(map(is_missing, column), dtype=bool, count=len(column))
    if missing.any():
        rows = counted(int(missing.sum()), "row")
        first = int(missing.argmax())
        raise InputError(
            f"{rows} of y {'has' if missing.sum() == 1 else 'have'} no class, the first is row "
            f"{first:,} ({column[first]}): leave such rows out of X and y, or label them."
        )
