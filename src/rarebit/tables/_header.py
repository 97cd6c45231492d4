"""Whether a text file begins with names of columns, and whether it has columns at all."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import polars as pl

from rarebit.tables._amounts import split_cells as split_amounts
from rarebit.tables._options import MISSING
from rarebit.tables._text_file import DELIMITERS, split_cells

_LINES = 100
_YEARS = (1900, 2100)
# Consecutive numbers from which on they count columns, whatever stands below.
_MANY = 5
# Share of the cells of a column that may be of another kind.
_STRAY = 0.1
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

    It does not if it holds numbers, amounts or dates where all others do; empty cells say nothing.
    Years, and numbers that count the columns, are names nevertheless, unless they are like the
    numbers below them.

    Examples
    --------
    >>> has_header([["5.1", "3.5", "setosa"], ["4.9", "3.0", "setosa"]])
    False
    >>> has_header([["name", "2019", "2020"], ["a", "1.5", "2"]])
    True
    >>> has_header([["1", "2"], ["4", "2"], ["2", "5"]])
    False
    >>> has_header([["-$5.00", "open", ""], ["$3.10", "$4.00", "2"], ["$2.20", "$7.00", "5"]])
    False
    """
    if len(lines) < 2:
        return not lines or not all(map(is_number, lines[0]))
    first, rows = lines[0], [line for line in lines[1:_LINES] if len(line) == len(lines[0])]
    below = {j: _numbers_below(j, rows) for j in range(len(first))}
    numeric = [j for j, column in below.items() if column]
    others = [j for j, column in below.items() if not column]
    told = [j for j in numeric if first[j] not in MISSING]
    if not all(is_number(first[j]) for j in told):
        return not _is_of_amounts(first, rows, others) and not _is_within(first, below)
    if not told:
        again = bool(numeric) and _has_word_again(first, rows, others)
        return not again and not _is_of_amounts(first, rows, others)
    values = [float(first[j]) for j in told]
    counted = len(values) > 1 and values[0] in (0, 1)
    counted = counted and all(b - a == 1 for a, b in pairwise(values))
    if counted and told == list(range(1, len(first))) and _counts_up(below[0]):
        return True  # a column without a name that counts the rows, then numbers of columns
    if len(set(first)) < len(first) or not all(value.is_integer() for value in values):
        return False
    if _has_word_again(first, rows, others):
        return False
    columns = [below[j] for j in told]
    if all(map(_is_year, values)):
        return not all(_is_year(value) for column in columns for value in column)
    # Many numbers are not consecutive by chance; few may be, and then their size tells.
    return counted and (len(values) >= _MANY or not all(map(_is_like, values, columns)))


def _numbers_below(j: int, rows: list[list[str]]) -> list[float]:
    """Return the numbers of a column; none if it has many other cells."""
    cells = [row[j] for row in rows if row[j] not in MISSING]
    numbers = [float(cell) for cell in cells if is_number(cell)]
    return numbers if len(cells) - len(numbers) <= _STRAY * len(cells) else []


def _has_word_again(first: list[str], rows: list[list[str]], columns: list[int]) -> bool:
    return any(first[j] not in MISSING and first[j] == row[j] for j in columns for row in rows)


def _is_within(first: list[str], below: dict[int, list[float]]) -> bool:
    """Whether numbers beside a word are no names: fractions among those of their columns.

    Names may be fractions, too, such as wavelengths: these lie outside of what was measured.
    """
    columns = [(float(first[j]), below[j]) for j in below if below[j] and is_number(first[j])]
    fractions = any(not value.is_integer() for value, _ in columns)
    return len(columns) > 1 and fractions and all(min(c) <= v <= max(c) for v, c in columns)


def _is_of_amounts(first: list[str], rows: list[list[str]], columns: list[int]) -> bool:
    """Whether a line has money, percents or dates where nearly all others do."""
    for j, own in zip(columns, _marks([first[j] for j in columns]), strict=True):
        # Years may be names above amounts whose only mark is a decimal comma.
        year = not own and first[j].strip().isdecimal() and _is_year(float(first[j]))
        if own is None or year:  # of a hundred thousand columns, most are named by words
            continue
        cells = _marks([row[j] for row in rows if row[j] not in MISSING])
        if own in cells and cells.count(None) <= _STRAY * len(cells):
            return True
    return False


def _marks(cells: list[str]) -> list[str | None]:
    """Return what stands beside the digits of amounts and dates; None for other cells.

    Examples
    --------
    >>> _marks(["-$5.00", "(3.10 EUR)", "24.12.2024 10:15", "A 12"])
    ['$', 'EUR', ':', None]
    """
    # The engine of polars takes a time that grows with the cell; Python's tries every division of
    # blanks among the parts that an amount may have.
    parts = split_amounts(pl.Series(cells, dtype=pl.String))
    beside = parts.select("before", "inside", "after", "last").rows()
    amounts = parts["body"].is_not_null()
    return [
        "".join(each.strip() for each in found if each) if is_amount else _marks_of_date(cell)
        for cell, found, is_amount in zip(cells, beside, amounts, strict=True)
    ]


def _marks_of_date(cell: str) -> str | None:
    if not any(map(str.isdigit, cell)):
        return None
    marks = "".join(sign for sign in cell if not (sign.isdigit() or sign in ".,' \xa0"))
    return None if any(map(str.isalpha, marks)) else marks


def _counts_up(column: list[float]) -> bool:
    return bool(column) and all(b - a == 1 for a, b in pairwise(column))


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
