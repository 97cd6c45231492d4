"""The warning of classes that are perhaps one class written twice."""

from __future__ import annotations

from collections import Counter

from rarebit._text import tell_alike
from rarebit.tables import Table


class ClassNamesWarning(UserWarning):
    """Classes of a frame have names that differ by capitals or blanks only."""


def names_warning(table: Table) -> str:
    """Say which classes differ by capitals or blanks only.

    Parameters
    ----------
    table : Table
        With a target.

    Returns
    -------
    str
        Empty if none do.
    """
    assert table.target is not None
    return " ".join(tell_alike(Counter(str(name) for name in table.target.tolist() if name)))
