"""Hostile files at the command line: exit code 3, one sentence, no traceback."""

from __future__ import annotations

import gzip
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rarebit.cli import ExitCode


def _csr(path: Path) -> None:
    np.savez(path, data=np.ones(2), indices=np.array([0, 1 << 20]), indptr=np.array([0, 1, 2]),
             shape=np.array([2, 3]), format=np.array(b"csr"))  # fmt: skip


def _objects(path: Path) -> None:
    np.savez(path, X=np.array([[{}, 1]], dtype=object), y=np.array(["a"]))


def _header(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00\x08\x00{'descr(" + bytes(9))
        archive.writestr("y.npy", b"")


def _damaged_gzip(path: Path) -> None:
    data = bytearray(gzip.compress(np.random.default_rng(0).bytes(3000).hex().encode()))
    data[1500:1600] = bytes(100)
    path.write_bytes(data)


HOSTILE: dict[str, Callable[[Path], object]] = {
    "csr.npz": _csr,
    "objects.npz": _objects,
    "damaged.csv.gz": _damaged_gzip,
    "quote.csv": lambda path: path.write_text('x,y\n1,"a\n2,b\n3,c\n'),
    "deep.jsonl": lambda path: path.write_text('{"x":' + "[" * 100_000 + "]" * 100_000 + "}\n"),
    "header.npz": _header,
    "pipe.csv": lambda path: os.mkfifo(path),
    "zeros.csv": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="special files of Linux")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name: str, command: Any, tmp_path: Path) -> None:
    path = tmp_path / name
    HOSTILE[name](path)
    for outcome in (
        command("discover", path, "--oracle", "y", "--labels", tmp_path / "d.jsonl"),
        command("fit", path, "-t", "y", "-o", tmp_path / "m.rarebit"),
    ):
        assert outcome.code == ExitCode.INPUT, outcome
        assert name in outcome.err
        assert "Unexpected" not in outcome.err
        assert "Traceback" not in outcome.err
    assert not list(tmp_path.glob("*.rarebit"))


def test_the_limit_of_packed_files(command: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"x,class\n" + b"1,a\n2,b\n" * 2000))
    arguments = ["fit", path, "-t", "class", "-m", "kernel", "--no-validation"]
    outcome = command(*arguments, "-o", tmp_path / "m.rarebit", "--max-unpacked", "4kB")
    assert outcome.code == ExitCode.INPUT, outcome
    assert "--max-unpacked" in outcome.err
    outcome = command(*arguments, "-o", tmp_path / "m.rarebit", "--max-unpacked", "1.5 MB")
    assert outcome.code == ExitCode.OK, outcome
    outcome = command(*arguments, "-o", tmp_path / "n.rarebit", "--max-unpacked", "much")
    assert outcome.code == ExitCode.USAGE, outcome
