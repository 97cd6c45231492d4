"""Results are whole or not there: written beside their place and moved into it at the end."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rarebit._text import visible
from rarebit._whole_files import replaced_whole
from rarebit.cli._errors import OutputError

if TYPE_CHECKING:
    import polars as pl

RAW = click.option(
    "--raw",
    is_flag=True,
    help="Write text cells of CSV files as they are, also those that a spreadsheet would run.",
)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Write to a temporary file that takes its place only when everything went well.

    Parameters
    ----------
    path : Path
        Where the result goes. A device such as /dev/stdout is written to directly.

    Yields
    ------
    Path
        Where to write.

    See Also
    --------
    replaced_whole : The same without devices, and with the errors of the system.
    """
    _check_place(path)
    if path.exists() and not path.is_file():
        try:
            yield path
        except OSError as error:
            raise _explained(error, path) from error
        return
    try:
        with replaced_whole(path) as partial:
            yield partial
    except OSError as error:
        raise _explained(error, path) from error


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of the system while a file is written into sentences."""
    try:
        yield
    except OSError as error:
        raise _explained(error, path) from error


def check_writable(path: Path) -> None:
    """Refuse a place that cannot be written to, before the work and not after it."""
    import tempfile

    _check_place(path)
    if path.exists() and not path.is_file():
        return
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise _explained(error, path) from error


def _check_place(path: Path) -> None:
    """Refuse a folder, and a file that the command reads: its rows or labels would be gone."""
    if path.is_dir():
        raise OutputError(f"{str(path)!r} is a folder: give the name of a file in it.")
    if any(_reads(each, path) for each in _sources()):
        raise OutputError(
            f"{str(path)!r} is read by this command, and its content would be lost: give another "
            "name."
        )
    if path.is_file() and _holds_labels(path):
        raise OutputError(f"{str(path)!r} holds labels, and they would be lost: give another name.")


def _reads(source: Path, path: Path) -> bool:
    from rarebit.tables import IMAGES

    if source.is_dir():  # a report may well lie beside the images that it is about
        is_image = path.suffix.lower() in IMAGES
        return is_image and path.resolve().is_relative_to(source.resolve())
    if path.exists() and source.exists():
        return path.is_file() and source.samefile(path)
    return path.resolve() == source.resolve()  # a store that the command is about to make


def _holds_labels(path: Path) -> bool:
    """Whether a file is a database or a journal: no command writes its results into one."""
    from rarebit._journal.reading import MARK

    with path.open("rb") as file:
        head = file.read(100)
    return head.startswith((b"SQLite format 3\0", f'{{"{MARK}"'.encode()))


def _sources() -> list[Path]:
    """Return what the running command is given to read, its store of labels included."""
    context = click.get_current_context(silent=True)
    if context is None:
        return []
    given = [
        context.params.get(str(each.name))
        for each in context.command.params
        if isinstance(each, click.Argument) or each.name == "store"
    ]
    return [Path(each) for each in given if isinstance(each, str | Path)]


def _explained(error: OSError, path: Path) -> OSError:
    if isinstance(error, (OutputError, BrokenPipeError)):
        return error
    name = repr(str(path))
    if error.errno == errno.ENOSPC:
        return OutputError(
            f"{name} cannot be written, the disk is full: free some space or choose another disk; "
            "nothing half-written was left."
        )
    if error.errno == errno.ENOENT:
        return OutputError(
            f"{name} cannot be written, its folder does not exist: create {str(path.parent)!r} or "
            "choose another."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return OutputError(
            f"{name} cannot be written, you have no permission: choose another folder."
        )
    reason = error.strerror or str(error)
    return OutputError(f"{name} cannot be written ({reason}): choose another place.")


def visible_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame for a terminal: control characters of names and text cells are visible."""
    import polars as pl

    text = [name for name, kind in frame.schema.items() if kind == pl.String]
    cells = frame.with_columns(
        pl.Series(name, [None if cell is None else visible(cell) for cell in frame[name]])
        for name in text
    )
    return cells.rename({name: visible(name) for name in cells.columns})
