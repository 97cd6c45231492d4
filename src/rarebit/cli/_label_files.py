"""``rarebit labels import`` and ``export``: labels in and out, without questions."""

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
    from rarebit.projects.stores import Event, Store, StoredHistory
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


@click.command(
    "export",
    cls=ExampleCommand,
    example="""\
rarebit labels export payments.csv --out labels.csv
rarebit labels export papers.ris --out screened.ris
rarebit labels export payments.labels.db --details --out answers.jsonl""",
)
@click.argument("place", metavar="DATA|STORE")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where they go: .csv, .tsv, .jsonl, .parquet or .xlsx; .ris or .bib of DATA in that "
    "format, every paper with its decision [default: as CSV to standard output].",
)
@click.option(
    "--details", is_flag=True, help="Every answer with annotator, reason, order, source and time."
)
@click.option("--raw", is_flag=True, help="Write text as it is, also what a spreadsheet would run.")
@STORE
def export(
    place: str,
    out: Path | None,
    details: bool,
    raw: bool,
    store: str | None,
    terminal: Terminal,
) -> None:
    """Write the labels of DATA, or of a store of labels: id and class of each row."""
    import polars as pl

    from rarebit.cli._output import check_writable
    from rarebit.cli._writing import check_ending, frame_writer

    if out is not None and out.suffix.lower() in (".ris", ".bib"):
        check_writable(out)
        _export_papers(place, store, out, terminal)
        return
    if out is not None:
        check_ending(out, "Labels")
        check_writable(out)
    id_name, events = standing_answers(place, store, terminal)
    rows = [event for event in events if details or event.what != "skip"]
    columns: dict[str, list[Any]] = {
        id_name: [event.id for event in rows],
        "label": [None if e.what == "skip" else e.label for e in rows],
    }
    if details:
        for name in ("annotator", "reason", "order", "source", "at", "note"):
            columns[name] = [getattr(event, name) for event in rows]
    n_skips = sum(event.what == "skip" for event in rows)
    kept: list[dict[str, Any]] = []
    with frame_writer(out, terminal, kept, raw=raw) as write:
        write(pl.DataFrame(columns, strict=False))
    if out is not None:
        also = f" and {counted(n_skips, 'skip')}" if n_skips else ""
        terminal.say(f"{counted(len(rows) - n_skips, 'label')}{also} written to {out}.")
    terminal.result(
        {
            "labels": len(rows) - n_skips,
            "skips": n_skips,
            "file": None if out is None else str(out),
            "rows": kept,
        }
    )


def _export_papers(place: str, store: str | None, out: Path, terminal: Terminal) -> None:
    """Write the papers of DATA back, those with a label with it."""
    from rarebit.cli._output import explained
    from rarebit.projects import export_labels
    from rarebit.projects.stores import is_address

    if is_address(place):
        raise click.UsageError(f"{out.suffix} is written from the file of papers: give that")
    table, opened = open_labels(check_path(place), store, None, terminal)
    with opened, explained(out):
        labels = opened.labels()
        n = export_labels(out, table, labels, opened.answers(), details=False, raw=True)
    terminal.say(f"{counted(table.n_rows, 'paper')} written to {out}, {counted(n, 'label')}.")
    terminal.result({"labels": n, "file": str(out), "rows": []})


def standing_answers(place: str, store: str | None, terminal: Terminal) -> tuple[str, list[Event]]:
    """Return the name of the id column and the answers that stand, ids as the data have them."""
    from rarebit.projects import with_written_ids
    from rarebit.projects.stores import default_address, is_address, read_history

    source = "" if is_address(place) else Path(place).name
    history = read_history(store or (default_address(place) if source else place), source)
    check_project(history, Path(place).name)
    if source and source not in history.data_name:  # data of another name may be other data
        open_labels(check_path(place), store, None, terminal)[1].close()
    reading, events = history.settings.get("reading", {}), history.standing()
    # Of a store alone the data may lie beside it.
    beside = Path(history.address.partition("#")[0]).parent
    file = Path(place) if source else beside / history.data_name
    return reading.get("id") or "row", with_written_ids(events, file, reading)


def check_path(place: str) -> Path:
    """Return a path that exists."""
    path: Path = check_there(click.get_current_context(), DATA_PARAMETER, Path(place))
    return path


DATA_PARAMETER = click.Argument(["data"])
