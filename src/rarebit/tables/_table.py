"""Rows in memory: numbers in one matrix, all else in a frame, target and ids apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from rarebit._later import is_sparse
from rarebit._text import counted
from rarebit.tables._errors import TableError
from rarebit.tables._forms import Form
from rarebit.tables._wide import JOINED
from rarebit.tables._written import JoinedCells, WrittenCells, with_offsets

# One batch of rows that are read, encoded or predicted together.
BATCH_ROWS = 20_000

_MOST_KEPT = 2_000_000  # cells of a table that are kept as written, about 50 MB


@dataclass(frozen=True)
class Shown:
    """One row, to be shown to a person.

    Attributes
    ----------
    id : str or int
        Which row it is.
    fields : dict of str to object
        Cells by column, None where one is missing; empty for an image. The target is not among
        them.
    text : str or None
        The text, when one column is the text.
    image : ndarray of shape (height, width) or (height, width, 3), or None
        The image.
    file : Path or None
        The file of the image, if it has one of its own.
    """

    id: str | int
    fields: dict[str, Any]
    text: str | None = None
    image: NDArray[Any] | None = None
    file: Path | None = None

    def with_cells(self, cells: Mapping[str, Any]) -> Shown:
        """Return the same row with other cells in its fields; further ones are left out.

        Parameters
        ----------
        cells : mapping of str to object
            Cells by column.

        Examples
        --------
        >>> from rarebit.tables import Shown
        >>> Shown("A2", {"amount": 900}).with_cells({"amount": "€900.00", "class": "fraud"}).fields
        {'amount': '€900.00'}
        """
        return replace(self, fields={n: cells.get(n, cell) for n, cell in self.fields.items()})


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows of a file, as `read_table` returns them.

    Attributes
    ----------
    source : str
        Name of the file.
    ids : ndarray of shape (n_rows,)
        The id column, or the number of each row in the file, from 0.
    id_name : str
        Name of the id column; ``"row"`` where there is none.
    numbers : ndarray or CSR array of shape (n_rows, n_numbers)
        Numeric columns; NaN where a cell is missing.
    number_names : tuple of str
        Their names.
    records : polars.DataFrame
        All other columns: text, categories, dates.
    target : ndarray of str or None
        Class of each row as text, the empty string where it is missing; None where the file has
        no target or none was asked for.
    target_name : str or None
        Name of the target column.
    text : str or None
        Name of the column that is the text.
    pixels : bool
        Whether the numbers are brightnesses of pixels, from 0 to 255.
    notes : tuple of str
        What was guessed or left out while reading, for people.
    spilled : bool
        Whether the numbers are in a file that is mapped, so that features should be small.
    forms : mapping of str to Form
        How columns are written that are no plain numbers or words, such as money and dates.
    aside : polars.DataFrame
        Columns as text that are shown or group the rows, and do not become features.
    order : tuple of str
        Names of all columns in the order of the file; empty where it has none.
    left_out : mapping of str to str
        Columns that become no features, by their type or because they name papers, and why.
    """

    source: str
    ids: NDArray[Any]
    numbers: Any
    number_names: tuple[str, ...] = ()
    records: pl.DataFrame = field(default_factory=pl.DataFrame)
    target: NDArray[np.str_] | None = None
    target_name: str | None = None
    id_name: str = "row"
    text: str | None = None
    pixels: bool = False
    notes: tuple[str, ...] = ()
    spilled: bool = False
    forms: Mapping[str, Form] = field(default_factory=dict)
    aside: pl.DataFrame = field(default_factory=pl.DataFrame)
    order: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    # Column of texts that numbers were made from, None for images, and what made them.
    embedded: tuple[str | None, str] | None = None
    # Whether the file has whole numbers as ids, which are texts here so that they can be looked up.
    whole_ids: bool = False
    # What classes of a frame in memory are: str, int, float, bool or decimal; here they are texts.
    target_kind: str = "str"
    # Cells of the target that count as missing though a class may be called so, and their rows.
    missing_classes: Mapping[str, int] = field(default_factory=dict)
    # Rows whose class has blanks around it that other rows of the class have not, by cell.
    stripped_classes: Mapping[str, int] = field(default_factory=dict)
    # Image of a row, and checksum of the file: both are costly, and most callers need neither.
    image: Callable[[int], NDArray[Any]] | None = None
    checksum: Callable[[], str] | None = None
    # File of a row that has one of its own.
    place: Callable[[int], Path] | None = None
    # Record of a row as its file has it, for files that are written back with decisions.
    raw: Callable[[int], str] | None = None
    # Cells as the file has them, read again for rows that are seen or written out.
    written: WrittenCells | JoinedCells | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.ids)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that can become features."""
        return (*self.number_names, *self.records.columns)

    @property
    def text_parts(self) -> tuple[str, ...]:
        """Columns that were joined to be the text; empty where it is one column."""
        parts = () if self.text is None else tuple(self.text.split(JOINED))
        return parts if len(parts) > 1 else ()

    @property
    def counts_rows(self) -> bool:
        """Whether rows are numbered because no column has ids; one may be called ``"row"`` too."""
        return self.id_name == "row" and self.ids.dtype != object

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the file the rows came from."""
        return "" if self.checksum is None else self.checksum()

    def show(self, row: int, *, as_written: bool = False) -> Shown:
        """Return one row for a person to look at.

        Parameters
        ----------
        row : int
            Its position in the table.
        as_written : bool, default=False
            Whether cells are those of the file, which is read again for it where it is still
            there, and not what they were understood as.

        Returns
        -------
        Shown
            Its cells, its text or its image.
        """
        given: Any = row
        whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
        if not whole or not 0 <= row < self.n_rows:
            raise TableError(
                f"The data have rows 0 to {self.n_rows - 1}, got row {row!r}: give one of these."
            )
        shown = self._understood(row)
        own = self.seen_cells([row]) if as_written and shown.fields else None
        return shown if own is None else shown.with_cells(own.row(0, named=True))

    def _understood(self, row: int) -> Shown:
        name = self.ids[row]
        name = name.item() if isinstance(name, np.generic) else name
        image = None if self.image is None else self.image(row)
        if image is not None:
            return Shown(name, {}, None, image, None if self.place is None else self.place(row))
        fields: dict[str, Any]
        if is_sparse(self.numbers):
            cells = self.numbers[[row]].tocoo()
            fields = {
                self.number_names[j]: _plain_number(value)
                for j, value in zip(cells.coords[1], cells.data, strict=True)
            }
        else:
            values = self.numbers[row].tolist()
            fields = dict(zip(self.number_names, map(_plain_number, values), strict=True))
        for column, form in self.forms.items():
            if form.kind == "time" and fields.get(column) is not None:
                fields[column] = clock(fields[column])
        if self.records.width:
            fields |= self.records.row(int(row), named=True)
        if self.aside.width:
            fields = self.aside.row(int(row), named=True) | fields
        fields = {name: fields[name] for name in self.order if name in fields} | fields
        text = fields.pop(self.text) if self.text is not None else None
        return Shown(name, fields, text if text is None else str(text))

    def single(self, row: int) -> tuple[Table, int]:
        """Return a table in memory that holds a row, and its position in it.

        Parameters
        ----------
        row : int
            Its position in this table.

        Returns
        -------
        tuple of Table and int
            This table itself, unless its rows are elsewhere.
        """
        return self, row

    def written_ids(self, rows: ArrayLike | None = None) -> list[Any]:
        """Return ids as a file should have them: whole numbers where they were.

        Parameters
        ----------
        rows : array-like of int or None, default=None
            Positions in the table; None for all.

        Returns
        -------
        list of str or int
            One per row.
        """
        ids = (self.ids if rows is None else self.ids[np.asarray(rows, dtype=np.intp)]).tolist()
        # A number with zeros before it is a name.
        if self.whole_ids and all(_is_whole(each) for each in ids):
            return [int(each) for each in ids]
        return ids

    def written_cells(self, rows: ArrayLike | None = None) -> pl.DataFrame | None:
        """Return cells as the file has them, which is read again for it.

        Parameters
        ----------
        rows : array-like of int or None, default=None
            Positions in the table; None for all.

        Returns
        -------
        DataFrame or None
            All columns of the file that can be written to any format, texts where the file holds
            texts, times with a zone as texts with their offset; None where there is no such file,
            or it has changed.
        """
        if self.written is None:
            return None
        chosen = np.arange(self.n_rows) if rows is None else np.asarray(rows, dtype=np.intp)
        cells = self.written.read(chosen)
        return None if cells is None else with_offsets(cells)

    def seen_cells(self, rows: ArrayLike) -> pl.DataFrame | None:
        """Return cells for people to look at, as the file has them.

        Small tables keep them in memory from the first call on. Of large ones only the columns
        that were understood as something else, such as money, are read again: plain numbers and
        words look as they are.

        Parameters
        ----------
        rows : array-like of int
            Positions in the table.

        Returns
        -------
        DataFrame or None
            As `written_cells`, times with their zone; None where the table itself has what people
            expect to see.
        """
        if self.written is None:
            return None
        names = None
        if self.n_rows * len(self.columns) > _MOST_KEPT:
            names = [name for name, form in self.forms.items() if form.reworded]
            if not names:
                return None
        keep = self.n_rows * len(self.columns if names is None else names) <= _MOST_KEPT
        return self.written.read(np.asarray(rows, dtype=np.intp), names, keep=keep)

    def kept_cells(self, rows: ArrayLike) -> pl.DataFrame | None:
        """Return all cells of some rows as the file has them, where that takes no time.

        Parameters
        ----------
        rows : array-like of int
            Positions in the table.

        Returns
        -------
        DataFrame or None
            As `written_cells`, times with their zone; None for large tables, whose cells are not
            kept in memory, and where there is no such file, or it has changed.
        """
        if self.written is None or self.n_rows * len(self.columns) > _MOST_KEPT:
            return None
        return self.written.read(np.asarray(rows, dtype=np.intp), keep=True)

    def take(self, rows: ArrayLike | slice) -> Table:
        """Return some of the rows.

        Parameters
        ----------
        rows : array-like of int or bool, or slice
            Positions in the table.

        Returns
        -------
        Table
            These rows; a slice shares memory with this table.
        """
        chosen: Any = rows
        if not isinstance(rows, slice):
            chosen = np.asarray(rows)
            if chosen.dtype == bool:
                chosen = np.flatnonzero(chosen)
        image, place, raw = self.image, self.place, self.raw
        positions = np.arange(self.n_rows)[chosen]
        return replace(
            self,
            ids=self.ids[chosen],
            numbers=self.numbers[chosen],
            records=self.records[chosen] if self.records.width else self.records,
            aside=self.aside[chosen] if self.aside.width else self.aside,
            target=None if self.target is None else self.target[chosen],
            image=None if image is None else lambda row: image(int(positions[row])),
            place=None if place is None else lambda row: place(int(positions[row])),
            raw=None if raw is None else lambda row: raw(int(positions[row])),
            written=None if self.written is None else self.written.take(positions),
        )

    def __repr__(self) -> str:
        what = f"{counted(self.n_rows, 'row')}, {counted(len(self.columns), 'column')}"
        target = "" if self.target_name is None else f", target {self.target_name!r}"
        return f"Table({self.source!r}, {what}{target})"


def _plain_number(value: float) -> float | int | None:
    """Show whole numbers without a decimal point, and a missing one as None."""
    if value != value:
        return None
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else value


def _is_whole(text: Any) -> bool:
    digits = str(text).removeprefix("-")
    return digits.isdecimal() and digits.isascii() and (digits == "0" or digits[0] != "0")


def clock(nanoseconds: float) -> str:
    """Write a time of day as people do."""
    seconds = int(nanoseconds // 1_000_000_000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
