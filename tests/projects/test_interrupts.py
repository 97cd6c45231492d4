"""Ctrl-C while an answer is stored: the answer is whole, and the store works on."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy")

from sqlalchemy import event

from rarebit.projects.stores import Store, open_store
from rarebit.projects.stores._changes import Change

IDS = ["a", "b", "c"]


def opened(path: Path) -> Store:
    return open_store(path, ids=IDS, source="x.csv", fingerprint="1f3")


def test_ctrl_c_within_a_statement_waits_for_the_transaction(tmp_path: Path) -> None:
    store: Any = opened(tmp_path / "x.labels.db")

    def interrupt(*given: Any) -> None:
        if given[2].startswith("INSERT"):
            signal.raise_signal(signal.SIGINT)

    event.listen(store._database.engine, "before_cursor_execute", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.append("label", 1, "fraud")
    event.remove(store._database.engine, "before_cursor_execute", interrupt)
    assert store.labels() == {1: "fraud"}
    store.append("label", 2, "ok")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    store.close()
    again = opened(tmp_path / "x.labels.db")
    assert again.labels() == {1: "fraud", 2: "ok"}
    again.close()


@pytest.mark.parametrize("name", ["x.labels.db", "x.labels.jsonl"])
def test_view_and_disk_agree_after_ctrl_c(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path / name)
    add = Change.add

    def interrupted(self: Change, *given: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return add(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(Change, "add", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.append("label", 0, "fraud")
    assert store.labels() == {0: "fraud"}
    store.close()
    again = opened(tmp_path / name)
    assert again.labels() == {0: "fraud"}
    again.close()


def test_a_second_ctrl_c_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = opened(tmp_path / "x.labels.db")
    done = []

    def interrupted(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        done.append("once")
        signal.raise_signal(signal.SIGINT)
        done.append("twice")

    with monkeypatch.context() as patch:
        patch.setattr(Change, "add", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.append("label", 0, "fraud")
    assert done == ["once"]
    assert store.labels() == {}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    store.close()


def test_handlers_of_a_program_and_other_threads_stay(tmp_path: Path) -> None:
    store = opened(tmp_path / "x.labels.db")

    def own(*_: Any) -> None:
        raise AssertionError

    before = signal.signal(signal.SIGINT, own)
    try:
        store.append("label", 0, "fraud")
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)
    thread = threading.Thread(target=store.append, args=("label", 1, "ok"))
    thread.start()
    thread.join()
    assert store.labels() == {0: "fraud", 1: "ok"}
    store.close()
