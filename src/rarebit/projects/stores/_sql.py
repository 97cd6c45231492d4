"""Labels in a database: SQLite in a file of its own, or PostgreSQL for teams."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy.exc import DBAPIError

from rarebit.projects.stores._base import BaseStore
from rarebit.projects.stores._errors import StoreError
from rarebit.projects.stores._event import Event
from rarebit.projects.stores._header import Header
from rarebit.projects.stores._postgres import PostgresServer
from rarebit.projects.stores._protocol import Lease
from rarebit.projects.stores._schema import EVENT, LEASE, PROJECT, from_record, to_record
from rarebit.projects.stores._sqlite import SQLiteFile

DEFAULT_PROJECT = "labels"

_MOST_NAMED = 200  # rows that a query names; of more, the leases of all rows are read

# Made once: to build a statement takes longer than SQLite takes to run it. No parameter has the
# name of a column, by which an update says what to set.
_NEWS = (
    select(EVENT)
    .where(EVENT.c.project == bindparam("of_project"), EVENT.c.number > bindparam("known"))
    .order_by(EVENT.c.number)
)
_ADD = insert(EVENT)
_HELD = select(LEASE.c.position, LEASE.c.annotator, LEASE.c.until).where(
    LEASE.c.project == bindparam("of_project")
)
_HELD_OF = _HELD.where(LEASE.c.position.in_(bindparam("rows", expanding=True)))
_LEASE = insert(LEASE)
_OWN = (LEASE.c.project == bindparam("of_project"), LEASE.c.position == bindparam("row"))
_RENEW = update(LEASE).where(*_OWN)
_DROP = delete(LEASE).where(*_OWN)


class SQLStore(BaseStore):
    """Labels of one project in a database that may hold several.

    Parameters
    ----------
    database : SQLiteFile or PostgresServer
        The database, which the store closes.
    project : str
        Name of the project in it.
    ids : sequence
        Id of each row of the data, in its order.
    header : Header
        The data at hand; a project of other data is refused.
    """

    def __init__(
        self,
        database: SQLiteFile | PostgresServer,
        project: str,
        ids: Sequence[Any] | NDArray[Any],
        header: Header,
    ) -> None:
        super().__init__(ids, header)
        self._database = database
        self._process = os.getpid()
        self._closed = False
        self._name = project
        try:
            self._project, stored = self._find_project()
            self._refresh()
            self._check_data(stored)
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> str:
        """Address of the store, without a password."""
        place = self._database.place
        return place if self._name == DEFAULT_PROJECT else f"{place}#{self._name}"

    def close(self) -> None:
        """Let go of the database; it can be closed twice."""
        with self._lock:
            self._closed = True
            if os.getpid() == self._process:
                self._database.engine.dispose()

    # --- events -------------------------------------------------------------------------

    def _find_project(self) -> tuple[int, Header]:
        """Return number and header of the project, which is made when it does not exist."""
        with self._transaction() as connection:
            self._database.lock(connection, 0)  # projects are numbered from 1
            known = select(PROJECT).where(PROJECT.c.name == self._name)
            found = connection.execute(known).one_or_none()
            if found is None:
                header = json.dumps(self._header.to_json())
                connection.execute(insert(PROJECT).values(name=self._name, header=header))
                found = connection.execute(known).one()
        return found.project, Header.from_text(found.header, self.address)

    def _refresh(self) -> None:
        self._check_process()
        with self._translated(), self._database.engine.connect() as connection:
            self._take_new(connection)

    def _take_new(self, connection: Connection) -> None:
        known = len(self._answers.events)
        for record in connection.execute(_NEWS, {"of_project": self._project, "known": known}):
            try:
                event = from_record(record)
                if event.number != len(self._answers.events) + 1:
                    raise ValueError("another number")
            except ValueError as error:
                raise StoreError(
                    f"{self.address} is damaged and was left as it is: event "
                    f"{len(self._answers.events) + 1} of its history has {error}; restore the "
                    "store from a copy."
                ) from error
            self._answers.take(event)

    @contextmanager
    def _writing(self) -> Iterator[_SQLTransaction]:
        with self._transaction() as connection:
            self._database.lock(connection, self._project)
            self._take_new(connection)
            yield _SQLTransaction(connection, self._project, self._database)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        self._check_process()
        self._database.check_place()
        with self._translated(), self._database.begin_write() as connection:
            yield connection
        # Once more: a file that went away in between keeps no promise.
        self._database.check_place()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        if self._closed:
            raise StoreError(f"{self.address} is closed: open it again.")
        try:
            yield
        except DBAPIError as error:
            raise self._database.translate(error) from error
        except UnicodeDecodeError as error:  # in a message about damaged tables
            raise StoreError(
                f"{self.address} is damaged, and was left as it is: restore it from a copy, or "
                "recover what can be read with the tools of the database."
            ) from error

    def _check_process(self) -> None:
        """Refuse to use a connection that a forked process has inherited: both would break."""
        if os.getpid() != self._process:
            raise StoreError(
                f"{self.address} was opened by another process, of which this one is a copy, so "
                "nothing was stored: open the store in the process that uses it."
            )


class _SQLTransaction:
    """Writes to one project within one transaction of the database."""

    def __init__(
        self, connection: Connection, project: int, database: SQLiteFile | PostgresServer
    ) -> None:
        self._connection = connection
        self._project = project
        self._database = database

    def now(self) -> float:
        clock = self._database.clock(self._connection)
        return time.time() if clock is None else clock

    def insert(self, events: Sequence[Event]) -> None:
        records = [to_record(self._project, event) for event in events]
        self._connection.execute(_ADD, records)

    def leases(self, rows: Collection[int] | None = None) -> dict[int, Lease]:
        own = {"of_project": self._project}
        if rows is not None and len(rows) <= _MOST_NAMED:
            named = own | {"rows": [int(row) for row in rows]}
            records = self._connection.execute(_HELD_OF, named)
        else:
            records = self._connection.execute(_HELD, own)
        return {record[0]: Lease(*record) for record in records}

    def put(self, leases: Sequence[Lease], *, replace: bool) -> None:
        row = "row" if replace else "position"
        project = "of_project" if replace else "project"
        values = [
            {project: self._project, row: each.row, "annotator": each.annotator,
             "until": each.until}
            for each in leases
        ]  # fmt: skip
        self._connection.execute(_RENEW if replace else _LEASE, values)

    def drop(self, rows: Sequence[int]) -> None:
        values = [{"of_project": self._project, "row": row} for row in rows]
        self._connection.execute(_DROP, values)
