"""Rows held out by group or by time, where rows of one customer or one day are alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit.metrics import grouped_holdout, latest_rows
from rarebit.tables import Table, TableError

_DATES = ("%d/%m/%Y", "%d.%m.%Y", "%m/%d/%Y")


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
    column = column_of(table, name)
    if column.dtype.is_temporal():
        return column.cast(pl.Datetime("us")).cast(pl.Int64).cast(pl.Float64).fill_null(
            float("nan")
        ).to_numpy()  # fmt: skip
    cells = column.cast(pl.String).str.strip_chars()
    known = cells.is_not_null() & (cells != "")
    tries = [
        cells.cast(pl.Float64, strict=False),
        cells.str.to_datetime(strict=False, time_unit="us").cast(pl.Int64).cast(pl.Float64)
        if _looks_iso(cells)
        else None,
        *(
            cells.str.to_date(form, strict=False).cast(pl.Datetime("us")).cast(pl.Int64)
            .cast(pl.Float64)
            for form in _DATES
        ),
    ]  # fmt: skip
    for values in tries:
        if values is not None and bool((values.is_not_null() | ~known).all()):
            return values.fill_null(float("nan")).to_numpy()
    raise TableError(
        f"The column {name!r} of {table.source} cannot be read as a time, such as {cells[0]!r}: "
        "write it as 2026-05-26, 2026-05-26 14:30 or as a number."
    )


def _looks_iso(cells: pl.Series) -> bool:
    first = cells.drop_nulls()
    return bool(len(first)) and str(first[0])[:4].isdigit() and "-" in str(first[0])
