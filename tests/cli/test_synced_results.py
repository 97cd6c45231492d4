"""Reports, exports and models are on the disk before they get their names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rarebit.cli import ExitCode

from .conftest import Command


def test_results_are_synced_before_they_are_renamed(
    command: Command, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(good.parent)
    synced: dict[int, int] = {}
    renamed: list[str] = []
    sync, replace = os.fsync, os.replace

    def record_sync(handle: int) -> None:
        about = os.fstat(handle)
        synced[about.st_ino] = about.st_size
        sync(handle)

    def record_replace(source: Path, target: Path) -> None:
        about = Path(source).stat()
        assert synced.get(about.st_ino) == about.st_size > 0, target
        renamed.append(Path(target).name)
        replace(source, target)

    monkeypatch.setattr(os, "fsync", record_sync)
    monkeypatch.setattr(os, "replace", record_replace)
    run = ["learn", good, "--oracle", "class", "--drop", "id", "--max-labels", 40]
    results = ["--export", "labels.csv", "--report", "r.html", "--out", "m.rarebit"]
    assert command(*run, *results).code == ExitCode.OK
    assert command("predict", "m.rarebit", good, "--out", "judged.csv").code == ExitCode.OK
    assert {"labels.csv", "r.html", "m.rarebit", "judged.csv"} <= set(renamed)
