"""Rows held out by group or by time, where rows of one customer or one day are alike."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit.metrics import grouped_holdout, latest_rows
from rarebit.tables import Form, Table, TableError, read_dates


@dataclass(frozen=True)
class SplitBy:
    """Columns that decide which rows may be held out together.

    Attributes
    ----------
    group : str or None
        Rows with the same value are all held out or all trained on.
    time : str or None
        The latest rows are held out.
    """

    group: str | None = None
    time: str | None = None

    def __post_init__(self) -> None:
        if self.group is not None and self.time is not None:
            raise ValueError("Hold out by group or by time: give one of them.")

    @property
    def columns(self) -> list[str]:
        """The columns that are needed."""
        return [name for name in (self.group, self.time) if name is not None]

    def groups(self, table: Table) -> NDArray[np.intp] | None:
        """Return a number per row, the same for rows of one group; None without groups."""
        if self.group is None:
            return None
        cells = column_of(table, self.group).cast(pl.String).to_list()
        numbers: dict[Any, int] = {}
        # A row without a group is one of its own.
        keys = [("", row) if cell is None else cell for row, cell in enumerate(cells)]
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)

    def held_out(
        self, table: Table, y: NDArray[Any], share: float, random_state: int | None
    ) -> NDArray[np.intp]:
        """Return the rows to hold out.

        Parameters
        ----------
        table : Table
            The rows.
        y : ndarray of shape (n_rows,)
            Their classes.
        share : float
            About how many.
        random_state : int or None
            Seed of the draw of groups.

        Returns
        -------
        ndarray of shape (n_held_out,)
            Row numbers, rising.
        """
        groups = self.groups(table)
        if groups is not None:
            return grouped_holdout(y, groups, share, random_state)
        assert self.time is not None
        return latest_rows(times_of(table, self.time), share)

    def check(self, y: NDArray[Any], test: NDArray[np.intp], share: float) -> None:
        """Refuse rows held out that lack a class, or leave one out of training."""
        train = np.delete(y, test)
        counts: Mapping[str, int] = dict(zip(*np.unique(y, return_counts=True), strict=True))
        for name in counts:
            for rows, where, more in ((y[test], "held out", "more"), (train, "trained on", "less")):
                if not np.any(rows == name):
                    by = f"group {self.group!r}" if self.group else f"time {self.time!r}"
                    raise TableError(
                        f"No row of {str(name)!r} is {where} when {100 * share:g} % are held out "
                        f"by {by}: hold out {more}, or choose another column."
                    )


def column_of(table: Table, name: str) -> pl.Series:
    """Return a column of a table, whatever it is to it."""
    if name in table.aside.columns:
        return table.aside[name]
    if name in table.records.columns:
        return table.records[name]
    if name in table.number_names:
        return pl.Series(name, np.asarray(table.numbers[:, table.number_names.index(name)]))
    raise TableError(
        f"{table.source} has no column {name!r} to hold out by: it has "
        f"{', '.join((*table.aside.columns, *table.columns)[:8])}; give one of them."
    )


def times_of(table: Table, name: str) -> NDArray[np.float64]:
    """Return a column as numbers that rise with time, NaN where a cell is missing."""
    return read_times(column_of(table, name), table.forms.get(name), table.source)[0]


def doubt_about_times(table: Table, name: str) -> str:
    """Say what the cells of a column of times cannot tell; empty for most columns."""
    return read_times(column_of(table, name), table.forms.get(name), table.source)[1]


def read_times(
    column: pl.Series, form: Form | None, source: str
) -> tuple[NDArray[np.float64], str]:
    """Return cells as numbers that rise with time, and what they cannot tell.

    Parameters
    ----------
    column : Series
        Dates, numbers, or text of one of these.
    form : Form or None
        How a person says that the text is written.
    source : str
        Name of the file, for errors.

    Returns
    -------
    tuple of ndarray and str
        NaN where a cell is missing; a sentence such as that about a column of features, or none.
    """
    name = column.name
    if column.dtype.is_temporal():
        return _numbers(column.cast(pl.Datetime("us")).cast(pl.Int64).cast(pl.Float64)), ""
    cells = column.cast(pl.String).str.strip_chars()
    known = cells.is_not_null() & (cells != "")
    plain = cells.cast(pl.Float64, strict=False)
    if form is None and bool((plain.is_not_null() | ~known).all()):
        return _numbers(plain), ""
    read = read_dates(name, cells, form)
    if read is None:
        example = cells.filter(known)[0]
        raise TableError(
            f"The column {name!r} of {source} cannot be read as a time, such as {example!r}: "
            "write all cells as 2026-05-26, 2026-05-26 14:30 or as a number, or say which date "
            f"the column has (--as {shlex.quote(name)}=day-first)."
        )
    values, used = read
    doubt = f"{name}: {used.sentence(name)}." if used.doubt else ""
    return _numbers(values.cast(pl.Int64).cast(pl.Float64)), doubt


def _numbers(values: pl.Series) -> NDArray[np.float64]:
    return values.fill_null(float("nan")).to_numpy()
