"""Parquet and JSON lines."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from rarebit.tables._frame_errors import translated_errors
from rarebit.tables._frame_scan import FrameScan
from rarebit.tables._options import Options
from rarebit.tables._text_file import count_lines_roughly, find_line_without_object, open_text
from rarebit.tables._written import WrittenCells, stamp_of

# Lines of a JSON file that tell the types of columns.
_LINES = 10_000


def scan_parquet(path: Path, options: Options) -> FrameScan:
    """Open a Parquet file; only the columns and rows that are needed are read."""

    def open_frame(types: dict[str, Any]) -> pl.LazyFrame:
        # The file knows its types.
        return pl.scan_parquet(path, glob=False, low_memory=True)

    with translated_errors(path):
        n_rows = open_frame({}).select(pl.len()).collect().item()
    again = partial(pl.scan_parquet, path, glob=False, low_memory=True)
    written = WrittenCells(again, True, path, stamp_of(path))
    return FrameScan(path, options, open_frame, [], n_rows, written=written)


def scan_json_lines(path: Path, options: Options) -> FrameScan:
    """Open a file with one JSON object per line."""
    file = open_text(path, options.encoding, options.max_unpacked)

    def open_frame(types: dict[str, Any]) -> pl.LazyFrame:
        # Numbers come as text and become numbers afterwards, so that a word among them has the
        # same error as in other files. The closure keeps `file`, and with it a copy, alive.
        texts = {name: pl.String if kind == pl.Float64 else kind for name, kind in types.items()}
        return pl.scan_ndjson(
            file.path, infer_schema_length=_LINES, schema_overrides=texts, low_memory=True
        )

    def find_line(*, quote: bool = False) -> int | None:
        return None if quote else find_line_without_object(file.path)

    notes, expected = list(file.notes), count_lines_roughly(file)
    again = partial(pl.scan_ndjson, file.path, infer_schema_length=_LINES, low_memory=True)
    written = WrittenCells(again, True, file.path, stamp_of(file.path), kept=file)
    return FrameScan(
        path, options, open_frame, notes, expected, find_line=find_line, written=written
    )
