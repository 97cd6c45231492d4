"""PostgreSQL: how a server is reached, and what its errors mean."""

from __future__ import annotations

import contextlib
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event, text
from sqlalchemy.exc import DBAPIError

from rarebit._extras import how_to_install
from rarebit.projects.stores._errors import StoreError
from rarebit.projects.stores._schema import APPLICATION_ID, migrate

_MEANINGS = {
    "25006": "only accepts reads: use the primary server",
    "28P01": "refuses the password: correct it in the address or in ~/.pgpass",
    "28000": "refuses the user: correct the address, or let the user in by pg_hba.conf",
    "3D000": "does not exist: create it with createdb",
    "42501": "does not let this user make or write tables: grant the rights",
    "53100": "could not be written, because its disk is full: make room, then repeat the answer",
}
# Made once: every transaction needs them.
_LOCK = text("SELECT pg_advisory_xact_lock(:key, :project)")
_CLOCK = text("SELECT extract(epoch FROM clock_timestamp())::float8")


class PostgresServer:
    """One PostgreSQL database with labels, and the connection to it.

    Parameters
    ----------
    url : URL
        Where it is, for the driver psycopg.
    timeout : float
        Seconds to wait for the connection and for other writers.
    """

    def __init__(self, url: URL, timeout: float) -> None:
        self.place = url.set(drivername="postgresql").render_as_string(hide_password=True)
        milliseconds = int(timeout * 1000)
        try:
            self.engine = create_engine(
                url,
                pool_size=1,
                max_overflow=0,
                pool_pre_ping=True,  # a server that was restarted is found again
                connect_args={
                    "connect_timeout": max(1, int(timeout)),
                    "options": f"-c lock_timeout={milliseconds} -c timezone=UTC",
                },
            )
        except ImportError as error:
            raise StoreError(
                f"{self.place} needs the package psycopg, which is not installed: "
                f"{how_to_install('postgres')}."
            ) from error
        event.listen(self.engine, "connect", _keep_commits_durable)
        try:
            with self.begin_write() as connection:
                # Two clients that make the tables at once would both fail.
                self.lock(connection, 0)
                migrate(connection, self.place)
        except DBAPIError as error:
            self.engine.dispose()
            raise self.translate(error) from error
        except BaseException:
            self.engine.dispose()
            raise

    def begin_write(self) -> contextlib.AbstractContextManager[Connection]:
        """Begin a transaction."""
        return self.engine.begin()

    def lock(self, connection: Connection, project: int) -> None:
        """Keep other writers of a project out until the transaction ends.

        Every statement after it sees all that earlier holders have committed, because the
        isolation level is READ COMMITTED.
        """
        connection.execute(_LOCK, {"key": APPLICATION_ID, "project": project})

    def check_place(self) -> None:
        """Do nothing: a server knows where its files are."""

    def clock(self, connection: Connection) -> float | None:
        """Return the time of the server, which all clients share."""
        return float(connection.execute(_CLOCK).scalar_one())

    def translate(self, error: DBAPIError) -> StoreError:
        """Return what an error of the driver means, in one sentence."""
        code = getattr(error.orig, "sqlstate", None) or ""
        if code in _MEANINGS:
            return StoreError(f"{self.place} {_MEANINGS[code]}.")
        if code == "55P03":
            return StoreError(
                f"{self.place} is locked by another client: end that one, or try again."
            )
        said = (str(error.orig).strip().splitlines() or ["no reason given"])[0].rstrip(".")
        return StoreError(
            f"{self.place} cannot be reached or gave up ({said}): check the server, then repeat "
            "the answer with the same idempotency key."
        )


def _keep_commits_durable(connection: Any, record: Any) -> None:
    """Wait for the disk at every commit, even if the server is set not to."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        if cursor.fetchone()[0] == "off":
            cursor.execute("SET synchronous_commit = on")
    connection.commit()
