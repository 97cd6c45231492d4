"""A private PostgreSQL server for tests, from the binaries of the system."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self


class PrivatePostgres:
    """A PostgreSQL server in a temporary folder, reached by a socket in that folder.

    Parameters
    ----------
    folder : str or Path, optional
        Where to put it; a new temporary folder by default.

    Attributes
    ----------
    url : str
        Address of its database.

    Raises
    ------
    FileNotFoundError
        Where PostgreSQL is not installed.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self._bin = binaries()
        self.folder = Path(folder or tempfile.mkdtemp(prefix="rarebit-pg-"))
        # The server refuses to run as root: Debian's user for it takes over.
        self._user = "postgres" if os.name == "posix" and os.geteuid() == 0 else None
        if self._user:
            shutil.chown(self.folder, self._user)
        self.url = f"postgresql://postgres@/postgres?host={self.folder}"
        self._run("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync")

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}'"
        log = str(self.folder / "log")
        self._run("pg_ctl", "start", "--wait", "--timeout=120", "--log", log, "--options", options)

    def stop(self, mode: str = "fast") -> None:
        """Stop the server.

        Parameters
        ----------
        mode : {"fast", "immediate"}
            Whether it ends transactions in order, or drops everything as in a crash.
        """
        self._run("pg_ctl", "stop", "--wait", "--mode", mode)

    def remove(self) -> None:
        """Stop the server and remove its folder."""
        if (self.folder / "data" / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self.folder)

    def _run(self, command: str, *arguments: str) -> None:
        subprocess.run(
            [self._bin / command, "--pgdata", self.folder / "data", *arguments],
            check=True,
            user=self._user,
            cwd=self.folder,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()


def binaries() -> Path:
    """Return the folder with initdb and pg_ctl, of the newest version installed."""
    found = shutil.which("initdb")
    if found and shutil.which("pg_ctl", path=str(Path(found).parent)):
        return Path(found).parent
    versions = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: float(path.parts[-3]) if path.parts[-3].isdigit() else 0.0,
    )
    if not versions:
        raise FileNotFoundError("PostgreSQL is not installed: apt-get install postgresql has it.")
    return versions[-1].parent
