"""Columns of whole numbers that number the rows: ids that would become a feature."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from rarebit.tables._matrix import let_go

COUNTER = "every row has its own number"
# Rows from which different whole numbers are no accident.
_FEWEST = 50
_FIRST = 1000
_STEP = 1 << 16
_ID_NAME = re.compile(
    r"(?i)(?:^|[_\W])(?:id|ids|idx|index|key|uid|uuid|guid|no|nr|num|row|rowid|seq)$"
    r"|^(?:unnamed: 0|record|row_?number)$|[a-z](?:Id|ID|Nr|No)$"
)


def numbers_rows(numbers: Any, column: int, name: str) -> bool:
    """Return whether a column without missing cells has another whole number in every row.

    It counts as an id if the numbers follow each other without a gap, in any order, or if its name
    is that of an id.

    Parameters
    ----------
    numbers : ndarray of shape (n_rows, n_columns)
        All numbers.
    column : int
        Which of them.
    name : str
        Its name.
    """
    n_rows = len(numbers)
    if n_rows < _FEWEST:
        return False
    # Almost every column is told by its first rows.
    first = np.asarray(numbers[:_FIRST, column], dtype=np.float64)
    if (first != np.trunc(first)).any() or len(np.unique(first)) < len(first):
        return False
    named = _ID_NAME.search(name) is not None
    low, high = np.inf, -np.inf
    for start in range(0, n_rows, _STEP):
        part = np.asarray(numbers[start : start + _STEP, column], dtype=np.float64)
        if (part != np.trunc(part)).any():
            return False
        low, high = min(low, part.min()), max(high, part.max())
        let_go(numbers)  # a mapped file must not stay in memory for one of its columns
    if not named and high - low + 1 != n_rows:
        return False
    if high - low + 1 == n_rows:
        seen = np.zeros(n_rows, dtype=bool)
        for start in range(0, n_rows, _STEP):
            seen[(numbers[start : start + _STEP, column] - low).astype(np.intp)] = True
            let_go(numbers)
        return bool(seen.all())
    different = len(np.unique(numbers[:, column]))
    let_go(numbers)
    return different == n_rows
