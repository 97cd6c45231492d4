"""Checks of rows and labels: nothing is learned before all of them have passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rarebit._text import counted
from rarebit.active._numbers import is_whole
from rarebit.exceptions import InputError, InputTypeError, RarebitError


class ContradictionError(RarebitError, ValueError):
    """A row was told twice."""


def check_number_of_rows(n: Any, n_rows: int) -> int:
    """Return a number of rows that a pool of ``n_rows`` can be asked for."""
    if not is_whole(n) or not 1 <= n <= n_rows:
        raise InputError(
            f"ask takes a whole number of rows from 1 to the {n_rows:,} of the pool, got {n!r}: "
            f"ask for {'fewer' if is_whole(n) and n > n_rows else 'at least one'} at a time."
        )
    return int(n)


def check_known(labels: Any) -> dict[Any, Any]:
    """Return labels that are known at the start, by row."""
    if labels is None:
        return {}
    if not isinstance(labels, Mapping):
        raise InputTypeError(
            "labels must be a mapping of rows to classes, such as {17: 'fraud'}, got "
            f"{type(labels).__name__}: pass dict(zip(rows, classes)), or dict(enumerate(classes)) "
            "if every row has one."
        )
    return dict(labels)


def check_rows(rows: Any, n_rows: int) -> list[int]:
    """Return row numbers of a pool of ``n_rows`` as a list."""
    if isinstance(rows, int | np.integer) and not isinstance(rows, bool) and 0 <= rows < n_rows:
        return [int(rows)]  # one row at a time is how people answer
    values = np.atleast_1d(np.asarray(rows))
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        raise InputTypeError(
            f"Rows are whole numbers, one or a list of them, got {rows!r}: pass what ask returned."
        )
    outside = values[(values < 0) | (values >= n_rows)]
    if outside.size:
        raise InputError(
            f"The pool has rows 0 to {n_rows - 1}, got row {outside[0]}: pass row numbers of the "
            "pool that start was given."
        )
    return [int(row) for row in values]


def check_labels(rows: Any, labels: Any, n: int) -> list[Any]:
    """Return one label per row; a single row may come with a bare label."""
    one = isinstance(rows, int) or np.ndim(rows) == 0
    named = [labels] if one and not _is_list(labels) else list(labels)
    if len(named) != n:
        raise InputError(
            f"tell takes one label per row, got {counted(len(named), 'label')} for "
            f"{counted(n, 'row')}: pass as many labels as rows."
        )
    return [check_label(label) for label in named]


def check_label(label: Any) -> Any:
    """Return a label as a Python object that can be a key."""
    label = label.item() if isinstance(label, np.generic | np.ndarray) else label
    if label is None or label != label:
        raise InputError(
            f"A label must name a class, got {label!r}: call skip for a row that has no label."
        )
    try:
        hash(label)
    except TypeError:
        raise InputTypeError(
            f"A label must be hashable, such as a number or a string, got {label!r}: name the "
            "class by one of these."
        ) from None
    return label


def _is_list(labels: Any) -> bool:
    if isinstance(labels, str | int | float):
        return False
    if isinstance(labels, np.ndarray):
        return labels.ndim > 0
    return isinstance(labels, Iterable) and not isinstance(labels, str | bytes | tuple)
