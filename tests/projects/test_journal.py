"""Journals: files of earlier versions are continued, and every line can be read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rarebit.projects.stores import (
    Audit,
    LabelFile,
    Store,
    StoreError,
    check_label_file,
    open_store,
    recover_label_file,
)

IDS = ["a", "b", "c", "d"]

VERSION_1 = """\
{"rarebit-labels": 1, "data": "x.csv", "fingerprint": "1f3", "rows": 4}
{"what": "label", "row": 2, "id": "c", "label": "fraud", "how": "person", "by": "scout 0", "at": ""}
{"what": "label", "row": 0, "id": "a", "label": "ok", "how": "oracle", "by": "scout 0", "at": ""}
{"what": "undo", "row": 0, "id": "a", "label": null, "how": "oracle", "by": "scout 0", "at": ""}
{"what": "label", "row": 1, "id": "b", "label": NaN, "how": "oracle", "by": "scout 0", "at": ""}
{"what": "skip", "row": 3, "id": "d", "label": null, "how": "person", "by": "scout 0", "at": ""}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.labels.jsonl"


def opened(path: Path) -> Store:
    return open_store(path, ids=IDS, source="x.csv", fingerprint="1f3")


def test_a_file_of_the_first_version_is_continued(path: Path) -> None:
    path.write_text(VERSION_1)
    with opened(path) as store:
        assert store.labels() == {2: "fraud"}
        assert store.skipped() == [3]
        first = store.events()[0]
        assert (first.number, first.source, first.by) == (1, "person", "scout 0")
        store.append("label", 1, "ok", annotator="ann", key="k1", reason="border", order=7)
        assert store.undo("ann", key="u1") is not None
        store.undo()
        events = store.events()
    assert path.read_text().startswith(VERSION_1)
    with opened(path) as store:
        # Not compared as a whole: NaN differs from itself.
        assert [str(event) for event in store.events()] == [str(event) for event in events]
        assert store.labels() == {2: "fraud"}
        assert store.skipped() == []


def test_the_journal_of_a_project_can_be_read_as_a_file_of_labels(path: Path) -> None:
    with opened(path) as store:
        store.save_settings({"goal": "find"})
        store.append("label", 2, "fraud", annotator="ann", key="k1")
        store.append("ask", 1, reason="audit", order=1, audit=Audit(4, 0.9))
        store.append("note", 2, note="odd", annotator="ann")
        store.append("label", 0, "ok", annotator="bob")
        store.append("correction", 2, "ok", annotator="ann")
        store.append("skip", 3, annotator="bob")
        store.undo("ann")
        store.undo("nobody", key="u")
    check = check_label_file(path)
    assert check.is_good
    assert len(check.events) == 9
    with LabelFile(path, ids=IDS, source="x.csv", fingerprint="1f3") as labels:
        assert labels.labels == {2: "fraud", 0: "ok"}
        assert labels.skipped == [3]
        labels.undo()
        labels.add(1, "ok")
    with opened(path) as store:
        assert store.labels() == {2: "fraud", 0: "ok", 1: "ok"}
        assert store.skipped() == []
        assert store.settings == (1, {"goal": "find"})


def test_lines_are_for_people(path: Path) -> None:
    with opened(path) as store:
        store.append("label", 2, "fraud", annotator="Zoë", key="k1", audit=Audit(4, 0.9, "low"))
    line = json.loads(path.read_text().splitlines()[1])
    assert line["audit"] == {"n": 4, "kappa": 0.9, "stratum": "low"}
    assert (line["annotator"], line["key"], line["how"], line["n"]) == ("Zoë", "k1", "person", 1)
    assert "reason" not in line
    assert "Zoë" in path.read_text()


def test_damage_is_named_and_the_rest_is_recovered(path: Path) -> None:
    with opened(path) as store:
        for row in range(3):
            store.append("label", row, f"class {row}", annotator="ann")
    path.write_bytes(path.read_bytes().replace(b"class 1", b"class 7"))
    with pytest.raises(StoreError, match=r"Line 3 of .* rarebit labels recover"):
        opened(path)
    recover_label_file(path)
    with opened(path) as store:
        assert store.labels() == {0: "class 0", 2: "class 2"}
        assert list(store.answers()) == ["ann"]


def test_no_answer_is_acknowledged_in_a_file_that_is_gone(path: Path) -> None:
    with opened(path) as store:
        store.append("label", 0, "ok")
        os.replace(path, path.with_suffix(".moved"))
        with pytest.raises(StoreError, match="deleted or moved"):
            store.append("label", 1, "ok")
        assert store.labels() == {0: "ok"}
        assert len(store.events()) == 1


def test_an_existing_journal_is_the_default(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    path.write_text(VERSION_1)
    with open_store(ids=IDS, source="folder/x.csv", fingerprint="1f3") as store:
        assert store.address == "x.labels.jsonl"
        assert store.labels() == {2: "fraud"}


@pytest.mark.parametrize("what", ["a folder", "no folder"])
def test_places_that_hold_no_file_are_refused(path: Path, what: str) -> None:
    if what == "a folder":
        path.mkdir()
    with pytest.raises(StoreError, match=r"\.$"):
        opened(path if what == "a folder" else path / "x.jsonl")


def test_a_journal_needs_no_database_package(path: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['sqlalchemy'] = None\n"
        "from rarebit.projects.stores import open_store\n"
        "with open_store(sys.argv[1], ids=['a']) as store:\n"
        "    store.append('label', 0, 'ok')\n"
        "    print(store.labels())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "{0: 'ok'}"
