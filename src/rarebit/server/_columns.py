"""Cells that came as JSON become a column in the type that they have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from rarebit.tables import TableError


def column_of(name: str, cells: Sequence[Any], role: str | None) -> pl.Series:
    """Return a column; cells of several types are text.

    Parameters
    ----------
    name : str
        Its name.
    cells : sequence
        Numbers, texts, true, false, null or lists of numbers.
    role : {"number", "text", "date"} or None
        What a model takes the column for, where one does; decides for columns without a cell.
    """
    kinds = set(map(type, cells)) - {type(None)}
    try:
        if not kinds:
            return pl.Series(name, cells, dtype=pl.Float64 if role == "number" else pl.String)
        if kinds == {list}:
            if any(type(x) not in (int, float) for cell in cells for x in cell or ()):
                raise TableError(f"Lists in column {name!r} must hold numbers only.")
            return pl.Series(name, cells, dtype=pl.List(pl.Float64), strict=False)
        if kinds == {bool}:
            return pl.Series(name, cells, dtype=pl.Boolean)
        if kinds == {float}:
            return pl.Series(name, cells, dtype=pl.Float64)
        if kinds == {int} and all(cell is None or -(2**63) <= cell < 2**63 for cell in cells):
            return pl.Series(name, cells, dtype=pl.Int64)
        if kinds <= {int, float}:
            numbers = [None if cell is None else float(cell) for cell in cells]
            return pl.Series(name, numbers, dtype=pl.Float64)
    except OverflowError:
        raise TableError(
            f"Column {name!r} has a number that is too large: give numbers below 1e308."
        ) from None
    if not kinds <= {int, float, bool, str}:
        raise TableError(
            f"Cells of column {name!r} must be numbers, text, true, false, null or lists of "
            "numbers: give these."
        )
    return pl.Series(name, [_written(cell) for cell in cells], dtype=pl.String)


def _written(cell: Any) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
