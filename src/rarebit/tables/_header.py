"""Whether a text file begins with names of columns, and whether it has columns at all."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from rarebit.tables._options import MISSING
from rarebit.tables._text_file import DELIMITERS, split_cells

_LINES = 100
_YEARS = (1900, 2100)
# Words of a line, on average, from which lines are sentences.
_WORDS = 3.0


def is_number(cell: str) -> bool:
    """Return whether Python reads a cell as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def has_header(lines: list[list[str]]) -> bool:
    """Return whether the first line holds names.

    It does not if it holds numbers exactly where all others do. Years, and numbers that count the
    columns, are names nevertheless.

    Examples
    --------
    >>> has_header([["5.1", "3.5", "setosa"], ["4.9", "3.0", "setosa"]])
    False
    >>> has_header([["name", "2019", "2020"], ["a", "1.5", "2"]])
    True
    """
    if len(lines) < 2:
        return True
    first, rows = lines[0], [line for line in lines[1:_LINES] if len(line) == len(lines[0])]
    numeric = [
        j
        for j in range(len(first))
        if (cells := [row[j] for row in rows if row[j] not in MISSING])
        and all(is_number(cell) for cell in cells)
    ]
    if not numeric or not all(is_number(first[j]) for j in numeric):
        return True
    values = [float(first[j]) for j in numeric]
    if len(set(first)) == len(first) and all(value.is_integer() for value in values):
        counted = all(b - a == 1 for a, b in pairwise(values)) and len(values) > 1
        if counted or all(_YEARS[0] <= value <= _YEARS[1] for value in values):
            return True
    return False


def is_prose(path: Path, sample: str) -> bool:
    """Return whether a file is one text a line, without columns."""
    if ".txt" not in path.suffixes:
        return False
    lines = [line for line in sample.splitlines()[:200] if line.strip()]
    if not lines or sum(len(line.split()) for line in lines) < _WORDS * len(lines):
        return False
    for delimiter in DELIMITERS:
        widths = [len(row) for row in split_cells(lines, delimiter) if row]
        if widths and widths[0] > 1 and widths.count(widths[0]) > 0.8 * len(widths):
            return False
    return True
