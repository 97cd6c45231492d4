"""Queries: which row was asked for, when, and why."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class QueryReason(StrEnum):
    """Why a row was asked for; each value is also its name as a string.

    Examples
    --------
    >>> from rarebit.active import QueryReason
    >>> QueryReason.BORDER == "border", QueryReason("explore")
    (True, <QueryReason.EXPLORE: 'explore'>)
    """

    GIVEN = "given"  # not asked for: the label was there
    START = "start"  # to find a second class: unlike the rows labelled so far
    BORDER = "border"  # close to the border between classes
    EXPLORE = "explore"  # unlike the rows labelled so far
    RANDOM = "random"  # drawn without regard to anything
    HARVEST = "harvest"  # likely to be of the rare class
    AUDIT = "audit"  # drawn to measure what is still missed
    RANDOM_START = "random-start"  # to find a second class: drawn without regard to anything


class Draw(NamedTuple):
    """Circumstances of a uniform draw, fixed before the row was drawn.

    Attributes
    ----------
    n : int
        Rows that it was drawn from: all that nobody had been asked for.
    kappa : float
        Recall to be proved at that moment, 0 without one.
    stratum : str
        ``"high"`` or ``"low"`` where it was drawn from the rows that a frozen classifier calls
        rare, or from the others; empty for the whole pool.
    """

    n: int
    kappa: float = 0.0
    stratum: str = ""


class Query(NamedTuple):
    """A row that was asked for.

    Attributes
    ----------
    order : int
        Position in the order asked, from 1. A row keeps it when its answer is taken back.
    row : int
        Row of the pool.
    reason : QueryReason
        Why the row was asked for.
    draw : Draw or None
        Circumstances of a uniform draw from all rows that nobody was asked for; None for rows
        that were chosen in any other way.
    """

    order: int
    row: int
    reason: QueryReason
    draw: Draw | None = None
