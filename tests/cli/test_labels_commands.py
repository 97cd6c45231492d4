"""``rarebit labels check`` and ``rarebit labels recover``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rarebit import Project
from rarebit.cli import ExitCode
from rarebit.projects.stores import LabelFile, open_store

from .conftest import Command

IDS = [f"row-{row}" for row in range(10)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pool.labels.jsonl"
    with LabelFile(path, ids=IDS, source="pool.csv", fingerprint="f") as store:
        for row in range(5):
            store.add(row, f"class-{row}")
    return path


def damage(file: Path) -> bytes:
    """Change a label, and a byte of another line into what would clear the screen."""
    lines = file.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"class-1", b"class-7")
    lines[4] = lines[4].replace(b"class-3", b"\x1b[2J\xff\x07")
    file.write_bytes(b"".join(lines))
    return file.read_bytes()


def test_a_good_file(command: Command, file: Path) -> None:
    before = file.read_bytes()
    told = command("labels", "check", file)
    assert told.code == ExitCode.OK
    assert "5 answers for pool.csv, version 2." in told.out
    assert "No line is damaged." in told.out
    result = command("labels", "check", file, "--json").json
    assert (result["good"], result["answers"], result["bad"]) == (True, 5, [])
    assert command("labels", "recover", file).code == ExitCode.OK
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert file.read_bytes() == before


def test_questions_are_no_answers(command: Command, tmp_path: Path) -> None:
    (tmp_path / "pool.csv").write_text("x\n" + "\n".join(map(str, range(30))))
    path = tmp_path / "pool.labels.jsonl"
    with Project.open(tmp_path / "pool.csv", store=path) as project:
        for _ in range(3):
            question = project.question()
            assert question is not None
            project.answer(question.row, "ok")
        project.undo()
    told = command("labels", "check", path).out
    assert "3 answers and" in told
    assert "other lines (questions, undos, settings) for pool.csv" in told
    result = command("labels", "check", path, "--json").json
    assert result["answers"] == 3
    n_lines = len(path.read_bytes().splitlines())
    assert result["other_lines"] == n_lines - 1 - 3
    path.write_bytes(path.read_bytes() + b"nonsense\n")
    assert "3 answers saved in" in command("labels", "recover", path).out


def test_a_damaged_file_is_told_and_left_alone(command: Command, file: Path) -> None:
    damaged = damage(file)
    told = command("labels", "check", file)
    assert told.code == ExitCode.INPUT
    assert 'Line 3: its checksum does not match: {"what": "label"' in told.out
    assert "class-7" in told.out
    assert "\x1b" not in told.out
    assert "\\x1b[2J\\xff\\x07" in told.out
    assert "2 bad lines: rarebit labels recover saves all other answers." in told.out
    outcome = command("labels", "check", file, "--json")
    assert outcome.code == ExitCode.INPUT
    assert not outcome.json["good"]
    assert [line["line"] for line in outcome.json["bad"]] == [3, 5]
    assert file.read_bytes() == damaged


def test_recovered_in_its_place(command: Command, file: Path) -> None:
    damaged = damage(file)
    outcome = command("labels", "recover", file)
    assert outcome.code == ExitCode.OK
    assert "Line 5: its checksum does not match" in outcome.out
    assert "3 answers saved in" in outcome.out
    assert file.with_name("pool.labels.jsonl.damaged").read_bytes() == damaged
    assert command("labels", "check", file).code == ExitCode.OK
    with LabelFile(file, ids=IDS, fingerprint="f") as store:
        assert store.labels == {0: "class-0", 2: "class-2", 4: "class-4"}


def test_recovered_into_another_file(command: Command, file: Path) -> None:
    damaged = damage(file)
    out = file.with_name("saved.jsonl")
    result = command("labels", "recover", file, "--out", out, "--json").json
    assert (result["saved"], result["file"], result["damaged_file"]) == (3, str(out), str(file))
    assert file.read_bytes() == damaged
    outcome = command("labels", "recover", file, "--out", out)
    assert outcome.code == ExitCode.INPUT
    assert "exists already" in outcome.error


def test_a_session_over_a_damaged_file_names_the_command(command: Command, good: Path) -> None:
    labels = good.with_name("l.jsonl")
    run = ["discover", good, "--oracle", "class", "--max-labels", 5, "--labels", labels]
    assert command(*run).code == ExitCode.OK
    content = bytearray(labels.read_bytes())
    content[-30] ^= 1
    labels.write_bytes(content)
    outcome = command(*run)
    assert outcome.code == ExitCode.INPUT
    last = bytes(content).count(b"\n")
    assert f"Line {last} of" in outcome.error
    assert "rarebit labels recover" in outcome.error
    assert labels.read_bytes() == content


@pytest.mark.parametrize("name", ["check", "recover"])
def test_what_is_no_label_file(command: Command, tmp_path: Path, name: str) -> None:
    absent = tmp_path / "absent.jsonl"
    assert "does not exist" in command("labels", name, absent).error
    assert not absent.exists()
    assert command("labels", name, tmp_path).code == ExitCode.INPUT
    other = tmp_path / "other.csv"
    other.write_text("id,label\n1,ok\n")
    assert command("labels", name, other).code == ExitCode.INPUT
    assert [path.name for path in tmp_path.iterdir()] == ["other.csv"]


def test_a_database_is_checked_too(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "pool.labels.db"
    with open_store(path, ids=IDS, source="pool.csv", fingerprint="f") as store:
        for row in range(5):
            store.append("label", row, f"class-{row}")
        store.append("skip", 7)
    for name, said in (("check", "No event is damaged."), ("recover", "nothing to recover")):
        told = command("labels", name, path)
        assert told.code == ExitCode.OK
        assert "5 answers for pool.csv, of 6 events" in told.out
        assert said in told.out
    result = command("labels", "check", path, "--json").json
    assert (result["good"], result["answers"], result["events"]) == (True, 5, 6)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE rarebit_event SET label = '\"other\"' WHERE number = 3")
    for name in ("check", "recover", "list"):
        told = command("labels", name, path)
        assert told.code == ExitCode.INPUT, name
        assert "event 3 of its history has another checksum; restore" in told.error
    path.write_bytes(b"SQLite format 3\x00" + b"x" * 4096)
    told = command("labels", "check", path)
    assert told.code == ExitCode.INPUT
    assert "is not a store of labels, and was left as it is" in told.error
