"""Dates of a file to predict that do not show whether its days or its months come first."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

import polars as pl

from rarebit.tables._forms import Form
from rarebit.tables._frame_errors import short

_ORDERS = {"%d": "day", "%m": "month"}
_OTHER = {"day": "month-first", "month": "day-first"}
_MONTHS = 12


def _is_clear(pattern: str) -> bool:
    """Whether the months have names or the dates no day."""
    return "%B" in pattern or "%d" not in pattern


class DayOrder:
    """Watches dates that a model reads by the order of its training file.

    Parameters
    ----------
    forms : mapping of str to Form
        The columns to watch; those without dates, or with the month by name, say nothing.

    Examples
    --------
    >>> from datetime import date
    >>> watch = DayOrder({"paid": Form("date", pattern="%m/%d/%Y")})
    >>> watch.see(pl.DataFrame({"paid": [date(2026, 3, 4)]}))
    >>> watch.tell()[0].partition(";")[0]
    'paid: every day is at most 12, so that the dates do not show whether day or month comes first'
    """

    def __init__(self, forms: Mapping[str, Form]) -> None:
        self._order = {
            name: _ORDERS[form.pattern[:2]]
            for name, form in forms.items()
            if form.kind == "date" and form.pattern[:2] in _ORDERS and not _is_clear(form.pattern)
        }
        self._differs: set[str] = set()

    def see(self, frame: pl.DataFrame) -> None:
        """Take some rows; a column that shows its order is watched no longer."""
        for name in list(self._order):
            day, month = frame[name].dt.day(), frame[name].dt.month()
            if (day > _MONTHS).any():
                del self._order[name]
            elif (day != month).any():
                self._differs.add(name)

    def tell(self) -> list[str]:
        """Return a sentence on each column that may mean other days."""
        return [
            f"{short(name)}: every day is at most 12, so that the dates do not show whether day or "
            f"month comes first; read as {order} first, as in training, "
            f"--as {shlex.quote(f'{short(name)}={_OTHER[order]}')} takes them otherwise."
            for name, order in self._order.items()
            if name in self._differs
        ]
