"""A desk stores answers at once, learns behind people's backs, and loses nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.active import Hunt
from rarebit.projects import (
    Desk,
    ProjectError,
    SettingsError,
    forecast,
    labels_of_column,
    take_labels,
)
from rarebit.projects.stores import Audit, Event

N_ROWS = 400
FRAUD = np.random.default_rng(0).random(N_ROWS) < 0.1


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    columns = {name: rng.normal(size=N_ROWS) + 3 * FRAUD for name in "abc"}
    path = tmp_path / "payments.csv"
    pl.DataFrame({"id": [f"T-{i}" for i in range(N_ROWS)], **columns}).write_csv(path)
    return path


@pytest.fixture
def open_desk(file: Path) -> Iterator[Callable[..., Desk]]:
    opened: list[Desk] = []

    def open_it(**options: Any) -> Desk:
        settings = {"reading": {"id": "id"}, **options.pop("settings", {})}
        desk = Desk.open(file, store=file.with_suffix(".db"), settings=settings, **options)
        opened.append(desk)
        return desk

    yield open_it
    for desk in opened:
        desk.close()


def until(holds: Callable[[], bool], seconds: float = 300.0) -> None:
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, "it did not happen in time"
        time.sleep(0.01)


def truth(row: int) -> str:
    return "fraud" if FRAUD[row] else "ok"


def label(desk: Desk, n: int, annotator: str = "") -> list[int]:
    rows = []
    for _ in range(n):
        row = desk.deal(annotator, "tab", 2, patience=300.0).rows[0]
        desk.answer(row, truth(row), annotator, key=f"{annotator} {row}")
        rows.append(row)
    return rows


def learned(desk: Desk) -> Hunt:
    until(lambda: desk.n_behind == 0 and desk.state == "idle")
    asker = desk.learner.call("asker")
    assert isinstance(asker, Hunt)
    return asker


def test_answers_are_stored_before_they_are_learned(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk()
    rows = label(desk, 40)
    assert list(desk.store.labels()) == rows
    assert learned(desk).labels_ == {row: truth(row) for row in rows}
    assert len(desk.board.counts) == 2


def test_a_desk_that_is_opened_again_asks_the_same_questions(
    open_desk: Callable[..., Desk],
) -> None:
    first = open_desk()
    label(first, 40)
    before, asked = learned(first).queries_, list(first.board.waiting)
    first.close()
    second = open_desk()
    assert list(second.board.waiting) == asked
    assert second.deal("", "tab", 1).rows == asked[:1]
    assert learned(second).queries_ == before


def test_repeated_and_late_requests_change_nothing(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk()
    row = desk.deal("", "tab", 1, patience=300.0).rows[0]
    first, is_new = desk.answer(row, "ok", key="k")
    assert is_new
    label(desk, 5)
    again, _ = desk.answer(row, "ok", key="k")
    assert again == first
    undone = desk.undo("", "tab", 2, key="u")
    n_events = len(desk.store.events())
    assert desk.undo("", "tab", 2, key="u") == undone
    answers = [event for event in desk.store.events()[n_events:] if event.what != "ask"]
    assert answers == []


def test_pages_and_people_have_different_rows(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(team=True)
    hands = []
    for annotator, tab in [("ann", "1"), ("ann", "2"), ("bob", "1"), ("cid", "1")]:
        until(lambda a=annotator, t=tab: len(desk.deal(a, t, 3).rows) >= 3)
        hands.append(desk.deal(annotator, tab, 3).rows)
    rows = [row for hand in hands for row in hand]
    assert len(set(rows)) == len(rows)
    assert {lease.row: lease.annotator for lease in desk.store.leases()}.keys() == set(rows)
    assert desk.deal("bob", "1", 3).rows == hands[2]
    assert desk.release("bob", "1") == len(hands[2])
    assert not {lease.row for lease in desk.store.leases() if lease.annotator == "bob"}


def test_two_people_answer_one_row_and_both_answers_stay(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(team=True)
    desk.answer(7, "ok", "ann", key="a")
    desk.answer(7, "fraud", "bob", key="b")
    assert desk.store.disagreements() == {7: {"ann": "ok", "bob": "fraud"}}
    assert desk.board.disagreements() == [7]


def test_rows_of_the_overlap_go_to_two_people_who_do_not_know(
    open_desk: Callable[..., Desk],
) -> None:
    desk = open_desk(team=True, settings={"overlap": 0.5})
    label(desk, 20, "ann")
    second = list(desk.board.second)
    assert 4 <= len(second) <= 16
    assert all(desk.board.is_blind(row, "bob") for row in second)
    assert not any(desk.board.is_blind(row, "ann") for row in second)
    label(desk, len(second), "bob")
    assert set(second) <= set(desk.board.overlap_labels())


def test_expected_classes_of_a_call_join_those_of_the_page(
    open_desk: Callable[..., Desk],
) -> None:
    called = {"classes": ["ok", "fraud"]}
    desk = open_desk(settings=called, join_classes=True)
    desk.change_settings({"classes": ("ok", "fraud", "theft"), "keys": {"theft": "x"}})
    desk.close()
    desk = open_desk(settings=called, join_classes=True)
    assert desk.board.class_names() == ["ok", "fraud", "theft"]
    desk.close()
    assert open_desk(settings=called).board.class_names() == ["ok", "fraud"]


def test_rare_classes_stay_once_drawn_rows_are_answered(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(settings={"recall": 0.9})
    drawn = {"row": 3, "reason": "random", "order": 1, "audit": Audit(N_ROWS, 0.9)}
    desk.store.append_many([Event(0, "ask", **drawn)])
    desk.taken_in()
    desk.change_settings({"rare": ("fraud",)})  # nobody has answered one
    desk.store.append_many([Event(0, "label", label="ok", **drawn)])
    desk.taken_in()
    with pytest.raises(SettingsError, match="cannot change once random rows are drawn"):
        desk.change_settings({"rare": ("theft",)})


def test_a_settled_disagreement_stays_in_the_agreement(
    open_desk: Callable[..., Desk],
) -> None:
    desk = open_desk(team=True, settings={"overlap": 0.5, "rule": "owner", "owner": "ann"})
    label(desk, 20, "ann")
    second = list(desk.board.second)
    for i, row in enumerate(second):
        desk.answer(row, "other" if i == 0 else truth(row), "bob", key=f"bob {row}")
    before = desk.board.overlap_labels()
    assert set(before[second[0]].values()) == {truth(second[0]), "other"}
    desk.correct(second[0], truth(second[0]), "ann", key="settled")
    assert desk.board.disagreements() == []
    assert desk.board.overlap_labels() == before
    desk.undo("ann", "tab", 1, key="back")
    desk.undo("bob", "tab", 1, key="back too")
    assert set(desk.board.overlap_labels()) == set(second[:-1])
    take_labels(desk, {second[-1]: "ok"}, "bob", "from a file")  # nobody was asked blindly
    assert set(desk.board.overlap_labels()) == set(second[:-1])


def test_undo_brings_rows_back_in_front(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk()
    rows = label(desk, 5)
    taken = desk.undo("", "tab", 2, key="u")
    assert [event.row for event in taken] == [rows[-1], rows[-2]]
    assert desk.deal("", "tab", 2).rows[:2] == [rows[-2], rows[-1]]
    assert set(learned(desk).labels_) == set(rows[:-2])


def test_a_correction_is_learned(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk()
    rows = label(desk, 20)
    desk.correct(rows[3], "third", key="c")
    assert learned(desk).labels_[rows[3]] == "third"
    assert desk.board.answers.labelled_by("") == len(rows)


def test_a_learner_that_is_killed_is_shown_and_begins_again(
    open_desk: Callable[..., Desk],
) -> None:
    said: list[Any] = []
    desk = open_desk(notify=lambda what, data: said.append((what, data)))
    rows = label(desk, 10)
    first, process = learned(desk), desk.learner.pid
    assert process is not None
    os.kill(process, signal.SIGKILL)
    rows += label(desk, 2)
    until(lambda: any(what == "learner" and data["state"] == "crashed" for what, data in said))
    until(lambda: desk.learner.epoch == 2)
    again = learned(desk)
    assert desk.learner.pid != process
    assert again.labels_ == {row: truth(row) for row in rows}
    assert again.queries_[: len(first.queries_)] == first.queries_


def test_an_error_of_the_learner_is_told(open_desk: Callable[..., Desk]) -> None:
    said: list[Any] = []
    desk = open_desk(notify=lambda what, data: said.append((what, data)))
    rows = label(desk, 5)
    learned(desk)
    with pytest.raises(ProjectError, match="begins again"):
        desk.learner.call("no such thing")
    until(lambda: ("learner", {"state": "crashed", "message": "KeyError: 'no such thing'"}) in said)
    until(lambda: desk.learner.epoch == 2)
    assert list(learned(desk).labels_) == rows


def test_a_desk_that_is_closed_twice_leaves_the_next_one_alone(
    open_desk: Callable[..., Desk],
) -> None:
    first = open_desk()
    label(first, 3)
    process = first.learner.pid
    first.close()
    second = open_desk()
    assert second.learner.pid == process  # it waited for other work
    rows = label(second, 3)
    first.close()
    rows += label(second, 3)
    assert set(rows) <= learned(second).labels_.keys()
    assert second.learner.epoch == 1


def test_messages_of_an_earlier_desk_are_passed_over(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk()
    rows = label(desk, 3)
    child = desk.learner._child
    assert child is not None
    for message in [("resting",), ("seen", 1, 99, 0.0), ("verified", 1, False)]:
        desk.learner._take(child, message)
    assert desk.learner.verified is None
    assert list(learned(desk).labels_) == rows


@pytest.mark.parametrize("how", ["close", "kill"])
def test_the_learner_ends_with_the_desk(file: Path, how: str) -> None:
    program = (
        "import sys; from rarebit.projects import Desk\n"
        "desk = Desk.open(sys.argv[1], store=sys.argv[2])\n"
        "desk.deal(patience=300.0)\n"
        "print(desk.learner.pid, flush=True); sys.stdin.readline(); desk.close()"
    )
    command = [sys.executable, "-c", program, str(file), str(file.with_suffix(".db"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        learner = int(process.stdout.readline())
        os.kill(learner, 0)
        process.kill() if how == "kill" else process.communicate(b"\n")
        process.wait()

    def is_gone() -> bool:
        try:
            os.kill(learner, 0)
        except ProcessLookupError:
            return True
        # Where nobody waits for orphans they stay as zombies.
        status = Path(f"/proc/{learner}/stat")
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"

    until(is_gone)


def test_rows_are_drawn_while_the_learner_starts(
    open_desk: Callable[..., Desk],
) -> None:
    desk = open_desk()
    assert desk.learner.pid is not None
    os.kill(desk.learner.pid, signal.SIGSTOP)
    dealt = desk.deal("", "tab", 2, patience=300.0)
    assert len(dealt.rows) == 2
    assert {desk.board.asked[row].reason for row in dealt.rows} == {"random"}
    desk.answer(dealt.rows[0], "ok")
    os.kill(desk.learner.pid, signal.SIGCONT)
    assert learned(desk).labels_ == {dealt.rows[0]: "ok"}


def test_changed_rules_are_learned_again(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(team=True)
    for who, name in [("ann", "ok"), ("bob", "fraud"), ("cid", "fraud")]:
        desk.answer(7, name, who)
    assert desk.board.labels[7] == "ok"
    desk.change_settings({"rule": "majority"}, "ann", expected=1)
    assert desk.board.labels[7] == "fraud"
    assert learned(desk).labels_[7] == "fraud"
    assert desk.store.settings[1]["rule"] == "majority"


def test_settings_that_are_not_given_stay(open_desk: Callable[..., Desk]) -> None:
    first = open_desk()
    first.change_settings({"guidelines": "Look twice.", "classes": ("ok", "fraud")})
    first.close()
    second = open_desk()
    assert second.settings.guidelines == "Look twice."
    assert second.settings.classes == ("ok", "fraud")


def test_chosen_rows_are_asked_next(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk()
    label(desk, 3)
    desk.release("", "tab")
    assert desk.prefer([11, 12]) == 2
    assert desk.deal("", "tab", 2).rows == [11, 12]


def test_rows_are_added(open_desk: Callable[..., Desk], file: Path, tmp_path: Path) -> None:
    desk = open_desk()
    label(desk, 10)
    more = tmp_path / "more.csv"
    frame = pl.read_csv(file).head(20).with_columns(pl.format("X-{}", pl.col("id")).alias("id"))
    frame.write_csv(more)
    assert desk.add_rows(more) == 20
    assert learned(desk).n_rows_ == N_ROWS + 20
    desk.answer(N_ROWS + 3, "ok", key="new row")
    assert learned(desk).labels_[N_ROWS + 3] == "ok"


def until_repeated(desk: Desk, n: int) -> tuple[int, str]:
    """Answer until so many rows have a second answer; return the last row and its key."""
    for i in range(90):
        row = desk.deal("", "tab", 1, patience=300.0).rows[0]
        desk.answer(row, truth(row), key=f"k{i}")
        if len(desk.board.repeated) == n:
            return row, f"k{i}"
        # The learner says which row is due: a slow one must not be answered past.
        until(lambda: desk.n_behind == 0 and desk.state == "idle", 300.0)
    raise AssertionError("no row was asked a second time")


def test_rows_are_asked_a_second_time_without_saying_so(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(settings={"repeats": 0.3, "rare": ["fraud"]})
    row, key = until_repeated(desk, 2)
    again, _ = desk.answer(row, truth(row), key=key)  # the same request once more
    assert again.what == "repeat"
    assert again.row == row
    labels = [event for event in desk.store.events() if event.what == "label"]
    assert len({event.row for event in labels}) == len(labels)
    assert desk.board.repeated == {e.row for e in desk.store.events() if e.what == "repeat"}
    learned(desk)
    assert desk.learner.learned is not None
    proof = desk.learner.learned.status.proof
    assert proof is not None
    assert (proof.repeats, proof.disagreement) == (2, 0.0)


def test_undo_of_a_second_answer_asks_for_it_again(open_desk: Callable[..., Desk]) -> None:
    desk = open_desk(settings={"repeats": 0.3, "rare": ["fraud"]})
    row, _ = until_repeated(desk, 1)
    labels = dict(desk.board.labels)
    (taken,) = desk.undo("", "tab", key="u")
    assert (taken.what, taken.row) == ("repeat", row)
    assert desk.board.labels == labels
    assert not desk.board.repeated
    assert desk.deal("", "tab", 1, patience=300.0).rows[0] == row
    again, _ = desk.answer(row, truth(row), key="again")
    assert again.what == "repeat"
    assert desk.board.repeated == {row}
    assert learned(desk).labels_.keys() == labels.keys()


def test_a_column_whose_labels_are_taken_over_is_no_feature(
    open_desk: Callable[..., Desk], file: Path
) -> None:
    known = [truth(i) if i % 4 else None for i in range(N_ROWS)]
    pl.read_csv(file).with_columns(pl.Series("class", known)).write_csv(file)
    desk = open_desk()
    label(desk, 3)
    assert any("class" in name for name in desk.prepared.encoder.get_feature_names_out())
    labels = labels_of_column(desk, "class")
    assert take_labels(desk, labels, "", "import") >= N_ROWS * 3 // 4 - 3
    assert len(learned(desk).labels_) >= N_ROWS * 3 // 4
    names = desk.prepared.encoder.get_feature_names_out()
    assert not any("class" in name for name in names)
    assert [cell["name"] for cell in desk.display.row(0)["cells"]] == ["a", "b", "c"]
    desk.close()
    again = open_desk()
    assert list(again.prepared.encoder.get_feature_names_out()) == list(names)


@pytest.mark.parametrize("named", [{}, {"rare": ["fraud"]}])
def test_a_forecast_counts_on_answers_to_questions_that_wait(
    open_desk: Callable[..., Desk], named: dict[str, Any]
) -> None:
    desk = open_desk(settings={"goal": "find", "recall": 0.9, **named})
    label(desk, 60)
    hunt = learned(desk)
    n_waiting = len(hunt.pending_)
    assert n_waiting > 4  # more than may be missed
    assert desk.learner.learned is not None
    proved = desk.learner.learned.guarantee
    assert proved is not None
    assert proved.unanswered == n_waiting  # in the bound each may be rare
    said = forecast(desk, None)
    assert said is not None
    assert "cannot" not in said["sentence"]
    assert 0 < said["labels_left"] <= N_ROWS - 60
    proof = desk.learner.learned.status.proof
    assert proof is not None
    assert (proof.next_audits, proof.next_labels) == (said["low"], said["high"])
