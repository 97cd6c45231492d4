"""``rarebit labels``: import, export, list, show and set, answers without questions."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._reading import check_there
from rarebit.cli._terminal import Terminal
from rarebit.cli._words import counted

if TYPE_CHECKING:
    from rarebit.projects.stores import Event, Store
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
_STORES = (".db", ".sqlite", ".sqlite3", ".jsonl", ".ndjson")
_SHOWN = 20


def _is_store(place: str) -> bool:
    return "://" in place or place.partition("#")[0].lower().endswith(_STORES)


def _open(data: Path, store: str | None, id: str | None, terminal: Terminal) -> tuple[Table, Store]:
    """Read the data as the session did, and open its store."""
    from rarebit.projects import Settings
    from rarebit.projects.stores import (
        OtherDataError,
        StoreError,
        default_address,
        open_store,
        read_history,
    )
    from rarebit.tables import scan_table

    address = store or default_address(data.name)
    try:
        saved = read_history(address, data.name).settings
    except StoreError:
        if Path(address).exists():
            raise
        saved = {}
    reading = {**saved.get("reading", {}), **({} if id is None else {"id": id})}
    column = saved.get("oracle") or saved.get("target")
    scan = scan_table(data, target=column, **reading)
    with terminal.progress(f"Reading {data.name}", scan.n_expected) as advance:
        table = scan.read(advance)
    try:
        opened = open_store(
            address, ids=table.ids, source=table.source, fingerprint=table.fingerprint
        )
    except OtherDataError as refusal:
        if read_history(address, data.name).data_name != table.source:
            raise
        raise OtherDataError(
            f"{str(refusal).removesuffix('.')}, or run `{_session(data, store, saved)}`, which "
            "takes over the labels of the unchanged rows if rows were changed or added."
        ) from refusal
    if not saved:
        opened.save_settings(Settings(reading=reading).to_json())
    return table, opened


def _session(data: Path, store: str | None, saved: Mapping[str, Any]) -> str:
    """Return the command that continues a session, with the options that its labels need."""
    reading = saved.get("reading", {})
    given = [("--id", reading.get("id")), *(("--drop", name) for name in reading.get("drop") or ())]
    given += [("--oracle", saved.get("oracle")), ("--labels", store)]
    words = ["rarebit", "discover" if saved.get("task") == "discover" else "learn", str(data)]
    words += [word for name, value in given if value for word in (name, str(value))]
    return shlex.join(words)


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
@STORE
def import_(
    data: Path,
    file: Path,
    id: str | None,
    id_column: str | None,
    column: str | None,
    store: str | None,
    terminal: Terminal,
) -> None:
    """Take over the labels of FILE, a table of ids and classes, for the rows of DATA.

    They count as given: `rarebit learn` starts from them and does not ask for these rows. A row
    that has another label already gets the one of FILE.
    """
    from rarebit.projects import label_events, read_labels, refuse_by_hand

    table, opened = _open(data, store, id, terminal)
    with opened:
        refuse_by_hand(opened)
        found = read_labels(file, table, id=id_column, label=column)
        events = label_events(found, table, opened.labels())
        if events:
            opened.append_many(events)
        known = len(found) - len(events)
        terminal.say(
            f"{counted(len(events), 'label')} of {file.name} imported into {opened.address}"
            + (f"; {known:,} were there already." if known else ".")
        )
        terminal.result({"imported": len(events), "known": known, "labels_file": opened.address})


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
    id_name, events = _standing(place, store)
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

    if _is_store(place):
        raise click.UsageError(f"{out.suffix} is written from the file of papers: give that")
    table, opened = _open(check_path(place), store, None, terminal)
    with opened, explained(out):
        labels = opened.labels()
        n = export_labels(out, table, labels, opened.answers(), details=False, raw=True)
    terminal.say(f"{counted(table.n_rows, 'paper')} written to {out}, {counted(n, 'label')}.")
    terminal.result({"labels": n, "file": str(out), "rows": []})


def _standing(place: str, store: str | None) -> tuple[str, list[Event]]:
    """Return the name of the id column and the answers that stand."""
    from rarebit.projects.stores import default_address, read_history

    source = "" if _is_store(place) else Path(place).name
    history = read_history(store or (default_address(place) if source else place), source)
    return history.settings.get("reading", {}).get("id") or "row", history.standing()


@click.command(
    "list",
    cls=ExampleCommand,
    example="""\
rarebit labels list payments.csv
rarebit labels list payments.csv --class fraud --search "XK"
rarebit labels list payments.labels.db --all""",
)
@click.argument("place", metavar="DATA|STORE")
@click.option("--class", "name", metavar="CLASS", help="Only answers of this class.")
@click.option(
    "--search", metavar="TEXT", help="Only rows with this text in their id, class, note or cells."
)
@click.option("--all", "every", is_flag=True, help=f"All of them, not the last {_SHOWN}.")
@STORE
def list_(
    place: str,
    name: str | None,
    search: str | None,
    every: bool,
    store: str | None,
    terminal: Terminal,
) -> None:
    """Show earlier answers, the last first; `rarebit labels set` changes one."""
    from rarebit.projects import describe_rows

    table = None
    if _is_store(place):
        events = _standing(place, store)[1]
    else:
        table, opened = _open(check_path(place), store, None, terminal)
        with opened:
            events = [e for rows in opened.answers().values() for e in rows.values()]
        events.sort(key=lambda event: event.number)
    found: list[tuple[Event, str]] = []
    for event in reversed(events):
        if name is not None and str(event.label) != name:
            continue
        text = ""
        if table is not None and event.row is not None:
            text = describe_rows(table, [event.row])[0][0]
        cells = f"{event.id}\n{event.label}\n{event.note}\n{text}".lower()
        if search is None or search.lower() in cells:
            found.append((event, text))
    shown = found if every else found[:_SHOWN]
    if shown:
        headings = ["id", "class", "by", "at", *(["row"] if table is not None else [])]
        terminal.table(
            headings,
            [
                [str(e.id), "(skipped)" if e.what == "skip" else str(e.label),
                 e.annotator or e.source, e.at[:16].replace("T", " "),
                 *([_shortened(text)] if table is not None else [])]
                for e, text in shown
            ],
        )  # fmt: skip
    more = f"; --all shows the {len(found) - len(shown):,} others" * (len(found) > len(shown))
    terminal.say(f"{counted(len(found), 'answer')}{more}.")
    terminal.result({"answers": [event.to_json() for event, _ in found]})


@click.command("show", cls=ExampleCommand, example="rarebit labels show payments.csv p00017")
@DATA
@click.argument("row", metavar="ROW_ID")
@STORE
def show(data: Path, row: str, store: str | None, terminal: Terminal) -> None:
    """Show one row of DATA, by its id, and all answers to it."""
    from rarebit.projects import short_value

    table, opened = _open(data, store, None, terminal)
    with opened:
        position = _position(table, row)
        answers = [e for e in opened.events() if e.row == position and e.what != "ask"]
        shown = table.show(position)
        own = table.written_cells([position])
        cells = shown.fields if own is None else shown.fields | own.row(0, named=True)
        for line in (shown.text or "").splitlines():
            terminal.say(line)
        for name in shown.fields:
            terminal.say(f"{name}: {short_value(cells[name])}")
        for event in answers:
            who = event.annotator or event.source
            terminal.say(f"{event.at[:16].replace('T', ' ')}  {event.what} {event.label} ({who})")
        label = opened.labels().get(position)
        terminal.say(f"Label of {row}: {'none' if label is None else label}")
        fields = {**shown.fields, **({} if shown.text is None else {"text": shown.text})}
        terminal.result(
            {"id": row, "label": label, "fields": fields, "events": [e.to_json() for e in answers]}
        )


@click.command(
    "set",
    cls=ExampleCommand,
    example="rarebit labels set payments.csv p00017 normal",
)
@DATA
@click.argument("row", metavar="ROW_ID")
@click.argument("name", metavar="CLASS")
@STORE
def set_(data: Path, row: str, name: str, store: str | None, terminal: Terminal) -> None:
    """Give a row of DATA a class, also instead of an earlier one.

    The next `rarebit learn` or `rarebit discover` learns it; what was there stays in the history.
    """
    from rarebit.projects import label_events, refuse_by_hand

    table, opened = _open(data, store, None, terminal)
    with opened:
        refuse_by_hand(opened)
        position = _position(table, row)
        labels = opened.labels()
        before = labels.get(position)
        known = sorted({str(label) for label in labels.values() if label is not None})
        events = label_events({position: name}, table, {position: before}, source="person")
        if events:
            opened.append_many(events)
        was = "no label" if before is None else repr(str(before))
        terminal.say(f"{row}: {name} (was {was}), saved in {opened.address}.")
        if known and name not in known:
            alike = [each for each in known if each.casefold() == name.casefold()]
            about = f", which differs from {alike[0]!r} in capitals only" if alike else ""
            terminal.note(
                f"note: {name!r} is a new class{about}; until now there are "
                f"{', '.join(map(repr, known))}."
            )
        terminal.result({"id": row, "label": name, "before": before, "new": name not in known})


def check_path(place: str) -> Path:
    """Return a path that exists."""
    path: Path = check_there(click.get_current_context(), DATA_PARAMETER, Path(place))
    return path


DATA_PARAMETER = click.Argument(["data"])
COMMANDS: tuple[click.Command, ...] = (import_, export, list_, show, set_)


def _position(table: Table, row: str) -> int:
    import numpy as np

    from rarebit.tables import TableError

    found = np.flatnonzero(np.array([str(name) == row for name in table.ids.tolist()]))
    if not len(found):
        raise TableError(
            f"{table.source} has no row with the id {row!r}: ids are those of the column "
            f"{table.id_name!r}, such as {str(table.ids[0])!r}."
        )
    return int(found[0])


def _shortened(text: str) -> str:
    """Return as much of a row as the other columns leave room for."""
    most = min(60, max(16, shutil.get_terminal_size().columns - 60))
    return text if len(text) <= most else text[: most - 1] + "…"
