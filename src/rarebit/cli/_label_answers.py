"""``rarebit labels list``, ``show`` and ``set``: earlier answers, looked at and changed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rarebit._text import counted, name_list
from rarebit.cli._command import ExampleCommand
from rarebit.cli._label_files import (
    DATA,
    STORE,
    check_path,
    is_store,
    open_labels,
    standing_answers,
)
from rarebit.cli._misspelt import misspelt
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.projects.stores import Event
    from rarebit.tables import Table

_SHOWN = 20


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
    if is_store(place):
        events = standing_answers(place, store, terminal)[1]
    else:
        table, opened = open_labels(check_path(place), store, None, terminal)
        with opened:
            events = [e for rows in opened.answers().values() for e in rows.values()]
        events.sort(key=lambda event: event.number)
        events = _with_ids(events, table)
    found: list[tuple[Event, str]] = []
    wanted = [e for e in reversed(events) if name is None or str(e.label) == name]
    rows = [] if table is None else [event.row for event in wanted if event.row is not None]
    texts = {} if table is None else dict(zip(rows, describe_rows(table, rows)[0], strict=True))
    for event in wanted:
        text = "" if event.row is None else texts.get(event.row, "")
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
    more = f"; --all shows {len(found) - len(shown):,} more" * (len(found) > len(shown))
    terminal.say(f"{counted(len(found), 'answer')}{more}.")
    terminal.result({"answers": [event.to_json() for event, _ in found]})


@click.command("show", cls=ExampleCommand, example="rarebit labels show payments.csv p00017")
@DATA
@click.argument("row", metavar="ROW_ID")
@STORE
def show(data: Path, row: str, store: str | None, terminal: Terminal) -> None:
    """Show one row of DATA, by its id, and all answers to it."""
    from rarebit.projects import short_value

    table, opened = open_labels(data, store, None, terminal)
    with opened:
        position = _position(table, row)
        answers = [e for e in opened.events() if e.row == position and e.what != "ask"]
        shown = table.show(position, as_written=True)
        for line in (shown.text or "").splitlines():
            terminal.say(line)
        for name, cell in shown.fields.items():
            terminal.say(f"{name}: {short_value(cell)}")
        for event in answers:
            who = event.annotator or event.source
            said = event.what if event.label is None else f"{event.what} {event.label}"
            terminal.say(f"{event.at[:16].replace('T', ' ')}  {said} ({who})")
        label = opened.labels().get(position)
        terminal.say(f"Label of {row}: {'none' if label is None else label}")
        fields = {**shown.fields, **({} if shown.text is None else {"text": shown.text})}
        terminal.result(
            {
                "id": table.written_ids([position])[0],
                "label": label,
                "fields": fields,
                "events": [event.to_json() for event in _with_ids(answers, table)],
            }
        )


@click.command(
    "set",
    cls=ExampleCommand,
    example="rarebit labels set payments.csv p00017 normal",
)
@DATA
@click.argument("row", metavar="ROW_ID")
@click.argument("name", metavar="CLASS")
@click.option(
    "--new-class",
    is_flag=True,
    help="CLASS is a class of its own, although it is written nearly like a known one.",
)
@STORE
def set_(
    data: Path, row: str, name: str, new_class: bool, store: str | None, terminal: Terminal
) -> None:
    """Give a row of DATA a class, also instead of an earlier one.

    A new class whose name is close to that of a known one is refused without --new-class.
    The next `rarebit learn` or `rarebit discover` learns it; what was there stays in the history.
    """
    from rarebit.projects import label_events, refuse_by_hand

    name = name.strip()
    if not name:  # before a store is made for it
        raise click.UsageError(
            "CLASS must name a class, got blanks only: give its name, such as normal",
            click.get_current_context(),
        )
    table, opened = open_labels(data, store, None, terminal, make=True)
    with opened:
        refuse_by_hand(opened)
        position = _position(table, row)
        labels = opened.labels()
        before = labels.get(position)
        known = sorted({str(label) for label in labels.values() if label is not None})
        close = None if new_class else misspelt(name, known)
        if close is not None:
            raise click.UsageError(
                f"{name!r} is none of the classes so far ({name_list(known)}), and close to "
                f"{close!r}: write that, or give --new-class if it is a class of its own",
                click.get_current_context(),
            )
        events = label_events({position: name}, table, {position: before}, source="person")
        if events:
            opened.append_many(events)
        was = "no label" if before is None else repr(str(before))
        terminal.say(f"{row}: {name} (was {was}), saved in {opened.address}.")
        if known and name not in known:
            terminal.note(
                f"note: {name!r} is a new class; until now there are {', '.join(map(repr, known))}."
            )
        written = table.written_ids([position])[0]
        terminal.result({"id": written, "label": name, "before": before, "new": name not in known})


def _with_ids(events: Sequence[Event], table: Table) -> list[Event]:
    """Return events with the ids as the file has them."""
    ids = table.written_ids([row for event in events if (row := event.row) is not None])
    return [replace(event, id=id) for event, id in zip(events, ids, strict=True)]


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
