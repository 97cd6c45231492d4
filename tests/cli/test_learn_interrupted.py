"""Ctrl-C while a column answers: every label that was taken is there, and the command continues."""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rarebit.cli import ExitCode
from rarebit.projects._queue import Queue

from .conftest import make_rows
from .terminal import events
from .test_bad_input import ENVIRONMENT


def stored(labels: Path) -> list[tuple[str, str, str | None]]:
    """Answers of a store that another process may just be making."""
    try:
        return events(labels)
    except sqlite3.OperationalError:
        return []


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupted_in_the_middle(
    tmp_path: Path, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_rows(4000).write_csv("rows.csv")
    arguments = ["learn", "rows.csv", "--oracle", "class", "--drop", "id", "--stop", "never"]
    child = subprocess.Popen(
        [sys.executable, "-m", "rarebit", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
    )  # fmt: skip
    labels = tmp_path / "rows.labels.db"
    deadline = time.monotonic() + 600
    while not (labels.exists() and len(stored(labels)) > 30):
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=300)
    assert child.returncode == ExitCode.INTERRUPTED == 130, err
    assert "Traceback" not in err
    assert not (tmp_path / "rows.rarebit").exists()
    kept = stored(labels)
    assert f"{len(kept):,} labels are saved in rows.labels.db; the same command continues" in err
    assert "error:" not in err  # nothing went wrong

    goal = len(kept) + 10
    again = command(*arguments, "--max-labels", goal, "--json")
    assert again.code == ExitCode.OK, again.err
    assert again.json["labels"] == goal
    assert stored(labels)[: len(kept)] == kept


def test_interrupted_between_storing_and_learning(
    tmp_path: Path, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_rows(300).write_csv("rows.csv")
    catch_up = Queue.catch_up

    def interrupted(queue: Queue, seconds: float | None = None) -> None:
        # As if the key came when the tenth answer was stored and not learned yet.
        if len(queue.store.labels()) == 10 > len(queue.questions.labels):
            raise KeyboardInterrupt
        catch_up(queue, seconds)

    monkeypatch.setattr(Queue, "catch_up", interrupted)
    ended = command("learn", "rows.csv", "--oracle", "class", "--drop", "id", "--stop", "never")
    assert ended.code == ExitCode.INTERRUPTED
    assert "10 labels are saved in rows.labels.db" in ended.err


def test_a_transaction_that_is_interrupted_shows_no_traceback(command: Any) -> None:
    """SQLAlchemy logs where Ctrl-C came, which Python prints unless somebody listens."""
    assert command("--version").code == ExitCode.OK
    assert any(
        isinstance(handler, logging.NullHandler)
        for handler in logging.getLogger("sqlalchemy").handlers
    )
