"""Files that are whole or not there, also after a power failure."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from rarebit._whole_files import replaced_whole


def test_the_content_is_synced_before_the_rename_and_the_folder_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    fsync, replace = os.fsync, os.replace

    def recorded_fsync(handle: int) -> None:
        status = os.fstat(handle)
        events.append("folder" if stat.S_ISDIR(status.st_mode) else f"{status.st_size} bytes")
        fsync(handle)

    def recorded_replace(source: Path, target: Path) -> None:
        events.append("rename")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", recorded_fsync)
    monkeypatch.setattr(os, "replace", recorded_replace)
    with replaced_whole(tmp_path / "result.txt") as partial:
        partial.write_text("all of it")
    assert events == ["9 bytes", "rename", "folder"]
    assert (tmp_path / "result.txt").read_text() == "all of it"


def test_an_error_leaves_the_earlier_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "result.txt"
    path.write_text("earlier")
    with pytest.raises(RuntimeError), replaced_whole(path) as partial:  # noqa: PT012
        partial.write_text("half")
        raise RuntimeError
    assert path.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [path]
