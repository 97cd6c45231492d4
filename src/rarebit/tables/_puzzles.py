"""Columns that are nearly numbers or dates, and are read as text: why, and what to do."""

from __future__ import annotations

import shlex

import polars as pl

from rarebit.tables._amounts import CELL, body_pattern, kind_of, split_cells, without_few_units
from rarebit.tables._frame_errors import short
from rarebit.tables._missing import is_absent
from rarebit.tables._moments import both_orders, parse_dates, understand_dates
from rarebit.tables._understanding import clean

# Fewer cells tell nothing, and a column is nearly of a kind if this share of its cells is.
_FEWEST = 20
_NEARLY_ALL = 0.95
# Words beside numbers are told up to this share; more may be a code of their own.
_MOST_WORDS = 0.2
_LOOKED_AT = 200
# What a column is called that is read as a kind.
NOUNS = {
    "number": "numbers", "money": "money", "percent": "percent", "date": "dates", "time": "times",
    "duration": "durations"
}  # fmt: skip


def find_puzzle(name: str, cells: pl.Series) -> str:
    """Return why a column is read as text though most of its cells are numbers or dates.

    Parameters
    ----------
    name : str
        The column.
    cells : Series
        Its cells; columns that are no strings are no puzzles.

    Returns
    -------
    str
        Words after "the column is", without a full stop; empty for most columns.

    Examples
    --------
    >>> find_puzzle("sum", pl.Series(["1.50"] * 30 + ["see note"])).partition(";")[0]
    "read as text because of 'see note' in it"
    """
    if cells.dtype != pl.String or len(cells) < _FEWEST:
        return ""
    # Most columns of words are told apart by their first cells.
    first, words = _without_words(cells.head(_LOOKED_AT))
    if not len(first) or len(first) < len(words):
        return ""
    if first.str.contains(rf"{CELL}|^\s*[0-9]").mean() < 0.8:  # type: ignore[operator]
        return ""
    known, words = _without_words(cells)
    if len(known) < _FEWEST or len(words) > _MOST_WORDS * (len(known) + len(words)):
        return ""
    return _of_dates(name, known, words) or _of_amounts(name, known, words)


def _without_words(cells: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return cells with digits, and words, those for missing cells last."""
    known = clean(cells)
    absent = is_absent(known)
    worded = ~absent & ~known.str.contains(r"[0-9]")
    # Words that nobody took for missing cells come first: they are the reason.
    return known.filter(~absent & ~worded), known.filter(worded).append(known.filter(absent))


def _of_dates(name: str, cells: pl.Series, words: pl.Series) -> str:
    form = understand_dates(cells, lenient=True)
    if form is None:
        return ""
    pattern = form.pattern.partition("|")
    orders = [f"{each}{pattern[1]}{pattern[2]}" for each in both_orders(pattern[0])]
    fits = [parse_dates(cells, each).is_not_null() for each in orders]
    if max(int(each.sum()) for each in fits) >= _NEARLY_ALL * len(cells):
        best = max(fits, key=lambda each: int(each.sum()))
        return _stray(name, cells.filter(~best), words, "date")
    if len(fits) < 2 or (fits[0] | fits[1]).sum() < _NEARLY_ALL * len(cells):
        return ""
    kinds = ["day-first" if each.startswith("%d") else "month-first" for each in orders]
    return _two(name, cells, fits, kinds, "dates")


def _of_amounts(name: str, cells: pl.Series, words: pl.Series) -> str:
    parts = without_few_units(split_cells(cells), 1.0 - _NEARLY_ALL)
    fitting = parts.filter("fits")
    kind = kind_of(fitting, lenient=False)
    if len(fitting) < _NEARLY_ALL * len(cells) or kind is None:
        return ""
    body = parts["body"]
    if body.str.contains(r"^0[0-9]").any():
        return ""  # codes
    fits = [
        (body.str.contains(f"^(?:{body_pattern(mark)})$") & parts["fits"]).fill_null(False)
        for mark in (".", ",")
    ]
    best = max(fits, key=lambda each: int(each.sum()))
    if best.sum() >= _NEARLY_ALL * len(cells):
        return _stray(name, cells.filter(~best), words, kind[0])
    if (fits[0] | fits[1]).sum() < _NEARLY_ALL * len(cells):
        return ""
    return _two(name, cells, fits, ["decimal-point", "decimal-comma"], "amounts")


def _stray(name: str, others: pl.Series, words: pl.Series, kind: str) -> str:
    if not len(others) and not len(words):
        return ""
    wish = shlex.quote(f"{short(name)}={kind}")
    cell = str((others if len(others) else words)[0])
    return (
        f"read as text because of {short(cell)!r} in it; --as {wish} reads it as {NOUNS[kind]}, "
        "such cells missing"
    )


def _two(name: str, cells: pl.Series, fits: list[pl.Series], kinds: list[str], what: str) -> str:
    only = [cells.filter(fits[0] & ~fits[1]), cells.filter(fits[1] & ~fits[0])]
    if not len(only[0]) or not len(only[1]):
        return ""
    wishes = [shlex.quote(f"{short(name)}={kind}") for kind in kinds]
    return (
        f"read as text: it looks like {what} in two forms ({str(only[0][0])!r} and "
        f"{str(only[1][0])!r}); write all in one form, or have one of them read, the other "
        f"missing, by --as {wishes[0]} or --as {wishes[1]}"
    )
