"""Cells as the file has them, for rows that people see or that are written out again.

A table holds what its cells mean: ``€1,750.21`` is a number there. Who sees rows, or gets them
back, wants the own cells, so that these are read once more for these rows. Cells are kept only
where the caller says that there are few enough of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

_ROW = "\0row"


@dataclass(frozen=True, eq=False)
class WrittenCells:
    """Cells of the rows of a table as they stand in its file.

    Parameters
    ----------
    open_frame : function
        Returns the file as a lazy frame, its cells as they are.
    typed : bool
        Whether the file itself knows the types of its columns; otherwise all cells are texts.
    file : Path or None, default=None
        The file that is read again; None for rows in memory.
    stamp : tuple or None, default=None
        Size and time of the file when the table was read.
    rows : ndarray of int or None, default=None
        Place in the file of each row of the table; None where they are the same.
    kept : object, default=None
        What must live as long as this, such as a temporary copy.
    """

    open_frame: Callable[[], pl.LazyFrame]
    typed: bool
    file: Path | None = None
    stamp: tuple[int, int] | None = None
    rows: NDArray[np.intp] | None = None
    kept: Any = None
    # Columns that stay in memory, shared with the tables that are taken from this one.
    _memory: dict[tuple[str, ...] | None, pl.DataFrame] = field(default_factory=dict, repr=False)

    def read(
        self, rows: NDArray[np.intp], names: Sequence[str] | None = None, *, keep: bool = False
    ) -> pl.DataFrame | None:
        """Return the cells of some rows of the table in their order.

        Parameters
        ----------
        rows : ndarray of int
            Positions in the table.
        names : sequence of str or None, default=None
            Columns; None for all.
        keep : bool, default=False
            Whether all rows of these columns may stay in memory for the next call.

        Returns
        -------
        DataFrame or None
            Columns that can be written to any format; None if the file is not what it was.
        """
        places = rows if self.rows is None else self.rows[rows]
        if not len(places) or (self.file is not None and stamp_of(self.file) != self.stamp):
            return None
        try:
            if keep and self._is_most_of_the_file():
                return self._remember(names)[places]
            return self._read_places(places, names)
        except (pl.exceptions.PolarsError, OSError, IndexError):
            return None

    def _is_most_of_the_file(self) -> bool:
        return self.rows is None or 2 * len(self.rows) > int(self.rows.max(initial=0))

    def _remember(self, names: Sequence[str] | None) -> pl.DataFrame:
        key = None if names is None else tuple(names)
        if key not in self._memory:
            self._memory[key] = writable(self._open(names).collect(engine="streaming"))
        return self._memory[key]

    def _open(self, names: Sequence[str] | None) -> pl.LazyFrame:
        frame = self.open_frame()
        return frame if names is None else frame.select(names)

    def _read_places(
        self, places: NDArray[np.intp], names: Sequence[str] | None
    ) -> pl.DataFrame | None:
        wanted, order = np.unique(places, return_inverse=True)
        first, last = int(wanted[0]), int(wanted[-1])
        frame = (
            self._open(names)
            # What stands before is passed over, not parsed: a question takes milliseconds.
            .slice(first, last - first + 1)
            .with_row_index(_ROW, offset=first)
            .filter(pl.col(_ROW).is_in(pl.Series(wanted, dtype=pl.UInt32).implode()))
            .collect(engine="streaming")
            .sort(_ROW)
            .drop(_ROW)
        )
        return writable(frame)[order] if frame.height == len(wanted) else None

    def take(self, rows: NDArray[np.intp]) -> WrittenCells:
        """Return the cells of some of the rows."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def portable(self) -> WrittenCells | None:
        """Return what another process of this computer can read by, None for rows in memory."""
        return (
            replace(self, kept=None, _memory={}) if isinstance(self.open_frame, partial) else None
        )


@dataclass(frozen=True, eq=False)
class JoinedCells:
    """Cells of tables one below the other.

    Parameters
    ----------
    parts : sequence of WrittenCells or JoinedCells
        One per table.
    ends : ndarray of int
        Number of rows of the first table, of the first two, and so on.
    rows : ndarray of int or None, default=None
        As in `WrittenCells`.
    """

    parts: Sequence[WrittenCells | JoinedCells]
    ends: NDArray[np.intp]
    rows: NDArray[np.intp] | None = None

    @property
    def typed(self) -> bool:
        """Whether all files know the types of their columns."""
        return all(part.typed for part in self.parts)

    def read(
        self, rows: NDArray[np.intp], names: Sequence[str] | None = None, *, keep: bool = False
    ) -> pl.DataFrame | None:
        """Return the cells of some rows, as `WrittenCells` does."""
        places = rows if self.rows is None else self.rows[rows]
        owner = np.searchsorted(self.ends, places, side="right")
        frames, positions = [], []
        for number in np.unique(owner).tolist():
            mine = np.flatnonzero(owner == number)
            start = 0 if number == 0 else int(self.ends[number - 1])
            frame = self.parts[number].read(places[mine] - start, names, keep=keep)
            if frame is None:
                return None
            frames.append(frame)
            positions.append(mine)
        if not frames:
            return None
        common = [
            name for name in frames[0].columns if all(name in each.columns for each in frames)
        ]
        try:
            whole = pl.concat([frame.select(common) for frame in frames], how="vertical_relaxed")
        except pl.exceptions.PolarsError:  # a column of another type in each file
            return None
        return whole[np.argsort(np.concatenate(positions))]

    def take(self, rows: NDArray[np.intp]) -> JoinedCells:
        """Return the cells of some of the rows."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def portable(self) -> JoinedCells | None:
        """Return what another process can read by, as `WrittenCells` does."""
        parts = [each for part in self.parts if (each := part.portable()) is not None]
        return replace(self, parts=parts) if len(parts) == len(self.parts) else None


class CellStream:
    """Cells of a file from its beginning, some rows at a time.

    Parameters
    ----------
    frame : LazyFrame
        The file, its cells as they are.
    size : int
        About how many rows are read together.
    """

    def __init__(self, frame: pl.LazyFrame, size: int) -> None:
        self._batches: Iterator[pl.DataFrame] | None = frame.collect_batches(
            chunk_size=size, maintain_order=True, lazy=True, engine="streaming"
        )
        self._rest = pl.DataFrame()

    def next(self, n_rows: int) -> pl.DataFrame | None:
        """Return the next rows; None when they cannot be read as they are."""
        while self._batches is not None and self._rest.height < n_rows:
            try:
                batch = next(self._batches)
            except (StopIteration, pl.exceptions.PolarsError):
                self._batches = None
                break
            self._rest = pl.concat([self._rest, batch]) if self._rest.height else batch
        if self._rest.height < n_rows:
            return None
        rows, self._rest = self._rest[:n_rows], self._rest[n_rows:]
        return writable(rows)


def stamp_of(file: Path) -> tuple[int, int] | None:
    """Return size and time of a file, None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def writable(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that every format can hold, times with a zone by `with_offsets`."""
    kinds = frame.schema
    odd = (pl.Binary, pl.Object, pl.Null)
    names = [name for name, kind in kinds.items() if not kind.is_nested() and kind not in odd]
    words = [name for name in names if kinds[name] in (pl.Categorical, pl.Enum)]
    return frame.select(names).with_columns(pl.col(words).cast(pl.String))


def with_offsets(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose times with a zone are texts with their offset: sheets know no zones.

    Examples
    --------
    >>> when = pl.Series(["2026-05-05T20:30:00"]).str.to_datetime(time_zone="Europe/Paris")
    >>> with_offsets(pl.DataFrame({"when": when})).item()
    '2026-05-05 20:30:00+02:00'
    """
    zoned = [name for name, kind in frame.schema.items() if getattr(kind, "time_zone", None)]
    return frame.with_columns(pl.col(zoned).dt.to_string("%Y-%m-%d %H:%M:%S%.f%:z"))
