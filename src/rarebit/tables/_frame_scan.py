"""Files that polars reads: rows come in batches."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rarebit.tables._checksum import checksum_of
from rarebit.tables._column_choice import ColumnChoice, understood
from rarebit.tables._duplicates import without_duplicates
from rarebit.tables._errors import RepeatedIdError, TableError
from rarebit.tables._forms import Form
from rarebit.tables._frame_errors import (
    OtherFormError,
    UnparsableCellError,
    short,
    translated_errors,
)
from rarebit.tables._limits import most_cells, too_many_cells
from rarebit.tables._matrix import GrowingMatrix
from rarebit.tables._roles import Role, as_role
from rarebit.tables._table import BATCH_ROWS, Table
from rarebit.tables._understanding import form_expressions
from rarebit.tables._written import CellStream, WrittenCells

# Bytes of numbers in one batch.
_BATCH_BYTES = 16 << 20


@dataclass(eq=False)
class FrameScan(ColumnChoice):
    """A file whose rows come as frames; parameters as in `ColumnChoice`."""

    def _named(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name, own in self.roles.items() if own == role)

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
        numbers = self._named("number")
        others = [name for name in self.roles if self.roles[name] != "number"]
        size = n_rows or int(np.clip(_BATCH_BYTES // (8 * max(len(numbers), 1)), 64, BATCH_ROWS))
        with translated_errors(self.path, self.find_line):
            frame = self.open_frame(self._forced)
            dtypes = dict(frame.collect_schema())
        given = self.options
        wanted, strange = self._formed(dtypes)
        plain = [name for name in others if name not in strange]
        wanted += [as_role(name, dtypes[name], self.roles[name]) for name in plain]
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
        ends_early = False
        aside = {name: _ASIDE + name for name in given.aside}
        wanted += [as_role(name, dtypes[name], "text").alias(aside[name]) for name in aside]
        start = 0
        self._passed_over.clear()
        # What is written out again is read a second time, as the file has it.
        again = self.written if given.as_written else None
        cells = None if again is None else CellStream(again.open_frame(), size)
        with translated_errors(self.path, self.find_line):
            stream = frame.select(wanted).collect_batches(
                chunk_size=size,
                maintain_order=True,
                lazy=True,
                engine="streaming",
                optimizations=pl.QueryOptFlags(projection_pushdown=not self.whole_rows),
            )
            for frame_of_rows in stream:
                if not frame_of_rows.height:
                    continue
                self._check_cells(frame_of_rows, strange)
                ends_early = ends_early or (last is not None and bool(frame_of_rows[_LAST].any()))
                yield Table(
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
                start += frame_of_rows.height
        if ends_early:
            self._tell_short_lines()
        self._tell_passed_over()

    def _written_batch(self, cells: CellStream | None, n_rows: int) -> WrittenCells | None:
        """Return the cells of a batch as the file has them."""
        rows = None if cells is None else cells.next(n_rows)
        return None if rows is None else WrittenCells(rows.lazy, self.typed)

    def _tell_short_lines(self) -> None:
        """Say which lines end before the last column."""
        count, first = (0, []) if self.find_short is None else self.find_short()
        if not count:
            return
        lines = ", ".join(f"{number:,}" for number in first) + (", …" if count > len(first) else "")
        said = (
            f"{'A line' if count == 1 else f'{count:,} lines'} of {self.path.name} "
            f"{'ends' if count == 1 else 'end'} before the last column, and what is missing counts "
            f"as empty: {'line' if count == 1 else 'lines'} {lines}."
        )
        self._tell(said)

    def _tell(self, said: str) -> None:
        """Note a sentence once, however many batches say it."""
        if said not in self.notes:
            self.notes.append(said)

    def _tell_passed_over(self) -> None:
        """Say which cells a person's word on their column left out."""
        for name, (count, cell) in self._passed_over.items():
            form = replace(self.forms[name], given=False, doubt="")
            likely = _likely_kind(form, cell)
            hint = ""
            if form.kind == "date" and likely != "date":
                hint = f"; --as {shlex.quote(f'{short(name)}={likely}')} reads such cells"
            said = (
                f"{short(name)}: {count:,} {'cell' if count == 1 else 'cells'} such as "
                f"{short(cell)!r} cannot be read as {form.sentence()} and "
                f"{'counts' if count == 1 else 'count'} as missing{hint}."
            )
            self._tell(said)

    def _formed(self, dtypes: Mapping[str, Any]) -> tuple[list[pl.Expr], dict[str, str]]:
        """Return columns that are read by their forms, and where their strange cells are."""
        wanted, strange = [], {}
        for name, form in self.forms.items():
            found = form_expressions(name, dtypes[name], form)
            if found is not None:
                strange[name] = _STRANGE + name
                wanted += [found[0], found[1].alias(strange[name])]
        return wanted, strange

    def _check_cells(self, frame: pl.DataFrame, strange: Mapping[str, str]) -> None:
        """Refuse cells that do not fit the form of their column, or count them."""
        for name, alias in strange.items():
            cells = frame[alias]
            count = frame.height - cells.null_count()
            if not count:
                continue
            cell, form = str(cells.drop_nulls()[0]), self.forms[name]
            if form.given:
                before = self._passed_over.get(name, (0, cell))
                self._passed_over[name] = (before[0] + count, before[1])
                continue
            raise OtherFormError(
                f"Column {short(name)!r} of {self.path.name} must hold cells of the form "
                f"'{form.sentence()}', as the model was trained, and one is {short(cell)!r}",
                name,
                cell,
                _likely_kind(form, cell),
            )

    def _ids(self, frame: pl.DataFrame, start: int) -> Any:
        if self.options.id is None:
            return np.arange(start, start + frame.height)
        column = frame[_ID]
        if column.null_count():
            row = start + int(column.is_null().arg_max() or 0)
            raise TableError(
                f"Row {row:,} of {self.path.name} has no id in column {self.options.id!r}: fill "
                "it, or leave out the id to count rows."
            )
        return column.to_numpy().astype(object)

    def _target(self, frame: pl.DataFrame) -> Any:
        if self.options.target is None:
            return None
        return frame[_TARGET].str.strip_chars().fill_null("").to_numpy().astype(np.str_)

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
            self.notes.append(understood(column, found))
        else:
            self.roles[column] = "text"
            self.notes.append(
                f"Column {short(column)!r} is read as text because of {short(cell)!r} in "
                f"it; --as {short(column)}=number reads it as numbers, such cells missing."
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
        table = replace(
            part,
            ids=all_ids,
            numbers=numbers,
            spilled=self.options.spill and isinstance(numbers, np.memmap),
            records=pl.concat(records),
            aside=pl.concat(aside),
            target=None if part.target is None else np.concatenate(target),
            notes=tuple(self.notes),
            checksum=self._checksum,
            raw=self.raw,
            written=self.written,
        )
        table = without_duplicates(table, self.options.duplicates)
        if self.options.id is not None:
            _check_unique(table.ids, self.options.id, self.path.name)
        return table

    def _most_cells(self) -> int:
        return most_cells(self.path, self.options.max_unpacked)

    def _checksum(self) -> str:
        return checksum_of(self.path)


_TARGET, _ID, _STRANGE, _ASIDE, _LAST = "\0target", "\0id", "\0strange ", "\0aside ", "\0last"


def _check_unique(ids: Any, column: str, source: str) -> None:
    names, counts = np.unique(ids, return_counts=True)
    twice = names[counts > 1]
    if len(twice):
        raise RepeatedIdError(
            f"Ids must be unique, and {twice[0]!r} stands {counts[counts > 1][0]:,} times in "
            f"column {column!r} of {source}: choose another id, leave it out to count "
            "rows, or keep the first of each (--duplicates first)."
        )


def _likely_kind(form: Form, cell: str) -> str:
    """Return what a column is that holds a cell which does not fit its form."""
    if form.kind != "date":
        return "number"
    first, second = ([int(each) for each in re.findall(r"\d+", cell)] + [0, 0])[:2]
    if form.pattern.startswith("%d") and first <= 12 < second <= 31:
        return "month-first"
    if form.pattern.startswith("%m") and second <= 12 < first <= 31:
        return "day-first"
    return "date"
