"""Conditions on columns, compared as what the columns were understood as."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit._later import is_sparse
from rarebit.projects._errors import ProjectError
from rarebit.tables import Table, clock, typed_moments, typed_number, typed_time

# A value stands for all between its first and its last moment, such as a day; numbers and texts
# are their own first and last.
_OPERATORS: dict[str, Callable[[pl.Series, Any, Any], pl.Series]] = {
    "=": lambda column, first, last: (column >= first) & (column <= last),
    "!=": lambda column, first, last: (column < first) | (column > last),
    "<": lambda column, first, last: column < first,
    "<=": lambda column, first, last: column <= last,
    ">": lambda column, first, last: column > last,
    ">=": lambda column, first, last: column >= first,
}


_ORDERS = ("<", "<=", ">", ">=")


def rows_that_meet(table: Table, condition: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return which rows meet a condition on one column.

    Parameters
    ----------
    table : Table
        The rows.
    condition : mapping
        ``column``, ``op`` and ``value``; the value as cells of the column are written, dates and
        times also as in ISO 8601. A date without a time is its whole day. Where numbers stand
        among words, ``"<"`` and the like compare the numbers, and words meet none of them.

    Returns
    -------
    ndarray of bool
        One per row; rows without a value meet ``"missing"`` alone.
    """
    name, op, value = condition["column"], condition["op"], condition.get("value")
    column = _column(table, name)
    if op == "missing":
        return column.is_null().to_numpy()
    if op == "present":
        return column.is_not_null().to_numpy()
    if value is None or isinstance(value, bool):
        raise ProjectError(f"The condition on {name!r} needs a value to compare with: give one.")
    if op == "contains":
        texts = _texts(table, name, column).str.to_lowercase()
        found = texts.str.contains(str(value).lower(), literal=True)
        return found.fill_null(value=False).to_numpy()
    if column.dtype == pl.Boolean or not (
        column.dtype.is_numeric() or column.dtype in (pl.Date, pl.Datetime)
    ):
        column, first, last = column.cast(pl.String, strict=False), str(value), str(value)
        if op in _ORDERS:
            column, first, last = _ordered(name, column, value)
    else:
        column, first, last = _compared(table, name, column, value)
    return _OPERATORS[op](column, first, last).fill_null(value=False).to_numpy()


def _column(table: Table, name: str) -> pl.Series:
    if name == table.id_name:
        return pl.Series(name, [str(each) for each in table.ids])
    if name in table.number_names:
        cells = table.numbers[:, table.number_names.index(name)]
        dense = cells.toarray().ravel() if is_sparse(cells) else np.asarray(cells)
        return pl.Series(name, dense.astype(np.float64)).fill_nan(None)
    if name in table.records.columns:
        return table.records[name]
    raise ProjectError(f"There is no column {name!r}: choose one of those that are listed.")


def _compared(table: Table, name: str, column: pl.Series, value: Any) -> tuple[pl.Series, Any, Any]:
    """Return a column of numbers, dates or times, and the ends of what a value means in it."""
    form = table.forms.get(name)
    if column.dtype in (pl.Date, pl.Datetime):
        span = typed_moments(str(value), form)
        if span is None:
            raise ProjectError(f"{value!r} is not a date: write 2026-10-01.")
        return _without_zone(column), *span
    if form is not None and form.kind == "time":
        time = typed_time(str(value), form)
        if time is None:
            raise ProjectError(f"{value!r} is not a time: write 05:00.")
        return column, time, time
    number = typed_number(value, form)
    if number is None:
        raise ProjectError(f"Column {name!r} holds numbers, got {value!r}: give a number.")
    if table.numbers.dtype == np.float32:
        number = float(np.float32(number))  # as the cell 0.1 is there
    return column, number, number


def _ordered(name: str, column: pl.Series, value: Any) -> tuple[pl.Series, Any, Any]:
    """Return a column of words, or its numbers where it has any, and the ends of a value."""
    numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    if numbers.null_count() == len(numbers):
        return column, str(value), str(value)
    number = typed_number(value, None)
    if number is None:
        raise ProjectError(
            f"Column {name!r} has words and numbers, got {value!r}: give a number, or use = or "
            "contains."
        )
    return numbers, number, number


def _without_zone(column: pl.Series) -> pl.Series:
    if getattr(column.dtype, "time_zone", None):
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return column.cast(pl.Datetime("us"))


def _texts(table: Table, name: str, column: pl.Series) -> pl.Series:
    """Return the cells as people see them."""
    form = table.forms.get(name)
    if form is not None and form.reworded and table.written is not None:
        own = table.written.read(np.arange(table.n_rows), [name])
        if own is not None and name in own.columns:
            return own[name].cast(pl.String, strict=False)
    if form is not None and form.kind == "time":
        cells = [None if each is None else clock(each) for each in column.to_list()]
        return pl.Series(name, cells, dtype=pl.String)
    return column.cast(pl.String, strict=False)
