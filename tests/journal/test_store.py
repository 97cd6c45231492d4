"""No label is lost, whatever happens to the process, and no file is spoiled."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from rarebit.projects.stores import LabelFile, LabelFileError

IDS = ["a-1", "a-2", "a-3", "ü-4"]


def opened(path: Path, **changes: object) -> LabelFile:
    options = {"ids": IDS, "source": "pool.csv", "fingerprint": "f1", **changes}
    return LabelFile(path, **options)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pool.labels.jsonl"


def test_answers_survive_and_undo_is_recorded(path: Path) -> None:
    with opened(path) as store:
        store.add(2, "fraud", how="person", by="scout")
        store.add(0, "ok")
        store.skip(3)
        assert store.undo().what == "skip"
        assert store.undo().label == "ok"
        store.add(0, 'odd "näme"\n')
    with opened(path) as store:
        assert store.labels == {2: "fraud", 0: 'odd "näme"\n'}
        assert store.skipped == []
        assert [event.what for event in store.events] == [
            "label", "label", "skip", "undo", "undo", "label",
        ]  # fmt: skip
        assert store.events[0].id == "a-3"
        assert store.events[0].by == "scout"
        assert store.events[0].at.endswith("+00:00")
        assert store.n_dropped == 0
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 7
    assert all(isinstance(json.loads(line), dict) for line in lines)


def test_a_second_label_of_a_row_counts_and_its_undoing_brings_back_the_first(path: Path) -> None:
    with opened(path) as store:
        store.add(1, "ok")
        store.add(1, "fraud")
        assert store.labels == {1: "fraud"}
        store.undo()
        assert store.labels == {1: "ok"}
        store.undo()
        assert store.undo() is None
        assert store.labels == {}


def test_cut_off_at_any_byte_it_loses_half_a_line_at_most(path: Path, tmp_path: Path) -> None:
    with opened(path) as store:
        for row, label in enumerate(["ok", "fraud", "ök"]):
            store.add(row, label)
    content = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(content) if byte == ord("\n")]
    for cut in range(len(content) + 1):
        torn = tmp_path / "torn.jsonl"
        torn.write_bytes(content[:cut])
        with opened(torn) as store:
            # An answer that lacks only its end of the line is whole.
            whole = sum(end - 1 <= cut for end in ends) - 1
            assert len(store.labels) == max(0, whole)
            is_whole = cut in ends or cut + 1 in ends
            assert store.n_dropped == (cut > ends[0] and not is_whole)
            store.add(3, "after")
        with opened(torn) as store:
            assert store.labels[3] == "after"
            assert len(store.labels) == max(0, whole) + 1


WRITER = """
    import sys
    from rarebit.projects.stores import LabelFile
    store = LabelFile(sys.argv[1], ids=list(range(100_000)), fingerprint="f")
    for row in range(len(store.labels), 100_000):
        store.add(row, "x" * 50)
        print(row, flush=True)  # the reply: from here on the label must not be lost
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_killed_without_warning_it_has_every_label_that_was_acknowledged(path: Path) -> None:
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WRITER), str(path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(20):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
        process.wait()
        with LabelFile(path, ids=list(range(100_000)), fingerprint="f") as store:
            assert len(store.labels) >= 20
            if rest and rest[-1].isdigit():
                assert int(rest[-1]) in store.labels
            assert list(store.labels) == list(range(len(store.labels)))


LIMITED = """
    import resource, signal, sys
    from rarebit.projects.stores import LabelFile
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = LabelFile(sys.argv[1], ids=list(range(100)), fingerprint="f")
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))
    for row in range(100):
        try:
            store.add(row, "label")
        except OSError:
            print(row, len(store.labels))
            break
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_label_that_finds_no_room_is_refused_and_the_others_stay(path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LIMITED), str(path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    failed, kept = map(int, told.stdout.split())
    assert failed == kept > 0
    assert path.read_bytes().endswith(b"}\n")
    with LabelFile(path, ids=list(range(100)), fingerprint="f") as store:
        assert len(store.labels) == kept


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fingerprint": "other"}, "labels of pool.csv .* not the data given, pool.csv"),
        ({"ids": IDS[:3]}, r"pool.csv \(4 rows\), which is not the data given"),
        ({"ids": [*IDS[:2], "b", "c"]}, "row 2 with id 'a-3', which is not in the data"),
    ],
)
def test_labels_of_other_data_are_refused_and_left_alone(
    path: Path, changes: dict[str, object], message: str
) -> None:
    with opened(path) as store:
        store.add(2, "fraud")
    before = path.read_bytes()
    with pytest.raises(LabelFileError, match=message):
        opened(path, **changes)
    assert path.read_bytes() == before
    with opened(path) as store:  # and not locked
        assert store.labels == {2: "fraud"}


@pytest.mark.parametrize(
    "content", [b"id,label\n1,ok\n", b"{}\n", b"no line end", b"[1]\n", b"\xff\xfe\n", b'{"a": 1}']
)
def test_a_file_of_something_else_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(LabelFileError, match="is not a file of labels, and was left as it is"):
        opened(path)
    assert path.read_bytes() == content


def test_a_broken_line_in_the_middle_is_an_error_that_names_it(path: Path) -> None:
    with opened(path) as store:
        store.add(0, "ok")
        store.add(1, "ok")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"garbage\n", *lines[1:]]))
    with pytest.raises(LabelFileError, match=r"Line 2 of .* is not a line that rarebit wrote"):
        opened(path)
    path.write_bytes(b'{"rarebit-labels": 9, "data": "", "fingerprint": "f1", "rows": 4}\n')
    with pytest.raises(LabelFileError, match="has version 9"):
        opened(path)


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_two_sessions_at_once_are_refused(path: Path) -> None:
    with opened(path), pytest.raises(LabelFileError, match="by another process"):
        opened(path)


def test_what_is_no_row_and_no_label(path: Path) -> None:
    with opened(path) as store:
        with pytest.raises(ValueError, match="rows 0 to 3, got row 4"):
            store.add(4, "ok")
        for label in (None, ["a"], ("a",)):
            with pytest.raises(TypeError, match="must be text or a number"):
                store.add(0, label)
        with pytest.raises(ValueError, match="must name a class, got nan"):
            store.add(0, float("nan"))
        assert store.events == []


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        opened(tmp_path / "absent" / "x.jsonl")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_labels_need_an_ordinary_file(tmp_path: Path) -> None:
    for path in ("/dev/full", "/dev/null"):
        with pytest.raises(LabelFileError, match="is not an ordinary file"):
            opened(Path(path))
    with pytest.raises(IsADirectoryError):
        opened(tmp_path)
