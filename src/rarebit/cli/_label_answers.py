"""``rarebit labels list``, ``show`` and ``set``: earlier answers, looked at and changed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rarebit._text import counted, name_list
from rarebit.cli._command import ExampleCommand
from rarebit.cli._label_export import standing_answers
from rarebit.cli._label_files import DATA, STORE, check_path, open_labels
from rarebit.cli._misspelt import misspelt
from rarebit.cli._terminal import EMPTY, Terminal

if TYPE_CHECKING:
    from rarebit.projects.stores import Event
    from rarebit.tables import Table

_SHOWN = 20
_WIDE = 1000  # letters of a line in a pipe, more than any row has


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
    from rarebit.projects.stores import is_address

    table = None
    if is_address(place):
        events = standing_answers(place, store, terminal)[1]
    else:
        table, opened = open_labels(check_path(place), store, None, terminal)
        with opened:
            events = [e for rows in opened.answers().values() for e in rows.values()]
        events.sort(key=lambda event: event.number)
        events = _with_ids(events, table)
    wanted = [e for e in reversed(events) if name is None or str(e.label) == name]
    if search is not None:
        wanted = _with_text(wanted, search, table)
    rows = [] if table is None else [event.row for event in wanted if event.row is not None]
    texts = {} if table is None else dict(zip(rows, describe_rows(table, rows)[0], strict=True))
    found = [(e, "" if e.row is None else texts.get(e.row, "")) for e in wanted]
    shown = found if every else found[:_SHOWN]
    if shown:
        cells = [
            [str(e.id), "(skipped)" if e.what == "skip" else str(e.label),
             e.annotator or e.source, e.at[:16].replace("T", " ")]
            for e, _ in shown
        ]  # fmt: skip
        headings = ["id", "class", "by", "at"]
        if table is not None:
            room = _room_beside([headings, *cells])
            cells = [
                [*each, _shortened(text, room)]
                for each, (_, text) in zip(cells, shown, strict=True)
            ]
            headings.append("row")
        terminal.table(headings, cells, width=_WIDE)
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
            terminal.say(f"{name}: {EMPTY if cell is None else short_value(cell)}")
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
    from rarebit.projects import known_classes, label_events, refuse_by_hand

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
        before = opened.labels().get(position)
        known = known_classes(opened)
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


def _with_text(events: Sequence[Event], search: str, table: Table | None) -> list[Event]:
    """Return events with a text in their id, class or note, or in any cell of their row."""
    from rarebit.projects import rows_with_text

    beside = [f"{e.id}\n{'(skipped)' if e.what == 'skip' else e.label}\n{e.note}" for e in events]
    if table is None:
        holds = [search.casefold() in text.casefold() for text in beside]
    else:
        rows = [row for event in events if (row := event.row) is not None]  # answers have one
        holds = rows_with_text(table, rows, search, beside)
    return [event for event, is_one in zip(events, holds, strict=True) if is_one]


def _with_ids(events: Sequence[Event], table: Table) -> list[Event]:
    """Return events with the ids as the file has them."""
    ids = table.written_ids([row for event in events if (row := event.row) is not None])
    return [replace(event, id=id) for event, id in zip(events, ids, strict=True)]


def _position(table: Table, row: str) -> int:
    import numpy as np

    from rarebit.tables import TableError

    found = np.flatnonzero(np.array([str(name) == row for name in table.ids.tolist()]))
    if not len(found) and table.counts_rows:
        raise TableError(
            f"{table.source} has no row {row!r}: rows are numbered from 0 to {table.n_rows - 1:,}, "
            "because no id column was given; give one of these numbers."
        )
    if not len(found):
        raise TableError(
            f"{table.source} has no row with the id {row!r}: ids are those of the column "
            f"{table.id_name!r}, such as {str(table.ids[0])!r}."
        )
    return int(found[0])


def _room_beside(cells: Sequence[Sequence[str]]) -> int | None:
    """Return the letters that columns leave for one more; None in a pipe, which has no width."""
    if not sys.stdout.isatty():
        return None
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    # Blanks and bars of a table take three letters of every column.
    return max(16, shutil.get_terminal_size().columns - sum(widths) - 3 * len(widths) - 3)


def _shortened(text: str, most: int | None) -> str:
    return text if most is None or len(text) <= most else text[: most - 1] + "…"
