"""A ledger as checked columns, and its division into stretches.

=========  ============================================================================
name       meaning
=========  ============================================================================
n          rows in the urn just before the draw: rows that nobody had been asked for
m          rare rows outside of the urn just before the draw, in the order *asked*
kappa      target recall when the row was drawn, 0 where there was none
y          1 if the drawn row is rare (or counts as rare), else 0
stretch    consecutive draws with y = 0, the same m and kappa, n falling by exactly 1;
           a draw with y = 1 is a stretch of its own
=========  ============================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import LedgerError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Draws:
    """The columns of a ledger, one entry per draw."""

    n: Floats
    m: Floats
    kappa: Floats
    y: Bools

    def __len__(self) -> int:
        return len(self.n)

    def first(self, number: int) -> Draws:
        """Return the first draws."""
        return Draws(self.n[:number], self.m[:number], self.kappa[:number], self.y[:number])


@dataclass(frozen=True)
class Stretches:
    """Draws merged into stretches, one entry per stretch."""

    n: Floats
    length: Floats
    m: Floats
    kappa: Floats
    y: Bools

    def __len__(self) -> int:
        return len(self.n)

    def part(self, start: int, stop: int) -> Stretches:
        """Return the stretches from start to stop."""
        return Stretches(*(column[start:stop] for column in self.columns()))

    def columns(self) -> tuple[Any, ...]:
        """Return all columns in the order of the fields."""
        return self.n, self.length, self.m, self.kappa, self.y


def read_draws(ledger: Any, *, total: bool = True) -> Draws:
    """Check a ledger of shape (n_draws, 4) and return its columns.

    ``total`` says that y counts the rows that m counts, so that m must rise with every y = 1.
    """
    try:
        table = np.asarray(ledger, dtype=np.float64)
    except (TypeError, ValueError):
        raise LedgerError(
            "ledger must be an array of numbers with the columns n, m, kappa and y, but holds "
            "something else: build it with build_ledger."
        ) from None
    if table.size == 0:
        table = table.reshape(0, 4)
    if table.ndim != 2 or table.shape[1] != 4:
        raise LedgerError(
            "ledger must have one row per draw and the columns n, m, kappa and y, but has shape "
            f"{table.shape}: build it with build_ledger."
        )
    n, m, kappa, y = (np.ascontiguousarray(column) for column in table.T)
    # Comparisons with NaN are false, and infinities are not below infinity.
    whole = (n >= 1) & (m >= 0) & (np.floor(n) == n) & (np.floor(m) == m)
    whole &= (n < np.inf) & (m < np.inf)
    _refuse(~whole, table, "must have an integer n of 1 or more and an integer m of 0 or more")
    _refuse(
        ~((kappa >= 0) & (kappa < 1)),
        table,
        "must have a kappa from 0 and below 1",
        "store the target recall with each draw",
    )
    _refuse((y != 0) & (y != 1), table, "must have y = 0 or y = 1", "count unknown answers as 1")
    _check_order(n, m, y, total)
    return Draws(n, m, kappa, y == 1)


def _refuse(bad: Bools, table: Floats, rule: str, advice: str = "check the counts") -> None:
    if bad.any():
        draw = int(bad.argmax())
        values = ", ".join(f"{value:g}" for value in table[draw])
        raise LedgerError(
            f"draw {draw} of the ledger {rule}, but is (n, m, kappa, y) = ({values}): {advice}."
        )


def _check_order(n: Floats, m: Floats, y: Floats, total: bool) -> None:
    if len(n) < 2:
        return
    fall, rise = n[:-1] - n[1:], m[1:] - m[:-1]
    if (fall < 1).any():
        draw = int((fall < 1).argmax()) + 1
        raise LedgerError(
            f"n of draw {draw} must be smaller than n of the draw before ({n[draw - 1]:g}), "
            f"because a drawn row leaves the urn, but is {n[draw]:g}: sort the draws by the order "
            "asked."
        )
    least = y[:-1] if total else np.zeros_like(rise)
    # A negative draw leaves one place less for rare rows among those that left the urn.
    bad = (rise < least) | (rise > fall - (1 - y[:-1] if total else 0))
    if bad.any():
        draw = int(bad.argmax()) + 1
        low = m[draw - 1] + least[draw - 1]
        high = m[draw - 1] + fall[draw - 1] - (1 - y[draw - 1] if total else 0)
        raise LedgerError(
            f"m of draw {draw} must be from {low:g} to {high:g}, because it counts all rare rows "
            f"asked for earlier and {fall[draw - 1]:g} row(s) left the urn since the draw before, "
            f"but is {m[draw]:g}: compute m from the order asked, also for rows answered later."
        )


def merge_stretches(draws: Draws, cuts: Bools | None = None) -> tuple[Stretches, NDArray[np.intp]]:
    """Merge draws into stretches; return them and the index of the last draw of each.

    ``cuts`` marks draws that must begin a stretch.
    """
    if len(draws) == 0:
        none = np.zeros(0)
        return Stretches(none, none, none, none, none == 1), np.zeros(0, dtype=np.intp)
    begins = np.ones(len(draws), dtype=bool)
    n, m, kappa, y = draws.n, draws.m, draws.kappa, draws.y
    begins[1:] = y[1:] | y[:-1] | (n[1:] != n[:-1] - 1) | (m[1:] != m[:-1])
    begins[1:] |= kappa[1:] != kappa[:-1]
    if cuts is not None:
        begins |= cuts
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(draws)) - 1
    length = (last - first + 1).astype(np.float64)
    return Stretches(n[first], length, m[first], kappa[first], y[first]), last
