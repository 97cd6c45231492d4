"""Rows in memory: numbers in one matrix, all else in a frame, target and ids apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

# One batch of rows that are read, encoded or predicted together.
BATCH_ROWS = 20_000


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
    """

    id: str | int
    fields: dict[str, Any]
    text: str | None = None
    image: NDArray[Any] | None = None


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
    # Image of a row, and checksum of the file: both are costly, and most callers need neither.
    image: Callable[[int], NDArray[Any]] | None = None
    checksum: Callable[[], str] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.ids)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that can become features."""
        return (*self.number_names, *self.records.columns)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the file the rows came from."""
        return "" if self.checksum is None else self.checksum()

    def show(self, row: int) -> Shown:
        """Return one row for a person to look at.

        Parameters
        ----------
        row : int
            Its position in the table.

        Returns
        -------
        Shown
            Its cells, its text or its image.
        """
        name = self.ids[row]
        name = name.item() if isinstance(name, np.generic) else name
        image = None if self.image is None else self.image(row)
        if image is not None:
            return Shown(name, {}, None, image)
        fields: dict[str, Any]
        if sparse.issparse(self.numbers):
            cells = self.numbers[[row]].tocoo()
            fields = {
                self.number_names[j]: _plain_number(value)
                for j, value in zip(cells.coords[1], cells.data, strict=True)
            }
        else:
            values = self.numbers[row].tolist()
            fields = dict(zip(self.number_names, map(_plain_number, values), strict=True))
        if self.records.width:
            fields |= self.records.row(int(row), named=True)
        text = fields.pop(self.text) if self.text is not None else None
        return Shown(name, fields, text if text is None else str(text))

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
        image = self.image
        positions = np.arange(self.n_rows)[chosen]
        return replace(
            self,
            ids=self.ids[chosen],
            numbers=self.numbers[chosen],
            records=self.records[chosen] if self.records.width else self.records,
            target=None if self.target is None else self.target[chosen],
            image=None if image is None else lambda row: image(int(positions[row])),
        )

    def __repr__(self) -> str:
        what = f"{self.n_rows:,} rows, {len(self.columns):,} columns"
        target = "" if self.target_name is None else f", target {self.target_name!r}"
        return f"Table({self.source!r}, {what}{target})"


def _plain_number(value: float) -> float | int | None:
    """Show whole numbers without a decimal point, and a missing one as None."""
    if value != value:
        return None
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else value
