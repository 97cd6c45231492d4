"""A person at a real terminal, for tests: types keys and reads the screen."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import rarebit

pexpect = pytest.importorskip("pexpect")
SOURCES = str(Path(rarebit.__file__).resolve().parents[1])
READY = re.escape("[?] help")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Typist:
    """Runs ``rarebit`` in a pseudo-terminal."""

    def __init__(self, *arguments: object, cwd: Path, size: tuple[int, int] = (40, 100)) -> None:
        environment = {**os.environ, "PYTHONPATH": SOURCES, "TERM": "xterm-256color"}
        for name in ("NO_COLOR", "COLUMNS", "LINES"):  # the terminal's own size counts
            environment.pop(name, None)
        self.child: Any = pexpect.spawn(
            sys.executable,
            ["-m", "rarebit", *map(str, arguments)],
            cwd=str(cwd),
            env=environment,
            encoding="utf-8",
            dimensions=size,
            timeout=600,
        )
        self.child.delaybeforesend = None  # keys may come before anybody waits for them

    def wait(self, words: str = READY) -> str:
        """Read until words are seen; return what was read, without codes of colour."""
        self.child.expect(words)
        return CODES.sub("", self.child.before + self.child.after)

    def row(self) -> str:
        """Wait for a question and return the id of its row."""
        seen = self.wait()
        found = re.findall(r"labels?, \d+ class(?:es)? · (\S+)", seen)
        assert found, seen
        return found[-1]

    def type(self, keys: str) -> None:
        self.child.send(keys)

    def name(self, name: str) -> None:
        """Answer with a new class."""
        self.type("n")
        self.wait("Name of the class: ")
        self.child.sendline(name)

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and the last words."""
        self.child.expect(pexpect.EOF)
        seen = CODES.sub("", self.child.before)
        self.child.close()
        return self.child.exitstatus, seen


def events(path: Path) -> list[tuple[str, str, str | None]]:
    """What a store of labels in SQLite holds: kind, id and label of each answer."""
    with closing(sqlite3.connect(path)) as database:
        found = database.execute(
            "SELECT what, id, label FROM rarebit_event WHERE what IN ('label', 'skip', 'undo') "
            "ORDER BY number"
        ).fetchall()
    return [(what, json.loads(name), label and json.loads(label)) for what, name, label in found]
