"""Frames of rows to a file, to standard output, or to JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")


def check_ending(out: Path, what: str) -> None:
    """Refuse a name whose format cannot be inferred, before the work and not after it."""
    if out.suffix.lower() not in ENDINGS and not _is_device(out):
        raise click.UsageError(
            f"{what} can be written to {', '.join(ENDINGS)}, got {out.name!r}",
            click.get_current_context(),
        )
    if out.suffix.lower() == ".xlsx" and find_spec("openpyxl") is None:
        raise ModuleNotFoundError("No module named 'openpyxl'", name="openpyxl")


def has_types(out: Path | None, terminal: Terminal) -> bool:
    """Return whether what is written has types: JSON, Parquet, sheets."""
    if out is None:
        return terminal.as_json
    return out.suffix.lower() in (".jsonl", ".parquet", ".xlsx")


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def frame_writer(
    out: Path | None, terminal: Terminal, kept: list[dict[str, Any]], *, raw: bool
) -> Iterator[Callable[[pl.DataFrame], None]]:
    """Yield what takes frames: a file, standard output, or a list for JSON.

    Parameters
    ----------
    out : Path or None
        The file; None for standard output.
    terminal : Terminal
        Whether the result is JSON.
    kept : list of dict
        Where rows go that become JSON.
    raw : bool
        Whether text is written as it is.

    Yields
    ------
    function of DataFrame
        To be called with some rows at a time.
    """
    from rarebit.cli._output import written_whole

    if out is None:
        if terminal.as_json:
            yield lambda frame: kept.extend(frame.to_dicts())
        else:
            # A terminal may be at the other end of a pipe too.
            yield _text_writer(sys.stdout.buffer, ".csv", raw=raw, shown=not raw)
            sys.stdout.buffer.flush()
        return
    with written_whole(out) as partial:
        if out.suffix.lower() == ".parquet":
            with _parquet_writer(partial) as write:
                yield write
        elif out.suffix.lower() == ".xlsx":
            from rarebit.tables import SheetWriter

            sheet = SheetWriter()
            yield sheet.append
            sheet.save(partial)
        else:
            with partial.open("wb") as stream:
                yield _text_writer(stream, out.suffix.lower(), raw=raw)


def _text_writer(
    stream: Any, ending: str, *, raw: bool, shown: bool = False
) -> Callable[[pl.DataFrame], None]:
    from rarebit._formulas import guarded_frame, timed_frame
    from rarebit.cli._output import visible_frame

    first = True

    def write(frame: pl.DataFrame) -> None:
        nonlocal first
        if ending == ".jsonl":
            text = frame.write_ndjson()
        else:
            cells = timed_frame(frame if raw else guarded_frame(frame))
            text = (visible_frame(cells) if shown else cells).write_csv(
                include_header=first,
                separator="\t" if ending == ".tsv" else ",",
                datetime_format="%Y-%m-%d %H:%M:%S%.f",
                time_format="%H:%M:%S%.f",
            )
        # A pipe that was closed and a full disk show here and not inside polars.
        stream.write(text.encode())
        first = False

    return write


@contextmanager
def _parquet_writer(path: Path) -> Iterator[Callable[[pl.DataFrame], None]]:
    import pyarrow.parquet as pq

    writer: Any = None

    def write(frame: pl.DataFrame) -> None:
        nonlocal writer
        rows = frame.to_arrow()
        if writer is None:
            writer = pq.ParquetWriter(path, rows.schema)
        writer.write_table(rows.cast(writer.schema))

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()
