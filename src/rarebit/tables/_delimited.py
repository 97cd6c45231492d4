"""CSV, TSV and their like."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from rarebit.tables._errors import ColumnsMismatchError, TableError
from rarebit.tables._frame_scan import FrameScan, translated_errors
from rarebit.tables._options import MISSING, Options
from rarebit.tables._text_file import (
    DELIMITERS,
    count_lines_roughly,
    detect_delimiter,
    open_text,
)

# Cells that are looked at to tell the types of columns.
_CELLS = 2_000_000
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+$")


def scan_delimited(path: Path, options: Options) -> FrameScan:
    """Open a text file of delimited cells."""
    file = open_text(path, options.encoding)
    delimiter = options.delimiter or ("\t" if ".tsv" in path.suffixes else "")
    delimiter = delimiter or detect_delimiter(file.sample)
    if len(delimiter.encode()) != 1:
        raise TableError(
            f"A delimiter must be one character such as ',' or ';', got {delimiter!r}; correct it."
        )
    lines = list(islice(csv.reader(file.sample.splitlines(), delimiter=delimiter), 200))
    names = lines[0] if lines else []
    _check_header(names, path.name, options)
    notes = list(file.notes)
    if options.header and len(names) > 1 and all(_is_number(name) for name in names):
        notes.append(
            f"The first line of {path.name} holds numbers and was taken as names of columns; "
            "--no-header reads it as a row."
        )
    cells = [cell for line in lines[1:-1] for cell in line]
    settings: dict[str, Any] = {
        "separator": delimiter,
        "has_header": options.header,
        "null_values": list(MISSING),
        "infer_schema_length": max(100, min(10_000, _CELLS // max(len(names), 1))),
        "try_parse_dates": True,
        "decimal_comma": delimiter != "," and any(_DECIMAL_COMMA.match(cell) for cell in cells),
        "low_memory": True,
        "glob": False,
    }

    def open_frame(types: dict[str, Any]) -> pl.LazyFrame:
        # The closure keeps `file`, and with it a temporary copy, alive.
        return pl.scan_csv(file.path, schema_overrides=types, **settings)

    with translated_errors(path):
        scan = FrameScan(path, options, open_frame, notes, count_lines_roughly(file), True)
    if len(scan.dtypes) == 1 and delimiter not in file.sample:
        _warn_of_one_column(scan, file.sample)
    return scan


def _check_header(names: list[str], source: str, options: Options) -> None:
    if not options.header:
        return
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ColumnsMismatchError(
            f"{source} has two columns named {twice[0]!r}: rename one, or give --no-header if "
            "its first line is a row."
        )


def _warn_of_one_column(scan: FrameScan, sample: str) -> None:
    first = sample.splitlines()[0]
    inside = [delimiter for delimiter in DELIMITERS if delimiter in first]
    if inside:
        scan.notes.append(
            f"{scan.path.name} was read as one column, and its first line holds {inside[0]!r}: "
            f"perhaps that is the delimiter."
        )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
