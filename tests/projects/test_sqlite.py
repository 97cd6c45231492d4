"""SQLite files: what is made, what is refused, and what happens when the disk fails."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from rarebit.projects.stores import Store, StoreError, open_store
from rarebit.projects.stores._filesystem import is_local

IDS = ["a", "b", "c"]

# The tables of version 1, as the first release writes them, with three events.
VERSION_1 = """
CREATE TABLE rarebit_project (project INTEGER NOT NULL, name TEXT NOT NULL, header TEXT NOT NULL,
  PRIMARY KEY (project), UNIQUE (name));
CREATE TABLE rarebit_event (project INTEGER NOT NULL, number INTEGER NOT NULL,
  what VARCHAR(16) NOT NULL, position INTEGER, id TEXT, label TEXT, annotator TEXT NOT NULL,
  reason TEXT NOT NULL, order_asked INTEGER, audit_n INTEGER, audit_kappa DOUBLE,
  audit_stratum TEXT, "key" TEXT, source TEXT NOT NULL, settings INTEGER NOT NULL,
  note TEXT NOT NULL, of_number INTEGER, data TEXT, asked_by TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (project, number), UNIQUE (project, "key"),
  FOREIGN KEY(project) REFERENCES rarebit_project (project));
CREATE TABLE rarebit_lease (project INTEGER NOT NULL, position INTEGER NOT NULL,
  annotator TEXT NOT NULL, until DOUBLE NOT NULL, PRIMARY KEY (project, position),
  FOREIGN KEY(project) REFERENCES rarebit_project (project));
INSERT INTO rarebit_project VALUES (1, 'labels', '{"source": "x.csv", "fingerprint": "1f3",
  "n_rows": 3, "digest": "d33b202c020cbde1c4a7bb26d0b02e66645407dcef42c63543cff899b8f979c8"}');
INSERT INTO rarebit_event VALUES (1, 1, 'label', 2, '"c"', '"fraud"', 'ann', 'audit', 1, 3, 0.9,
  '', 'k1', 'person', 0, '', NULL, NULL, '', '2026-01-01T00:00:00.000+00:00');
INSERT INTO rarebit_event VALUES (1, 2, 'label', 0, '"a"', '1', 'bob', '', NULL, NULL, NULL,
  NULL, NULL, 'person', 0, '', NULL, NULL, '', '2026-01-01T00:00:01.000+00:00');
INSERT INTO rarebit_event VALUES (1, 3, 'undo', 0, '"a"', 'null', 'bob', '', NULL, NULL, NULL,
  NULL, NULL, 'person', 0, '', 2, NULL, '', '2026-01-01T00:00:02.000+00:00');
PRAGMA application_id = 1380012613;
PRAGMA user_version = 1;
"""
# What version 2 adds.
VERSION_2 = "ALTER TABLE rarebit_event ADD COLUMN checksum TEXT;"


def opened(path: Path, timeout: float = 30.0) -> Store:
    return open_store(path, ids=IDS, source="x.csv", fingerprint="1f3", timeout=timeout)


def content(path: Path) -> bytes:
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.labels.db"


@pytest.fixture
def filled(path: Path) -> Path:
    with opened(path) as store:
        for number in range(200):
            store.append("label", number % 3, "ok", key=str(number), note="x" * 200)
    return path


def test_a_file_of_the_first_version_is_continued(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1)
    with opened(path) as store:
        assert store.labels() == {2: "fraud"}
        assert store.append("label", 1, "ok").number == 4
    with closing(sqlite3.connect(path)) as connection:
        sums = connection.execute("SELECT DISTINCT length(checksum) FROM rarebit_event").fetchall()
        assert sums == [(16,)]
    with opened(path) as store:
        assert store.labels() == {2: "fraud", 1: "ok"}


def test_new_files_have_the_tables_of_the_last_version_tested_here(
    path: Path, tmp_path: Path
) -> None:
    """A change of the tables needs a new version, a step to it, and a test from the old one."""
    opened(path).close()
    old = tmp_path / "old.db"
    with closing(sqlite3.connect(old)) as connection:
        connection.executescript(VERSION_1 + VERSION_2)
    assert tables(path) == tables(old)


def tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: connection.execute(f"SELECT * FROM pragma_table_info('{name}')").fetchall()
            for (name,) in names
        }


def test_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    opened(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")
    before = tables(path)
    with pytest.raises(StoreError, match=r"has version 3, but .* up to 2: use a newer rarebit\.$"):
        opened(path)
    assert tables(path) == before


def test_files_are_for_their_owner_only(path: Path) -> None:
    with opened(path) as store:
        store.append("label", 0, "ok")
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_nothing_is_left_beside_the_file(filled: Path) -> None:
    assert [file.name for file in filled.parent.iterdir()] == [filled.name]


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with opened(path) as store:
        store.append("label", 0, "ok")
    with opened(path) as store:
        assert store.labels() == {0: "ok"}


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_databases_of_other_programs_are_left_as_they_are(path: Path, mode: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    before = content(path)
    with pytest.raises(StoreError, match="is not a store of labels, and was left as it is"):
        opened(path)
    assert content(path) == before
    assert len(list(path.parent.iterdir())) == 1


@pytest.mark.parametrize("start", [b"id,label\n1,ok\n", b"SQLite format 3\0", b"\0" * 5000])
def test_other_files_are_left_as_they_are(path: Path, start: bytes) -> None:
    path.write_bytes(start)
    with pytest.raises(StoreError, match="is not a store of labels"):
        opened(path)
    assert content(path) == start


def test_a_folder_is_refused(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreError, match="is not a store of labels"):
        opened(path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be made"):
        opened(tmp_path / "missing" / "x.db")


def test_other_data_are_refused_in_one_sentence(filled: Path) -> None:
    given = {"ids": IDS, "source": "y.csv", "fingerprint": "1f3"}
    for changed, says in (
        ({"ids": ["a", "b"]}, "have 2 rows"),
        ({"ids": ["a", "b", "d"]}, "have other row ids"),
        ({"fingerprint": "2"}, "have other content"),
    ):
        with pytest.raises(StoreError, match=f"labels of x.csv .3 rows., but .* y.csv, {says}"):
            open_store(filled, **(given | changed))  # type: ignore[arg-type]


def test_damage_is_reported_and_nothing_changed(filled: Path) -> None:
    whole = content(filled)
    broken = bytearray(whole)
    broken[4096 * 3 : 4096 * 5] = b"\xa5" * 8192
    filled.write_bytes(bytes(broken))
    with pytest.raises(StoreError, match="is damaged, and was left as it is"):
        opened(filled)
    filled.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match="is damaged, and was left as it is"):
        opened(filled)
    filled.write_bytes(whole)
    opened(filled).close()


def test_a_locked_file_is_reported(filled: Path) -> None:
    with opened(filled, timeout=0.05) as store, closing(sqlite3.connect(filled)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="is locked by another process"):
            store.append("label", 0, "fraud", key="late")
        assert len(store.events()) == 200  # reads do not wait
        other.rollback()
        assert store.append("label", 0, "fraud", key="late").number == 201


def write_notes(store: Store, n_notes: int) -> None:
    for number in range(n_notes):
        store.append("note", 0, note="y" * 2000, key=f"n{number}")


def test_a_full_disk_is_reported_and_costs_only_the_answer_under_way(filled: Path) -> None:
    with opened(filled) as store:
        engine = store._database.engine  # type: ignore[attr-defined]
        with engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="the disk is full: make room"):
            write_notes(store, 1000)
        events = store.events()
        with engine.connect() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 1000}")
        assert store.append("label", 0, "ok").number == len(events) + 1
    with opened(filled) as store:
        assert store.events()[:-1] == events


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize(
    ("of_file", "of_folder"), [(0o444, 0o555), (0o000, 0o555), (0o644, 0o000), (None, 0o555)]
)
def test_a_place_that_cannot_be_written_is_reported(of_file: int | None, of_folder: int) -> None:
    code = (
        "import os, sys\n"
        "from rarebit.projects.stores import StoreError, open_store\n"
        "data = {'ids': ['a', 'b', 'c'], 'source': 'x.csv', 'fingerprint': '1f3'}\n"
        "open_store(sys.argv[1], **data).close()\n"
        "if os.geteuid() == 0:\n"  # who may write everywhere
        "    os.setuid(65534)\n"
        "try:\n"
        "    open_store(sys.argv[2], **data).append('label', 0, 'ok')\n"
        "except StoreError as error:\n"
        "    print(error)\n"
    )
    # Not below the folder of pytest, which is closed to others.
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        folder = Path(base) / "closed"
        folder.mkdir()
        path = folder / "x.labels.db"
        if of_file is not None:
            opened(path).close()
            path.chmod(of_file)
        folder.chmod(of_folder)
        done = subprocess.run(
            [sys.executable, "-c", code, Path(base) / "own.db", path],
            capture_output=True,
            text=True,
        )
        folder.chmod(0o755)
    assert re.search("change its permissions|can be written", done.stdout), done.stderr
    assert done.stdout.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps open files in their place")
@pytest.mark.parametrize("what", ["removed", "replaced"])
def test_no_answer_is_acknowledged_in_a_file_that_is_gone(filled: Path, what: str) -> None:
    with opened(filled) as store:
        if what == "replaced":
            shutil.copy(filled, filled.with_suffix(".copy"))
            filled.with_suffix(".copy").replace(filled)
        else:
            filled.unlink()
        with pytest.raises(StoreError, match="moved, replaced or removed"):
            store.append("label", 0, "fraud")


@pytest.mark.skipif(os.name != "posix", reason="Windows does not cut off a file that is open")
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_no_answer_is_acknowledged_in_a_file_that_was_cut_off(filled: Path, share: float) -> None:
    with opened(filled) as store:
        store.append("label", 0, "ok")
        os.truncate(filled, int(share * filled.stat().st_size))
        for _ in range(2):
            with pytest.raises(StoreError, match="cut off by another program"):
                store.append("label", 0, "fraud")


def test_several_projects_share_a_file(path: Path) -> None:
    with (
        opened(path) as one,
        open_store(f"sqlite:///{path}#second", ids=[1, 2], source="y") as two,
    ):
        one.append("label", 2, "ok", key="k")
        two.append("label", 1, "no", key="k")
        assert one.labels() == {2: "ok"}
        assert two.labels() == {1: "no"}
        one.lease([1], "ann", seconds=60)
        assert two.leases() == []
        assert two.address.endswith("#second")


def test_two_that_make_a_file_at_once_share_it(path: Path) -> None:
    stores: list[Store] = []
    threads = [threading.Thread(target=lambda: stores.append(opened(path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for row, store in enumerate(stores[:3]):
        store.append("label", row, "ok")
    assert [len(store.labels()) for store in stores] == [3] * 4
    for store in stores:
        store.close()


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
def test_logs_of_a_file_that_another_has_just_made_stay(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else makes the store after this one has seen that there is none."""
    seen, made = threading.Event(), threading.Event()
    exists, first = os.path.lexists, threading.get_ident()

    def lexists(place: Any) -> bool:
        found = exists(place)
        if threading.get_ident() != first and not found and not made.is_set():
            seen.set()
            made.wait(30)
        return found

    monkeypatch.setattr("rarebit.projects.stores._sqlite.os.path.lexists", lexists)
    stores: list[Store] = []
    late = threading.Thread(target=lambda: stores.append(opened(path)))
    late.start()
    assert seen.wait(30)
    with opened(path) as store:
        store.append("label", 0, "ok")
        made.set()
        late.join()
        store.append("label", 1, "ok")
        assert stores[0].labels() == {0: "ok", 1: "ok"}
        assert not list(path.parent.glob("*.removed-*"))
        stores[0].close()
    with opened(path) as store:
        assert store.labels() == {0: "ok", 1: "ok"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_copy_of_the_process_is_refused_and_harms_nothing(path: Path) -> None:
    with opened(path) as store:
        store.append("label", 0, "ok")
        child = os.fork()
        if not child:
            outcome = 1
            try:
                store.append("label", 1, "ok")
            except StoreError:
                outcome = 0
            store.close()
            os._exit(outcome)
        store.append("label", 2, "ok")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        store.append("label", 1, "no")
        assert store.labels() == {0: "ok", 2: "ok", 1: "no"}


def test_commits_wait_for_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for local, mode, level in ((True, "wal", 2), (False, "delete", 3)):
        monkeypatch.setattr("rarebit.projects.stores._sqlite.is_local", lambda path, x=local: x)
        with opened(path) as store:
            engine = store._database.engine  # type: ignore[attr-defined]
            with engine.connect() as connection:
                assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == mode
                assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == level
                assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar_one() == 1
                assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one() == 30_000


def test_network_file_systems_are_told_apart(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/sda / ext4 rw 0 0\nserver:/x /srv/net nfs4 rw 0 0\n"
        "sshfs /srv/my\\040disk fuse.sshfs rw 0 0\n/dev/sdb /srv/net/local xfs rw 0 0\n"
    )
    assert is_local(Path("/srv/x.db"), mounts)
    assert not is_local(Path("/srv/net/x.db"), mounts)
    assert not is_local(Path("/srv/my disk/x.db"), mounts)
    assert is_local(Path("/srv/net/local/x.db"), mounts)
    assert is_local(Path("/srv/network/x.db"), mounts)
    assert not is_local(Path("/srv/x.db"), tmp_path / "missing")
