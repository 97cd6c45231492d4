"""The error of :mod:`rarebit.statistics`, and checks of single numbers."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..exceptions import RarebitError

__all__ = ["LedgerError", "check_count", "check_risk", "check_share"]


class LedgerError(RarebitError, ValueError):
    """A ledger, an event or a count from which no valid bound can be computed.

    Examples
    --------
    >>> from rarebit.statistics import LedgerError, ceiling
    >>> try:
    ...     ceiling([(10, 0, 0.9, 0), (10, 0, 0.9, 0)], n_rows=10, known=0)
    ... except LedgerError as error:
    ...     print(str(error).split(", ")[0])
    n of draw 1 must be smaller than n of the draw before (10)
    """


def check_count(value: Any, name: str, least: int = 0) -> int:
    """Return a count as a Python integer."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise LedgerError(
            f"{name} must be an integer of {least} or more, but is {value!r}: pass a count of rows."
        )
    if int(value) < least:
        raise LedgerError(
            f"{name} must be an integer of {least} or more, but is {int(value)}: check the counts."
        )
    return int(value)


def check_share(
    value: Any, name: str, *, zero: bool = False, one: bool = False, advice: str = ""
) -> float:
    """Return a number between 0 and 1; the ends are allowed where named."""
    allowed = f"a number {'from' if zero else 'above'} 0 {'to' if one else 'and below'} 1"
    right = isinstance(value, Real) and not isinstance(value, bool)
    number = float(value) if right else np.nan
    if not (0 < number < 1 or (zero and number == 0) or (one and number == 1)):
        raise LedgerError(
            f"{name} must be {allowed}, but is {value!r}: {advice or 'pass a share, such as 0.9'}."
        )
    return number


def check_risk(value: Any, name: str = "risk") -> float:
    """Return the probability with which a statement may be wrong."""
    return check_share(value, name, advice="0.05 stands for 95 % confidence")


def check_binary(values: Iterable[Any], name: str) -> list[int]:
    """Return outcomes as zeros and ones."""
    outcomes = list(values)
    for value in outcomes:
        if value not in (0, 1):
            raise LedgerError(
                f"{name} must hold 0 and 1 only, but holds {value!r}: pass 1 for a rare row."
            )
    return [int(value) for value in outcomes]
