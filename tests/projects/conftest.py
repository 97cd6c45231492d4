"""A real PostgreSQL, shared by all tests of a run."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rarebit.testing import PrivatePostgres

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a server: the one given, else one that is started for this run."""
    given = os.environ.get("RAREBIT_TEST_POSTGRES")
    if given:
        yield given
        return
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # that of all workers
    note, lock = folder / "postgres-url", folder / "postgres-lock"
    mark = folder / f"postgres-user-{os.getpid()}"
    server: PrivatePostgres | None = None
    try:
        with _locked(lock):
            if not note.exists():
                server = PrivatePostgres()
                server.start()
                note.write_text(server.url)
            mark.touch()
            url = note.read_text()
    except FileNotFoundError as error:
        pytest.skip(f"{error} Or set RAREBIT_TEST_POSTGRES to the address of a server.")
    yield url
    mark.unlink()
    while server is not None:
        # The worker that started the server ends it when no other is left.
        with _locked(lock):
            if not list(folder.glob("postgres-user-*")):
                note.unlink()
                server.remove()
                return
        time.sleep(0.5)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    import fcntl

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
def new_project(postgres_url: str) -> Callable[[], str]:
    """Return addresses of projects that do not exist yet."""
    run = uuid.uuid4().hex
    return lambda: f"{postgres_url}#kit-{run}-{next(_NUMBERS)}"
