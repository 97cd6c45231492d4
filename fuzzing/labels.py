"""Damaged files of labels: continued or refused, and what is answered afterwards is kept."""

from __future__ import annotations

import random
import sqlite3
import tempfile
from functools import cache
from pathlib import Path

from fuzzing._bounded import Refused
from fuzzing._damage import damage

IDS = [f"row {i}" for i in range(40)]


def write(seed: str, folder: Path) -> Path:
    """Write one damaged journal."""
    path = folder / "pool.labels.jsonl"
    path.write_bytes(damage(_journal(), random.Random(seed)))
    return path


def judge(path: Path) -> str:
    """Open a journal, answer a question, and look for the answer in the file."""
    from rarebit.exceptions import RarebitError
    from rarebit.labels import LabelStore

    try:
        with LabelStore(path, ids=IDS, source="pool", fingerprint="1f3") as store:
            row = next(row for row in range(len(IDS)) if row not in store.labels)
            store.add(row, "answer")
            before = dict(store.labels)
        with LabelStore(path, ids=IDS, source="pool", fingerprint="1f3") as store:
            if dict(store.labels) != before:
                raise AssertionError("labels differ after the file was opened again")
    except RarebitError as error:
        raise Refused(str(error)) from error
    return f"{len(before)} labels"


def write_database(seed: str, folder: Path) -> Path:
    """Write one damaged database of labels."""
    path = folder / "pool.labels.db"
    path.write_bytes(damage(_database(), random.Random(seed)))
    return path


def judge_database(path: Path) -> str:
    """Open a database and read its labels."""
    from rarebit.exceptions import RarebitError
    from rarebit.projects.stores import open_store

    try:
        with open_store(path, ids=IDS, source="pool", fingerprint="1f3") as store:
            store.append("label", 39, "answer", key="last")
            return f"{len(store.labels())} labels"
    except RarebitError as error:
        raise Refused(str(error)) from error


@cache
def _journal() -> bytes:
    from rarebit.labels import LabelStore

    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = Path(folder, "pool.labels.jsonl")
        with LabelStore(path, ids=IDS, source="pool", fingerprint="1f3") as store:
            for row in range(0, 30, 2):
                store.add(row, "fraud" if row % 6 == 0 else "ok")
            store.undo()
            store.skip(33)
        return path.read_bytes()


@cache
def _database() -> bytes:
    from rarebit.projects.stores import open_store

    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = Path(folder, "pool.labels.db")
        with open_store(path, ids=IDS, source="pool", fingerprint="1f3") as store:
            for row in range(15):
                store.append("label", row, "fraud" if row % 6 == 0 else "ok", key=f"key {row}")
            store.undo()
        # What stands in the write-ahead log belongs to the file.
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
        connection.close()
        return path.read_bytes()
