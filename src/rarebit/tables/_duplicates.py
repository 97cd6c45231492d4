"""Rows that are there more than once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit._later import is_sparse
from rarebit.tables._errors import TableError
from rarebit.tables._matrix import let_go
from rarebit.tables._table import Table

_STEP = 1 << 17


def row_hashes(table: Table) -> NDArray[np.uint64]:
    """Return a hash of the cells of each row; ids do not count, classes do.

    Parameters
    ----------
    table : Table
        Rows; sparse ones have no hashes.
    """
    parts = []
    for start in range(0, table.n_rows, _STEP):
        rows = slice(start, start + _STEP)
        columns = {f"n{j}": table.numbers[rows, j] for j in range(table.numbers.shape[1])}
        if table.target is not None:
            columns["\0class"] = table.target[rows]
        frame = pl.DataFrame(columns)
        if table.records.width:
            frame = pl.concat([frame, table.records[rows]], how="horizontal")
        parts.append(frame.hash_rows(seed=0).to_numpy())
        let_go(table.numbers)
    return np.concatenate(parts)


def _own_hashes(table: Table) -> NDArray[np.uint64]:
    """Return a hash of each row, its id included: a row with an id of its own is no copy."""
    hashes = row_hashes(table)
    if table.counts_rows:
        return hashes
    ids = pl.Series([str(name) for name in table.ids.tolist()], dtype=pl.String)
    return pl.DataFrame({"cells": hashes, "id": ids}).hash_rows(seed=0).to_numpy()


def count_duplicates(table: Table) -> int:
    """Return how many rows are copies of an earlier one, ids included where there are any."""
    if is_sparse(table.numbers) or not table.columns:
        return 0
    return table.n_rows - pl.Series(_own_hashes(table)).n_unique()


def without_duplicates(table: Table, what: str) -> Table:
    """Return a table where every row is there once, or only those that are.

    Parameters
    ----------
    table : Table
        Rows; those with the same id count as the same, and where rows have no ids those with the
        same cells.
    what : {"keep", "first", "drop"}
        All rows, the first of those that are the same, or none of them.

    Returns
    -------
    Table
        With a note on how many rows went.
    """
    if what == "keep" or is_sparse(table.numbers):
        return table
    if what not in ("first", "drop"):
        raise TableError(
            f"Duplicates can be treated as keep, first or drop, got {what!r}: give one of these."
        )
    stays = _once(_own_hashes(table), what)
    by_id = np.ones(table.n_rows, dtype=bool) if table.counts_rows else _once(table.ids, what)
    only_id = np.flatnonzero(stays & ~by_id)
    stays &= by_id
    gone = int((~stays).sum())
    if not gone:
        return table
    if not stays.any():
        raise TableError(
            f"Every row of {table.source} is there more than once: keep the first of each instead."
        )
    rows = "1 duplicate row" if gone == 1 else f"{gone:,} duplicate rows"
    note = f"{rows} of {table.source} {'was' if gone == 1 else 'were'} left out."
    if len(only_id):
        note = f"{note[:-1]}, {len(only_id):,} of them only for the id ({_listed(table, only_id)})"
        note += ": other rows have the same id and other cells."
    return replace(table.take(stays), notes=(*table.notes, note))


def _once(key: NDArray[Any], what: str) -> NDArray[np.bool_]:
    """Return which rows are the first of their key, or the only ones."""
    _, first, place, counts = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    if what == "drop":
        return np.asarray(counts[place] == 1)
    marked = np.zeros(len(key), dtype=bool)
    marked[first] = True
    return marked


def _listed(table: Table, rows: NDArray[np.intp]) -> str:
    ids = list(dict.fromkeys(str(table.ids[row]) for row in rows[:1000].tolist()))
    return ", ".join(ids[:3]) + ", …" * (len(ids) > 3)
