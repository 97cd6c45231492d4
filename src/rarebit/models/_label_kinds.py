"""Labels that were given as numbers or as true and false come back as what they were."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TRUTHS = {"true": True, "false": False}
_READ: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "bool": lambda name: _TRUTHS[name.lower()],
    "decimal": Decimal,
}


def kind_of_labels(labels: Iterable[Any]) -> str:
    """Return what all labels are; text where they differ.

    Examples
    --------
    >>> kind_of_labels([0, 1, 1]), kind_of_labels([True, False]), kind_of_labels(["a", 1])
    ('int', 'bool', 'str')
    """
    kinds = {type(each.item() if isinstance(each, np.generic) else each) for each in labels}
    names = {bool: "bool", int: "int", float: "float"}
    return names.get(kinds.pop(), "str") if len(kinds) == 1 else "str"


def as_given(classes: NDArray[np.str_], kind: str, known: Sequence[str]) -> NDArray[Any]:
    """Return names of classes as the labels that they are the names of.

    Parameters
    ----------
    classes : ndarray of str
        Class of each row.
    kind : {"str", "int", "float", "bool", "decimal"}
        What the labels were.
    known : sequence of str
        All classes; where one of them is no such label, such as ``"rest"``, names stay names.

    Examples
    --------
    >>> as_given(np.array(["1", "0"]), "int", ["0", "1"]).tolist()
    [1, 0]
    """
    read = _READ.get(kind)
    if read is None:
        return classes
    try:
        values = {name: read(name) for name in known}
    except (ValueError, KeyError, InvalidOperation):
        return classes
    return np.array([values[name] for name in classes.tolist()])
