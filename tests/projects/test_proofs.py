"""A project proves the same from its store, whoever reads it and however the process ended."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit import BorderLearner, Hunt, Project, RandomExplorer
from rarebit.projects import (
    Proof,
    Settings,
    SettingsError,
    advise,
    proof_line,
    proof_sentences,
    search_line,
)
from rarebit.projects._assembly import make_asker
from rarebit.projects._proofs import forecast_sentence
from rarebit.projects._questions import Questions
from rarebit.projects._queue import Queue
from rarebit.projects.stores import open_store
from rarebit.statistics import RowEvent, build_ledger, guarantee

N, RARE = 260, 26
SETTINGS = {"goal": "find", "recall": 0.7, "rare": ["fraud"], "seed": 3}


def truth() -> np.ndarray:
    return np.random.default_rng(0).permutation(np.repeat(["ok", "fraud"], [N - RARE, RARE]))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    y = truth()
    X = np.random.default_rng(1).normal(size=(N, 3)) + 2.5 * (y == "fraud")[:, None]
    file = tmp_path / "payments.csv"
    pl.DataFrame(
        {"id": [f"P{i}" for i in range(N)], **dict(zip("abc", X.T, strict=True))}
    ).write_csv(file)
    return file


def opened(data: Path, store: str = "labels.db", **changes: Any) -> Project:
    settings = Settings.from_json({**SETTINGS, "reading": {"id": "id"}, **changes})
    return Project.open(data, store=data.parent / store, settings=settings)


def steps(project: Project, most: int = 10_000) -> Iterator[int]:
    y = truth()
    for _ in range(most):
        question = project.question()
        if question is None:
            return
        project.answer(question.row, str(y[question.row]))
        yield question.row


def test_it_ends_when_the_recall_is_proved(data: Path) -> None:
    with opened(data) as project:
        asked = list(steps(project))
        proved, status = project.guarantee(), project.status()
        assert status.done
        assert len(asked) < N
        assert proved.recall_min >= 0.7
        assert status.proof is not None
        assert status.proof.reached
        assert "proved" in status.stop_reasons
        said = str(status)
        assert "Proved with 95 % confidence: at least 7" in said
        assert "assumes that the labels are right" in said
        events = project.store.events()
    drawn = [event for event in events if event.reason == "audit" and event.what == "ask"]
    assert drawn
    for event in drawn:
        assert event.audit is not None
        assert event.audit.kappa == 0.7
        assert event.audit.n == N - (event.order or 0) + 1
    answers = [event for event in events if event.what == "label" and event.reason == "audit"]
    assert all(event.audit is not None for event in answers)
    # The store alone gives the same bound.
    told: list[RowEvent] = []
    for event in events:
        if event.what == "ask":
            kappa = 0.0 if event.audit is None else event.audit.kappa
            n = None if event.audit is None else event.audit.n
            told.append(RowEvent("ask", event.row, reason=event.reason, kappa=kappa, n=n))  # type: ignore[arg-type]
        elif event.what == "label":
            told.append(RowEvent("label", event.row, event.label))  # type: ignore[arg-type]
    assert guarantee(build_ledger(told, N, "fraud", draws=("audit",))) == proved


@pytest.mark.parametrize("store", ["labels.db", "labels.jsonl"])
def test_a_store_replays_to_the_same_bound(data: Path, store: str) -> None:
    rng = np.random.default_rng(2)
    with opened(data, store) as project:
        for at, row in enumerate(steps(project, 120)):
            if at % 17 == 0:
                project.undo()
                project.question()
                project.skip(row)
            if at % 23 == 0:
                project.correct(row, "fraud")
                project.correct(row, str(truth()[row]))
            if at % 29 == 0:
                loose = int(rng.integers(N))
                if loose not in project.labels:
                    project.answer(loose, str(truth()[loose]))
        project.question()  # waits
        before, waiting = project.guarantee(), project.status().n_waiting
        ledger = project.asker._proof()  # type: ignore[union-attr]
    assert before.audits > 5
    with opened(data, store) as again:
        assert again.guarantee() == before
        assert again.status().n_waiting == waiting
        replayed = again.asker._proof()  # type: ignore[union-attr]
        assert replayed.draws.tobytes() == ledger.draws.tobytes()
        assert replayed.rows.tolist() == ledger.rows.tolist()


CHILD = """
import sys
sys.path.insert(0, {folder!r})
from test_proofs import opened, steps
from pathlib import Path
with opened(Path({data!r}), {store!r}) as project:
    for row in steps(project):
        print(row, flush=True)
"""


@pytest.mark.parametrize("store", ["labels.db", "labels.jsonl"])
def test_kills_change_nothing(data: Path, tmp_path: Path, store: str) -> None:
    with opened(data, f"reference-{store}") as project:
        seen = [(row, project.guarantee()) for row in steps(project)]
    code = CHILD.format(folder=str(Path(__file__).parent), data=str(data), store=store)
    rng = np.random.default_rng(4)
    for _ in range(2):
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        assert child.stdout is not None
        for _ in range(int(rng.integers(5, 40))):
            if not child.stdout.readline():
                break
        time.sleep(float(rng.random()) * 0.05)
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
        with opened(data, store) as project:
            n_labels = project.status().n_labels
            assert n_labels > 0
            rows, bounds = zip(*seen, strict=True)
            assert list(project.labels) == list(rows[:n_labels])
            # A row may have been asked that nobody answered.
            if not project.status().n_waiting:
                assert project.guarantee() == bounds[n_labels - 1]
    with opened(data, store) as project:
        rest = list(steps(project))
        assert [*rows[:n_labels], *rest] == list(rows)
        assert project.guarantee() == bounds[-1]


def test_draws_outlive_a_change_of_settings(data: Path) -> None:
    with opened(data) as project:
        list(steps(project, 150))
        before = project.guarantee()
    assert before.audits > 5
    with opened(data, recall=0.8, seed=4) as project:
        assert project.guarantee() == before
        list(steps(project, 5))


def test_nothing_tells_an_audit_before_it_is_answered(data: Path) -> None:
    with opened(data) as project:
        kinds = set()
        for _ in range(150):
            question = project.question()
            if question is None:
                break
            kinds.add(question.reason)
            assert "audit" not in json.dumps(project.status().to_json()["asker"])
            project.answer(question.row, str(truth()[question.row]))
        assert kinds <= {"search", "explore"}
        assert {event.reason for event in project.store.events()} >= {"audit", "harvest"}


def test_rows_that_are_known_and_words(tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    topics = ["wheat harvest and grain exports rose", "the bank raised interest rates again"]
    texts = [f"{topics[0 if i % 10 == 3 else 1]} case {i}" for i in range(60)]
    pl.DataFrame({"id": [f"n{i}" for i in range(60)], "text": texts}).write_csv(file)
    reading = {"id": "id", "text": "text"}
    settings = {"goal": "find", "like": "grain", "reading": reading}
    with Project.open(file, store=tmp_path / "a.db", settings=settings) as project:
        question = project.question()
        assert question is not None
        assert question.row % 10 == 3
    # Words that no row has do not spoil the start.
    asked = []
    for words in ("zzzqqq xyzzy", ""):
        own = {**settings, "like": words}
        with Project.open(file, store=tmp_path / f"no{words}.db", settings=own) as project:
            question = project.question()
            assert question is not None
            asked.append((question.row, question.reason))
            said = [note for note in project.notes if "No row has the words of --like" in note]
            assert len(said) == bool(words)
    assert asked[0] == asked[1]
    known = {"goal": "find", "rare": "grain", "known": {"n3": "grain"}, "reading": reading}
    for _ in range(2):
        with Project.open(file, store=tmp_path / "b.db", settings=known) as project:
            assert project.labels == {3: "grain"}
            assert len([e for e in project.store.events() if e.what == "label"]) == 1
            question = project.question()
            assert question is not None
            assert question.row % 10 == 3
    with pytest.raises(ValueError, match="n99"):
        Project.open(file, store=tmp_path / "c.db", settings={**known, "known": {"n99": "grain"}})


@pytest.mark.parametrize("store", ["labels.db", "labels.jsonl"])
def test_certify(data: Path, store: str) -> None:
    settings = {"store": store, "goal": "learn", "recall": None, "method": "border"}
    with opened(data, **settings) as project:
        list(steps(project, 80))
        project.certify(recall=0.6)
        frozen = project.asker.frozen_.tolist()  # type: ignore[union-attr]
        list(steps(project, 20))
        before = project.certificate()
    with opened(data, **settings) as project:
        assert project.asker.frozen_.tolist() == frozen  # type: ignore[union-attr]
        assert project.certificate() == before
        assert before.audits_low + before.audits_high == 20
        list(steps(project))
        assert project.certificate().done
        assert project.certificate().recall_min >= 0.6
        project.release()
        assert project.asker.frozen_ is None  # type: ignore[union-attr]


@pytest.mark.parametrize("store", ["labels.db", "labels.jsonl"])
def test_certificates_of_several_classes_are_replayed(data: Path, store: str) -> None:
    side = np.random.default_rng(1).normal(size=(N, 3))[:, 0] > 0.0  # as `data` has it
    kinds = np.where((truth() == "fraud") & side, "theft", truth())

    def answer(project: Project, most: int) -> None:
        for _ in range(most):
            question = project.question()
            if question is None:
                return
            project.answer(question.row, str(kinds[question.row]))

    settings = {"goal": "learn", "recall": None, "rare": ["fraud", "theft"], "method": "border"}
    with opened(data, store, **settings) as project:
        answer(project, 70)
        project.certify(recall=0.6, each=True)
        assert len(project.asker.frozen_) > 5  # type: ignore[union-attr,arg-type]
        answer(project, 12)
        before = project.certificates()
    # Where other classes are named now, nothing was claimed of them before the draws.
    with opened(data, store, **{**settings, "rare": ["fraud"]}) as project:
        assert project.certificates() == {}
    with opened(data, store, **settings) as project:
        assert project.certificates() == before
        assert set(before) == {"fraud", "theft"}
        assert all(one.audits_low + one.audits_high == 12 for one in before.values())
        # All rare classes together are one class of the final classifier.
        project.certify(recall=0.6)
        assert len(project.asker.frozen_) > 5  # type: ignore[union-attr,arg-type]
        assert project.certificates() == {}
    other = opened(data, "other.db", goal="learn", recall=None, rare=[])
    with other as project, pytest.raises(ValueError, match="setting 'rare'"):
        project.certify(each=True)


class Silent(RandomExplorer):
    """Leaves the first rows to the learner."""

    def _is_done(self) -> bool:
        return True


@pytest.mark.parametrize("place", ["labels.db", "labels.jsonl"])
def test_random_rows_of_the_start_are_replayed_to_the_bit(tmp_path: Path, place: str) -> None:
    X = np.random.default_rng(0).normal(size=(80, 2))

    def opened_queue() -> tuple[Hunt, Queue]:
        hunt = Hunt(Silent(), BorderLearner(random_state=2), target=0.5, rare="fraud",
                    random_state=0)  # fmt: skip
        questions = Questions(hunt.start(X), "here", "first", None)
        return hunt, Queue(questions, open_store(tmp_path / place, ids=range(80)))

    hunt, queue = opened_queue()
    for _ in range(14):
        asked = queue.next("")
        assert asked is not None
        queue.put("label", asked.row, "ok", "", None)
    waits = queue.next("")
    assert waits is not None
    proved, ledger = hunt.guarantee(), hunt.guarantee().ledger.draws
    queue.store.close()
    again, queue = opened_queue()
    assert again.guarantee() == proved
    assert again.guarantee().ledger.draws.tobytes() == ledger.tobytes()
    assert queue.next("") == waits
    stored = [event for event in queue.store.events() if event.what == "ask"]
    drawn = [event for event in stored if event.reason == "random-start"]
    assert len(drawn) == len(ledger) > 3
    assert all(event.audit is not None for event in drawn)
    assert all(event.audit is None for event in stored if event.reason == "start")
    queue.store.close()


def test_blind_repeats(data: Path) -> None:
    y = truth()
    rng = np.random.default_rng(5)
    with opened(data, repeats=0.1) as project:
        for _ in range(220):
            question = project.question()
            if question is None:
                break
            label = str(y[question.row])
            if question.row in project.labels and rng.random() < 0.3:
                label = "ok" if label == "fraud" else "fraud"
            project.answer(question.row, label)
        proof = project.status().proof
        assert proof is not None
        assert proof.repeats >= 8
        assert proof.disagreement is not None
        assert proof.disagreement > 0.0
        assert "asked a second time without notice" in str(project.status())
        assert proof.noisy_recall_min is None or proof.noisy_recall_min < proof.recall_min
        assert all(project.labels[row] == y[row] for row in project.labels)
    with opened(data, repeats=0.1) as project:
        assert project.status().proof == proof


@pytest.mark.parametrize("store", ["labels.db", "labels.jsonl"])
def test_undo_takes_back_a_blind_second_answer_and_not_the_label(data: Path, store: str) -> None:
    y = truth()
    with opened(data, store, repeats=0.1) as project:
        while not project._queue.questions.repeated:
            question = project.question()
            assert question is not None
            project.answer(question.row, str(y[question.row]))
        labels, row = dict(project.labels), question.row
        assert row in project._queue.questions.repeated
        assert project.undo() == row
        assert project.labels == labels
        assert not project._queue.questions.repeated
        again = project.question()
        assert again is not None
        assert again.row == row  # the second answer is asked for again
        project.answer(row, "ok" if y[row] == "fraud" else "fraud")
        assert project.labels == labels
        before = project.status().proof
        assert before is not None
        assert (before.repeats, before.disagreement) == (1, 1.0)
        project.undo()
        assert project.undo() == list(labels)[-1]  # then the label before it
        assert list(project.labels) == list(labels)[:-1]
        proof = project.status().proof
    with opened(data, store, repeats=0.1) as project:
        assert project.status().proof == proof
        assert list(project.labels) == list(labels)[:-1]


def test_undo_is_replayed_where_questions_were_chosen_ahead(data: Path) -> None:
    """Questions chosen before an answer was learned stand elsewhere in the order learned."""
    with opened(data) as project:
        list(steps(project, 6))
        project.ask_ahead(3)
        store, queue = project.store, project._queue
        rows = list(queue.questions.waiting)[:3]
        seen = queue.n_learned
        for row in rows[:2]:
            store.append("label", row, "ok")
        # Chosen by a learner that knew of no answer yet, stored after them.
        store.append("ask", 200, reason="given", note=f"learned to {seen}")
        queue.catch_up()
        assert project.undo() == rows[1]
        labels = dict(project.labels)
    with opened(data) as project:
        assert project.labels == labels
        assert rows[0] in project.labels


def test_what_can_be_proved_with_the_labels_left(data: Path) -> None:
    with opened(data, recall=0.9, max_labels=120) as project:
        list(steps(project, 100))
        proof = project.status().proof
        assert proof is not None
        assert proof.labels_left == 120 - project.status().n_labels
        assert proof.recall_within is not None
        assert proof.recall_min <= proof.recall_within < 0.9
        assert "can be proved" in str(project.status())
        line = proof_line(proof)
        assert f"{proof.found} rare rows found, recall of at least " in line
        assert json.loads(json.dumps(project.status().to_json()))["proof"]["found"] == proof.found


def test_auto_promises_nothing(data: Path) -> None:
    settings = {"goal": "learn", "recall": None, "rare": []}
    with opened(data, **settings) as project:
        list(steps(project))
        assert project.status().stop_reasons
        assert "promises no recall" in str(project.status())


def test_a_search_without_a_recall_says_what_a_person_needs_to_stop(data: Path) -> None:
    with opened(data, recall=None, goal="find") as project:
        asked = list(itertools.islice(steps(project), 120))
        status = project.status()
        rare = [bool(truth()[row] == "fraud") for row in asked]
        since = len(rare) - 1 - max(i for i, each in enumerate(rare) if each)
        assert since > 20
        assert not status.done
        assert status.search is not None
        assert (status.search.found, status.search.since_found) == (sum(rare), since)
        assert (status.search.recent, status.search.recent_found) == (20, 0)
        line = search_line(status, "--recall 0.9")
        assert line.startswith(f"{sum(rare)} rare rows found, none in the last {since} labels;")
        assert line.endswith("nothing is proved without --recall 0.9")
        assert f"You decide when to stop. {sum(rare)} rare rows have been found, " in str(status)
        assert f"none in the last {since} labels. Nothing is proved" in str(status)
        assert "More labels should help" not in str(status)
        assert status.to_json()["open_search"] == str(advise(status))
    with opened(data, recall=0.7, goal="find") as project:
        assert search_line(project.status()) == ""


def test_settings() -> None:
    settings = Settings(stop="recall=0.9", rare="fraud")
    assert (settings.recall, settings.stop, settings.rare) == (0.9, "auto", ("fraud",))
    assert Settings.from_json(settings.to_json()) == settings
    old = Settings(goal="learn").question_key(sparse=False)
    assert old == "learn scout seed 0 stop auto rbf C 1 gamma scale"
    assert Settings(recall=0.9).question_key(sparse=False) != old
    for bad, said in (
        ({"stop": "recall=2"}, "'recall' must lie between 0 and 1"),
        ({"goal": "win"}, "'goal' must be one of"),
        ({"rare": ["a"], "normal": ["b"]}, "cannot be combined"),
        ({"confidence": 0.0}, "'confidence' must lie"),
    ):
        with pytest.raises(SettingsError, match=said):
            Settings(**bad)  # type: ignore[arg-type]


def test_no_rare_row_proves_nothing() -> None:
    proof = Proof("'fraud'", 0.95, 0.9, False, 0.0, 40, 40, 0, 10, 0, 0, None, None)
    assert proof_line(proof) == "no rare row found yet"
    assert "no recall can be proved" in proof.to_json()["sentences"][0]


def test_the_hidden_share_is_a_setting() -> None:
    usual, small = Settings(), Settings(hidden=0.001)
    assert usual.question_key(sparse=False) == Settings(hidden=0.005).question_key(sparse=False)
    assert small.question_key(sparse=False) != usual.question_key(sparse=False)
    assert make_asker(usual, sparse=False).learner.stop == "auto"
    assert make_asker(small, sparse=False).learner.stop.keywords == {"hidden": 0.001}
    assert Settings.from_json(small.to_json()) == small
    with pytest.raises(SettingsError, match="hidden"):
        Settings(hidden=0.0)


def test_tuned_values_are_settings() -> None:
    tuned = Settings(C="tuned", gamma="tuned")
    learner = make_asker(tuned, sparse=False).learner
    assert (learner.C, learner.gamma) == ("tuned", "tuned")
    assert tuned.question_key(sparse=False) != Settings().question_key(sparse=False)
    with pytest.raises(SettingsError, match="'tuned'"):
        Settings(C="best")


def test_several_rare_classes_and_classes_nobody_has_met(data: Path) -> None:
    kinds = np.where((truth() == "fraud") & (np.arange(N) % 2 == 0), "theft", truth())
    with opened(data, rare=["fraud", "theft"]) as project:
        for _ in range(120):
            question = project.question()
            if question is None:
                break
            project.answer(question.row, str(kinds[question.row]))
        proof = project.status().proof
        each = project.asker.guarantees()  # type: ignore[union-attr]
        said = str(project.status())
    assert proof is not None
    assert [one.name for one in proof.by_class] == ["fraud", "theft"]
    assert all(one.total_max >= (kinds == one.name).sum() for one in proof.by_class)
    # Claims that hold together share the risk, so that each bound is the weaker for it.
    assert {one.risk for one in each.values()} == {0.025}
    assert proof.unmet_max is not None
    assert proof.unmet_max < N
    assert "to classes that have not been seen yet" in said
    assert "Recall of each rare class, at least" in said
    assert proof.to_json()["by_class"][0]["name"] == "fraud"


def test_a_forecast_of_every_row_says_that_these_are_all(data: Path) -> None:
    fraud = int(np.flatnonzero(truth() == "fraud")[0])
    with opened(data, known={f"P{fraud}": "fraud"}, recall=0.8) as project:
        project.answer(int(np.flatnonzero(truth() == "ok")[0]), "ok")
        proof, left = project.status().proof, N - 2
    assert proof is not None
    assert (proof.found, proof.next_audits) == (1, left)
    said = " ".join(proof_sentences(proof))
    assert f"Random rows prove a recall of 80 % only when all {left} remaining rows are" in said
    assert "expect about" not in said
    assert "next_is_all" not in proof.to_json()


@pytest.mark.parametrize(
    ("audits", "labels", "all_rows", "said"),
    [
        (1, 1, True, "Random rows prove a recall of 80 % only when 1 remaining row is labelled."),
        (
            9,
            5,
            True,
            "All 9 remaining rows prove a recall of 80 % if none of them is rare; expect ",
        ),
        (9, 9, False, "9 more random rows prove a recall of 80 % if none of them is rare; expect "),
    ],
)
def test_sentences_of_forecasts(audits: int, labels: int, all_rows: bool, said: str) -> None:
    assert forecast_sentence(0.8, audits, labels, all_rows=all_rows).startswith(said)
