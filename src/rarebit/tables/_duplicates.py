"""Rows that are there more than once."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit._later import is_sparse
from rarebit._text import counted
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
    if table.place is not None:  # the name of an image is where it lies
        frame = pl.DataFrame({"image": _image_keys(table)})
        if table.target is not None:
            frame = frame.with_columns(pl.Series("class", table.target))
        return frame.hash_rows(seed=0).to_numpy()
    hashes = row_hashes(table)
    if table.counts_rows:
        return hashes
    ids = pl.Series([str(name) for name in table.ids.tolist()], dtype=pl.String)
    return pl.DataFrame({"cells": hashes, "id": ids}).hash_rows(seed=0).to_numpy()


def _image_keys(table: Table) -> NDArray[np.str_]:
    """Return a key of the pixels of each image: those of copies are the same.

    Images are opened again where others have the same features, which need not be copies.
    """
    assert table.image is not None
    bare = replace(table, target=None)
    keys = row_hashes(bare).astype(np.str_).astype(object)
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    for row in np.flatnonzero(counts[place] > 1).tolist():
        pixels = np.ascontiguousarray(table.image(row))
        digest = hashlib.sha256(f"{pixels.shape}".encode() + pixels.tobytes())
        keys[row] = digest.hexdigest()
    return keys.astype(np.str_)


def tell_contradictions(table: Table) -> str:
    """Return a sentence on images that lie in folders of several classes; empty without any."""
    if table.target is None or table.place is None:
        return ""
    frame = pl.DataFrame({"key": _image_keys(table), "class": table.target})
    frame = frame.with_columns(pl.Series("id", [str(name) for name in table.ids.tolist()]))
    found = (
        frame.filter(pl.col("class") != "")
        .group_by("key", maintain_order=True)
        .agg(pl.col("class").n_unique(), pl.col("id"))
        .filter(pl.col("class") > 1)
    )
    if not found.height:
        return ""
    names = found["id"].explode().to_list()
    shown = ", ".join(names[:4]) + ", …" * (len(names) > 4)
    source, one = table.source, found.height == 1
    return (
        f"{counted(found.height, 'image')} of {source} {'is' if one else 'are'} "
        f"in folders of several classes: {shown}; keep each in the folder of its class."
    )


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
        same cells; images of a class those with the same pixels.
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
