"""Columns that know too much: one of them alone tells a class from the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import rankdata

from rarebit.tables._table import Table

# A single column that tells the rare rows from the others this well knows too much.
_LEAK = 0.99
# So does a value that nearly only rare rows have, and most of them.
_MOST_OF_THE_CLASS = 0.8
_FEWEST_RARE = 5
_MOST_CLASSES = 10
_FEW_VALUES = 40
# Cells that are looked at, where a command only wants to warn.
_ENOUGH_CELLS = 20_000_000
_ASK = "was it filled in afterwards?"


@dataclass(frozen=True, eq=False)
class RareRows:
    """The rows of a class that must not be known beforehand, or of all classes but one."""

    name: str
    are: str
    rows: NDArray[np.bool_]


def rare_rows(target: NDArray[np.str_] | None) -> list[RareRows]:
    """Return what a column could leak: all classes but the commonest, then each of them.

    Parameters
    ----------
    target : ndarray of str or None
        Class of each row, empty where it is not known.

    Returns
    -------
    list of RareRows
        Those with enough rows to tell.
    """
    if target is None:
        return []
    names, counts = np.unique(target[target != ""], return_counts=True)
    if len(names) < 2:
        return []
    order = np.argsort(counts[::-1], kind="stable")
    rare, common = names[::-1][order[:-1]], str(names[::-1][order[-1]])
    found = []
    if len(rare) > 1:
        rows = (target != common) & (target != "")
        found.append(RareRows(f"every class but {common!r}", f"not {common!r}", rows))
    for name in rare[:_MOST_CLASSES].tolist():
        called = "the rarest class" if len(rare) == 1 else repr(name)
        found.append(RareRows(called, repr(name), target == name))
    return [each for each in found if each.rows.sum() >= _FEWEST_RARE]


def why_leak(values: pl.Series, sought: list[RareRows]) -> str:
    """Say that a column tells a class alone; empty for most.

    Parameters
    ----------
    values : polars Series
        Its cells; numbers, strings or dates, null where missing.
    sought : list of RareRows
        What it could leak.

    Returns
    -------
    str
        A remark, for the first class that is leaked.
    """
    if not sought:
        return ""
    missing = values.is_null().to_numpy()
    is_number = values.dtype.is_numeric()
    few = values.n_unique() <= _FEW_VALUES
    ranks = None
    if is_number:
        ranks = rankdata(values.fill_null(-np.inf).to_numpy())
    elif values.n_unique() > len(values) / 10:
        return _by_missing(missing, sought)
    # Numbers of many values are only ranked: their text would cost more than all the rest.
    cells = values.cast(pl.String).fill_null("\0") if few or not is_number else values
    for each in sought:
        if ranks is None:
            shares = pl.DataFrame({"v": cells, "r": each.rows}).select(pl.col("r").mean().over("v"))
            area = _area(rankdata(shares["r"].to_numpy()), each.rows)
        else:
            area = _area(ranks, each.rows)
        best = max(area, 1.0 - area)
        if best >= _LEAK:
            return f"tells {each.name} by itself (AUC {best:.3f}): {_ASK} --drop leaves it out"
        if few and (told := _by_value(cells, each)):
            return told
    return _by_missing(missing, sought)


def find_leaks(table: Table) -> dict[str, str]:
    """Return the columns that tell a class alone, and the remark on each.

    Parameters
    ----------
    table : Table
        With a target; of very many cells, evenly spaced rows are looked at.

    Returns
    -------
    dict of str to str
        Empty for most tables.
    """
    if table.target is None or table.pixels or table.image is not None:
        return {}
    if sparse.issparse(table.numbers):
        return {}
    step = 1 + table.n_rows * len(table.columns) // _ENOUGH_CELLS
    rows = slice(None, None, step)
    sought = rare_rows(table.target[rows])
    found = {}
    for j, name in enumerate(table.number_names):
        found[name] = why_leak(number_cells(table.numbers[rows, j]), sought)
    for name in table.records.columns:
        found[name] = why_leak(table.records[name].gather_every(step), sought)
    return {name: why for name, why in found.items() if why}


def number_cells(column: NDArray[np.floating]) -> pl.Series:
    """Return a column of numbers, null where a cell is missing or infinite."""
    values = np.asarray(column, dtype=np.float64)
    return pl.Series(np.where(np.isfinite(values), values, np.nan)).fill_nan(None)


def _area(ranks: NDArray[np.float64], rare: NDArray[np.bool_]) -> float:
    n_rare, n_rest = int(rare.sum()), int((~rare).sum())
    return float((ranks[rare].sum() - n_rare * (n_rare + 1) / 2) / (n_rare * n_rest))


def _by_value(cells: pl.Series, each: RareRows) -> str:
    """Say that a value of the column gives the class away."""
    counts = (
        pl.DataFrame({"v": cells, "r": each.rows})
        .group_by("v")
        .agg(rows=pl.len(), rare=pl.col("r").sum())
        .sort("rare", "v", descending=[True, False])
    )
    value, n_rows, n_rare = counts.row(0)
    n_all = int(each.rows.sum())
    if n_all > len(cells) / 2 or n_rare < max(_LEAK * n_rows, _MOST_OF_THE_CLASS * n_all):
        return ""
    shown = "a missing cell" if value == "\0" else repr(value.removesuffix(".0"))
    return (
        f"{shown} gives the class away ({n_rare:,} of {n_rows:,} such rows are {each.are}): {_ASK} "
        "--drop leaves it out"
    )


def _by_missing(missing: NDArray[np.bool_], sought: list[RareRows]) -> str:
    for each in sought:
        caught, alarms = float(missing[each.rows].mean()), float(missing[~each.rows].mean())
        if abs(caught - alarms) >= _LEAK:
            return f"is missing in one class only: {_ASK}"
    return ""
