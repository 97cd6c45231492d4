"""Addresses: which store opens where."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from rarebit.projects.stores import StoreError, is_address, open_store

IDS = ["a", "b"]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_default_is_a_database_in_the_current_folder() -> None:
    with open_store(ids=IDS, source="/somewhere/payments.csv.gz") as store:
        store.append("label", 1, "ok")
        assert store.address == "payments.labels.db"
    assert Path("payments.labels.db").exists()


@pytest.mark.parametrize("address", ["x.db", "x.SQLITE", "sqlite:///x.any", Path("x.sqlite3")])
def test_files_of_sqlite(address: str | Path) -> None:
    open_store(address, ids=IDS).close()
    (made,) = Path().iterdir()
    assert made.read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("x.csv", "must be a file that ends in .db"),
        ("mysql://ann:secret@host/db", "got 'mysql://…': give"),
        ("sqlite:///", "must be kept in a file"),
        ("sqlite:///:memory:", "must be kept in a file"),
        ("postgresql://host:port/db#x", "must be postgresql://USER@HOST:PORT"),
        ("postgresql://127.0.0.1:1/db", "needs a name"),
        ("a\0.db", "without NUL"),
        (None, "needs an address or data with a name"),
    ],
)
def test_other_addresses_are_refused(address: str | None, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        open_store(address, ids=IDS)
    assert "secret" not in str(caught.value)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("package", "address", "extra"),
    [("sqlalchemy", "x.db", "cli"), ("psycopg", "postgresql://127.0.0.1:1/x#x", "postgres")],
)
def test_a_missing_package_is_named(package: str, address: str, extra: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from rarebit.projects.stores import StoreError, open_store\n"
        f"try:\n    open_store({address!r}, ids=['a'])\n"
        "except StoreError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"pip install '.[{extra}]'" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("x.db", True),
        ("x.SQLITE3#march", True),
        ("x.ndjson", True),
        ("postgresql://host/base", True),
        ("payments.csv", False),
        ("db", False),
    ],
)
def test_addresses_are_told_from_other_files(text: str, is_one: bool) -> None:
    assert is_address(text) is is_one


def test_stores_refuse_bad_addresses_with_their_own_error() -> None:
    with pytest.raises(StoreError):
        open_store("x.csv", ids=IDS)
