"""Options of every command that reads a file of rows, and the reading itself."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.tables import Scan, Table

_TARGET = click.option("-t", "--target", metavar="COLUMN", help="Column of classes.")
_ID = click.option("--id", metavar="COLUMN", help="Column of ids; rows are counted without one.")
_COLUMNS = [
    click.option("--text", metavar="COLUMN", help="Column that is a text to be read by words."),
    click.option("--drop", metavar="COLUMN", multiple=True, help="Leave out a column; repeatable."),
    click.option(
        "--categorical",
        metavar="COLUMN",
        multiple=True,
        help="Column of numbers that are names; repeatable.",
    ),
    click.option(
        "--image-size",
        type=click.IntRange(1, 512),
        default=32,
        show_default=True,
        metavar="PIXELS",
        help="Side of the squares that images of a folder are scaled to.",
    ),
]
_FORMAT = [
    click.option(
        "--delimiter", metavar="CHARACTER", help="Between cells; found out by itself. \\t is a tab."
    ),
    click.option("--encoding", metavar="NAME", help="Of a text file; found out by itself."),
    click.option("--no-header", is_flag=True, help="The first line is a row; names are column_1 …"),
]


def reading_options(
    *, columns: bool = True, target: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options that say how a file is read; the command gets them as ``reading``.

    Parameters
    ----------
    columns : bool, default=True
        Whether columns can be chosen; False where a model says what they are.
    target : bool, default=True
        Whether the file may have classes.
    """
    options = [*([_TARGET] if target else []), _ID, *(_COLUMNS if columns else []), *_FORMAT]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def collected(*arguments: Any, **given: Any) -> Any:
            names = ["id", "delimiter", "encoding", *(["target"] if target else [])]
            names += ["text", "drop", "categorical", "image_size"] if columns else []
            reading = {name: given.pop(name) for name in names}
            reading["header"] = not given.pop("no_header")
            if reading["delimiter"] in ("\\t", "tab"):
                reading["delimiter"] = "\t"
            return command(*arguments, reading=reading, **given)

        decorated: Callable[..., Any] = collected
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def check_there(context: click.Context, parameter: click.Parameter, path: Path) -> Path:
    """Refuse a path that does not exist before the readers are imported, which takes seconds."""
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))
    return path


# Whether a file can be read is asked when it is read, and answered with its own exit code.
FILE = click.argument(
    "file",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    callback=check_there,
)


def open_rows(file: Path, terminal: Terminal, **reading: Any) -> Scan:
    """Open a file and tell what was guessed."""
    from rarebit.tables import scan_table

    scan = scan_table(file, **reading)
    for note in scan.notes:
        terminal.note(f"note: {note}")
    return scan


def read_rows(file: Path, terminal: Terminal, **reading: Any) -> Table:
    """Read a file with a bar, and tell what was guessed."""
    from rarebit.tables import scan_table

    return _read(scan_table(file, **reading), file, terminal)


def _read(scan: Scan, file: Path, terminal: Terminal) -> Table:
    with terminal.progress(f"reading {file.name}", scan.n_expected) as advance:
        table = scan.read(advance)
    for note in table.notes:
        terminal.note(f"note: {note}")
    return table


def read_labelled(file: Path, terminal: Terminal, **reading: Any) -> Table:
    """Read a file that must have classes."""
    from rarebit.tables import scan_table
    from rarebit.tables._frame_scan import FrameScan

    scan = scan_table(file, **reading)
    # A large file must not be read first; arrays and folders may have their classes apart.
    if reading["target"] is None and isinstance(scan, FrameScan):
        raise _no_target(file, scan)
    table = _read(scan, file, terminal)
    if table.target is None:
        raise _no_target(file, scan)
    return table


def _no_target(file: Path, scan: Scan) -> click.UsageError:
    names = list(scan.columns)
    shown = f"{'…, ' if len(names) > 8 else ''}{', '.join(names[-8:])}"
    return click.UsageError(
        f"Which column of {file.name} holds the classes? Give it with --target; columns are "
        f"{shown}",
        click.get_current_context(),
    )
