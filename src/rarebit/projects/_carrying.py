"""Labels of data that have changed: those of unchanged rows are kept, by id and content.

Rows that are gone take their labels with them, into the store as it was; the new store names that
one, so that labels return with their rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from rarebit._text import counted
from rarebit.exceptions import RarebitError
from rarebit.projects._row_marks import (
    cell_names,
    cells_of,
    changed_cells,
    earlier_checksum,
    name_mark,
    read_cells,
    row_checksum,
    row_marks,
)
from rarebit.projects._settings import Settings
from rarebit.projects._sources import ADDED
from rarebit.projects.stores import (
    Event,
    OtherDataError,
    Store,
    StoredHistory,
    StoreError,
    begin_anew,
    default_address,
    move_aside,
    open_store,
    read_history,
)
from rarebit.tables import Table

Read = Callable[[Settings], Table]

_NAMED = 3  # columns that a sentence names


@dataclass(frozen=True)
class _Sorted:
    kept: list[Event]
    changed: int
    gone: int
    unknown: int
    columns: list[str]  # whose cells are others now, the one with most of them first
    new: list[str]  # columns that no answer knows


@dataclass(frozen=True)
class Carried:
    """A store of changed data.

    Attributes
    ----------
    store : Store
        Open, with the labels of unchanged rows.
    note : str
        What became of the labels.
    n_left_out : int
        Labels of rows that are gone or changed.
    aside : str
        Address of the store as it was.
    """

    store: Store
    note: str
    n_left_out: int
    aside: str

    @property
    def warning(self) -> str:
        """What somebody must know who gave other rows by mistake."""
        return (
            f"{counted(self.n_left_out, 'label')} of rows that are gone or changed "
            f"{'is' if self.n_left_out == 1 else 'are'} left out. The store as it was is kept in "
            f"{self.aside}: open the project with all rows again and the labels return, or give "
            "other rows a store of their own (store=...). See project.notes."
        )


class _Readings:
    """The data as they are read now, and as they would be by the settings of earlier sessions.

    A checksum is of cells as they were understood when somebody answered: it is compared with what
    the same options make of the data today.
    """

    def __init__(self, table: Table, settings: Settings, read: Read | None) -> None:
        self.now = table
        self.ignored = _ignored(table, settings)
        self._settings = settings
        self._read = read
        self._known = {_reading_of(settings): table}
        self._waiting: dict[str, Settings] = {}

    def add(self, history: StoredHistory) -> None:
        """Note how the data were read in the sessions of a store."""
        for event in history.events:
            if event.what == "settings" and self._read is not None:
                told = event.data or {}
                with suppress(RarebitError):  # options that this version does not have
                    known = {name: told[name] for name in _OF_READING if told.get(name)}
                    settings = Settings.from_json(known)
                    self._waiting.setdefault(_reading_of(settings), settings)

    def earlier(self) -> Iterator[Table]:
        """Give the tables of other options; a file is read when its turn comes."""
        yield from [table for table in self._known.values() if table is not self.now]
        for reading in [key for key in self._waiting if key not in self._known]:
            settings = self._waiting.pop(reading)
            with suppress(RarebitError):  # these options no longer suit the data
                assert self._read is not None
                self._known[reading] = self._read(settings)
                yield self._known[reading]

    def otherwise(self) -> Iterator[Table]:
        """Give the tables of guesses that another file allows: one new cell may decide them."""
        guessed = {n: f for n, f in self.now.forms.items() if not f.given}
        dates = {
            name: "month-first" if form.pattern.startswith("%d") else "day-first"
            for name, form in guessed.items()
            if form.pattern.startswith(("%d", "%m"))
        }
        marks = {
            name: "decimal-comma" if form.decimal == "." else "decimal-point"
            for name, form in guessed.items()
            if form.kind in ("number", "money", "percent")
        }
        for wishes in (dates, marks, dates | marks):
            if wishes and self._read is not None:
                named = {**self._settings.reading.get("columns", {}), **wishes}
                reading = {**self._settings.reading, "columns": named}
                with suppress(RarebitError):  # the cells do not allow it
                    yield self._read(replace(self._settings, reading=reading))


def _ignored(table: Table, settings: Settings) -> set[str]:
    """Return the marks of columns that say nothing of a row: ids, answers, what is left out."""
    reading = settings.reading
    names = [table.id_name, settings.oracle, settings.target, *settings.imported]
    names += [*reading.get("drop", ()), *reading.get("aside", ())]
    return {name_mark(str(name)) for name in names if name is not None}


_OF_READING = ("reading", "oracle", "target")


def _reading_of(settings: Settings) -> str:
    """Name the options that decide what the cells of a row are: the column of answers is none."""
    options = {name: value for name, value in settings.reading.items() if value}
    return json.dumps([options, settings.oracle or settings.target], sort_keys=True, default=str)


def carry_over(
    address: str | None,
    table: Table,
    refusal: OtherDataError,
    settings: Settings,
    read: Read | None,
) -> Carried:
    """Make a store of changed data that has the labels of its unchanged rows.

    The store as it was is kept beside it, in a database under another name; one without answers
    is begun anew. Labels that were left out before return if their rows have, unless these rows
    were answered since.

    Parameters
    ----------
    address : str or None
        Address of the store; None for the default one of the data.
    table : Table
        The data as they are now.
    refusal : OtherDataError
        Raised again where no label can be kept.
    settings : Settings
        By which the data were read.
    read : function of Settings, or None
        Reads the data by other settings; None where that is not possible.

    Returns
    -------
    Carried
        The new store, and what became of the labels.
    """
    place = address or default_address(table.source)
    if begin_anew(place, table.source):
        store = open_store(place, ids=table.ids, source=table.source, fingerprint=table.fingerprint)
        note = (
            f"{store.address} had no answer yet and was begun anew, because {table.source} is read "
            "with other options now, or has changed."
        )
        return Carried(store, note, n_left_out=0, aside="")
    history = read_history(place, table.source)
    # A file of another name is a mistake; rows that were added to a frame are in a longer one.
    if history.data_name.replace(f" + {ADDED}", "") != table.source:
        raise refusal
    readings = _Readings(table, settings, read)
    readings.add(history)
    before = list(_left_out_before(history, readings))
    found = _sort(history.standing(), readings)
    if not found.kept:
        raise _all_changed(place, found, table) or refusal
    returned = _sort(before, readings).kept
    aside = move_aside(place, table.source)
    if aside is None:
        raise refusal
    first, *others = found.kept
    name = aside.partition("#")[2] or PurePath(aside).name
    first = replace(first, data={**(first.data or {}), "before": name})
    store = open_store(place, ids=table.ids, source=table.source, fingerprint=table.fingerprint)
    try:
        store.append_many([first, *others, *returned])
    except BaseException:
        store.close()
        raise
    note = _told(table.source, found, len(returned), aside)
    return Carried(store, note, found.changed + found.gone, aside)


def _told(source: str, found: _Sorted, n_returned: int, aside: str) -> str:
    """Say what became of the labels."""
    said = [f"{counted(len(found.kept), 'label')} of unchanged rows kept"]
    if found.changed:
        where = f" (changed in {_named(found.columns)})" if found.columns else ""
        said.append(f"{counted(found.changed, 'label')} of changed rows left out{where}")
    if found.gone:
        said.append(f"{counted(found.gone, 'label')} of rows that are gone left out")
    if found.unknown:
        said.append(f"{found.unknown:,} of those kept by their ids alone")
    if n_returned:
        said.append(f"{counted(n_returned, 'label')} of rows that are back taken up again")
    note = f"{source} has changed since it was labelled: {', '.join(said)}. "
    if found.new:
        note += f"New since then: {_named(found.new)}. "
    note += f"The labels as they were are in {aside}."
    if found.changed:
        note += (
            " Where changed rows mean what they meant, rarebit labels export brings those labels "
            "into a file, and rarebit labels import into this project."
        )
    return note


def _named(columns: list[str]) -> str:
    """Name columns, the first few of many.

    Examples
    --------
    >>> _named(["paid"]), _named(["a", "b", "c", "d", "e"])
    ("column 'paid'", "columns 'a', 'b', 'c' and 2 more")
    """
    shown = [repr(name) for name in columns[:_NAMED]]
    more = len(columns) - len(shown)
    last = f"{more:,} more" if more else shown.pop()
    names = f"{', '.join(shown)} and {last}" if shown else last
    return f"{'column' if len(columns) == 1 else 'columns'} {names}"


def _all_changed(place: str, found: _Sorted, table: Table) -> OtherDataError | None:
    """Return what to say of rows that are all there, under their ids, with other cells."""
    if table.counts_rows or not found.changed or found.gone:
        return None
    rows = counted(found.changed, "row")
    here = f" in {_named(found.columns)}" if found.columns else " or columns"
    which = "these columns" if found.columns else "columns that are new"
    drop = (
        f"leave out {which} (the option 'drop' of reading in Python, --drop in commands); or "
        if {table.text, *table.text_parts}.isdisjoint(found.columns)  # a text is what is judged
        else ""
    )
    return OtherDataError(
        f"{place} holds labels of {rows} of {table.source}, and all of them have other cells{here} "
        f"now, so that no label can be kept: {drop}export the labels with the data as they were, "
        "and import them into another store (store='NAME.db' in Python, --labels NAME.db in "
        "commands)."
    )


def _left_out_before(history: StoredHistory, readings: _Readings) -> Iterator[Event]:
    """Give the labels of earlier stores whose rows nobody has answered or undone since."""
    seen: set[str] = set()
    touched: set[str] = set()
    while (address := history.before) is not None and address not in seen:
        seen.add(address)
        touched |= {str(event.id) for event in history.events if event.is_answer}
        try:
            history = read_history(address)
        except StoreError:  # it was removed
            return
        readings.add(history)
        yield from (event for event in history.standing() if str(event.id) not in touched)


def _sort(answers: list[Event], readings: _Readings) -> _Sorted:
    table = readings.now
    places = _places(table)
    there = [event for event in answers if str(event.id) in places]
    rows = [places[str(event.id)] for event in there]
    fits = [_fits(event, table, row) for event, row in zip(there, rows, strict=True)]
    cells = cells_of(table, rows)
    before = [
        read_cells(_mark_of(event, "cells") or "", _mark_of(event, "values") or "")
        for event in there
    ]
    changed: Counter[str] = Counter()
    for k, (then, now) in enumerate(zip(before, cells, strict=True)):
        if not fits[k] and (others := changed_cells(then, now, readings.ignored)) is not None:
            fits[k] = not others
            changed.update(others)
    for tables, share in ((readings.earlier, 1.0), (readings.otherwise, 0.5)):
        if sum(fits) >= share * len(fits):  # so many rows do not change at once
            continue
        for earlier in tables():
            found = _places(earlier)
            for k, event in enumerate(there):
                row = None if fits[k] else found.get(str(event.id))
                fits[k] = fits[k] or (row is not None and _fits(event, earlier, row))
    kept = [event for event, unchanged in zip(there, fits, strict=True) if unchanged]
    known = set().union(*before)
    names = {name_mark(name): name for name in cell_names(table)}
    return _Sorted(
        kept=[_carried(event, table, places[str(event.id)]) for event in kept],
        changed=len(there) - len(kept),
        gone=len(answers) - len(there),
        unknown=sum(_mark_of(event, "check") is None for event in kept),
        columns=[names[mark] for mark, _ in changed.most_common() if mark in names],
        new=[name for mark, name in names.items() if known and mark not in known],
    )


def _places(table: Table) -> dict[str, int]:
    return {str(name): row for row, name in enumerate(table.ids.tolist())}


def _mark_of(event: Event, name: str) -> str | None:
    return (event.data or {}).get(name)


def _fits(event: Event, table: Table, row: int) -> bool:
    check = _mark_of(event, "check")
    if check is None:
        return not table.counts_rows  # counted rows without a checksum may be any others
    return any(check == checksum(table, row) for checksum in (row_checksum, earlier_checksum))


def _carried(event: Event, table: Table, row: int) -> Event:
    what: Any = "skip" if event.what == "skip" else "label"
    return replace(
        event, number=0, what=what, row=row, order=None, key=None, by="", settings=0, audit=None,
        reason="given", data=row_marks(table, row),
    )  # fmt: skip
