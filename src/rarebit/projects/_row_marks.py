"""By what a row is known again when the data have changed.

An answer keeps three marks of its row. ``check`` is a checksum of the cells as they were
understood: it survives a file that is written anew with other quotes or decimals. ``cells`` has a
short checksum of every cell as the file has it, and ``values`` one of every cell as it was
understood; a cell is what it was if either of them says so. The first survives a column that is
read otherwise because of a new row, the second a file that is written anew, both a column that is
added or removed, and they tell which columns have changed.
"""

from __future__ import annotations

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

import numpy as np

from rarebit._later import is_sparse
from rarebit.tables import Table

_LETTERS = 16  # of a checksum in hexadecimal digits
# Four letters in base 64 are a checksum of three bytes: one of a column's name, one of its cell.
_BYTES, _PART = 3, 4
_MOST_COLUMNS = 64  # of wider rows only the first checksum is kept
# Checksums of cells by that of the name of their column.
CellMarks = Mapping[str, Set[str]]


def row_marks(table: Table, row: int) -> dict[str, str]:
    """Return what an answer keeps of its row.

    Parameters
    ----------
    table : Table
        The data.
    row : int
        Position of the row.

    Returns
    -------
    dict
        ``check``, and ``cells`` and ``values`` for rows whose file is kept in memory.

    Examples
    --------
    >>> import polars as pl
    >>> from rarebit.projects._row_marks import row_marks
    >>> from rarebit.tables import as_table
    >>> table = as_table(pl.DataFrame({"amount": [1.0, 2.0], "city": ["Rome", "Oslo"]}))
    >>> marks = row_marks(table, 1)
    >>> len(marks["check"]), len(marks["cells"]), len(marks["values"])
    (16, 16, 16)
    """
    return marks_of(table, [row])[0]


def marks_of(table: Table, rows: Sequence[int]) -> list[dict[str, str]]:
    """Return the marks of several rows, as `row_marks` does."""
    marks = [{"check": row_checksum(table, row)} for row in rows]
    for row, mark, cells in zip(rows, marks, _written(table, rows), strict=True):
        if cells:
            mark["cells"] = "".join(name + cell for name, cell in cells.items())
            mark["values"] = "".join(name + cell for name, cell in _values(table, row).items())
    return marks


def cells_of(table: Table, rows: Sequence[int]) -> list[CellMarks]:
    """Return short checksums of the cells of rows by those of their columns' names.

    Each cell has one as it is written, and one as it is understood where its column is learned
    from. There are none where reading the cells would take longer than a person should wait.
    """
    return [
        _joined(written, _values(table, row) if written else {})
        for row, written in zip(rows, _written(table, rows), strict=True)
    ]


def _written(table: Table, rows: Sequence[int]) -> list[dict[str, str]]:
    own = table.kept_cells(rows) if len(rows) else None
    if own is None or not 0 < own.width <= _MOST_COLUMNS:
        return [{} for _ in rows]
    names = [_short(name) for name in own.columns]
    return [
        dict(zip(names, (_short(_as_text(cell)) for cell in cells), strict=True))
        for cells in own.iter_rows()
    ]


def _values(table: Table, row: int) -> dict[str, str]:
    return {_short(name): _short(str(cell)) for name, cell in _understood(table, row).items()}


def cell_names(table: Table) -> list[str]:
    """Return the columns whose cells `cells_of` looks at: a text may be joined of several."""
    own = table.kept_cells([0]) if table.n_rows else None
    if own is not None:
        return own.columns
    return [name for name in table.order if name != table.text]


def name_mark(column: str) -> str:
    """Return the short checksum of a column's name."""
    return _short(column)


def read_cells(cells: str, values: str = "") -> CellMarks:
    """Return what `cells_of` found when these marks were made."""
    return _joined(_split(cells), _split(values))


def _joined(written: Mapping[str, str], values: Mapping[str, str]) -> CellMarks:
    return {
        name: frozenset({cell, values[name]} if name in values else {cell})
        for name, cell in written.items()
    }


def _split(mark: str) -> dict[str, str]:
    ends = range(0, len(mark) - len(mark) % (2 * _PART), 2 * _PART)
    return {mark[i : i + _PART]: mark[i + _PART : i + 2 * _PART] for i in ends}


def changed_cells(before: CellMarks, now: CellMarks, ignored: Collection[str]) -> set[str] | None:
    """Compare the cells of a row with what they were.

    Parameters
    ----------
    before, now : mapping of str to set of str
        As `cells_of` returns them.
    ignored : collection of str
        Columns whose cells may change, by the checksums of their names.

    Returns
    -------
    set of str or None
        Columns whose cells are neither written nor understood as they were; None where most columns
        are others now, so that nothing can be said.

    Examples
    --------
    >>> from rarebit.projects._row_marks import changed_cells
    >>> before = {"a": {"1.50", "1.5"}, "b": {"2"}, "c": {"3"}}
    >>> sorted(changed_cells(before, {"a": {"1.5"}, "b": {"4"}, "d": {"5"}}, ignored=()))
    ['b']
    >>> changed_cells(before, {"a": {"1.5"}, "d": {"2"}}, ignored=()) is None
    True
    """
    both = before.keys() & now.keys()
    compared = both.difference(ignored)
    if not compared or 2 * len(both) < len(before):
        return None
    return {name for name in compared if before[name].isdisjoint(now[name])}


def row_checksum(table: Table, row: int) -> str:
    """Return a checksum of the cells of a row as understood, whatever the order of its columns.

    Parameters
    ----------
    table : Table
        The data.
    row : int
        Position of the row.

    Returns
    -------
    str
        Sixteen hexadecimal digits.
    """
    return _checksum(_understood(table, row))


def earlier_checksum(table: Table, row: int) -> str:
    """Return the checksum of a paper as it was when keys that are numbers were read as numbers."""
    cells = _understood(table, row)
    if table.raw is not None and str(cells.get("key")).isdecimal():
        cells["key"] = repr(float(cells["key"]))
    return _checksum(cells)


def _understood(table: Table, row: int) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    table, row = table.single(row)
    if table.image is not None:
        picture = np.ascontiguousarray(table.image(row))
        cells["image"] = hashlib.sha256(picture.tobytes()).hexdigest()
    elif is_sparse(table.numbers):
        own = table.numbers[[row]].tocoo()
        cells |= {table.number_names[j]: float(v) for j, v in zip(own.coords[1], own.data)}  # noqa: B905
    else:
        values = np.asarray(table.numbers[row], dtype=np.float64).tolist()
        cells |= dict(zip(table.number_names, map(repr, values), strict=True))
    if table.records.width:
        cells |= {name: str(v) for name, v in table.records.row(int(row), named=True).items()}
    return cells


def _checksum(cells: Mapping[str, Any]) -> str:
    told = json.dumps(cells, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(told.encode()).hexdigest()[:_LETTERS]


def _short(text: str) -> str:
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=_BYTES).digest()
    return urlsafe_b64encode(digest).decode()


def _as_text(cell: Any) -> str:
    """Return a cell as the same text whether its column has whole numbers or others."""
    if cell is None:
        return ""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return repr(float(cell))
    return str(cell)
