"""A disk that is full: the answer that found no room is refused, all others stay."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rarebit.cli import ExitCode

from .test_bad_input import ENVIRONMENT

# A small file system of our own, in a name space of its own, which goes when the shell ends.
SCRIPT = """
mount -t tmpfs -o size=24k none "$1" || exit 99
cp "$2" "$1/good.csv" && cd "$1" || exit 99
"$3" -m rarebit learn good.csv --oracle class --drop id -o "$4/never.rarebit" \\
    --labels good.labels.jsonl --quiet
echo $? > "$4/code"
cp good.labels.jsonl "$4"
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare")
def test_labels_on_a_full_disk(
    good: Path, tmp_path: Path, command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, kept = tmp_path / "small", tmp_path / "kept"
    small.mkdir()
    kept.mkdir()
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", SCRIPT, "sh", small, good, sys.executable, kept],
        capture_output=True, text=True, env=ENVIRONMENT, timeout=600,
    )  # fmt: skip
    if not (kept / "code").exists():
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    assert (kept / "code").read_text().strip() == str(int(ExitCode.OUTPUT)), done.stderr
    assert "disk is full" in done.stderr
    assert "Traceback" not in done.stderr
    lines = (kept / "good.labels.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 5
    assert all(json.loads(line) for line in lines)
    # The same command goes on where there is room.
    shutil.copy(kept / "good.labels.jsonl", tmp_path)
    monkeypatch.chdir(tmp_path)
    again = command("learn", good, "--oracle", "class", "--drop", "id", "--json")
    assert again.json["labels"] >= len(lines) - 1
