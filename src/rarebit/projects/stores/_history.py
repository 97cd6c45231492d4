"""The history of a store without the data that it belongs to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from rarebit._journal.recovery import check_label_file
from rarebit.exceptions import RarebitError
from rarebit.projects.stores._answers import Answers
from rarebit.projects.stores._errors import StoreError
from rarebit.projects.stores._event import Event
from rarebit.projects.stores._open import FILE_ENDS, file_of, is_journal, open_database


@dataclass(frozen=True)
class StoredHistory:
    """What a store says of itself.

    Attributes
    ----------
    address : str
        Address of the store.
    source : str
        Name of the data that it belongs to.
    events : list of Event
        All events, in their order.
    """

    address: str
    source: str
    events: Sequence[Event]

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the project; empty before there are any."""
        told = [event.data for event in self.events if event.what == "settings"]
        return dict(told[-1] or {}) if told else {}

    @property
    def data_name(self) -> str:
        """Name of the data as they are since they last grew."""
        grown = [event.data for event in self.events if event.what == "rows"]
        return str((grown[-1] or {}).get("source", "")) if grown else self.source

    def standing(self) -> list[Event]:
        """Return the answers that stand, in the order given."""
        answers = Answers()
        for event in self.events:
            answers.take(event)
        found = [event for rows in answers.by_annotator().values() for event in rows.values()]
        return sorted(found, key=lambda event: event.number)

    @property
    def before(self) -> str | None:
        """Address of the store from which labels were taken when the data had changed."""
        names = [(event.data or {}).get("before") for event in self.events if event.is_answer]
        return next((_beside(self.address, name) for name in names if name), None)


def read_history(address: str | PurePath, source: str = "") -> StoredHistory:
    """Read a store, whatever data it belongs to.

    Parameters
    ----------
    address : str or Path
        As in `open_store`; it must exist.
    source : str, default=""
        Name of the data, for the project in a PostgreSQL database whose address names none.

    Returns
    -------
    StoredHistory
        Its events and the name of its data.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rarebit.projects.stores import open_store, read_history
    >>> folder = tempfile.TemporaryDirectory()
    >>> place = pathlib.Path(folder.name) / "payments.labels.db"
    >>> with open_store(place, ids=["a", "b"], source="payments.csv") as store:
    ...     _ = store.append("label", 1, "fraud")
    >>> [(event.id, event.label) for event in read_history(place).standing()]
    [('b', 'fraud')]
    >>> folder.cleanup()
    """
    text = str(address)
    place = (file_of(text) or (None, ""))[0]
    if place is not None and not place.exists():
        there = _files_of(source, place)
        others = f"; those of {source} are in {', '.join(there)}" if there else ""
        raise StoreError(
            f"There are no labels at {place}{others}: check the name, or label some rows."
        )
    if is_journal(text):
        from rarebit.projects.stores._journal import event_of_line

        found = check_label_file(Path(text))
        if not found.is_good:
            raise StoreError(
                f"{text} is damaged: save its good lines with rarebit labels recover {text}."
            )
        return StoredHistory(text, found.source or "", [event_of_line(e) for e in found.events])
    from sqlalchemy import select

    from rarebit.projects.stores._schema import EVENT, PROJECT, from_record

    database, project = open_database(text, source)
    try:
        with database.engine.connect() as connection:
            known = connection.execute(select(PROJECT)).all()
            own = [row for row in known if row.name == project]
            # A file of one project may be read without knowing its name.
            if place is not None and "#" not in text:
                own = own or list(known[:1])
            if not own:
                return StoredHistory(text, "", [])
            records = connection.execute(
                select(EVENT).where(EVENT.c.project == own[0].project).order_by(EVENT.c.number)
            )
            events: list[Event] = []
            for record in records:
                try:
                    events.append(from_record(record))
                    if events[-1].number != len(events):
                        raise ValueError("another number")
                except ValueError as error:
                    raise StoreError(
                        f"{text} is damaged and was left as it is: event {record.number} of its "
                        f"history has {error}; restore the store from a copy."
                    ) from error
    finally:
        database.engine.dispose()
    return StoredHistory(text, json.loads(own[0].header)["source"], events)


def _files_of(source: str, missing: Path) -> list[str]:
    """Return the files of labels, here and beside one that is missing, that are of some data."""
    found: list[str] = []
    for folder in {each.resolve(): each for each in (missing.parent, Path())}.values():
        for ending in FILE_ENDS:
            for file in sorted(folder.glob(f"*.labels{ending}")):
                with suppress(RarebitError, OSError):  # a damaged one is not what is looked for
                    if source and read_history(file).data_name == source:
                        found.append(str(file))
    return found


def begin_anew(address: str | PurePath, source: str) -> bool:
    """Make room for another history of the same data where a store has no answer yet.

    Parameters
    ----------
    address : str or Path
        Of the store, which exists.
    source : str
        Name of the data; a store of data of another name is left as it is.

    Returns
    -------
    bool
        Whether the next `open_store` makes a new history. What was asked and set before is kept,
        in the database or beside the file, as `move_aside` does.
    """
    history = read_history(address, source)
    if history.data_name != source or history.standing():
        return False
    # Of a database the history alone: other projects in it stay where they are.
    renamed = move_aside if is_journal(str(address)) else _rename_project
    return renamed(str(address), source) is not None


def move_aside(address: str | PurePath, source: str = "") -> str | None:
    """Rename a store, its file or its project in a database, so that another can take its place.

    Parameters
    ----------
    address : str or Path
        Of the store, which nobody must have open.
    source : str, default=""
        As in `read_history`.

    Returns
    -------
    str or None
        The address that it has now; None where a database has no such project.
    """
    text = str(address)
    place = file_of(text)
    if place is None or place[1]:
        return _rename_project(text, source)
    file, number = place[0], 1
    while (kept := file.with_name(f"{file.stem}.before-{number}{file.suffix}")).exists():
        number += 1
    for ending in ("-wal", "-shm", ""):  # what SQLite has not yet written to the file itself
        beside = file.with_name(file.name + ending)
        if beside.exists():
            beside.rename(kept.with_name(kept.name + ending))
    return str(kept)


def _beside(address: str, name: str) -> str:
    """Return the address of the store that `move_aside` gave a name, without its folder."""
    place = file_of(address)
    if place is None or place[1]:
        return f"{address.partition('#')[0]}#{quote(name, safe='')}"
    scheme = "sqlite:///" if "://" in address else ""
    return f"{scheme}{place[0].with_name(name)}"


def _rename_project(address: str, source: str) -> str | None:
    """Give the project of a database another name, in one transaction."""
    from sqlalchemy import select, update

    from rarebit.projects.stores._schema import PROJECT

    database, project = open_database(address, source)
    try:
        with database.begin_write() as connection:
            database.lock(connection, 0)
            names = set(connection.execute(select(PROJECT.c.name)).scalars())
            if project not in names:
                return None
            number = 1
            while (kept := f"{project}.before-{number}") in names:
                number += 1
            own = update(PROJECT).where(PROJECT.c.name == project)
            connection.execute(own.values(name=kept))
    finally:
        database.engine.dispose()
    return f"{database.place}#{kept}"
