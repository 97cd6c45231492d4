"""Frames in memory, of pandas, polars or Arrow, become tables."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rarebit.tables._errors import ColumnsMismatchError, TableError
from rarebit.tables._frame_scan import FrameScan
from rarebit.tables._options import Options
from rarebit.tables._table import Table


class MemoryScan(FrameScan):
    """A frame that is in memory already, and needs no limits."""

    def _most_cells(self) -> int:
        return 1 << 62

    def _checksum(self) -> str:
        rows = io.BytesIO()
        self.open_frame({}).collect().write_ipc_stream(rows)
        return hashlib.sha256(rows.getbuffer()).hexdigest()


def as_table(
    data: Any,
    *,
    target: str | Sequence[Any] | None = None,
    id: str | None = None,
    text: str | Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    schema: Mapping[str, Any] | None = None,
    forms: Mapping[str, Any] | None = None,
    usual_id: str | None = None,
    embed: str | None = None,
    name: str = "the frame",
) -> Table:
    """Return rows that are in memory as a `Table`.

    Parameters
    ----------
    data : Table, DataFrame, LazyFrame, Arrow table, or mapping of str to array
        A frame of pandas or polars, a table of Arrow, anything with the Arrow interface, or columns
        by name. A `Table` is returned as it is.
    target : str, array-like or None, default=None
        Column of classes, or the class of each row.
    id : str or None, default=None
        Column of ids, which must be unique; None counts rows from 0.
    text : str, sequence of str or None, default=None
        Column that is a text to be read by words; several are joined.
    drop, categorical : sequence of str, default=()
        As in `read_table`.
    columns : mapping of str to str or None, default=None
        What columns are, as in `read_table`.
    schema, forms : mapping or None, default=None
        Columns that are needed, as in an encoder (``schema_``, ``forms_``).
    usual_id : str or None, default=None
        Column of ids if there is such a column and ``id`` is not given.
    embed : str or None, default=None
        What turns the text into numbers, as in `read_table`.
    name : str, default="the frame"
        What the rows are called in messages.

    Returns
    -------
    Table
        All rows.

    Examples
    --------
    >>> from rarebit.tables import as_table
    >>> as_table({"amount": ["€1,50", "€2,75"], "class": ["ok", "fraud"]}, target="class")
    Table('the frame', 2 rows, 1 columns, target 'class')
    """
    if isinstance(data, Table):
        return data
    frame = as_frame(data)
    if target is not None and not isinstance(target, str):
        classes = pl.Series([None if value is None else str(value) for value in target])
        if len(classes) != frame.height:
            raise TableError(
                f"{name} has {frame.height:,} rows and {len(classes):,} classes: give one for each "
                "row."
            )
        target, frame = _free_name(frame), frame.with_columns(classes.alias(_free_name(frame)))
    options = Options(
        target=target,
        id=id,
        text=text,
        drop=tuple(drop),
        categorical=tuple(categorical),
        columns=dict(columns or {}),
        schema=schema,
        forms=forms,
        usual_id=usual_id,
        embed=embed,
    )
    return MemoryScan(Path(name), options, lambda types: frame.lazy(), [], frame.height).read()


def _free_name(frame: pl.DataFrame) -> str:
    name = "class"
    while name in frame.columns:
        name += "_"
    return name


def is_frame(data: Any) -> bool:
    """Return whether something holds columns that `as_table` can read."""
    return (
        isinstance(data, (pl.DataFrame, pl.LazyFrame, Mapping))
        or hasattr(data, "__arrow_c_stream__")
        or hasattr(data, "__dataframe__")
        or type(data).__module__.partition(".")[0] in ("pandas", "pyarrow")
    )


def as_frame(data: Any) -> pl.DataFrame:
    """Return columns of any of the usual frames as a frame of polars."""
    try:
        if isinstance(data, pl.LazyFrame):
            data = data.collect()
        if isinstance(data, pl.DataFrame):
            frame = data
        elif type(data).__module__.partition(".")[0] == "pandas":
            names = [str(column) for column in data.columns]
            _check_names(names)
            renamed = data.set_axis(names, axis=1) if names != list(data.columns) else data
            frame = pl.from_pandas(renamed, include_index=False)
        elif type(data).__module__.partition(".")[0] == "pyarrow":
            frame = pl.DataFrame(pl.from_arrow(data))
        elif isinstance(data, Mapping):
            _check_names([str(key) for key in data])
            frame = pl.DataFrame({str(key): _column(value) for key, value in data.items()})
        elif is_frame(data):
            frame = pl.DataFrame(data)
        else:
            raise TableError(
                f"Rows must be a Table, a frame of pandas, polars or Arrow, or columns by name, "
                f"got {type(data).__name__}: read a file with read_table, or make a DataFrame."
            )
    except ModuleNotFoundError:
        raise
    except TableError:
        raise
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise TableError(
            f"The frame cannot be read ({why}): give every column one type and one length."
        ) from error
    if not frame.height or not frame.width:
        raise TableError("The frame has no rows or no columns: give some.")
    return frame


def _column(values: Any) -> Any:
    array = np.asarray(values)
    return array.tolist() if array.dtype.kind == "O" else array


def _check_names(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ColumnsMismatchError(f"The frame has two columns named {name!r}: rename one.")
        seen.add(name)
