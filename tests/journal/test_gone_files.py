"""An answer is taken into the file of that name, or not at all."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from rarebit.projects.stores import LabelFile, LabelFileError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="open files that can be replaced")


def opened(path: Path) -> LabelFile:
    return LabelFile(path, ids=range(100), fingerprint="f")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pool.labels.jsonl"


def delete(path: Path) -> None:
    path.unlink()


def move(path: Path) -> None:
    path.rename(path.with_suffix(".old"))


def replace(path: Path) -> None:
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


def remove_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 5)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"a line of somebody else\n")


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (delete, "deleted or moved"),
        (move, "deleted or moved"),
        (remove_folder, "deleted or moved"),
        (replace, "replaced"),
        (cut, "cut off"),
        (empty, "cut off"),
        (grow, "written by another program"),
    ],
)
def test_no_answer_goes_into_a_file_that_is_gone(
    tmp_path: Path, harm: Callable[[Path], None], words: str
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    path = folder / "pool.labels.jsonl"
    with opened(path) as store:
        store.add(3, "ok")
        harm(path)
        left = path.read_bytes() if path.exists() else None
        for answer in (lambda: store.add(4, "ok"), lambda: store.skip(4), store.undo):
            with pytest.raises(LabelFileError, match=f"{words}.* so the answer was not taken"):
                answer()
        assert store.labels == {3: "ok"}
        assert len(store.events) == 1
        assert (path.read_bytes() if path.exists() else None) == left


def test_harm_between_the_write_and_the_reply_is_noticed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(path) as store:
        store.add(3, "ok")
        sync = os.fsync

        def sync_and_delete(handle: int) -> None:
            sync(handle)
            path.unlink()

        monkeypatch.setattr(os, "fsync", sync_and_delete)
        with pytest.raises(LabelFileError, match="deleted"):
            store.add(4, "ok")
        assert store.labels == {3: "ok"}


def test_a_relative_name_survives_a_change_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    with opened(Path("pool.labels.jsonl")) as store:
        monkeypatch.chdir(tmp_path / "sub")
        store.add(3, "ok")
    assert len((tmp_path / "pool.labels.jsonl").read_bytes().splitlines()) == 2


def test_a_forked_child_takes_no_answer(path: Path) -> None:
    with opened(path) as store:
        store.add(3, "ok")
        before = path.read_bytes()
        read, write = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of NumPy
            child = os.fork()
        if child == 0:
            try:
                store.add(4, "ok")
                os.write(write, b"taken")
            except LabelFileError as error:
                os.write(write, str(error).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.close(write)
        with os.fdopen(read, "rb") as told:
            assert b"opened by another process" in told.read()
        assert path.read_bytes() == before
        store.add(5, "ok")  # the parent goes on
    with opened(path) as store:
        assert store.labels == {3: "ok", 5: "ok"}


def test_a_closed_file_takes_no_answer(path: Path) -> None:
    store = opened(path)
    store.close()
    with pytest.raises(LabelFileError, match="has been closed"):
        store.add(1, "ok")


def test_the_name_is_on_the_disk_before_the_first_answer(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where whoever created the file was killed before it could see to that."""
    with opened(path):
        pass
    synced: list[tuple[int, int]] = []
    sync = os.fsync

    def record(handle: int) -> None:
        about = os.fstat(handle)
        synced.append((about.st_dev, about.st_ino))
        sync(handle)

    monkeypatch.setattr(os, "fsync", record)
    folder = path.parent.stat()
    with opened(path) as store:
        store.add(1, "ok")
        assert (folder.st_dev, folder.st_ino) in synced
        synced.clear()
        store.add(2, "ok")
        assert (folder.st_dev, folder.st_ino) not in synced  # once is enough
        assert len(synced) == 1
