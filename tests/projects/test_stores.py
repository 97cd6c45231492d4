"""Every store passes the kit."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from rarebit.testing import STORE_CHECKS, StoreCase

pytest.importorskip("sqlalchemy")

each_check = pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
Check = Callable[[StoreCase], None]


def in_folder(folder: Path, end: str) -> Callable[[], str]:
    numbers = itertools.count()
    return lambda: str(folder / f"{next(numbers)}.{end}")


@each_check
def test_sqlite_passes_the_kit(check: Check, tmp_path: Path) -> None:
    check(StoreCase(in_folder(tmp_path, "db")))


# Other processes would look at the file system themselves, and find it local.
IN_THIS_PROCESS = [c for c in STORE_CHECKS if c.__name__ not in ("check_processes", "check_kills")]


@pytest.mark.parametrize("check", IN_THIS_PROCESS, ids=lambda check: check.__name__)
def test_sqlite_without_a_write_ahead_log_passes_the_kit(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rarebit.projects.stores._sqlite.is_local", lambda path: False)
    check(StoreCase(in_folder(tmp_path, "db")))


@each_check
def test_journals_pass_the_kit(check: Check, tmp_path: Path) -> None:
    check(StoreCase(in_folder(tmp_path, "jsonl"), several_writers=False))


@each_check
def test_postgres_passes_the_kit(check: Check, new_project: Callable[[], str]) -> None:
    pytest.importorskip("psycopg")
    check(StoreCase(new_project))
