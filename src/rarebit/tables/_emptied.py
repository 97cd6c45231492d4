"""Columns that have a value in every training row, and in no row to judge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from rarebit._later import is_sparse
from rarebit.tables._table import Table

if TYPE_CHECKING:
    from rarebit.tables._encoder import TableEncoder

_FEWEST_ROWS = 5  # of fewer rows each may lack the value by chance
_MOST_NAMED = 5


def complete_columns(encoder: TableEncoder) -> list[str]:
    """Return the columns that a fitted encoder learned from and that had no missing cell."""
    return [name for name in encoder.schema_ if name not in encoder.missing_]


def empty_columns(table: Table, names: Iterable[str]) -> list[str]:
    """Return those of some columns that have no value in any row."""
    own = {name: j for j, name in enumerate(table.number_names)}
    dense = not (is_sparse(table.numbers) or table.pixels or table.embedded is not None)
    found = []
    for name in names:
        if name in table.records.columns:
            if table.records[name].null_count() == table.n_rows:
                found.append(name)
        elif dense and name in own and table.image is None:
            # Most columns have a value in the first row, and need no second look.
            first = np.asarray(table.numbers[:1, own[name]], dtype=np.float64)
            if np.isnan(first).all() and np.isnan(table.numbers[:, own[name]]).all():
                found.append(name)
    return found


def tell_empty(names: list[str], n_rows: int) -> str:
    """Say which columns are empty that were complete in training.

    Examples
    --------
    >>> tell_empty(["age"], 20).partition(":")[0]
    "'age' is empty in all 20 rows, and had a value in every training row"
    >>> tell_empty([], 20), tell_empty(["age"], 2)
    ('', '')
    """
    if not names or n_rows < _FEWEST_ROWS:
        return ""
    shown = [repr(name) for name in names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        shown.append(f"{len(names) - _MOST_NAMED:,} more columns")
    listed = " and ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)
    is_, it = ("is", "it") if len(names) == 1 else ("are", "them")
    return (
        f"{listed} {is_} empty in all {n_rows:,} rows, and had a value in every training row: "
        f"scores without {it} are less certain; fill {it} in, or train without {it}."
    )


def emptied_note(encoder: TableEncoder, table: Table) -> str:
    """Say which columns of rows to judge are empty; nothing where all is as in training.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted to the training rows.
    table : Table
        Rows with the columns of the training file.
    """
    return tell_empty(empty_columns(table, complete_columns(encoder)), table.n_rows)
