"""Columns that know too much: one of them alone tells a class from the others."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import rankdata

from rarebit.tables._table import Table

# A value, a filled cell or a missing one gives the class away where nearly all its rows are rare,
# and most of the rare rows have it. A threshold is searched for, and so must find nearly all.
_PURE = 0.99
_MOST_OF_THE_CLASS = 0.5
_NEARLY_ALL_OF_THE_CLASS = 0.9
# A column that ranks the rare rows this far above the others is at least a strong signal.
_STRONG = 0.99
_FEWEST_RARE = 5
_MOST_CLASSES = 10
_FEW_VALUES = 40
_FOLDS = 5
# Cells that are looked at, where a command only wants to warn.
_ENOUGH_CELLS = 20_000_000
_DROP = "--drop leaves it out"
_ASK = f"was it filled in afterwards? {_DROP}"


@dataclass(frozen=True)
class Leak:
    """What a column alone says of a class.

    Attributes
    ----------
    remark : str
        In words, for whoever reads a table.
    sure : bool
        Whether nearly all rows with some value are rare; False for a number that ranks the rare
        rows first and overlaps with the others, as a good measurement does.
    """

    remark: str
    sure: bool = True


@dataclass(frozen=True, eq=False)
class RareRows:
    """The rows of a class that must not be known beforehand, or of all classes but one.

    Rows whose class nobody knows are neither rare nor others: they tell nothing of a column.
    """

    name: str
    are: str
    rows: NDArray[np.bool_]  # of those that are labelled
    labelled: NDArray[np.bool_]  # of all


def rare_rows(target: NDArray[np.str_] | None, named: Iterable[str] = ()) -> list[RareRows]:
    """Return what a column could leak: all classes but the commonest, then each of them.

    Parameters
    ----------
    target : ndarray of str or None
        Class of each row, empty where it is not known.
    named : iterable of str, default=()
        The rare classes, in place of all but the commonest.

    Returns
    -------
    list of RareRows
        Those with enough rows to tell.
    """
    if target is None:
        return []
    labelled = target != ""
    target = target[labelled]
    names, counts = np.unique(target, return_counts=True)
    if len(names) < 2:
        return []
    ordered = names[::-1][np.argsort(counts[::-1], kind="stable")].tolist()
    chosen = set(named) or set(ordered[:-1])
    rare = [name for name in ordered if name in chosen]
    others = " and ".join(repr(name) for name in ordered if name not in chosen)
    found = []
    if len(rare) > 1:
        rows = np.isin(target, rare)
        found.append(RareRows(f"every class but {others}", f"not {others}", rows, labelled))
    for name in rare[:_MOST_CLASSES]:
        called = "the rarest class" if len(names) == 2 and name == ordered[0] else repr(name)
        found.append(RareRows(called, repr(name), target == name, labelled))
    return [each for each in found if each.rows.sum() >= _FEWEST_RARE]


def find_leak(values: pl.Series, sought: list[RareRows]) -> Leak | None:
    """Return what a column alone says of a class; None for most.

    Parameters
    ----------
    values : polars Series
        Its cells in all rows; numbers, strings or dates, null where missing.
    sought : list of RareRows
        What it could leak.

    Returns
    -------
    Leak or None
        Of the first class that is told as a whole; else of the first that mostly is; else
        of the first that the column ranks.
    """
    if not sought:
        return None
    if not sought[0].labelled.all():
        values = values.filter(pl.Series(sought[0].labelled))
    missing = values.is_null()
    n_values = values.n_unique()
    few = n_values <= _FEW_VALUES
    ranks = None
    if values.dtype.is_numeric():
        ranks = rankdata(values.fill_null(-np.inf).to_numpy())
    # Numbers of many values are only ranked: their text would cost more than all the rest.
    cells = values.cast(pl.String).fill_null("\0") if few or ranks is None else values
    whole: list[str] = []
    most: list[str] = []
    signals: list[str] = []
    for each in sought:
        area = 0.5
        if ranks is not None:
            area = _area(ranks, each.rows)
        elif n_values <= len(values) / 10:
            area = _area_of_values(cells, each.rows)
        # Shares point upwards: a column of words that ranks rare rows last tells nothing.
        best = area if ranks is None else max(area, 1.0 - area)
        if best >= _STRONG:
            if ranks is None or _has_pure_side(ranks, each.rows):
                whole.append(f"tells {each.name} by itself (AUC {best:.3f}): {_ASK}")
                continue
            signals.append(
                f"ranks {each.name} apart from nearly all others (AUC {best:.3f}): a strong "
                f"signal, unless it was filled in afterwards; {_DROP}"
            )
        if remark := (_by_value(cells, each) if few else "") or _by_missing(missing, each):
            most.append(remark)
        elif ranks is not None and not few and _has_pure_side(ranks, each.rows):
            most.append(f"tells {each.name} by a threshold alone: {_ASK}")
    if told := whole + most:
        return Leak(told[0])
    return Leak(signals[0], sure=False) if signals else None


def find_leaks(table: Table, *, sure: bool = False, advice: str = _DROP) -> dict[str, str]:
    """Return the columns that tell a class alone, and the remark on each.

    Parameters
    ----------
    table : Table
        With a target; of very many cells, evenly spaced rows are looked at.
    sure : bool, default=False
        Whether strong signals, which a good measurement can be too, are left out.
    advice : str, default="--drop leaves it out"
        How a column is left out where the remark is read.

    Returns
    -------
    dict of str to str
        Those that give a class away come before strong signals; empty for most tables.
    """
    if table.target is None or table.pixels or table.image is not None:
        return {}
    if sparse.issparse(table.numbers):
        return {}
    step = 1 + table.n_rows * len(table.columns) // _ENOUGH_CELLS
    rows = slice(None, None, step)
    sought = rare_rows(table.target[rows])
    found: dict[str, Leak | None] = {}
    for j, name in enumerate(table.number_names):
        found[name] = find_leak(number_cells(table.numbers[rows, j]), sought)
    for name in table.records.columns:
        found[name] = find_leak(table.records[name].gather_every(step), sought)
    leaks = {n: leak for n, leak in found.items() if leak is not None and (leak.sure or not sure)}
    ordered = sorted(leaks, key=lambda name: not leaks[name].sure)
    return {name: leaks[name].remark.replace(_DROP, advice) for name in ordered}


def number_cells(column: NDArray[np.floating]) -> pl.Series:
    """Return a column of numbers, null where a cell is missing or infinite."""
    values = np.asarray(column, dtype=np.float64)
    return pl.Series(np.where(np.isfinite(values), values, np.nan)).fill_nan(None)


def _area(ranks: NDArray[np.float64], rare: NDArray[np.bool_]) -> float:
    n_rare, n_rest = int(rare.sum()), int((~rare).sum())
    return float((ranks[rare].sum() - n_rare * (n_rare + 1) / 2) / (n_rare * n_rest))


def _area_of_values(cells: pl.Series, rare: NDArray[np.bool_]) -> float:
    """Return how well the values rank rare rows, by the shares that they have in other rows.

    The share of a row's value comes from the other folds, and rows are ranked within their fold:
    a share that is counted without the row itself is lower for rare rows than for the others with
    this value, and so tells the class of any column.
    """
    folds = np.empty(len(rare), dtype=np.intp)
    shuffled = np.random.default_rng(0)
    for rows in (np.flatnonzero(rare), np.flatnonzero(~rare)):
        folds[shuffled.permutation(rows)] = np.arange(len(rows)) % _FOLDS
    counts = pl.DataFrame({"v": cells, "r": rare, "f": folds}).select(
        pl.len().over("v").alias("n"), pl.col("r").sum().over("v").alias("k"),
        pl.len().over("v", "f").alias("n_own"), pl.col("r").sum().over("v", "f").alias("k_own"),
    )  # fmt: skip
    n, k, n_own, k_own = (column.to_numpy().astype(np.float64) for column in counts)
    # A value that the other folds hardly have is as rare as all rows are.
    shares = (k - k_own + rare.mean()) / (n - n_own + 1.0)
    total = weight = 0.0
    for fold in range(_FOLDS):
        own = folds == fold
        pairs = float(rare[own].sum()) * float((~rare[own]).sum())
        if pairs:
            total += pairs * _area(rankdata(shares[own]), rare[own])
            weight += pairs
    return total / weight if weight else 0.5


def _has_pure_side(ranks: NDArray[np.float64], rare: NDArray[np.bool_]) -> bool:
    """Whether rows above or below some threshold are rare, and nearly all rare rows are there."""
    needed = math.ceil(_NEARLY_ALL_OF_THE_CLASS * int(rare.sum()))
    for upwards in (ranks, -ranks):
        # The highest threshold that leaves enough rare rows above it has the fewest others there.
        cut = np.sort(upwards[rare])[-needed]
        above = upwards >= cut
        if _is_pure(int(rare[above].sum()), int(above.sum())):
            return True
    return False


def _is_pure(n_rare: int, n_rows: int) -> bool:
    return n_rare >= max(_FEWEST_RARE, _PURE * n_rows)


def _by_value(cells: pl.Series, each: RareRows) -> str:
    """Say that a value of the column gives the class away."""
    counts = (
        pl.DataFrame({"v": cells, "r": each.rows})
        .group_by("v")
        .agg(rows=pl.len(), rare=pl.col("r").sum())
        .sort("rare", "v", descending=[True, False])
    )
    value, n_rows, n_rare = counts.row(0)
    if value == "\0" or not _gives_away(n_rare, n_rows, each):
        return ""
    told = f"{n_rare:,} of {n_rows:,} such rows are {each.are}"
    return f"{value.removesuffix('.0')!r} gives the class away ({told}): {_ASK}"


def _by_missing(missing: pl.Series, each: RareRows) -> str:
    """Say that a filled cell, or a missing one, gives the class away."""
    gaps = missing.to_numpy()
    for where, words in ((~gaps, "has a value in"), (gaps, "is missing in")):
        n_rare, n_rows = int(each.rows[where].sum()), int(where.sum())
        if _gives_away(n_rare, n_rows, each):
            only = "in no others" if n_rare == n_rows else "in hardly any others"
            n_all = int(each.rows.sum())
            return f"{words} {n_rare:,} of {n_all:,} rows that are {each.are} and {only}: {_ASK}"
    return ""


def _gives_away(n_rare: int, n_rows: int, each: RareRows) -> bool:
    n_all = int(each.rows.sum())
    if n_all > len(each.rows) / 2:
        return False
    return _is_pure(n_rare, n_rows) and n_rare >= _MOST_OF_THE_CLASS * n_all
