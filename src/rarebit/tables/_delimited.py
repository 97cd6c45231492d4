"""CSV, TSV and their like."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from rarebit._formulas import restored, restored_cells
from rarebit.tables._amounts import sure_locale
from rarebit.tables._errors import ColumnsMismatchError, TableError
from rarebit.tables._frame_errors import translated_errors
from rarebit.tables._frame_scan import FrameScan
from rarebit.tables._header import has_header, is_number, is_prose
from rarebit.tables._options import MISSING, Options
from rarebit.tables._text_file import (
    DELIMITERS,
    count_lines_roughly,
    detect_delimiter,
    find_line_longer_than,
    find_open_quote,
    find_short_lines,
    open_text,
    split_cells,
)
from rarebit.tables._written import WrittenCells, stamp_of

# Cells that are looked at to tell the types of columns.
_CELLS = 2_000_000
# A delimiter that no line has.
_NOWHERE = "\x1f"


def scan_delimited(path: Path, options: Options) -> FrameScan:
    """Open a text file of delimited cells."""
    file = open_text(path, options.encoding, options.max_unpacked)
    delimiter = options.delimiter or ("\t" if ".tsv" in path.suffixes else "")
    delimiter = delimiter or detect_delimiter(file.sample)
    if len(delimiter.encode()) != 1 or delimiter in '"\r\n':
        raise TableError(
            f"A delimiter must be one character such as ',' or ';', got {delimiter!r}."
        )
    prose = options.delimiter is None and delimiter != " " and is_prose(path, file.sample)
    if prose:
        delimiter = _NOWHERE
    lines = split_cells(file.sample.splitlines()[:200], delimiter)
    names = lines[0] if lines else []
    header = options.header
    notes = list(file.notes)
    if header is None:
        header = not prose and has_header(lines)
        if not header:
            notes.append(
                f"The first line of {path.name} was read as a row, not as names of columns; "
                "--header takes it as names."
            )
    _check_header(names, path.name, header)
    if header and options.header is None and len(names) > 1 and all(map(is_number, names)):
        notes.append(
            f"The first line of {path.name} holds numbers and was taken as names of columns; "
            "--no-header reads it as a row."
        )
    cells = [cell for line in lines[1:-1] for cell in line]
    mark = sure_locale(cells)
    settings: dict[str, Any] = {
        "separator": delimiter,
        "has_header": header,
        "null_values": list(MISSING),
        "infer_schema_length": max(100, min(10_000, _CELLS // max(len(names), 1))),
        # Dates are understood by the whole column: polars would take any for day first.
        "try_parse_dates": False,
        "decimal_comma": delimiter != "," and mark == ",",
        "low_memory": True,
        "glob": False,
    }

    renamed = _renamed(names, file.path, settings) if header else {}
    if prose:
        settings["quote_char"] = None
    if not header:
        # Versions of polars count from 0 or from 1.
        counted = [f"column_{j}" for j in range(1, len(names) + 1)]
        settings["new_columns"] = ["text"] if prose else counted

    def open_frame(types: dict[str, Any]) -> pl.LazyFrame:
        # The closure keeps `file`, and with it a temporary copy, alive.
        raw = {now: was for was, now in renamed.items()}
        given = {raw.get(name, name): kind for name, kind in types.items()}
        frame = pl.scan_csv(file.path, schema_overrides=given, **settings)
        # Apostrophes that exports put before formulas are taken away again.
        return restored_cells(frame.rename(renamed))

    def find_short() -> tuple[int, list[int]]:
        return find_short_lines(file.path, delimiter, len(names))

    def find_line(*, quote: bool = False) -> int | None:
        if quote:
            return find_open_quote(file.path, delimiter)
        return find_line_longer_than(file.path, delimiter, len(names))

    with translated_errors(path, find_line):
        expected = count_lines_roughly(file)
        scan = FrameScan(
            path, options, open_frame, notes, expected, True, find_line, typed=False,
            find_short=None if prose else find_short,
            written=WrittenCells(
                partial(_open_as_written, file.path, settings, renamed), False, file.path,
                stamp_of(file.path), kept=file,
            ),
            mark=mark,
        )  # fmt: skip
    if len(scan.dtypes) == 1 and delimiter not in file.sample:
        _warn_of_one_column(scan, file.sample)
    return scan


def _open_as_written(path: Path, settings: dict[str, Any], renamed: dict[str, str]) -> pl.LazyFrame:
    """Return all cells as text; what stands for a missing one is what it is."""
    guesses = ("null_values", "infer_schema_length", "decimal_comma")
    plain = {name: value for name, value in settings.items() if name not in guesses}
    frame = pl.scan_csv(path, infer_schema=False, **plain)
    return restored_cells(frame.rename(renamed))


def _check_header(names: list[str], source: str, header: bool) -> None:
    if not header:
        return
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ColumnsMismatchError(
            f"{source} has two columns named {twice[0]!r}: rename one, or give --no-header if "
            "its first line is a row."
        )


def _renamed(names: list[str], path: Path, settings: dict[str, Any]) -> dict[str, str]:
    """Return the names that polars has of columns, and what they are, where these differ.

    Exports guard names that begin like a formula, and polars leaves doubled quotes as they are.
    """
    read = names
    if any('"' in name for name in names):
        read = pl.scan_csv(path, **settings).collect_schema().names()
        if [name.replace('""', '"') for name in read] != [n.replace('""', '"') for n in names]:
            read = names
    found = {was: restored(now) for was, now in zip(read, names, strict=True)}
    if len(set(found.values())) < len(names):
        return {}
    return {was: now for was, now in found.items() if was != now}


def _warn_of_one_column(scan: FrameScan, sample: str) -> None:
    first = sample.splitlines()[0]
    inside = [delimiter for delimiter in DELIMITERS if delimiter in first]
    if inside:
        scan.notes.append(
            f"{scan.path.name} was read as one column, and its first line holds {inside[0]!r}: "
            f"perhaps that is the delimiter."
        )
