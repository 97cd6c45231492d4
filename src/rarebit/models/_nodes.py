"""What a saved value is, known from its header and before it is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

_NUMERIC = "biuf"


@dataclass(frozen=True)
class ArrayHeader:
    """An array or a NumPy scalar.

    Attributes
    ----------
    kind : str
        Letter of the dtype: b, i, u, f or U. Arrays of objects are T where all of them are strings
        and O where they are plain values; there are no others.
    shape : tuple of int
        Its shape, () for a scalar.
    """

    kind: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class SparseHeader:
    """A CSR array or matrix whose indices were checked."""

    shape: tuple[int, int]


@dataclass(frozen=True)
class Named:
    """A type itself, such as ``numpy.float64``."""

    name: str


@dataclass(frozen=True, eq=False)
class SavedObject:
    """An object of a registered type, or of one that the caller trusts."""

    type_name: str


Value: TypeAlias = Any
"""A plain value, a list, a tuple, a dictionary with names as keys, or one of the above."""


def is_whole(value: Value) -> bool:
    """A whole number, as Python or NumPy has it."""
    if isinstance(value, ArrayHeader):
        return value.kind in "iu" and value.shape == ()
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: Value) -> bool:
    """A number, as Python or NumPy has it."""
    if isinstance(value, ArrayHeader):
        return value.kind in _NUMERIC and value.shape == ()
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_flag(value: Value) -> bool:
    """True or false."""
    return isinstance(value, bool)


def is_text(value: Value) -> bool:
    """A string."""
    return isinstance(value, str)


def is_texts(value: Value) -> bool:
    """An array of strings."""
    return isinstance(value, ArrayHeader) and value.kind in "UT" and len(value.shape) == 1


def is_column(value: Value) -> bool:
    """An array of one dimension; its cells may be objects that are plain values."""
    return isinstance(value, ArrayHeader) and len(value.shape) == 1


def is_numbers(value: Value) -> bool:
    """Numbers: one, an array, or none at all."""
    return (
        value is None
        or is_number(value)
        or (isinstance(value, ArrayHeader) and value.kind in _NUMERIC)
    )


def is_plain(value: Value, types: tuple[str, ...] = ()) -> bool:
    """Numbers, strings, arrays of them, CSR arrays, and lists and dictionaries of all of these.

    Objects only of `types`; arrays of objects, types and functions are none of them.
    """
    if isinstance(value, (list, tuple)):
        return all(is_plain(item, types) for item in value)
    if isinstance(value, dict):
        return all(is_plain(item, types) for item in value.values())
    if isinstance(value, ArrayHeader):
        return value.kind not in "OT"
    if isinstance(value, SavedObject):
        return value.type_name in types
    return value is None or isinstance(value, (bool, int, float, str, SparseHeader))
