"""Frames in memory, of pandas, polars or Arrow, become tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rarebit._missing_classes import is_missing
from rarebit._row_order import why_other_rows
from rarebit._text import counted, tell_alike
from rarebit.tables._checksum import FrameChecksum
from rarebit.tables._errors import TableError
from rarebit.tables._frame_scan import FrameScan
from rarebit.tables._in_memory import as_frame, number_categories, with_index_column
from rarebit.tables._missing import tell_stand_ins
from rarebit.tables._options import Options
from rarebit.tables._table import Table


class MemoryScan(FrameScan):
    """A frame that is in memory already, and needs no limits."""

    _fewest_dates = 20  # services score single rows

    def _most_cells(self) -> int:
        return 1 << 62

    @property
    def _checksum(self) -> FrameChecksum:
        assert self.written is not None
        return FrameChecksum((self.written.open_frame,))


def as_table(
    data: Any,
    *,
    target: str | Sequence[Any] | None = None,
    id: str | None = None,
    text: str | Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    aside: Sequence[str] = (),
    duplicates: str = "keep",
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
        Column of classes, or the class of each row, None where it is not known. The names of
        columns that are no strings are given as they are, such as 7.
    id : str or None, default=None
        Column of ids, which must be unique, or a named level of the index of a pandas frame; None
        counts rows from 0.
    text : str, sequence of str or None, default=None
        Column that is a text to be read by words; several are joined.
    drop, categorical, aside : sequence of str, default=()
        As in `read_table`. Numbers that are a category of pandas, or a dictionary of Arrow, are
        names of categories, too, unless `columns` says otherwise.
    duplicates : {"keep", "first", "drop"}, default="keep"
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
    Table('the frame', 2 rows, 1 column, target 'class')
    """
    if isinstance(data, Table):
        return data
    frame, given = as_frame(with_index_column(data, id)), None
    if target is not None and not isinstance(target, str):
        if not hasattr(target, "__len__"):
            target = str(target)  # the name of a column of pandas may be a number
        else:
            if hasattr(target, "columns"):
                raise TableError(
                    f"The target must be one column, got a {type(target).__name__}: give one of "
                    "its columns, such as frame['class']."
                )
            if refusal := why_other_rows(data, target):
                raise TableError(refusal)
            classes, given = _classes(target)
            if len(classes) != frame.height:
                raise TableError(
                    f"{name} has {counted(frame.height, 'row')} and "
                    f"{counted(len(classes), 'class', 'classes')}: give one for each row."
                )
            target = _free_name(frame)
            frame = frame.with_columns(classes.alias(target))
    apart = {target, id, usual_id, *drop, *aside, *(columns or {}), *categorical}
    named = [name for name in number_categories(data) if name not in apart]
    options = Options(
        target=target,
        id=id,
        text=text,
        drop=tuple(drop),
        categorical=(*categorical, *named),
        aside=tuple(aside),
        duplicates=duplicates,
        columns=dict(columns or {}),
        schema=schema,
        forms=forms,
        usual_id=usual_id,
        embed=embed,
    )
    scan = MemoryScan(Path(name), options, lambda types: frame.lazy(), [], frame.height)
    words = [column for column, role in scan.roles.items() if role == "text"]
    scan.notes += tell_stand_ins(frame, [column for column in words if column in frame.columns])
    table = scan.read()
    table = replace(table, notes=tuple(_in_python(note) for note in table.notes))
    if table.target is None or target is None:
        return table
    names = Counter(str(each) for each in table.target.tolist() if each)
    kind = given or _kind_of(frame.schema[target]) or table.target_kind
    return replace(table, notes=(*table.notes, *tell_alike(names)), target_kind=kind)


# Options of commands in notes: --as 'a column=kind', --id column, --duplicates first.
_AS = re.compile(r"--as (?:'([^'=]+)=([a-z-]+)'|([^\s=]+)=([a-z-]+))")
_ONE = re.compile(r"--(id|drop|duplicates) (?:'([^']+)'|(\w+))")
_PLAIN = {str, bool, int, float, Decimal}
_WHOLE = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
_KINDS: dict[Any, str] = {
    pl.Boolean: "bool", **dict.fromkeys(_WHOLE, "int"), pl.Float32: "float", pl.Float64: "float"
}  # fmt: skip


def _kind_of(kind: pl.DataType) -> str | None:
    return "decimal" if isinstance(kind, pl.Decimal) else _KINDS.get(kind)


def _classes(target: Any) -> tuple[pl.Series, str | None]:
    """Return the class of each row, null where it is missing, and what it is if its text is taken.

    Numbers stay numbers, but for decimal ones, which may have more digits than polars holds.
    """
    to_list = getattr(target, "tolist", None) or getattr(target, "to_pylist", None)
    shape: tuple[int, ...] = getattr(target, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        target = np.asarray(target).ravel()  # a column of a matrix is as good as a vector
        to_list = target.tolist
    cells = [None if is_missing(cell) else cell for cell in (to_list() if to_list else target)]
    cells = [cell.item() if isinstance(cell, np.generic) else cell for cell in cells]
    kinds = {type(cell) for cell in cells} - {type(None)}
    if several := kinds & {list, tuple, dict, set, np.ndarray}:
        raise TableError(
            f"The target must be one column, got cells of the type {several.pop().__name__}: give "
            "one class per row."
        )
    if kinds == {int, float}:
        cells, kinds = [None if cell is None else float(cell) for cell in cells], {float}
    if len(kinds) > 1 and kinds & _PLAIN:
        named = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TableError(
            f"The classes mix types ({named}), and must have one: convert them, such as by "
            "astype(str), so that a class has one name."
        )
    if kinds in ({bool}, {int}, {float}):
        try:
            return pl.Series(cells), None
        except (OverflowError, TypeError):  # whole numbers of more than 64 bits are names
            pass
    texts: dict[Any, str] = {}
    if kinds == {Decimal}:  # 1 and 1.0 are one class
        cells = [None if cell is None else texts.setdefault(cell, str(cell)) for cell in cells]
    names = pl.Series([None if cell is None else str(cell) for cell in cells], dtype=pl.String)
    return names, "decimal" if texts else None


def _in_python(note: str) -> str:
    """Return a note with parameters in the place of options of commands.

    Examples
    --------
    >>> _in_python("zip: code, no number; --as zip=number makes it one.")
    "zip: code, no number; columns={'zip': 'number'} makes it one."
    """
    note = _AS.sub(
        lambda found: f"columns={{{(found[1] or found[3])!r}: {found[2] or found[4]!r}}}", note
    )
    return _ONE.sub(lambda found: f"{found[1]}={found[2] or found[3]!r}", note)


def _free_name(frame: pl.DataFrame) -> str:
    name = "class"
    while name in frame.columns:
        name += "_"
    return name
