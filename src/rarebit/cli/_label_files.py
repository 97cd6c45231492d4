"""``rarebit labels import``: labels from elsewhere, and the data that they belong to."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit._text import alike_names, counted, name_list, tell_alike
from rarebit.cli._command import ExampleCommand
from rarebit.cli._misspelt import misspelt
from rarebit.cli._reading import check_there
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.projects.stores import Store, StoredHistory
    from rarebit.tables import Table

DATA = click.argument(
    "data", type=click.Path(path_type=Path, readable=False), metavar="DATA", callback=check_there
)
STORE = click.option(
    "--labels",
    "--store",
    "store",
    metavar="ADDRESS",
    help="Where the answers are [default: NAME.labels.db here, or NAME.labels.jsonl].",
)
ID = click.option(
    "--id", metavar="COLUMN", help="Column of ids [default: that of the labelling session]."
)


def open_labels(
    data: Path, store: str | None, id: str | None, terminal: Terminal, *, make: bool = False
) -> tuple[Table, Store]:
    """Read the data as the session did, and open its store; one that is missing may be made."""
    from rarebit.projects import Settings
    from rarebit.projects.stores import (
        OtherDataError,
        StoredHistory,
        StoreError,
        begin_anew,
        default_address,
        open_store,
        read_history,
    )
    from rarebit.tables import TableError, scan_table

    address = store or default_address(data.name)
    try:
        history = read_history(address, data.name)
    except StoreError:
        if not make or Path(address.partition("#")[0]).exists():
            raise
        history = StoredHistory(address, "", [])
    if not make:
        check_project(history, data.name)
    saved = history.settings
    reading = {**saved.get("reading", {}), **({} if id is None else {"id": id})}
    column = saved.get("oracle") or saved.get("target")
    try:
        scan = scan_table(data, target=column, **reading)
        with terminal.progress(f"Reading {data.name}", scan.n_expected) as advance:
            table = scan.read(advance)
    except TableError as error:
        if not saved or history.data_name == data.name:
            raise
        raise OtherDataError(
            f"{address} holds labels of {history.data_name}, and the data given, {data.name}, "
            f"cannot be read as those were ({str(error).removesuffix('.')}): give the data that "
            "the labels belong to, or another store (--labels NAME.db)."
        ) from error
    known: dict[str, Any] = {
        "ids": table.ids,
        "source": table.source,
        "fingerprint": table.fingerprint,
    }
    try:
        opened = open_store(address, **known)
    except OtherDataError as refusal:
        if history.data_name != table.source:
            raise
        if not (make and begin_anew(address, table.source)):
            raise OtherDataError(
                f"{str(refusal).removesuffix('.')}, or run `{_session(data, store, saved)}`, which "
                "takes over the labels of the unchanged rows if rows were changed or added."
            ) from refusal
        opened, saved = open_store(address, **known), {}
    if make and not saved:
        opened.save_settings(Settings(reading=reading).to_json())
    return table, opened


def check_project(history: StoredHistory, name: str) -> None:
    """Refuse a database that has no labels of these data: reading must not make a place for them.

    Parameters
    ----------
    history : StoredHistory
        As `rarebit.projects.stores.read_history` returns it.
    name : str
        Name of the data or of the store.
    """
    from rarebit.projects.stores import StoreError

    if not history.source and not history.events:
        raise StoreError(
            f"The database given has no labels of {name}: check the name of the project after #, "
            "or label some rows."
        )


def _session(data: Path, store: str | None, saved: Mapping[str, Any]) -> str:
    """Return the command that continues a session, with the options that its labels need."""
    finds = saved.get("task") == "discover"
    apart = {} if finds else {name: saved.get(name) for name in ("group", "time")}
    reading = dict(saved.get("reading", {}))
    # Columns by which rows are held out are set aside by their own options.
    held = set(apart.values())
    reading["aside"] = [name for name in _several(reading.get("aside")) if name not in held]
    given = [("--id", reading.get("id"))]
    for name, option in _READ_BY.items():
        given += [(option, value) for value in _several(reading.get(name)) if value != _USUAL[name]]
    given += [("--as", f"{name}={kind}") for name, kind in (reading.get("columns") or {}).items()]
    given += [(f"--{name}", value) for name, value in apart.items()]
    given += [("--oracle", saved.get("oracle")), ("--labels", store)]
    words = ["rarebit", "discover" if finds else "learn", str(data)]
    words += [word for name, value in given if value for word in (name, str(value))]
    if reading.get("header") is not None:
        words.append("--header" if reading["header"] else "--no-header")
    return shlex.join(words)


# Options of the commands that say which table a file is, and what stands in settings unasked.
_READ_BY = {
    "text": "--text",
    "embed": "--embed",
    "drop": "--drop",
    "categorical": "--categorical",
    "aside": "--show",
    "duplicates": "--duplicates",
    "delimiter": "--delimiter",
    "sheet": "--sheet",
    "encoding": "--encoding",
    "image_size": "--image-size",
    "image_features": "--image-features",
    "max_unpacked": "--max-unpacked",
}
_USUAL: dict[str, Any] = dict.fromkeys(_READ_BY) | {
    "duplicates": "keep",
    "image_size": 32,
    "image_features": "local",
}


def _several(value: Any) -> list[Any]:
    """Return an option that may be given once or several times as a list."""
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


@click.command(
    "import",
    cls=ExampleCommand,
    example="""\
rarebit labels import payments.csv reviewed.csv --id payment
rarebit labels import payments.csv reviewed.csv --id payment --column verdict""",
)
@DATA
@click.argument(
    "file", type=click.Path(path_type=Path, readable=False), metavar="FILE", callback=check_there
)
@ID
@click.option("--id-column", metavar="COLUMN", help="Column of ids in FILE [default: as in DATA].")
@click.option("--column", metavar="COLUMN", help="Column of classes in FILE [default: label].")
@click.option(
    "--skip-unknown",
    is_flag=True,
    help="Leave out ids of FILE that DATA does not have, and count them [default: refuse FILE].",
)
@click.option(
    "--new-class",
    is_flag=True,
    help="Names that differ from a known class by capitals or blanks only are classes of their own "
    "[default: refuse FILE].",
)
@STORE
def import_(
    data: Path,
    file: Path,
    id: str | None,
    id_column: str | None,
    column: str | None,
    skip_unknown: bool,
    new_class: bool,
    store: str | None,
    terminal: Terminal,
) -> None:
    """Take over the labels of FILE, a table of ids and classes, for the rows of DATA.

    They count as given: `rarebit learn` starts from them and does not ask for these rows. A row
    that has another label already gets the one of FILE.
    """
    from rarebit.projects import known_classes, label_events, read_labels, refuse_import

    table, opened = open_labels(data, store, id, terminal, make=True)
    with opened:
        unknown: list[str] = []
        skip = unknown.extend if skip_unknown else None
        found = read_labels(file, table, id=id_column, label=column, skip=skip)
        refuse_import(opened, table, found)
        before = known_classes(opened)
        if not new_class:
            _refuse_alike({str(label) for label in found.values()}, before, file.name)
        events = label_events(found, table, opened.labels())
        if events:
            opened.append_many(events)
        known = len(found) - len(events)
        replaced = sum(event.what == "correction" for event in events)
        also = [f"{replaced:,} of them instead of an earlier answer"] if replaced else []
        if known:
            also.append(f"{known:,} {'was' if known == 1 else 'were'} there already")
        imported = f"{counted(len(events), 'label')} of {file.name} imported into {opened.address}"
        terminal.say("; ".join([imported, *also]) + ".")
        for sentence in tell_alike(Counter(str(label) for label in opened.labels().values())):
            terminal.note(f"note: {sentence}")
        for sentence in _new_classes({str(label) for label in found.values()}, before):
            terminal.note(f"note: {sentence}")
        if unknown:
            terminal.note(
                f"note: {counted(len(unknown), 'id')} of {file.name} not in {data.name} "
                f"{'was' if len(unknown) == 1 else 'were'} left out ({name_list(unknown, 5)})."
            )
        terminal.result(
            {
                "imported": len(events),
                "known": known,
                "replaced": replaced,
                "unknown": len(unknown),
                "labels_file": opened.address,
            }
        )


def _refuse_alike(given: set[str], known: list[str], file: str) -> None:
    """Refuse classes that differ from another one by capitals or blanks only."""
    for group in alike_names([*known, *sorted(given)]):
        if any(name in given and name not in known for name in group):
            raise click.UsageError(
                f"The classes {' and '.join(map(repr, group))} differ by capitals or blanks only, "
                f"and nothing was imported: correct {file}, or give --new-class if they are "
                "classes of their own",
                click.get_current_context(),
            )


def _new_classes(given: set[str], known: list[str]) -> list[str]:
    """Say which classes of a file were not there before, and what they may be meant to be."""
    new = sorted(given.difference(known))
    if not known or not new:
        return []
    close = {name: misspelt(name, known) for name in new}
    said = [
        f"{name!r} is a new class, and close to {near!r}: if it is meant to be that, correct the "
        "file and import it again."
        for name, near in close.items()
        if near is not None
    ]
    others = [name for name in new if close[name] is None]
    if others:
        are = "is a new class" if len(others) == 1 else "are new classes"
        said.append(f"{name_list(others, 10)} {are}; until now there are {name_list(known, 10)}.")
    return said


def check_path(place: str) -> Path:
    """Return a path that exists."""
    path: Path = check_there(click.get_current_context(), DATA_PARAMETER, Path(place))
    return path


DATA_PARAMETER = click.Argument(["data"])
