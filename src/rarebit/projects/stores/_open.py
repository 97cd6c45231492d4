"""Addresses of stores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from numpy.typing import NDArray

from rarebit._extras import how_to_install
from rarebit.projects.stores._errors import StoreError
from rarebit.projects.stores._event import check_text
from rarebit.projects.stores._header import Header

if TYPE_CHECKING:
    from rarebit.projects.stores._protocol import Store

_SQLITE_ENDS = (".db", ".sqlite", ".sqlite3")
_JOURNAL_ENDS = (".jsonl", ".ndjson")
FILE_ENDS = (*_SQLITE_ENDS, *_JOURNAL_ENDS)
_ALLOWED = (
    "a file that ends in .db, .sqlite or .jsonl, sqlite:///FILE, or "
    "postgresql://USER@HOST/DATABASE#PROJECT"
)


def open_store(
    address: str | PurePath | None = None,
    *,
    ids: Sequence[Any] | NDArray[Any],
    source: str = "",
    fingerprint: str = "",
    timeout: float = 30.0,
) -> Store:
    """Open the store of labels at an address, or make it.

    Parameters
    ----------
    address : str or Path, optional
        ``NAME.db``, ``NAME.sqlite`` or ``sqlite:///NAME`` (SQLite), ``NAME.jsonl`` (a journal that
        people can read), or ``postgresql://USER@HOST/DATABASE`` (for teams). A name after ``#``
        tells projects in one database apart; in PostgreSQL the default is the name of the data.
        Default: ``NAME.labels.db`` in the current folder, with the name of the data, unless there
        is a ``NAME.labels.jsonl``, which is then continued.
    ids : sequence
        Id of each row of the data, in its order.
    source : str
        Name of the data, such as the path of their file.
    fingerprint : str
        Checksum of the data. A store of other data is refused.
    timeout : float
        Seconds to wait while another process writes.

    Returns
    -------
    Store
        Open; close it, or use it in a ``with`` statement.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from rarebit.projects.stores import open_store
    >>> folder = tempfile.TemporaryDirectory()
    >>> place = pathlib.Path(folder.name) / "payments.labels.db"
    >>> with open_store(place, ids=["a", "b", "c"], source="payments.csv") as store:
    ...     _ = store.append("label", 2, "fraud", annotator="ann", key="k-1")
    ...     _ = store.append("label", 2, "ok", annotator="bob", key="k-2")
    ...     _ = store.append("label", 2, "fraud", annotator="ann", key="k-1")  # repeated
    ...     store.labels(), store.disagreements()
    ({2: 'fraud'}, {2: {'ann': 'fraud', 'bob': 'ok'}})
    >>> folder.cleanup()
    """
    header = Header.of(ids, source, fingerprint)
    text = default_address(source) if address is None else str(address)
    check_text(text, "The address of a store")
    if is_journal(text):
        from rarebit.projects.stores._journal import JournalStore

        return JournalStore(Path(text), ids, header)
    database, project = open_database(text, source, timeout)
    sql, _ = _sql_modules()
    store: Store = sql.SQLStore(database, project, ids, header)
    return store


def is_journal(text: str) -> bool:
    """Whether an address is that of a file of JSON lines."""
    return "://" not in text and text.lower().endswith(_JOURNAL_ENDS)


def sqlite_file(text: str) -> tuple[Path, str] | None:
    """Return the file of an SQLite address and the project in it, None for other addresses."""
    scheme = text.split("://", 1)[0].lower() if "://" in text else ""
    if scheme == "sqlite":
        text = text.split("://", 1)[1].removeprefix("/")
    elif scheme or not text.partition("#")[0].lower().endswith(_SQLITE_ENDS):
        return None
    file, _, project = text.partition("#")
    if not file or file == ":memory:":
        raise StoreError(
            f"Labels must be kept in a file, got the address {text!r}: give the name of one."
        )
    return Path(file), unquote(project)


def file_of(text: str) -> tuple[Path, str] | None:
    """Return the file of an address and the project in it, None for a database on a server."""
    return (Path(text), "") if is_journal(text) else sqlite_file(text)


def is_address(text: str) -> bool:
    """Whether a text is the address of a store and not the name of another file.

    Parameters
    ----------
    text : str
        An address, or the name of a file.

    Returns
    -------
    bool
        Whether it begins like an address or ends like a file of labels.

    Examples
    --------
    >>> from rarebit.projects.stores import is_address
    >>> is_address("payments.labels.db#march"), is_address("payments.csv")
    (True, False)
    """
    return "://" in text or text.partition("#")[0].lower().endswith(FILE_ENDS)


def open_database(text: str, source: str = "", timeout: float = 30.0) -> tuple[Any, str]:
    """Open the database of an address, and return it with the name of the project in it."""
    scheme = text.split("://", 1)[0].lower() if "://" in text else ""
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return _open_postgres(text, source, timeout)
    place = sqlite_file(text)
    if place is not None:
        sql, sqlite = _sql_modules()
        return sqlite.SQLiteFile(place[0], timeout), place[1] or sql.DEFAULT_PROJECT
    given = f"{scheme}://…" if scheme else text  # an address may hold a password
    raise StoreError(
        f"The address of a store must be {_ALLOWED}, got {given!r}: give one of these."
    )


def name_of(source: str) -> str:
    """Return the name of data for files beside them: that of their file, without its endings."""
    file = PurePath(source).name
    return file.split(".")[0] or file


def address_name(address: str, source: str) -> str:
    """Return what files made from the labels at an address are called, without an ending.

    Parameters
    ----------
    address : str
        Of a store.
    source : str
        Name of the data.

    Returns
    -------
    str
        The name of the file of labels, and of the project in it; the name of the data where the
        labels are in a database on a server under the data's own name.

    Examples
    --------
    >>> from rarebit.projects.stores import address_name
    >>> address_name("second.labels.db", "payments.csv")
    'second'
    >>> address_name("postgresql://ann@server/claims#march", "payments.csv")
    'march'
    """
    place, _, project = address.partition("#")
    project = unquote(project)
    if "://" in place and not place.lower().startswith("sqlite:"):
        name = project or name_of(source)
    else:
        file = PurePath(place).name
        ending = next((e for e in FILE_ENDS if file.lower().endswith(e)), "")
        file = file[: len(file) - len(ending)].removesuffix(".labels")
        name = "-".join(filter(None, (file, project)))
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or name_of(source)


def default_address(source: str) -> str:
    """Return where the labels of data are kept when no address is given."""
    name = name_of(source)
    if not name:
        raise StoreError(
            "A store needs an address or data with a name, got neither: give the address, "
            f"{_ALLOWED}."
        )
    journal = Path(f"{name}.labels.jsonl")
    return str(journal if journal.exists() else Path(f"{name}.labels.db"))


def _open_postgres(text: str, source: str, timeout: float) -> tuple[Any, str]:
    _sql_modules()
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    from rarebit.projects.stores._postgres import PostgresServer

    place, _, project = text.partition("#")
    try:
        url = make_url(place).set(drivername="postgresql+psycopg")
        urlsplit(place).port  # noqa: B018  raises where the port is not a number
    except (ArgumentError, ValueError) as error:
        raise StoreError(
            "The address of a PostgreSQL store must be postgresql://USER@HOST:PORT/DATABASE"
            "#PROJECT, got another form."
        ) from error
    query = dict(url.query)
    asked = query.pop("project", "")
    name = unquote(project) or (asked if isinstance(asked, str) else asked[-1])
    name = name or name_of(source)
    if not name:
        raise StoreError(
            "A project in PostgreSQL needs a name, got none: add #PROJECT to the address."
        )
    return PostgresServer(url.set(query=query), timeout), name


def _sql_modules() -> tuple[Any, Any]:
    try:
        from rarebit.projects.stores import _sql, _sqlite
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("sqlalchemy"):
            raise
        raise StoreError(
            "Labels in a database need the package SQLAlchemy, which is not installed: "
            f"{how_to_install('cli')}, or give a file that ends in .jsonl."
        ) from error
    return _sql, _sqlite
