"""SQLite: how a file is made, opened and guarded, and what its errors mean."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from rarebit._whole_files import sync_folder
from rarebit.projects.stores._errors import StoreError, StoreFullError
from rarebit.projects.stores._filesystem import is_local
from rarebit.projects.stores._schema import APPLICATION_ID as _OURS
from rarebit.projects.stores._schema import migrate


class SQLiteFile:
    """One SQLite file with labels, and the only connection to it.

    Parameters
    ----------
    path : Path
        The file; it is made when it does not exist.
    timeout : float
        Seconds to wait while another process writes.
    """

    def __init__(self, path: Path, timeout: float) -> None:
        self.place = str(path)
        self._path = path
        self._timeout = timeout
        self._wal = is_local(path)
        if not os.path.lexists(path):
            # Of two processes that begin at once, the second must not take the logs of the file
            # that the first has made by now for those of a file that was removed.
            with _locked_folder(path.parent):
                if not os.path.lexists(path):
                    _set_logs_aside(path)
                    self._make()
        self._refuse_foreign()
        self.engine = self._engine(path)
        self._writes = self.engine.execution_options(rarebit_write=True)  # on the same connection
        try:
            with self.engine.connect() as connection:
                found = self._find()
                self._inode = None if found is None else found[:2]
                self._size = 0 if found is None else found[2]
                # Not quick_check, which does not compare indexes: an answer could be missing.
                damage = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
                if damage != "ok":
                    raise self._damaged()
            with self.begin_write() as connection:
                migrate(connection, self.place)
        except DBAPIError as error:
            self.engine.dispose()
            raise self.translate(error) from error
        except UnicodeDecodeError as error:  # in a message of SQLite about damaged tables
            self.engine.dispose()
            raise self._damaged() from error
        except BaseException:
            self.engine.dispose()
            raise

    def begin_write(self) -> contextlib.AbstractContextManager[Connection]:
        """Begin a transaction that keeps other writers out from its start."""
        return self._writes.begin()

    def lock(self, connection: Connection, project: int) -> None:
        """Keep other writers of a project out; BEGIN IMMEDIATE has done so."""

    def check_place(self) -> None:
        """Refuse to acknowledge answers in a file that nobody will find again."""
        found = self._find()
        if found is None or found[:2] != self._inode:
            raise StoreError(
                f"{self.place} was moved, replaced or removed while it was in use, so that answers "
                "would be lost: put it back, then open it again."
            )
        # With a write-ahead log the file only grows: shorter, somebody has cut it off.
        if self._wal and found[2] < self._size:
            raise StoreError(
                f"{self.place} was cut off by another program while it was in use, so that answers "
                "would be lost: restore it from a copy, then open it again."
            )
        self._size = found[2]

    def clock(self, connection: Connection) -> float | None:
        """Return None: processes that share a file share the clock of their machine."""
        return None

    def translate(self, error: DBAPIError) -> StoreError:
        """Return what an error of the driver means, in one sentence."""
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
        say: dict[int, str] = {
            sqlite3.SQLITE_BUSY: "is locked by another process: end that one, or try again",
            sqlite3.SQLITE_LOCKED: "is locked by another process: end that one, or try again",
            sqlite3.SQLITE_READONLY: "cannot be written: change its permissions or those of its "
            "folder, or give another store",
            sqlite3.SQLITE_FULL: "could not be written, because the disk is full: make room, then "
            "repeat the answer",
            sqlite3.SQLITE_IOERR: "could not be read or written, because the disk reports an "
            "error: check it, then repeat the answer",
            sqlite3.SQLITE_CANTOPEN: "cannot be opened: check that its folder exists and can be "
            "written",
        }
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return self._damaged()
        default = f"failed ({error.orig}): open it again, or restore it from a copy"
        kind = StoreFullError if code == sqlite3.SQLITE_FULL else StoreError
        return kind(f"{self.place} {say.get(code, default)}.")

    # --- the file -----------------------------------------------------------------------

    def _damaged(self) -> StoreError:
        return StoreError(
            f"{self.place} is damaged, and was left as it is: restore it from a copy, or recover "
            "what can be read with the command sqlite3 FILE .recover."
        )

    def _unreadable(self, why: str) -> StoreError:
        return StoreError(
            f"{self.place} cannot be read ({why}): change its permissions, or give another store."
        )

    def _find(self) -> tuple[int, int, int] | None:
        try:
            found = os.stat(self._path)
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino, found.st_size

    def _make(self) -> None:
        """Make the file whole under another name first: no half-made store is ever seen."""
        try:
            handle, name = tempfile.mkstemp(
                dir=self._path.parent, prefix=f".{self._path.name}.", suffix=".new"
            )  # mode 0600
        except OSError as error:
            raise StoreError(
                f"{self.place} cannot be made ({error.strerror}): give a folder that exists and "
                "can be written."
            ) from error
        os.close(handle)
        new = Path(name)
        try:
            engine = self._engine(new)
            try:
                with engine.execution_options(rarebit_write=True).begin() as connection:
                    migrate(connection, self.place)
            except DBAPIError as error:
                raise self.translate(error) from error
            finally:
                engine.dispose()
            # A second process may have been faster: then its file is the one.
            with contextlib.suppress(FileExistsError):
                try:
                    os.link(new, self._path)
                except FileExistsError:
                    raise
                except OSError:  # a file system without hard links
                    if not self._path.exists():
                        new.rename(self._path)
            sync_folder(self._path.parent)
        finally:
            for end in ("", "-wal", "-shm", "-journal"):
                Path(f"{new}{end}").unlink(missing_ok=True)

    def _refuse_foreign(self) -> None:
        """Leave files of other programs as they are."""
        try:
            found = os.stat(self._path)
        except OSError as error:
            raise self._unreadable(str(error.strerror)) from error
        if stat.S_ISREG(found.st_mode) and (not found.st_size or self._application() == _OURS):
            return  # an empty file becomes a store
        raise StoreError(
            f"{self.place} is not a store of labels, and was left as it is: give a file that does "
            "not exist yet, or one that rarebit wrote."
        )

    def _application(self) -> int:
        """Return the application id in the file, 0 for files that SQLite cannot read.

        As immutable the file is neither locked nor recovered. It is not opened without SQLite: in
        POSIX, closing it would end all locks that this process has on it.
        """
        place = f"{self._path.absolute().as_uri()}?mode=ro&immutable=1"
        try:
            with contextlib.closing(sqlite3.connect(place, uri=True)) as connection:
                return int(connection.execute("PRAGMA application_id").fetchone()[0])
        except sqlite3.DatabaseError as error:
            code = error.sqlite_errorcode & 0xFF
            if code == sqlite3.SQLITE_CORRUPT:  # such as a file that was cut off
                raise self._damaged() from error
            if code != sqlite3.SQLITE_NOTADB:
                raise self._unreadable(str(error)) from error
            return 0

    def _engine(self, path: Path) -> Engine:
        # One connection under the lock of the store; SQLAlchemy must not begin by itself, because
        # a deferred transaction that turns into a write can fail where BEGIN IMMEDIATE waits.
        engine = create_engine(
            "sqlite://",
            poolclass=StaticPool,
            creator=_connector(path, self._timeout, wal=self._wal),
        )
        event.listen(engine, "begin", _begin)
        return engine


def _connector(path: Path, timeout: float, *, wal: bool) -> Callable[[], sqlite3.Connection]:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            path, timeout=timeout, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA foreign_keys = ON")
        # In a rollback journal EXTRA also syncs the folder, without which a power cut can bring
        # back the journal of a transaction that was acknowledged.
        mode, synchronous = ("WAL", "FULL") if wal else ("DELETE", "EXTRA")
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        return connection

    return connect


def _begin(connection: Any) -> None:
    write = connection.get_execution_options().get("rarebit_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@contextlib.contextmanager
def _locked_folder(folder: Path) -> Iterator[None]:
    """Keep other processes from making a store in a folder; where it cannot be locked, do not."""
    if sys.platform == "win32":  # folders cannot be opened there
        yield
        return
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # making the file says what is wrong with it
        yield
        return
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _set_logs_aside(path: Path) -> None:
    """Rename logs of a file that was removed: SQLite would write them into the new one."""
    for ending in ("-wal", "-shm"):
        log, number = path.with_name(path.name + ending), 1
        if not os.path.exists(log):  # a folder that cannot be read has none
            continue
        while (kept := path.with_name(f"{path.name}.removed-{number}{ending}")).exists():
            number += 1
        log.rename(kept)
