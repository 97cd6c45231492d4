"""The warning of columns that give the class away."""

from __future__ import annotations

from collections.abc import Container

from rarebit._text import column_name
from rarebit.tables import Table, find_leaks

_NAMED = 3  # columns that the warning names


class LeakWarning(UserWarning):
    """A column of a frame tells a class by itself; perhaps it was filled in afterwards."""


def leak_warning(table: Table, used: Container[str]) -> str:
    """Say which columns that are learned from give a class away.

    Parameters
    ----------
    table : Table
        With a target.
    used : container of str
        Columns that become features.

    Returns
    -------
    str
        Empty if none does.
    """
    leaks = find_leaks(table, sure=True, advice="drop it from the frame if so")
    told = [f"{column_name(name)}: {remark}" for name, remark in leaks.items() if name in used]
    more = f"; {len(told) - _NAMED:,} more" if len(told) > _NAMED else ""
    return "; ".join(told[:_NAMED]) + more + "." if told else ""
