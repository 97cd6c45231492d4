"""Where the columns of a training file lie, so that a file far outside of it is noticed."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit._later import is_sparse
from rarebit.tables._emptied import complete_columns, empty_columns, tell_empty
from rarebit.tables._forms import Form
from rarebit.tables._table import Table

if TYPE_CHECKING:
    from rarebit.tables._encoder import TableEncoder

# The range of a column holds all of its values but these shares at both ends.
_TAIL = 0.005
# Rows with a value from which on a column has a range.
_FEWEST_VALUES = 50
# Embeddings and pixels have more columns, and nobody would read their names.
_MOST_COLUMNS = 1000
_MOST_CELLS = 4_000_000
# Microseconds since 1970 that Python has a date for: the years 1 to 9999.
_FIRST_DAY, _LAST_DAY = -6.2e16, 2.534023e17
# Training periods before and after which a date is far away.
_PERIODS = 2.0
# Share of the rows outside from which on it is worth a note, and columns that are named.
_WORTH_A_NOTE = 0.05
_MOST_NAMED = 3


def usual_ranges(table: Table, columns: Mapping[str, str]) -> dict[str, list[float]]:
    """Return where nearly all values of each column lie, and how many there were.

    Parameters
    ----------
    table : Table
        The training rows; of very many, evenly spaced ones are looked at.
    columns : mapping of str to {"number", "text", "date"}
        Columns that are learned from.

    Returns
    -------
    dict of str to list of float
        Low end, high end and number of values looked at; dates in microseconds since 1970.
    """
    step = 1 + table.n_rows * len(columns) // _MOST_CELLS
    if not 0 < len(columns) <= _MOST_COLUMNS:
        return {}
    found = {}
    for name, values in _columns(table, columns, step):
        known = values[np.isfinite(values)]
        if len(known) >= _FEWEST_VALUES:
            low = float(np.quantile(known, _TAIL, method="lower"))
            high = float(np.quantile(known, 1.0 - _TAIL, method="higher"))
            ends = [low, high, float(len(known))]
            if is_range(ends, columns[name]):
                found[name] = ends
    return found


def is_range(ends: object, role: str | None) -> bool:
    """Return whether these are a low end, a high end and a number of values of such a column.

    Parameters
    ----------
    ends : object
        What a model file has.
    role : str or None
        Role of the column; texts have no range.

    Returns
    -------
    bool
        Whether the range can be used and shown.
    """
    if role not in ("number", "date") or not isinstance(ends, list) or len(ends) != 3:
        return False
    if not all(isinstance(end, float) and np.isfinite(end) for end in ends):
        return False
    first, last = (_FIRST_DAY, _LAST_DAY) if role == "date" else (-np.inf, np.inf)
    return bool(first <= ends[0] <= ends[1] <= last and ends[2] >= 1.0)


@dataclass(frozen=True)
class Outside:
    """Rows of a column that lie outside its range.

    Attributes
    ----------
    n_outside, n_rows : int
        Rows outside, and rows that have a value.
    low, high : str
        Ends of the range, as people write them.
    date : bool
        Whether it is a column of dates.
    """

    n_outside: int
    n_rows: int
    low: str
    high: str
    date: bool


class RangeCheck:
    """Counts, batch by batch, the rows outside the ranges of the training file, and empty columns.

    Numbers are outside where only one training row in a hundred is, dates where they are farther
    from the training file than twice its length: the next month is no surprise.

    Parameters
    ----------
    encoder : TableEncoder
        Fitted; one of an earlier version has no ranges, and nothing is counted.

    Examples
    --------
    >>> from rarebit.tables import RangeCheck, TableEncoder, as_table
    >>> euros = as_table({"paid": [float(i) for i in range(1, 101)]})
    >>> check = RangeCheck(TableEncoder().fit(euros))
    >>> check.add(as_table({"paid": [100.0 * i for i in range(1, 51)]}))
    >>> check.found()["paid"].n_outside
    49
    """

    def __init__(self, encoder: TableEncoder) -> None:
        self._ranges = encoder.ranges_ or {}
        self._schema = {
            name: role for name, role in encoder.schema_.items() if name in self._ranges
        }
        self._forms = {
            name: Form.from_json(form)
            for name, form in (encoder.forms_ or {}).items()
            if name in self._schema
        }
        self._counts = {name: [0, 0] for name in self._schema}
        self._complete = self._empty = complete_columns(encoder)
        self._n_rows = 0

    def add(self, table: Table) -> None:
        """Look at some rows.

        Parameters
        ----------
        table : Table
            With the columns of the training file.
        """
        self._empty = empty_columns(table, self._empty)
        self._n_rows += table.n_rows
        columns = _columns(table, self._schema, 1)
        if not columns:
            return
        names = [name for name, _ in columns]
        # All columns at once: a request of the service has few rows, and may have many columns.
        values = np.column_stack([column for _, column in columns])
        ends = np.array([self._ranges[name][:2] for name in names])
        is_date = np.array([self._schema[name] == "date" for name in names])
        room = np.where(is_date, _PERIODS * (ends[:, 1] - ends[:, 0]), 0.0)
        known = np.isfinite(values)
        outside = known & ((values < ends[:, 0] - room) | (values > ends[:, 1] + room))
        for name, n_outside, n_rows in zip(
            names, outside.sum(axis=0).tolist(), known.sum(axis=0).tolist(), strict=True
        ):
            self._counts[name][0] += n_outside
            self._counts[name][1] += n_rows

    def merge(self, other: RangeCheck) -> None:
        """Add the rows that another check of the same training file has looked at."""
        for name, (n_outside, n_rows) in other._counts.items():
            self._counts[name][0] += n_outside
            self._counts[name][1] += n_rows
        self._empty = [name for name in self._empty if name in other._empty]
        self._n_rows += other._n_rows

    def anew(self) -> RangeCheck:
        """Return a check of the same ranges that has looked at nothing yet."""
        fresh = copy(self)
        fresh._counts = {name: [0, 0] for name in self._schema}
        fresh._empty, fresh._n_rows = self._complete, 0
        return fresh

    def empty(self) -> list[str]:
        """Return the columns that had a value in every training row, and have none in any here."""
        return list(self._empty) if tell_empty(self._empty, self._n_rows) else []

    def counts(self) -> dict[str, int]:
        """Return how many rows lie outside the range of each column, where any does."""
        return {name: n_outside for name, (n_outside, _) in self._counts.items() if n_outside}

    def to_json(self) -> dict[str, dict[str, Any]]:
        """Return what `found` does as values that JSON has."""
        return {
            name: {"rows": each.n_outside, "of": each.n_rows, "low": each.low, "high": each.high}
            for name, each in self.found().items()
        }

    def found(self) -> dict[str, Outside]:
        """Return the columns of which more rows lie outside than chance explains, most first."""
        found = {}
        for name, (n_outside, n_rows) in self._counts.items():
            low, high, n_training = self._ranges[name]
            # As many are expected outside; the ends of few training rows are not known well.
            share = 2.0 * _TAIL + 4.0 / n_training
            chance = n_rows * share + 4.0 * np.sqrt(n_rows * share) + 1.0
            if n_outside > chance and n_outside >= _WORTH_A_NOTE * n_rows:
                date = self._schema[name] == "date"
                form = self._forms.get(name)
                shown = _shown(low, date, form), _shown(high, date, form)
                found[name] = Outside(n_outside, n_rows, shown[0], shown[1], date)
        order = sorted(found, key=lambda name: -found[name].n_outside / found[name].n_rows)
        return {name: found[name] for name in order}

    def sentence(self) -> str:
        """Return what there is to say; empty for a file like that of training."""
        said = (tell_empty(self._empty, self._n_rows), self._outside_sentence())
        return " ".join(each for each in said if each)

    def _outside_sentence(self) -> str:
        found = self.found()
        if not found:
            return ""
        parts = [
            f"{each.n_outside:,} of {each.n_rows:,} rows have a value of {name!r} "
            f"{'far from' if each.date else 'outside'} {each.low} to {each.high}"
            for name, each in list(found.items())[:_MOST_NAMED]
        ]
        more = len(found) - len(parts)
        if more:
            parts.append(f"so it is with {more:,} more column{'s' * (more > 1)}")
        listed = ", ".join(parts[:-1]) + ", and " * bool(parts[1:]) + parts[-1]
        return (
            f"{listed}; 99 % of the training rows lie there, and scores elsewhere are less "
            "certain: check units and dates, or train with newer rows."
        )


def _columns(
    table: Table, columns: Mapping[str, str], step: int
) -> list[tuple[str, NDArray[np.float64]]]:
    """Return numbers and dates of every so many rows, NaN where missing."""
    found: list[tuple[str, NDArray[np.float64]]] = []
    plain = not (is_sparse(table.numbers) or table.pixels or table.image is not None)
    if plain and table.embedded is None and table.number_names:
        places = {name: j for j, name in enumerate(table.number_names)}
        names = [name for name, role in columns.items() if role == "number" and name in places]
        block = np.asarray(table.numbers[::step])
        found += [(name, block[:, places[name]].astype(np.float64)) for name in names]
    for name, role in columns.items():
        if role == "date" and name in table.records.columns:
            column = table.records[name].gather_every(step)
            micro = column.dt.epoch("us").cast(pl.Float64).fill_null(np.nan)
            found.append((name, micro.to_numpy()))
    return found


def _shown(value: float, date: bool, form: Form | None) -> str:
    if date:
        return f"{datetime(1970, 1, 1) + timedelta(microseconds=value):%Y-%m-%d}"
    if form is not None and form.kind == "time":
        minutes = int(value // 60_000_000_000)
        return f"{minutes // 60:02}:{minutes % 60:02}"
    return f"{value:,.0f}" if 1000.0 <= abs(value) < 1e9 else f"{value:.4g}"
