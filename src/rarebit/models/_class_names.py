"""Warnings of classes that are perhaps one class written twice, or that count as missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rarebit._text import counted, tell_alike, tell_missing_classes, tell_stripped
from rarebit.models._rare import REST
from rarebit.tables import Table, TableError


class ClassNamesWarning(UserWarning):
    """Names of classes differ by capitals or blanks only, count as missing, or become texts."""


def names_warning(table: Table) -> str:
    """Say which classes differ by capitals or blanks only, or have some, and which are missing.

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
    said = tell_alike(Counter(str(name) for name in table.target.tolist() if name))
    missing = tell_missing_classes(table.missing_classes, table.target_name)
    stripped = tell_stripped(table.stripped_classes)
    return " ".join([*said, *(each for each in (stripped, missing) if each)])


def rest_warning(kind: str, names: Iterable[str]) -> str:
    """Say that classes which were no texts are predicted as texts.

    Parameters
    ----------
    kind : str
        What the classes were, as `Table.target_kind` has it.
    names : iterable of str
        Classes that are learned.

    Returns
    -------
    str
        Empty where predictions are of the type of the classes.
    """
    if kind == "str" or REST not in names:
        return ""
    own = next(name for name in names if name != REST)
    return (
        f"Predictions are texts, such as {own!r} and {REST!r}, and the classes are of the type "
        f"{kind}: compare them with the classes as texts, such as y.astype(str)."
    )


def check_not_missing(table: Table, names: Iterable[str]) -> None:
    """Refuse classes that people name and that count as missing cells.

    Parameters
    ----------
    table : Table
        With a target.
    names : iterable of str
        Classes that are said to be rare or not to be, and that have no rows.
    """
    for name in names:
        if name in table.missing_classes:
            raise TableError(
                f"{table.source} has no class {name!r}, because such cells count as missing, in "
                f"{counted(table.missing_classes[name], 'row')}: give the class another name, such "
                "as 'normal'."
            )
