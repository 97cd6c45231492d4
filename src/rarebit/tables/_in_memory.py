"""Frames of pandas, polars and Arrow, and mappings of columns, as one frame of polars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from rarebit._extras import naming_extras
from rarebit.tables._errors import ColumnsMismatchError, TableError

_WIDE_DECIMALS = "decimal256"
_TYPES_NAMED = 4  # types of a mixed column that a message names


def is_frame(data: Any) -> bool:
    """Return whether something holds columns that `as_table` can read."""
    return (
        isinstance(data, (pl.DataFrame, pl.LazyFrame, Mapping))
        or hasattr(data, "__arrow_c_stream__")
        or hasattr(data, "__dataframe__")
        or _package(data) in ("pandas", "pyarrow")
    )


def as_frame(data: Any) -> pl.DataFrame:
    """Return columns of any of the usual frames as a frame of polars."""
    try:
        with naming_extras(f"This frame of {_package(data)} needs"):
            frame = _converted(data)
    except (ModuleNotFoundError, TableError):
        raise
    except Exception as error:
        raise TableError(
            f"The frame cannot be read ({_why(error)}): give every column one type and one length."
        ) from error
    if not frame.height or not frame.width:
        raise TableError("The frame has no rows or no columns: give some.")
    return frame


def _converted(data: Any) -> pl.DataFrame:
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, pl.DataFrame):
        return data
    one = _package(data) in ("pandas", "pyarrow", "polars") and not hasattr(data, "columns")
    if one and not hasattr(data, "schema"):
        raise TableError(
            f"Rows must be a frame with named columns, got one {type(data).__name__}: make a frame "
            "of it, such as series.to_frame()."
        )
    if _package(data) == "pandas":
        return _from_pandas(data)
    if _package(data) == "pyarrow":
        return _from_arrow(data)
    if isinstance(data, Mapping):
        check_unique([str(key) for key in data])
        _check_lengths(data)
        return pl.DataFrame(
            {str(key): _series(str(key), value) for key, value in data.items()}, nan_to_null=False
        )
    if is_frame(data):
        return pl.DataFrame(data)
    raise TableError(
        f"Rows must be a Table, a frame of pandas, polars or Arrow, or columns by name, got "
        f"{type(data).__name__}: read a file with read_table, or make a DataFrame."
    )


def _from_pandas(data: Any) -> pl.DataFrame:
    names = [str(column) for column in data.columns]
    check_unique(names)
    frame = data.set_axis(names, axis=1) if names != list(data.columns) else data
    changed: dict[str, Any] = {}
    for name in names:
        column = frame[name]
        if hasattr(column.dtype, "sparse") or type(column.dtype).__name__ == "SparseDtype":
            changed[name] = column.sparse.to_dense()
        elif _has_wide_decimals(column):
            changed[name] = column.astype(float)
        elif _kind(column.dtype) == "PeriodDtype":
            changed[name] = column.dt.to_timestamp()
        elif "IntervalDtype" in (_kind(column.dtype), _kind(_categories(column.dtype))):
            changed[name] = column.astype(object).map(str, na_action="ignore")  # as pandas.cut
        elif str(column.dtype) == "object":
            _check_zones(name, column.dropna())
    frame = frame.assign(**changed) if changed else frame
    try:
        return pl.from_pandas(frame, include_index=False)
    except Exception:
        # Without pyarrow polars reads plain numbers only, and does not always say so.
        import pyarrow as pa  # noqa: F401

        # The same again, one by one: the error should name the column.
        return pl.DataFrame([_series(name, frame[name]) for name in names])


def number_categories(data: Any) -> list[str]:
    """Return the columns of which a frame says that their numbers are names of categories.

    These are categories of pandas and dictionaries of Arrow; polars has categories of strings only.

    Examples
    --------
    >>> import pandas as pd
    >>> number_categories(pd.DataFrame({"code": pd.Categorical([7, 9]), "n": [7, 9]}))
    ['code']
    """
    if _package(data) == "pandas" and hasattr(data, "dtypes"):
        from pandas.api.types import is_numeric_dtype

        kinds = {str(name): _categories(kind) for name, kind in data.dtypes.items()}
        return [name for name, kind in kinds.items() if kind is not None and is_numeric_dtype(kind)]
    if _package(data) == "pyarrow" and hasattr(data, "schema"):
        import pyarrow.types as kinds_of

        inner = {each.name: getattr(each.type, "value_type", None) for each in data.schema
                 if kinds_of.is_dictionary(each.type)}  # fmt: skip
        tests = kinds_of.is_integer, kinds_of.is_floating, kinds_of.is_boolean, kinds_of.is_decimal
        return [name for name, kind in inner.items() if any(test(kind) for test in tests)]
    return []


def _check_zones(name: str, cells: Any) -> None:
    """Refuse times of which some have a zone: polars would take the others for UTC."""
    if not len(cells) or not isinstance(cells.iloc[0], datetime):
        return
    zoned = {cell.tzinfo is not None for cell in cells if isinstance(cell, datetime)}
    if len(zoned) > 1:
        raise TableError(
            f"Column {name!r} of the frame has times with a time zone and times without one, and "
            "must have one kind: give all a zone, such as by tz_localize, or none."
        )


def with_index_column(data: Any, name: str | None) -> Any:
    """Return a frame of pandas with a level of its index as a column, anything else as it is.

    Parameters
    ----------
    data : object
        Rows; they stay as they are.
    name : str or None
        The level. A column of this name goes before it.
    """
    if name is None or _package(data) != "pandas" or not hasattr(data, "columns"):
        return data
    if name in {str(column) for column in data.columns} or list(data.index.names).count(name) != 1:
        return data
    # The index stays, because classes given apart are compared with it.
    return data.assign(**{name: data.index.get_level_values(name)})


def _kind(dtype: Any) -> str:
    return type(dtype).__name__


def _categories(dtype: Any) -> Any:
    """Return the type of the categories of a column, None where it has none."""
    return getattr(getattr(dtype, "categories", None), "dtype", None)


def _has_wide_decimals(column: Any) -> bool:
    """Whether decimal numbers have more digits than polars holds, which ends in its panic."""
    if str(column.dtype) != "object":
        return _WIDE_DECIMALS in str(column.dtype)
    from decimal import Decimal

    present = column.dropna()
    if not len(present) or not isinstance(present.iloc[0], Decimal):
        return False
    import pyarrow as pa

    try:
        return str(pa.array(present, from_pandas=True).type).startswith(_WIDE_DECIMALS)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return all(isinstance(cell, Decimal) for cell in present)


def _from_arrow(data: Any) -> pl.DataFrame:
    import pyarrow as pa

    check_unique([str(name) for name in data.schema.names])
    table = pa.table(data) if isinstance(data, pa.RecordBatch) else data
    if isinstance(table, pa.Table):
        for place, each in enumerate(table.schema):
            if str(each.type).startswith(_WIDE_DECIMALS):
                wide = table.column(place).cast(pa.float64())
                table = table.set_column(place, each.name, wide)
    frame = pl.DataFrame(pl.from_arrow(table))
    frame.columns = list(data.schema.names)  # polars gives names to columns without one
    return frame


def _series(name: str, values: Any) -> pl.Series:
    """Return one column; where its cells are of several types, the error names them."""
    try:
        if _package(values) == "pandas":
            return pl.Series(pl.from_pandas(values)).alias(name)
        array = np.asarray(values)
        return pl.Series(name, array.tolist() if array.dtype.kind == "O" else array)
    except ModuleNotFoundError:
        raise
    except Exception as error:
        raise TableError(_refusal(name, values, error)) from error


def _refusal(name: str, values: Any, error: Exception) -> str:
    cells = [cell for cell in values if cell is not None and cell == cell]
    kinds = sorted({type(cell).__name__ for cell in cells})
    if isinstance(error, OverflowError) or "too large" in str(error):
        return (
            f"Column {name!r} of the frame holds whole numbers of more than 64 bits: make them "
            "floats or strings, or leave the column out."
        )
    if len(kinds) > 1:
        named = ", ".join(kinds[:_TYPES_NAMED]) + (", …" if len(kinds) > _TYPES_NAMED else "")
        return (
            f"Column {name!r} of the frame mixes types ({named}), and must have one: convert it, "
            f"such as by astype(str), or leave it out."
        )
    held = f"cells of the type {kinds[0]}" if kinds else f"what cannot be read ({_why(error)})"
    return (
        f"Column {name!r} of the frame holds {held}, and must hold numbers, strings, dates, true "
        "and false, or lists of numbers: convert it, or leave it out."
    )


def _check_lengths(data: Mapping[Any, Any]) -> None:
    lengths = {str(key): len(value) for key, value in data.items() if _is_column(value)}
    for key, value in data.items():
        if not _is_column(value):
            raise TableError(
                f"Column {str(key)!r} must be a list of cells, got {type(value).__name__}: give "
                "one cell per row."
            )
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name!r} {n:,}" for name, n in list(lengths.items())[:5])
        raise TableError(
            f"The columns must have one length, and have several ({listed}): give every row a "
            "cell in each, None where it is missing."
        )


def _is_column(value: Any) -> bool:
    return isinstance(value, Iterable) and hasattr(value, "__len__") and not isinstance(value, str)


def check_unique(names: list[str]) -> None:
    """Refuse two columns of one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ColumnsMismatchError(f"The frame has two columns named {name!r}: rename one.")
        seen.add(name)


def _package(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def _why(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
