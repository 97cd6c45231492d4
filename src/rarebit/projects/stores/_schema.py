"""Tables of the SQL stores, their version, and the steps from every earlier version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Double,
    ForeignKey,
    Integer,
    MetaData,
    Row,
    String,
    Table,
    Text,
    UniqueConstraint,
    insert,
    inspect,
    select,
    update,
)

from rarebit.projects.stores._errors import StoreError
from rarebit.projects.stores._event import Audit, Event

VERSION = 2
# "RARE" in the header of an SQLite file: files of other programs are told apart by it.
APPLICATION_ID = 0x52415245

METADATA = MetaData()

# PostgreSQL has no place for a version in the database itself; SQLite has user_version.
SCHEMA = Table("rarebit_schema", METADATA, Column("version", Integer, nullable=False))

PROJECT = Table(
    "rarebit_project",
    METADATA,
    Column("project", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("header", Text, nullable=False),  # JSON
)

# Ids, labels and data are JSON, so that 1, 1.0, true and "1" stay apart.
EVENT = Table(
    "rarebit_event",
    METADATA,
    Column("project", Integer, ForeignKey(PROJECT.c.project), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("what", String(16), nullable=False),
    Column("position", Integer),
    Column("id", Text),
    Column("label", Text),
    Column("annotator", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("order_asked", Integer),
    Column("audit_n", Integer),
    Column("audit_kappa", Double),
    Column("audit_stratum", Text),
    Column("key", Text),
    Column("source", Text, nullable=False),
    Column("settings", Integer, nullable=False),
    Column("note", Text, nullable=False),
    Column("of_number", Integer),
    Column("data", Text),
    Column("asked_by", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("checksum", Text),
    UniqueConstraint("project", "key"),
)

LEASE = Table(
    "rarebit_lease",
    METADATA,
    Column("project", Integer, ForeignKey(PROJECT.c.project), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("annotator", Text, nullable=False),
    Column("until", Double, nullable=False),
)


def to_record(project: int, event: Event) -> dict[str, Any]:
    """Return the columns of an event, its checksum among them."""
    audit = event.audit
    record = {
        "project": project,
        "number": event.number,
        "what": event.what,
        "position": event.row,
        "id": json.dumps(event.id),
        "label": json.dumps(event.label),
        "annotator": event.annotator,
        "reason": event.reason,
        "order_asked": event.order,
        "audit_n": None if audit is None else audit.n,
        "audit_kappa": None if audit is None else audit.kappa,
        "audit_stratum": None if audit is None else audit.stratum,
        "key": event.key,
        "source": event.source,
        "settings": event.settings,
        "note": event.note,
        "of_number": event.of,
        "data": None if event.data is None else json.dumps(event.data),
        "asked_by": event.by,
        "at": event.at,
    }
    record["checksum"] = checksum_of(record)
    return record


def checksum_of(record: Mapping[str, Any]) -> str:
    """Return the checksum of the columns of an event, whatever their order."""
    columns = {name: value for name, value in record.items() if name != "checksum"}
    return _checksum(_SORTED(columns))


_SORTED = json.JSONEncoder(sort_keys=True).encode  # made once: every answer needs it


def _checksum(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


# A start reads the whole history: an encoder is made once, columns are told apart by their place.
_AS_JSON = json.JSONEncoder().encode
_PLACES = [(column.name, i) for i, column in enumerate(EVENT.c) if column.name != "checksum"]
_PLACES.sort()


def from_record(record: Row[Any]) -> Event:
    """Return the event that columns hold; a ValueError where they are not those once stored.

    Parameters
    ----------
    record : Row
        All columns of `EVENT`, in their order.

    Returns
    -------
    Event
        As it was stored.
    """
    values = tuple(record)
    try:
        expected = _checksum(_AS_JSON({name: values[i] for name, i in _PLACES}))
    except TypeError as error:  # such as bytes where there was text
        raise ValueError("columns of another kind") from error
    (
        _, number, what, position, id_, label, annotator, reason, order, audit_n, audit_kappa,
        audit_stratum, key, source, settings, note, of, data, by, at, checksum,
    ) = values  # fmt: skip
    if checksum != expected:
        raise ValueError("another checksum")
    audit = None if audit_n is None else Audit(audit_n, audit_kappa, audit_stratum)
    return Event(
        number, what, position, json.loads(id_), json.loads(label), annotator, reason, order,
        audit, key, source, settings, note, of, None if data is None else json.loads(data), by, at,
    )  # fmt: skip


# --- versions ---------------------------------------------------------------------------


def _create(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        METADATA.create_all(connection, tables=[PROJECT, EVENT, LEASE])
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    else:
        METADATA.create_all(connection)
        connection.execute(insert(SCHEMA).values(version=0))


def _add_checksums(connection: Connection) -> None:
    if "checksum" not in {column["name"] for column in inspect(connection).get_columns(EVENT.name)}:
        connection.exec_driver_sql(f"ALTER TABLE {EVENT.name} ADD COLUMN checksum TEXT")
    for record in connection.execute(select(EVENT)).all():
        stored = (EVENT.c.project == record.project) & (EVENT.c.number == record.number)
        checksum = checksum_of(record._asdict())
        connection.execute(update(EVENT).where(stored).values(checksum=checksum))


# Step i leads from version i to version i + 1; version 0 is an empty database. A step is never
# changed once a release has written its version.
STEPS: Sequence[Callable[[Connection], None]] = (_create, _add_checksums)


def version_of(connection: Connection) -> int:
    """Return the version of the tables in a database, 0 if there are none."""
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if not inspect(connection).has_table(SCHEMA.name):
        return 0
    return connection.execute(select(SCHEMA.c.version)).scalar_one()


def migrate(connection: Connection, place: str) -> None:
    """Bring the tables to the current version, within the transaction of the connection.

    Parameters
    ----------
    connection : Connection
        In a transaction that keeps other writers out.
    place : str
        Address of the store, for the message.
    """
    version = version_of(connection)
    if version > VERSION:
        raise StoreError(
            f"{place} has version {version}, but this rarebit reads versions up to {VERSION}: "
            "use a newer rarebit."
        )
    for step in STEPS[version:]:
        step(connection)
        version += 1
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql(f"PRAGMA user_version = {version}")
        else:
            connection.execute(update(SCHEMA).values(version=version))
