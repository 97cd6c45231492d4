"""Sheets of XLSX files: read into a frame, and written from frames."""

from __future__ import annotations

import errno
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from rarebit._extras import how_to_install
from rarebit.tables._errors import ColumnsMismatchError, TableError
from rarebit.tables._frame_errors import short
from rarebit.tables._frame_scan import FrameScan
from rarebit.tables._limits import MAX_COLUMNS, too_large, unpacked_limit
from rarebit.tables._options import MISSING, Options

_SHEETS = 10  # sheets that a message names
# Rows that a sheet may have, by the format.
MAX_ROWS = 1_048_576


def scan_xlsx(path: Path, options: Options) -> FrameScan:
    """Open a sheet, the first one unless the options name another."""
    frame, note = _read_sheet(path, options)
    return FrameScan(path, options, lambda types: frame.lazy(), note, frame.height)


def _read_sheet(path: Path, options: Options) -> tuple[pl.DataFrame, list[str]]:
    _check_size(path, options)
    with _readable(path) as openpyxl:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        names = book.sheetnames
        if options.sheet is not None and options.sheet not in names:
            raise TableError(
                f"{path.name} has no sheet {options.sheet!r}: it has {_listed(names)}; give "
                "one of them."
            )
        name = options.sheet or names[0]
        rows = [list(row) for row in book[name].iter_rows(values_only=True)]
        book.close()
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if not rows:
        raise TableError(f"The sheet {name!r} of {path.name} is empty: give one with rows.")
    width = max(max(j + 1 for j, cell in enumerate(row) if cell is not None) for row in rows)
    if width > MAX_COLUMNS:
        raise TableError(
            f"{path.name} has {width:,} columns, and a sheet may have up to {MAX_COLUMNS:,}: "
            "remove some."
        )
    rows = [(row + [None] * width)[:width] for row in rows]
    header = options.header is not False
    first = rows.pop(0) if header else [f"column_{j + 1}" for j in range(width)]
    titles = [f"column_{j + 1}" if cell is None else str(cell) for j, cell in enumerate(first)]
    for title in titles:
        if titles.count(title) > 1:
            raise ColumnsMismatchError(
                f"{path.name} has two columns named {title!r}: rename one, or give --no-header if "
                "its first line is a row."
            )
    if not rows:
        raise TableError(f"{path.name} has names of columns and no rows: give a file with rows.")
    columns = {title: _column([row[j] for row in rows]) for j, title in enumerate(titles)}
    other = [each for each in names if each != name]
    notes = []
    if other and options.sheet is None:
        notes = [
            f"The sheet {name!r} of {path.name} was read; --sheet NAME reads another one: "
            f"{_listed(other)}."
        ]
    return pl.DataFrame(columns), notes


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(short(name)) for name in names[:_SHEETS])
    return shown + (f" and {len(names) - _SHEETS:,} more" if len(names) > _SHEETS else "")


def _column(cells: list[Any]) -> pl.Series:
    """Return cells as a column of the one type that all have, else as text."""
    known = [cell for cell in cells if cell is not None and not _is_missing(cell)]
    kinds = {type(cell) for cell in known}
    cells = [None if cell is None or _is_missing(cell) else cell for cell in cells]
    if not known:
        return pl.Series(cells, dtype=pl.String)
    if kinds == {bool}:
        return pl.Series(cells, dtype=pl.Boolean)
    if kinds == {int} and all(abs(cell) < 2**63 for cell in known):
        return pl.Series(cells, dtype=pl.Int64)
    if kinds <= {int, float}:
        return pl.Series([None if c is None else float(c) for c in cells], dtype=pl.Float64)
    if kinds == {datetime}:
        return pl.Series(cells, dtype=pl.Datetime("us"))
    return pl.Series([None if cell is None else _text(cell) for cell in cells], dtype=pl.String)


def _is_missing(cell: Any) -> bool:
    return isinstance(cell, str) and cell.strip() in MISSING


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, (datetime, date, time)):
        return cell.isoformat(sep=" ") if isinstance(cell, datetime) else cell.isoformat()
    return str(cell)


def _check_size(path: Path, options: Options) -> None:
    with _readable(path), zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    # A cell of a sheet becomes an object of ten times its letters.
    limit = unpacked_limit(path, options.max_unpacked, memory=True)
    if 10 * size > max(limit, 10 << 20):
        raise too_large(path, limit, options.max_unpacked, memory=True)


@contextmanager
def _readable(path: Path) -> Iterator[Any]:
    """Give openpyxl, and turn what goes wrong inside into one sentence."""
    try:
        import openpyxl  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{path.name} needs the package openpyxl, which is not installed: "
            f"{how_to_install('excel')}, or save the sheet as CSV.",
            name="openpyxl",
        ) from error
    try:
        yield openpyxl
    except (TableError, MemoryError):
        raise
    # A damaged workbook brings openpyxl to raise almost anything.
    except Exception as error:
        # A place in the archive that cannot be is damage, and no error of the disk.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise TableError(
            f"{path.name} cannot be read as a spreadsheet: it may be damaged, locked by a password "
            "or of another format; save it again as XLSX or CSV."
        ) from error


class SheetWriter:
    """Writes frames below each other into one sheet; text stays text, also where it looks active.

    Examples
    --------
    >>> import io, polars as pl
    >>> writer = SheetWriter()
    >>> writer.append(pl.DataFrame({"a": [1, 2], "b": ["=1+1", None]}))
    >>> target = io.BytesIO()
    >>> writer.save(target)
    >>> target.getvalue()[:2]
    b'PK'
    """

    def __init__(self) -> None:
        with _readable(Path("An XLSX file")) as openpyxl:
            self._book = openpyxl.Workbook(write_only=True)
        self._sheet = self._book.create_sheet("rarebit")
        self._sheet.freeze_panes = "A2"  # names stay in sight
        self._n_rows = 0

    def append(self, frame: pl.DataFrame) -> None:
        """Add rows; the first frame gives the names."""
        if self._n_rows + frame.height + 1 > MAX_ROWS:
            raise TableError(
                f"A sheet holds up to {MAX_ROWS - 1:,} rows, and there are more: write CSV or "
                "Parquet instead."
            )
        if not self._n_rows:
            self._sheet.append([self._cell(name) for name in frame.columns])
        for row in frame.iter_rows():
            self._sheet.append([self._cell(value) for value in row])
        self._n_rows += frame.height + (0 if self._n_rows else 1)

    def save(self, target: Any) -> None:
        """Write the workbook to a path or a binary file."""
        self._book.save(target)

    def _cell(self, value: Any) -> Any:
        if not isinstance(value, str):
            plain = (bool, int, float, Decimal, datetime, date, time)
            return value if value is None or isinstance(value, plain) else str(value)
        from openpyxl.cell import WriteOnlyCell  # type: ignore[import-untyped, unused-ignore]
        from openpyxl.cell.cell import (  # type: ignore[import-untyped, unused-ignore]
            ILLEGAL_CHARACTERS_RE,
        )

        cell = WriteOnlyCell(self._sheet)
        cell.value = ILLEGAL_CHARACTERS_RE.sub("\ufffd", value)[:32_767]
        # A text that begins with = is not a formula of ours.
        cell.data_type = "s"
        return cell
