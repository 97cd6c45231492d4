"""Files that polars reads: columns get their roles, rows come in batches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rarebit.tables._checksum import checksum_of
from rarebit.tables._errors import ColumnsMismatchError, TableError
from rarebit.tables._matrix import Rows
from rarebit.tables._options import Options
from rarebit.tables._roles import (
    Role,
    as_role,
    check_names,
    check_schema,
    check_types,
    role_of,
)
from rarebit.tables._table import BATCH_ROWS, Table

# Bytes of numbers in one batch.
_BATCH_BYTES = 16 << 20
_PARSE_ERROR = re.compile(r"could not parse `(?P<cell>.*?)` as `?dtype `?(?P<type>\w+)`? at column "
                          r"'(?P<column>.*?)' \(column number", re.S)  # fmt: skip

_CAST_ERROR = re.compile(r"conversion from `\w+` to `f64` failed in column '(?P<column>.*?)' for "
                         r".*?: \[\"?(?P<cell>.*?)\"?[,\]]", re.S)  # fmt: skip


@dataclass(eq=False)
class FrameScan:
    """A file whose rows come as frames.

    Parameters
    ----------
    path : Path
        The file.
    options : Options
        How to read it.
    open_frame : function of dict
        Returns the lazy frame, some columns (by name) in a type of ours.
    notes : list of str
        What was guessed so far.
    n_expected : int
        About how many rows there are.
    whole_rows : bool
        Whether all cells of a row are parsed, needed or not: only then does polars notice a line
        with too many of them.
    """

    path: Path
    options: Options
    open_frame: Callable[[dict[str, Any]], pl.LazyFrame]
    notes: list[str] = field(default_factory=list)
    n_expected: int = 0
    whole_rows: bool = False

    def __post_init__(self) -> None:
        schema = self.options.schema
        self._forced: dict[str, Any] = {}
        with translated_errors(self.path):
            self.dtypes = dict(self.open_frame({}).collect_schema())
        if self.options.id is None and self.options.usual_id in self.dtypes:
            self.options = replace(self.options, id=self.options.usual_id)
        self._check_columns()
        self.roles: dict[str, Role] = {}
        if schema is None:
            self._choose_roles()
        else:
            apart = (self.options.target, self.options.id, *self.options.drop)
            check_schema(schema, self.dtypes, self.path.name, apart)
            check_types(schema, self.dtypes, self.path.name)
            self.roles = dict(schema)
            known = {*schema, *apart}
            extra = [name for name in self.dtypes if name not in known]
            if extra:
                self.notes.append(
                    f"Columns of {self.path.name} that are not needed are left out: "
                    f"{_listed(extra)}."
                )
        self._force_types()

    def _check_columns(self) -> None:
        given, names, source = self.options, list(self.dtypes), self.path.name
        for what, name in (("target", given.target), ("id", given.id)):
            if name is not None:
                check_names([name], names, source, what)
        if given.schema is None:
            check_names([] if given.text is None else [given.text], names, source, "text")
            check_names(given.drop, names, source, "dropped")
            check_names(given.categorical, names, source, "categorical")

    def _choose_roles(self) -> None:
        given = self.options
        apart = {given.target, given.id, *given.drop}
        lost = []
        for name, dtype in self.dtypes.items():
            if name in apart:
                continue
            role = "text" if name in (given.text, *given.categorical) else role_of(dtype)
            if role is None:
                lost.append(f"{name} ({dtype})")
            else:
                self.roles[name] = role
        if lost:
            self.notes.append(f"Columns that cannot become features are left out: {_listed(lost)}.")
        if not self.roles:
            raise TableError(
                f"{self.path.name} has no column left to learn from: give a file with at least one "
                "column beside the target and the id."
            )

    def _force_types(self) -> None:
        """Tell the reader which types we want, so that no later cell surprises it."""
        for name, role in self.roles.items():
            if role == "number" and self.dtypes[name] != pl.Boolean:
                self._forced[name] = pl.Float64
            elif role == "text":
                self._forced[name] = pl.String
        for apart in (self.options.target, self.options.id):
            if apart is not None:
                self._forced[apart] = pl.String

    @property
    def columns(self) -> dict[str, Role]:
        """Columns that can become features, and what they are."""
        return self.roles

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
        frame = self.open_frame(self._forced)
        dtypes = dict(frame.collect_schema())
        given = self.options
        wanted = [as_role(name, dtypes[name], self.roles[name]) for name in self.roles]
        for name, alias in ((given.target, _TARGET), (given.id, _ID)):
            if name is not None:
                wanted.append(as_role(name, dtypes[name], "text").alias(alias))
        start = 0
        with translated_errors(self.path):
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
                yield Table(
                    source=self.path.name,
                    ids=self._ids(frame_of_rows, start),
                    id_name="row" if given.id is None else given.id,
                    numbers=frame_of_rows.select(numbers).to_numpy()
                    if numbers
                    else np.empty((frame_of_rows.height, 0)),
                    number_names=numbers,
                    records=frame_of_rows.select(others),
                    target=self._target(frame_of_rows),
                    target_name=given.target,
                    text=given.text,
                    notes=tuple(self.notes),
                )
                start += frame_of_rows.height

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
                # A column that began with numbers holds a word further down: it is text.
                if self.options.schema is not None or self.roles.get(error.column) != "number":
                    raise
                self.roles[error.column] = "text"
                self._forced[error.column] = pl.String
                self.notes.append(
                    f"Column {error.column!r} is read as text because of {error.cell!r} in it."
                )

    def _read(self, advance: Callable[[int], None]) -> Table:
        rows = Rows(len(self._named("number")), self.n_expected, spill=self.options.spill)
        ids: list[Any] = []
        records: list[pl.DataFrame] = []
        target: list[Any] = []
        part = None
        for part in self.batches():
            rows.append(part.numbers)
            ids.append(part.ids)
            records.append(part.records)
            target.append(part.target)
            advance(part.n_rows)
        if part is None:
            raise TableError(
                f"{self.path.name} has names of columns and no rows: give a file with rows."
            )
        all_ids = np.concatenate(ids)
        if self.options.id is not None:
            _check_unique(all_ids, self.options.id, self.path.name)
        numbers = rows.finish()
        return replace(
            part,
            ids=all_ids,
            numbers=numbers,
            spilled=self.options.spill and isinstance(numbers, np.memmap),
            records=pl.concat(records),
            target=None if part.target is None else np.concatenate(target),
            notes=tuple(self.notes),
            checksum=lambda: checksum_of(self.path),
        )


_TARGET, _ID = "\0target", "\0id"


class UnparsableCellError(TableError):
    """A cell of a numeric column is no number."""

    def __init__(self, message: str, column: str, cell: str) -> None:
        super().__init__(message)
        self.column = column
        self.cell = cell


class translated_errors:
    """Turn errors of polars into ours, in one sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        name = self.path.name
        if isinstance(error, pl.exceptions.NoDataError):
            raise TableError(
                f"{name} is empty: give a file with a line of names and rows."
            ) from error
        if isinstance(error, pl.exceptions.DuplicateError):
            raise ColumnsMismatchError(
                f"{name} has two columns of one name ({_first_line(error)}): rename one of them."
            ) from error
        if not isinstance(error, pl.exceptions.PolarsError):
            return
        message = str(error)
        found = _PARSE_ERROR.search(message) or _CAST_ERROR.search(message)
        if found:
            raise UnparsableCellError(
                f"Column {found['column']!r} of {name} must hold numbers, and one cell is "
                f"{found['cell']!r}: correct it, or leave it empty if it is missing.",
                found["column"],
                found["cell"],
            ) from error
        if "more fields than" in message:
            raise TableError(
                f"{name} has a line with more fields than it has names of columns: quote fields "
                "that hold the delimiter, or give the right delimiter."
            ) from error
        if "utf-8" in message.lower() or "utf8" in message.lower():
            raise TableError(
                f"{name} is not written in UTF-8 all through: give its encoding, such as latin-1."
            ) from error
        raise TableError(
            f"{name} cannot be read as {self.path.suffix or 'a table'} ({_first_line(error)}): it "
            "may be cut off or of another format; get or write the file again."
        ) from error


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0].rstrip(".:")


def _check_unique(ids: Any, column: str, source: str) -> None:
    names, counts = np.unique(ids, return_counts=True)
    twice = names[counts > 1]
    if len(twice):
        raise TableError(
            f"Ids must be unique, and {twice[0]!r} stands {counts[counts > 1][0]:,} times in "
            f"column {column!r} of {source}: choose another id, or leave it out to count rows."
        )


def _listed(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
