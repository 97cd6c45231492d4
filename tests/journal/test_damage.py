"""A changed byte is noticed or harmless, and every other answer can be saved."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

from rarebit._journal.reading import read_journal
from rarebit.projects.stores import LabelFile, LabelFileError, check_label_file, recover_label_file

IDS = [f"a-{row}" for row in range(5)] + ["ü-5"]


def opened(path: Path, **changes: Any) -> LabelFile:
    options: dict[str, Any] = {"ids": IDS, "source": "pool.csv", "fingerprint": "f1", **changes}
    return LabelFile(path, **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of every kind of answer."""
    path = tmp_path / "pool.labels.jsonl"
    with opened(path) as store:
        store.add(2, "fraud", by="scout")
        store.add(0, 1)
        store.skip(3)
        store.undo()
        store.add(4, 0.5)
        store.add(5, 'näme "x"\n')
    return path


def test_every_changed_byte_is_noticed_and_left_alone(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    changed = tmp_path / "changed.jsonl"
    n_changes = 0
    for position, byte in enumerate(content):
        line = content.count(b"\n", 0, position) + 1
        for other in {byte ^ 1 << position % 8, ord("\n")} - {byte}:
            damaged = content[:position] + bytes([other]) + content[position + 1 :]
            changed.write_bytes(damaged)
            with pytest.raises(LabelFileError, match=rf"Line {line} of|not a file of labels"):
                opened(changed).close()
            assert changed.read_bytes() == damaged
            n_changes += 1
    assert n_changes > 1000


def test_recovery_saves_every_line_but_the_changed_one(path: Path) -> None:
    content = path.read_bytes()
    whole = read_journal(content).events
    ends = [i for i, byte in enumerate(content) if byte == ord("\n")]
    for position, byte in enumerate(content):
        for other in {byte ^ 1, ord("\n"), ord("{")} - {byte}:
            journal = read_journal(content[:position] + bytes([other]) + content[position + 1 :])
            line = content.count(b"\n", 0, position)  # 0 is the header
            lost = set() if position in ends else {line}
            assert [event.number for event in journal.events] == [
                event.number for event in whole if event.number not in lost
            ], (position, other)
            assert (journal.header is None) == (lost == {0})


@pytest.mark.parametrize("position", [-40, -2])
def test_a_damaged_last_line_is_an_error_and_stays(path: Path, position: int) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)
    with pytest.raises(LabelFileError, match=r"Line 7 of .* rarebit labels recover"):
        opened(path)
    assert path.read_bytes() == content


def test_an_answer_without_its_end_of_line_is_kept(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    with opened(path) as store:
        assert store.labels[5] == 'näme "x"\n'
        assert store.n_dropped == 0
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda lines: lines[:2] + lines[3:], "answer 3, and answer 2 is missing before it"),
        (lambda lines: [*lines[:3], lines[2], *lines[3:]], "answer 2, which was there before"),
        (lambda lines: lines[1:], "the header is missing"),
        (
            lambda lines: [*lines, b'{"what": "skip", "row": 1, "id": "a-1"}\n'],
            "it has no checksum",
        ),
    ],
)
def test_lines_that_are_missing_repeated_or_added_are_noticed(
    path: Path, change: Any, problem: str
) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(LabelFileError, match=problem):
        opened(path)
    saved = recover_label_file(path)
    assert saved.n_saved == 6 - (problem.startswith("answer 3"))
    with opened(path) as store:
        assert store.labels[2] == "fraud"
        assert store.labels[5] == 'näme "x"\n'
        assert store.skipped == []


def test_check_needs_no_data_and_changes_nothing(path: Path) -> None:
    content = path.read_bytes()
    good = check_label_file(path)
    assert good.is_good
    assert (good.version, good.source, len(good.events)) == (2, "pool.csv", 6)
    lines = content.splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"label": 1', b'"label": 7')
    damaged = b"".join(lines) + b'{"what": "la'
    path.write_bytes(damaged)
    found = check_label_file(path)
    assert not found.is_good
    assert [(line.number, line.problem) for line in found.bad] == [
        (3, "its checksum does not match")
    ]
    assert b'"label": 7' in found.bad[0].text
    assert found.unfinished == b'{"what": "la'
    assert len(found.events) == 5
    assert path.read_bytes() == damaged


def test_recovery_keeps_the_damaged_file_and_can_be_continued(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = b"\xff" + lines[3][1:]  # the skip; its undo loses its meaning
    damaged = b"".join(lines)
    path.write_bytes(damaged)
    saved = recover_label_file(path)
    assert saved.kept.name == "pool.labels.jsonl.damaged"
    assert saved.kept.read_bytes() == damaged
    assert saved.n_saved == 4
    assert [event.row for event in saved.lost_undos] == [3]
    with opened(path) as store:
        assert store.labels == {2: "fraud", 0: 1, 4: 0.5, 5: 'näme "x"\n'}
        assert store.skipped == []
        store.add(1, "ok")
    path.write_bytes(damaged)  # a second time: the first copy is not overwritten
    assert recover_label_file(path).kept.name == "pool.labels.jsonl.damaged.2"
    assert saved.kept.read_bytes() == damaged


def test_recovery_into_a_new_file_leaves_the_old_one(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    out = tmp_path / "saved.jsonl"
    saved = recover_label_file(path, out)
    assert (saved.path, saved.kept, saved.n_saved) == (out, path, 6)
    assert path.read_bytes() == out.read_bytes() == content
    with pytest.raises(LabelFileError, match="exists already"):
        recover_label_file(path, out)
    with opened(path), pytest.raises(LabelFileError, match="another process"):
        recover_label_file(path, tmp_path / "third.jsonl")
    other = tmp_path / "other.csv"
    other.write_text("id,label\n1,ok\n")
    with pytest.raises(LabelFileError, match="no line that rarebit wrote"):
        recover_label_file(other)
    with pytest.raises(LabelFileError, match="not a file of labels"):
        check_label_file(other)
    with pytest.raises(FileNotFoundError):
        recover_label_file(tmp_path / "absent.jsonl")
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "other.csv", "pool.labels.jsonl", "saved.jsonl",
    ]  # fmt: skip


def test_without_its_header_rows_are_matched_by_id(path: Path) -> None:
    content = path.read_bytes().replace(b"pool.csv", b"poll.csv", 1)
    path.write_bytes(content)
    with pytest.raises(LabelFileError, match="Line 1 of"):
        opened(path)
    saved = recover_label_file(path)
    assert not saved.knows_data
    assert saved.n_saved == 6
    with pytest.raises(LabelFileError, match="row 2 with id 'a-2', which is not in the data"):
        opened(path, ids=["b"] * 6)
    with opened(path) as store:
        assert len(store.labels) == 4
        store.add(1, "ok")
    with pytest.raises(LabelFileError, match="is not the data given"):  # known again
        opened(path, fingerprint="other")
    with opened(path) as store:
        assert len(store.labels) == 5


def test_unknown_fields_are_kept_where_the_checksum_is_right(path: Path) -> None:
    from rarebit._journal.encoding import encode_line

    record = {"what": "label", "row": 1, "id": "a-1", "label": "ok", "n": 7, "annotator": "eve"}
    with path.open("ab") as file:
        file.write(encode_line(record))
    with opened(path) as store:
        assert store.labels[1] == "ok"
        assert store.events[-1].extra == {"annotator": "eve"}
    assert recover_label_file(path).n_saved == 7
    assert json.loads(path.read_bytes().splitlines()[-1])["annotator"] == "eve"
    with path.open("ab") as file:
        file.write(encode_line({"what": "poll", "row": None, "id": None, "n": 8, "note": "odd"}))
    assert check_label_file(path).is_good
    assert recover_label_file(path).n_saved == 8
    with pytest.raises(LabelFileError, match="holds a 'poll', which this version"):
        opened(path)


# --- version 1: no checksums, no numbers --------------------------------------------------

OLD = [
    {"rarebit-labels": 1, "data": "pool.csv", "fingerprint": "f1", "rows": 6},
    {"what": "label", "row": 2, "id": "a-2", "label": "fraud", "how": "person", "by": "", "at": ""},
    {"what": "label", "row": 0, "id": "a-0", "label": "ok", "how": "person", "by": "", "at": ""},
    {"what": "undo", "row": 0, "id": "a-0", "label": None, "how": "", "by": "", "at": ""},
]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.labels.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in OLD), encoding="utf-8")
    return path


def test_an_old_file_is_read_and_continued_with_checksums(old: Path) -> None:
    before = old.read_bytes()
    with opened(old) as store:
        assert store.labels == {2: "fraud"}
    assert old.read_bytes() == before  # reading alone writes nothing
    with opened(old) as store:
        store.add(1, "ok")
        store.add(3, "ok")
    with opened(old) as store:
        assert store.labels == {2: "fraud", 1: "ok", 3: "ok"}
        assert store.undo().row == 3
    content = old.read_bytes()
    assert content.startswith(before)
    found = check_label_file(old)
    assert found.is_good
    assert found.version == 2
    assert found.n_unprotected == 3
    for position in range(len(before), len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1
        old.write_bytes(damaged)
        with pytest.raises(LabelFileError):
            opened(old)


def test_a_damaged_last_line_of_an_old_file_is_an_error(old: Path) -> None:
    content = old.read_bytes()
    old.write_bytes(content[:-2] + b"]\n")
    with pytest.raises(LabelFileError, match=r"Line 4 of .* not a line that rarebit wrote"):
        opened(old)
    old.write_bytes(content[:-10])  # never finished
    with opened(old) as store:
        assert store.labels == {2: "fraud", 0: "ok"}
        assert store.n_dropped == 1


@pytest.mark.parametrize("label", ["[" * 5000 + "]" * 5000, "[" * 300 + "]" * 300, "1" * 5000])
def test_values_that_no_reader_can_hold_make_a_bad_line(old: Path, label: str) -> None:
    with old.open("a") as file:
        file.write(f'{{"what": "label", "row": 3, "id": "a-3", "label": {label}}}\n')
    with pytest.raises(LabelFileError, match="Line 5 of"):
        opened(old)
    assert [line.number for line in check_label_file(old).bad] == [5]
    assert recover_label_file(old).n_saved == 3


def test_random_damage_is_an_error_or_harmless(path: Path, old: Path, tmp_path: Path) -> None:
    rng = random.Random(0)
    changed = tmp_path / "changed.jsonl"
    for turn in range(300):
        content = bytearray(rng.choice([path, old]).read_bytes())
        for _ in range(rng.randint(1, 6)):
            i, j = sorted(rng.choices(range(len(content) + 1), k=2))
            j = min(j, i + rng.choice([0, 1, 1, 5, 200]))
            kind = rng.randrange(4)
            if kind == 0:
                del content[i:j]
            elif kind == 1:
                content[i:j] = rng.randbytes(j - i)
            elif kind == 2:
                content[i:i] = content[i:j]
            else:
                content[i:j] = rng.choice([b"\n", b"\0", b"null", b"NaN", b"[]", b'"', b"{}", b"-"])
        changed.write_bytes(content)
        for use in (
            lambda: opened(changed).close(),
            lambda: check_label_file(changed),
            lambda turn=turn: recover_label_file(changed, tmp_path / f"saved-{turn}.jsonl"),
        ):
            with contextlib.suppress(LabelFileError):
                use()
        out = tmp_path / f"saved-{turn}.jsonl"
        assert not out.exists() or check_label_file(out).is_good
