"""Whether a text file begins with names of columns, and whether it has columns at all."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from rarebit.tables._options import MISSING
from rarebit.tables._text_file import DELIMITERS, split_cells

_LINES = 100
_YEARS = (1900, 2100)
# Consecutive numbers from which on they count columns, whatever stands below.
_MANY = 5
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
    columns, are names nevertheless, unless they are like the numbers below them.

    Examples
    --------
    >>> has_header([["5.1", "3.5", "setosa"], ["4.9", "3.0", "setosa"]])
    False
    >>> has_header([["name", "2019", "2020"], ["a", "1.5", "2"]])
    True
    >>> has_header([["1", "2"], ["4", "2"], ["2", "5"]])
    False
    """
    if len(lines) < 2:
        return not lines or not all(map(is_number, lines[0]))
    first, rows = lines[0], [line for line in lines[1:_LINES] if len(line) == len(lines[0])]
    numeric = [
        j
        for j in range(len(first))
        if (cells := [row[j] for row in rows if row[j] not in MISSING])
        and all(is_number(cell) for cell in cells)
    ]
    if not numeric:
        return not _is_of_amounts(first, rows)
    if not all(is_number(first[j]) for j in numeric):
        return True
    values = [float(first[j]) for j in numeric]
    if len(set(first)) < len(first) or not all(value.is_integer() for value in values):
        return False
    others = set(range(len(first))).difference(numeric)
    if any(first[j] == row[j] for j in others for row in rows):
        return False  # a word that stands in its column again
    below = [[float(row[j]) for row in rows if row[j] not in MISSING] for j in numeric]
    if all(map(_is_year, values)):
        return not all(_is_year(value) for column in below for value in column)
    counted = len(values) > 1 and values[0] in (0, 1)
    if not counted or not all(b - a == 1 for a, b in pairwise(values)):
        return False
    # Many numbers are not consecutive by chance; few may be, and then their size tells.
    return len(values) >= _MANY or not all(map(_is_like, values, below))


def _is_of_amounts(first: list[str], rows: list[list[str]]) -> bool:
    """Whether a line has money, percents or dates exactly where all others do."""
    found = False
    for j, cell in enumerate(first):
        marks = {_marks(row[j]) for row in rows if row[j] not in MISSING}
        if not marks or None in marks:
            continue
        if _marks(cell) not in marks:
            return False
        found = True
    return found


def _marks(cell: str) -> str | None:
    """Return what stands beside the digits of an amount or a date; None for other cells."""
    if not any(map(str.isdigit, cell)):
        return None
    marks = "".join(sign for sign in cell if not (sign.isdigit() or sign in ".,' \xa0"))
    return None if any(map(str.isalpha, marks)) else marks


def _is_year(value: float) -> bool:
    return _YEARS[0] <= value <= _YEARS[1] and value.is_integer()


def _is_like(value: float, column: list[float]) -> bool:
    """Return whether a whole number may be one more cell of a column of such numbers."""
    low, high = min(column), max(column)
    whole = all(cell.is_integer() for cell in column)
    return whole and 2 * low - high <= value <= 2 * high - low


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
