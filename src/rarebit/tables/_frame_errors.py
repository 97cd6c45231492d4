"""Errors of polars in one sentence of ours."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from rarebit.exceptions import Interface
from rarebit.tables._errors import ColumnsMismatchError, TableError

_PARSE_ERROR = re.compile(r"could not parse `(?P<cell>.*?)` as `?dtype `?(?P<type>\w+)`? at column "
                          r"'(?P<column>.*?)' \(column number", re.S)  # fmt: skip

# What people write in a column that was true and false.
_TRUTHS = {"yes", "no", "y", "n", "true", "false", "on", "off"}

_CAST_ERROR = re.compile(r"conversion from `\w+` to `f64` failed in column '(?P<column>.*?)' for "
                         r".*?: \[(?P<quote>\"?)(?P<cell>.*?)(?P=quote)[,\]]", re.S)  # fmt: skip


class UnparsableCellError(TableError):
    """A cell of a numeric column is not a number."""

    def __init__(self, message: str, column: str, cell: str) -> None:
        super().__init__(message)
        self.column = column
        self.cell = cell


class OtherFormError(UnparsableCellError):
    """A cell is not written as the cells were from which a model learned.

    Parameters
    ----------
    problem : str
        What is wrong, without advice.
    column, cell : str
        Where.
    kind : str
        What the column probably is.
    """

    def __init__(self, problem: str, column: str, cell: str, kind: str) -> None:
        self.problem, self.kind, self.column = problem, kind, column
        super().__init__(self.message_for("python"), column, cell)

    def message_for(self, interface: Interface) -> str:
        """Say how this column can be read otherwise, where there is a way."""
        name = short(self.column)
        if interface == "service":
            return f"{self.problem}: send the cells as /schema says."
        if interface == "command":
            said = f"--as {shlex.quote(f'{name}={self.kind}')}"
        else:
            told = json.dumps({name: self.kind}, ensure_ascii=False)
            said = f"columns={told} of read_table or Model.table"
        return f"{self.problem}: correct it, or say what the column is here ({said})."

    def __reduce__(self) -> tuple[type[OtherFormError], tuple[str, str, str, str]]:
        return type(self), (self.problem, self.column, self.cell, self.kind)


class translated_errors:
    """Turn errors of polars into ours, in one sentence.

    Parameters
    ----------
    path : Path
        The file.
    find_line : function or None, default=None
        Returns the number of a line, as in `ColumnChoice`.
    """

    def __init__(self, path: Path, find_line: Callable[..., int | None] | None = None) -> None:
        self.path = path
        self.find_line = find_line

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        name = self.path.name
        # A panic of polars is no Exception; a damaged Parquet file can bring it to one.
        if isinstance(error, pl.exceptions.PanicException):
            raise self._unreadable(error) from error
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
        if found and _is_open(found["cell"]):
            # As text it would be no better, so that the column is not read again.
            line = None if self.find_line is None else self.find_line(quote=True)
            place = "" if line is None else f" in line {line:,}"
            raise TableError(
                f"Column {short(found['column'])!r} of {name} has a quote that is never closed"
                f"{place}, at {short(found['cell'])!r}: close it, or write a quote inside a cell "
                "twice."
            ) from error
        if "CSV malformed" in message:
            line = None if self.find_line is None else self.find_line(quote=True)
            if line is not None:
                raise TableError(
                    f"Line {line:,} of {name} has a quote that is not closed: close it, or write a "
                    "quote inside a quoted cell twice; the line may be cut off."
                ) from error
            raise TableError(
                f"{name} has quotes that do not match: a cell with a quote inside must be quoted "
                "itself and the quote written twice."
            ) from error
        if found:
            said = found["cell"].strip().lower() in _TRUTHS
            raise UnparsableCellError(
                f"Column {short(found['column'])!r} of {name} must hold "
                f"{'true or false, or numbers' if said else 'numbers'}, and one cell is "
                f"{short(found['cell'])!r}: correct it, or leave it empty if it is missing.",
                found["column"],
                found["cell"],
            ) from error
        if "more fields than" in message:
            where = None if self.find_line is None else self.find_line()
            raise TableError(
                (f"{name} has a line with" if where is None else f"Line {where} of {name} has")
                + " more fields than there are names of columns: quote fields that hold the "
                "delimiter, give the right delimiter, or remove lines above the names of the "
                "columns."
            ) from error
        if self.path.suffix in (".parquet", ".pq"):
            raise self._unreadable(error) from error
        if "utf-8" in message.lower() or "utf8" in message.lower():
            raise TableError(
                f"{name} is not written in UTF-8 all through: give its encoding, such as latin-1."
            ) from error
        if {".jsonl", ".ndjson"} & set(self.path.suffixes) and self.find_line is not None:
            line = self.find_line()
            if line is not None:
                raise TableError(
                    f"Line {line:,} of {name} is not a JSON object: write one, or remove the line."
                ) from error
        raise self._unreadable(error) from error

    def _unreadable(self, error: BaseException) -> TableError:
        return TableError(
            f"{self.path.name} cannot be read as {self.path.suffix or 'a table'} "
            f"({_first_line(error)}): it may be cut off or of another format; get or write the "
            "file again."
        )


def _is_open(cell: str) -> bool:
    return cell.startswith('"') and (cell.count('"') % 2 == 1 or not cell.endswith('"'))


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return short(lines[0].rstrip(".:"), 200)


def short(text: str, length: int = 60) -> str:
    """Return text of any length and lines as a piece of a sentence."""
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length else f"{line[: length - 1]}…"
