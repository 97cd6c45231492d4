"""What tests of commands share: a runner in this process, one in its own, and bad files."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rarebit

SOURCES = str(Path(rarebit.__file__).resolve().parents[1])


@dataclass(frozen=True)
class Outcome:
    """What a command returned and wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The sentence, after checking that it is one line and no traceback."""
        assert "Traceback" not in self.err, self.err
        lines = [line for line in self.err.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, self.err
        return lines[0].removeprefix("error: ")


Command = Callable[..., Outcome]


@pytest.fixture
def command(capfd: pytest.CaptureFixture[str]) -> Command:
    """Run ``rarebit`` in this process."""

    def call(*arguments: object) -> Outcome:
        from rarebit.cli import main

        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return call


@pytest.fixture
def process() -> Command:
    """Run ``python -m rarebit`` in a process of its own."""

    def call(*arguments: object, **options: Any) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "rarebit", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=600,
            env={**os.environ, "PYTHONPATH": SOURCES},
            **options,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return call


@dataclass(frozen=True)
class Bad:
    """A file that no command can use, and words that its error must hold."""

    path: Path
    words: tuple[str, ...]


def make_rows(n: int = 300, seed: int = 0) -> pl.DataFrame:
    """Rows with an id, numbers, a category, and a rare class that is far from the rest."""
    rng = np.random.default_rng(seed)
    rare = rng.random(n) < 0.1
    return pl.DataFrame(
        {
            "id": [f"row-{i}" for i in range(n)],
            "amount": rng.normal(size=n) + 3.0 * rare,
            "age": rng.integers(18, 80, n) + 20 * rare,
            "country": rng.choice(["SE", "NO", "FI"], n),
            "class": np.where(rare, "fraud", "ok"),
        }
    )


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A file that every command can use; its target is ``class``, its id ``id``."""
    path = tmp_path / "good.csv"
    make_rows().write_csv(path)
    return path


BAD_FILES: dict[str, tuple[str, tuple[str, ...]]] = {
    "empty": ("empty.csv", ("empty",)),
    "header only": ("header.csv", ("no rows",)),
    "missing target": ("no-target.csv", ("class", "column")),
    "truncated parquet": ("cut.parquet", ("cut.parquet", "again")),
    "truncated gzip": ("cut.csv.gz", ("cut.csv.gz", "again")),
    "does not exist": ("nowhere.csv", ("nowhere.csv", "does not exist")),
    "unknown format": ("table.xyz", ("format",)),
    "ragged": ("ragged.csv", ("fields",)),
}


@pytest.fixture(params=BAD_FILES)
def bad(request: pytest.FixtureRequest, tmp_path: Path) -> Bad:
    """Files that no command can use, one after the other."""
    name, words = BAD_FILES[request.param]
    path = tmp_path / name
    text = make_rows().write_csv()
    if request.param == "empty":
        path.write_text("")
    elif request.param == "header only":
        path.write_text(text.splitlines()[0] + "\n")
    elif request.param == "missing target":
        make_rows().drop("class").write_csv(path)
    elif request.param == "truncated parquet":
        whole = tmp_path / "whole.parquet"
        make_rows().write_parquet(whole)
        path.write_bytes(whole.read_bytes()[:-200])
    elif request.param == "truncated gzip":
        path.write_bytes(gzip.compress(text.encode())[:-100])
    elif request.param == "unknown format":
        path.write_text(text)
    elif request.param == "ragged":
        path.write_text(text + "one,2,3,SE,ok,too,many\n")
    return Bad(path, words)
