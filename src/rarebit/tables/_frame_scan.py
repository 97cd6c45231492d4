"""Files that polars reads: rows come in batches."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import polars as pl

from rarebit._text import tell_missing_classes, tell_stripped
from rarebit.tables._checked_cells import CheckedCells
from rarebit.tables._checksum import checksum_of
from rarebit.tables._day_order import DayOrder
from rarebit.tables._duplicates import without_duplicates
from rarebit.tables._errors import RepeatedIdError, TableError
from rarebit.tables._forms import Form
from rarebit.tables._frame_errors import UnparsableCellError, short, translated_errors
from rarebit.tables._limits import most_cells, too_many_cells
from rarebit.tables._matrix import GrowingMatrix
from rarebit.tables._missing import count_stand_ins, without_padding
from rarebit.tables._puzzles import NOUNS
from rarebit.tables._roles import Role, as_role
from rarebit.tables._table import BATCH_ROWS, Table
from rarebit.tables._understanding import understood
from rarebit.tables._written import CellStream, WrittenCells

# Bytes of numbers in one batch.
_BATCH_BYTES = 16 << 20


@dataclass(eq=False)
class FrameScan(CheckedCells):
    """A file whose rows come as frames; parameters as in `ColumnChoice`."""

    _fewest_dates: ClassVar[int] = 1  # rows that can be expected to show the order of their dates

    def _named(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name, own in self.roles.items() if own == role)

    def _zone(self, name: str) -> str:
        """Time zone in whose local time the dates of a column are."""
        return (self.forms[name].local_zone if name in self.forms else "") or "UTC"

    def batches(self, n_rows: int | None = None) -> Iterator[Table]:
        """Read some rows at a time, in the order of the file.

        Parameters
        ----------
        n_rows : int or None, default=None
            About how many; None for as many as are quick and small.

        Yields
        ------
        Table
            These rows.
        """
        self._forget_cells()
        self._padded: Counter[str] = Counter()  # classes with blanks around them
        self._bare: set[str] = set()
        order = DayOrder(self._dates_of_training())
        start = 0
        while True:
            try:
                for part, dates in self._batches(n_rows, start):
                    order.see(dates)
                    start += part.n_rows
                    yield part
                break
            except UnparsableCellError as error:
                if not self._takes_word(error):
                    raise
        if self._ends_early:
            self._tell_short_lines()
        self._judge_passed_over()
        self._tell_passed_over()
        self._tell_absent()
        if said := tell_stripped(self._stripped_classes()):
            self._tell(said)
        for said in order.tell() if start >= self._fewest_dates else ():
            self._tell(said)

    def _batches(self, n_rows: int | None, start: int) -> Iterator[tuple[Table, pl.DataFrame]]:
        """Read rows from one of them on, as a table and as a frame."""
        numbers = self._named("number")
        others = [name for name in self.roles if self.roles[name] != "number"]
        size = n_rows or int(np.clip(_BATCH_BYTES // (8 * max(len(numbers), 1)), 64, BATCH_ROWS))
        with translated_errors(self.path, self.find_line):
            frame = self.open_frame(self._forced)
            dtypes = dict(frame.collect_schema())
        given = self.options
        wanted, strange = self._formed(dtypes)
        plain = [name for name in others if name not in strange]
        for n in plain:
            column = as_role(n, dtypes[n], self.roles[n], self._zone(n))
            words = self.roles[n] == "text" and n != given.text  # a document stays as it is
            wanted.append(without_padding(column) if words else column)
        # One expression for all columns of a type: a hundred thousand of them take seconds.
        plain = [name for name in numbers if name not in strange]
        for dtype in dict.fromkeys(dtypes[name] for name in plain):
            wanted.append(as_role([n for n in plain if dtypes[n] == dtype], dtype, "number"))
        for name, alias in ((given.target, _TARGET), (given.id, _ID)):
            if name is not None:
                wanted.append(as_role(name, dtypes[name], "text").alias(alias))
        # A line that ends too early lacks its last cell at least.
        last = None if self.find_short is None else list(dtypes)[-1]
        if last is not None:
            wanted.append(pl.col(last).is_null().alias(_LAST))
        aside = {name: _ASIDE + name for name in given.aside}
        wanted += [as_role(name, dtypes[name], "text").alias(aside[name]) for name in aside]
        # What is written out again is read a second time, as the file has it.
        again = self.written if given.as_written else None
        cells = None if again is None else CellStream(_from_row(again.open_frame(), start), size)
        with translated_errors(self.path, self.find_line):
            stream = (
                (frame.slice(start) if start else frame)
                .select(wanted)
                .collect_batches(
                    chunk_size=size,
                    maintain_order=True,
                    lazy=True,
                    engine="streaming",
                    optimizations=pl.QueryOptFlags(projection_pushdown=not self.whole_rows),
                )
            )
            for frame_of_rows in stream:
                if not frame_of_rows.height:
                    continue
                self._check_cells(frame_of_rows, strange)
                if last is not None and frame_of_rows[_LAST].any():
                    self._ends_early = True
                table = Table(
                    source=self.path.name,
                    ids=self._ids(frame_of_rows, start),
                    id_name="row" if given.id is None else given.id,
                    numbers=frame_of_rows.select(pl.col(numbers)).to_numpy()
                    if numbers
                    else np.empty((frame_of_rows.height, 0)),
                    number_names=numbers,
                    records=frame_of_rows.select(others),
                    target=self._target(frame_of_rows),
                    target_name=given.target,
                    text=None if given.text is None else str(given.text),
                    notes=tuple(self.notes),
                    embedded=self.embedded,
                    forms=dict(self.forms),
                    order=tuple(self.dtypes),
                    left_out=dict(self.left_out),
                    aside=frame_of_rows.select(
                        pl.col(alias).alias(n) for n, alias in aside.items()
                    ),
                    whole_ids=given.id is not None and self.dtypes[given.id].is_integer(),
                    written=self._written_batch(cells, frame_of_rows.height),
                )
                yield table, frame_of_rows
                start += frame_of_rows.height

    def _dates_of_training(self) -> dict[str, Form]:
        """Return the forms of texts that are read as a model says, and nobody else."""
        of_model = self.options.forms or {}
        return {
            name: form
            for name, form in self.forms.items()
            if name in of_model
            and name not in self.options.columns
            and self.dtypes[name] == pl.String
        }

    def _written_batch(self, cells: CellStream | None, n_rows: int) -> WrittenCells | None:
        """Return the cells of a batch as the file has them."""
        rows = None if cells is None else cells.next(n_rows)
        return None if rows is None else WrittenCells(rows.lazy, self.typed)

    def _ids(self, frame: pl.DataFrame, start: int) -> Any:
        if self.options.id is None:
            return np.arange(start, start + frame.height)
        column = frame[_ID]
        if column.null_count():
            row = start + int(column.is_null().arg_max() or 0) + 1
            raise TableError(
                f"Row {row:,} of {self.path.name}, counted from 1, has no id in column "
                f"{self.options.id!r}: fill it, or leave out the id to count rows."
            )
        return column.to_numpy().astype(object)

    def _target(self, frame: pl.DataFrame) -> Any:
        if self.options.target is None:
            return None
        cells = frame[_TARGET]
        bare = cells.str.strip_chars()
        padded = cells.filter(cells != bare)
        self._padded.update(padded.to_list())
        if len(padded) < frame.height:
            self._bare.update(bare.filter(cells == bare).unique().to_list())
        return bare.fill_null("").to_numpy().astype(np.str_)

    def _stripped_classes(self) -> dict[str, int]:
        """Return cells of the target that differ by blanks from others of their class."""
        spellings = Counter(self._bare) + Counter(cell.strip() for cell in self._padded)
        return {
            c: n for c, n in self._padded.most_common() if c.strip() and spellings[c.strip()] > 1
        }

    def read(self, advance: Callable[[int], None] = lambda rows: None) -> Table:
        """Read all rows.

        Parameters
        ----------
        advance : function of int, optional
            Called with the number of rows that were read since the last call.

        Returns
        -------
        Table
            All rows.
        """
        while True:
            try:
                return self._read(advance)
            except UnparsableCellError as error:
                # A column that began with numbers or dates holds something else further down.
                known = self.roles.get(error.column)
                if self.options.schema is not None or known not in ("number", "date"):
                    raise
                self._understand_again(error.column, error.cell)

    def _understand_again(self, column: str, cell: str) -> None:
        """Let the cells of all rows say what a column is; it is text where they disagree."""
        before = self.forms.pop(column, None)
        found = None
        if not self.typed or self.dtypes[column] == pl.String:
            forced = dict(self.dtypes)
            self.dtypes[column] = pl.String()
            found = self._understand([column], whole=True).get(column)
            if found is None or found == before or found.role == "text":
                self.dtypes, found = forced, None
        self.notes = [note for note in self.notes if not note.startswith(f"{column}: ")]
        if found is not None:
            self.forms[column], self.roles[column] = found, found.role
            self.notes += [] if found.plain else [understood(column, found)]
        else:
            kind = (
                "date"
                if self.roles[column] == "date"
                else "number"
                if before is None
                else before.kind
            )
            self.roles[column] = "text"
            wish = shlex.quote(f"{short(column)}={kind}")
            self.notes.append(
                f"Column {short(column)!r} is read as text because of {short(cell)!r} in "
                f"it; --as {wish} reads it as {NOUNS[kind]}, such cells missing."
            )
        self._forced[column] = pl.String

    def _read(self, advance: Callable[[int], None]) -> Table:
        most = self._most_cells() // max(len(self.roles), 1)
        expected = min(self.n_expected, most)
        rows = GrowingMatrix(len(self._named("number")), expected, spill=self.options.spill)
        ids: list[Any] = []
        records: list[pl.DataFrame] = []
        aside: list[pl.DataFrame] = []
        target: list[Any] = []
        part = None
        for part in self.batches():
            if rows.n_rows + part.n_rows > most:
                raise too_many_cells(self.path, most * len(self.roles))
            rows.append(part.numbers)
            ids.append(part.ids)
            records.append(part.records)
            aside.append(part.aside)
            target.append(part.target)
            advance(part.n_rows)
        if part is None and any("\n" in name for name in self.dtypes):
            raise TableError(
                f"{self.path.name} has a quote in its first line that is never closed: close it, "
                "or remove it."
            )
        if part is None:
            raise TableError(
                f"{self.path.name} has names of columns and no rows: give a file with rows."
            )
        all_ids = np.concatenate(ids)
        numbers = rows.finish()
        classes = None if part.target is None else np.concatenate(target)
        unnamed = self._missing_classes(classes)
        table = replace(
            part,
            ids=all_ids,
            numbers=numbers,
            spilled=self.options.spill and isinstance(numbers, np.memmap),
            records=pl.concat(records),
            aside=pl.concat(aside),
            target=classes,
            missing_classes=unnamed,
            stripped_classes=self._stripped_classes(),
            notes=tuple(self.notes),
            forms=dict(self.forms),
            checksum=self._checksum,
            raw=self.raw,
            written=self.written,
        )
        table = without_duplicates(table, self.options.duplicates)
        if self.options.id is not None:
            _check_unique(table.ids, self.options.id, self.path.name)
        return table

    def _missing_classes(self, classes: Any) -> dict[str, int]:
        """Count and note cells of the target that count as missing, and may be names of classes."""
        name = self.options.target
        if classes is None or name is None or self.written is None or (classes != "").all():
            return {}
        try:
            found = count_stand_ins(self.written.open_frame(), name)
        except (pl.exceptions.PolarsError, OSError):  # a pipe, or a file that is gone by now
            return {}
        if found:
            self._tell(tell_missing_classes(found, name))
        return found

    def _most_cells(self) -> int:
        return most_cells(self.path, self.options.max_unpacked)

    @property
    def _checksum(self) -> Callable[[], str]:
        return partial(checksum_of, self.path)


_TARGET, _ID, _ASIDE, _LAST = "\0target", "\0id", "\0aside ", "\0last"


def _from_row(frame: pl.LazyFrame, start: int) -> pl.LazyFrame:
    return frame.slice(start) if start else frame


def _check_unique(ids: Any, column: str, source: str) -> None:
    if pl.Series(ids).n_unique() == len(ids):
        return
    names, counts = np.unique(ids, return_counts=True)
    twice = names[counts > 1]
    if len(twice):
        raise RepeatedIdError(
            f"Ids must be unique, and {twice[0]!r} stands {counts[counts > 1][0]:,} times in "
            f"column {column!r} of {source}: choose another id, leave it out to count "
            "rows, or keep the first of each (duplicates='first' in Python, --duplicates "
            "first in commands)."
        )
