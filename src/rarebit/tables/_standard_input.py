"""Rows that come through a pipe."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

from rarebit._scratch import NamedScratch
from rarebit.tables._errors import TableError

_CHUNK = 1 << 20
# Kept until the process ends: readers come back to the file.
_FILES: list[NamedScratch] = []


def save_standard_input(stream: IO[bytes] | None = None) -> Path:
    """Write what comes through standard input to a temporary file, and return where.

    The format is told by the first bytes: Parquet, JSON lines, or delimited text.

    Parameters
    ----------
    stream : binary file or None, default=None
        What to read; None for standard input.

    Returns
    -------
    Path
        A file that is removed when the process ends.
    """
    source = sys.stdin.buffer if stream is None else stream
    start = source.read(_CHUNK)
    if not start.strip():
        raise TableError("Nothing came through standard input: send rows, or name a file.")
    ending = ".csv"
    if start.startswith(b"PAR1"):
        ending = ".parquet"
    elif start.lstrip()[:1] == b"{":
        ending = ".jsonl"
    file = NamedScratch(f"standard-input{ending}")
    _FILES.append(file)
    while start:
        file.stream.write(start)
        start = source.read(_CHUNK)
    file.stream.flush()
    return file.path
