"""Changed bytes of an SQLite store: each is noticed, or changes no answer."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from rarebit.projects.stores import StoreError, open_store

IDS = [f"row {i}" for i in range(40)]


def answers_of(path: Path) -> tuple[Any, ...]:
    """Return everything that labels of the store depend on."""
    with open_store(path, ids=IDS, source="pool.csv", fingerprint="1f3") as store:
        return tuple(event.to_json() for event in store.events()), store.labels(), store.skipped()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("store") / "pool.labels.db"
    with open_store(path, ids=IDS, source="pool.csv", fingerprint="1f3") as store:
        for row in range(30):
            label = "fraud" if row % 6 == 0 else "usual"
            store.append("label", row, label, key=f"key {row}", annotator="ann" if row % 2 else "")
        store.undo()
        store.append("skip", 33)
        store.save_settings({"C": 1.5})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path.read_bytes()


def used(data: bytes) -> list[int]:
    """Return the places of bytes that are not zero; few of the others are looked at."""
    return [place for place, byte in enumerate(data) if byte]


def test_changed_bytes_are_noticed_or_change_no_answer(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "pool.labels.db"
    path.write_bytes(whole)
    wanted = answers_of(path)
    dice = random.Random(0)
    places = used(whole)
    sentences: list[str] = []
    for _ in range(300):
        data = bytearray(whole)
        place = dice.choice(places) if dice.random() < 0.9 else dice.randrange(len(data))
        data[place] ^= dice.choice([1 << dice.randrange(8), dice.randrange(1, 256)])
        for end in ("", "-wal", "-shm"):
            Path(f"{path}{end}").unlink(missing_ok=True)
        path.write_bytes(bytes(data))
        try:
            found = answers_of(path)
        except StoreError as error:
            sentences.append(str(error))
            continue
        assert found == wanted, f"byte {place}"
    assert len(sentences) > 150
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE rarebit_event SET label = '\"usual\"' WHERE number = 7", "event 7 .* checksum"),
        ("UPDATE rarebit_event SET checksum = NULL WHERE number = 3", "event 3 .* checksum"),
        ("UPDATE rarebit_event SET note = x'ff' WHERE number = 2", "event 2 .* another kind"),
        ("DELETE FROM rarebit_event WHERE number = 5", "event 5 .* another number"),
        ("UPDATE rarebit_project SET header = '{\"sourse\": 1}'", "about its data cannot be read"),
        ("UPDATE rarebit_project SET header = '['", "about its data cannot be read"),
    ],
)
def test_changed_answers_are_named(whole: bytes, tmp_path: Path, change: str, says: str) -> None:
    path = tmp_path / "pool.labels.db"
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    with pytest.raises(StoreError, match=says):
        answers_of(path)


def test_damaged_descriptions_of_tables_are_one_sentence(whole: bytes, tmp_path: Path) -> None:
    """SQLite quotes them in its messages, which then are no text."""
    path = tmp_path / "pool.labels.db"
    start = whole.index(b"CREATE TABLE")
    refused = 0
    for place in range(start, whole.rindex(b"CREATE TABLE") + 200, 5):
        for end in ("", "-wal", "-shm"):
            Path(f"{path}{end}").unlink(missing_ok=True)
        path.write_bytes(whole[:place] + b"\xf4" + whole[place + 1 :])
        try:
            with open_store(path, ids=IDS, source="pool.csv", fingerprint="1f3") as store:
                store.append("label", 39, "answer", key="last")
        except StoreError:
            refused += 1
    assert refused > 100
