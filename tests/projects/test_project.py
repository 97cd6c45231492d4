"""Project: questions, answers, status, model and report, over every kind of store."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit import Project, RarebitError
from rarebit.projects import LabelImportError, ProjectError, SettingsError
from rarebit.projects.stores import StoreError
from rarebit.tables import read_table

N = 260


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    fraud = np.arange(N) % 20 == 7
    frame = pl.DataFrame(
        {
            "payment": [f"P{i}" for i in range(N)],
            "amount": rng.normal(size=N) + 4.0 * fraud,
            "age": rng.normal(size=N),
            "kind": np.where(fraud, "fraud", "ok"),
        }
    )
    path = tmp_path / "payments.csv"
    frame.write_csv(path)
    return path


SETTINGS = {"reading": {"id": "payment", "drop": ["kind"]}, "seed": 3}


def truth(data: Path) -> list[str]:
    return pl.read_csv(data)["kind"].to_list()


def answer(project: Project, y: list[str], n: int) -> list[int]:
    """Answer with slips, undos and skips; return the rows in the order asked."""
    rows = []
    for _ in range(n):
        question = project.question()
        assert question is not None
        assert project.question() == question
        row = question.row
        rows.append(row)
        if row % 17 == 0:
            project.skip(row, note="blurred")
            continue
        if row % 11 == 0:
            project.answer(row, "ok" if y[row] == "fraud" else "fraud")
            assert project.undo() == row
            again = project.question()
            assert again is not None
            assert again.row == row
        project.answer(row, y[row])
    return rows


@pytest.mark.parametrize("address", ["one.db", "one.jsonl"])
def test_a_project_continues_where_it_was(data: Path, address: str) -> None:
    y = truth(data)
    with Project.open(data, store="whole.db", settings=SETTINGS) as whole:
        expected = answer(whole, y, 70)
        last = whole.question()
        labels, status = whole.labels, whole.status()
        model = whole.finish()
    asked = []
    for part in (1, 13, 26, 30):
        with Project.open(data, store=address, settings=SETTINGS) as project:
            asked += answer(project, y, part)
            project.question()  # asked, and not answered
    assert asked == expected
    with Project.open(data, store=address, settings=SETTINGS) as project:
        assert project.question() == last
        assert project.labels == labels
        again = project.status()
        assert again.classes == status.classes
        assert again.asker == status.asker
        table = read_table(data, id="payment", drop=["kind"])
        assert project.finish().judge(table)[1].tolist() == model.judge(table)[1].tolist()


def test_status_is_data_and_sentences(data: Path) -> None:
    y = truth(data)
    with Project.open(data, settings=SETTINGS) as project:
        empty = project.status()
        assert empty.n_labels == 0
        assert "No row was labelled." in str(empty)
        answer(project, y, 40)
        status = project.status()
    values = json.loads(json.dumps(status.to_json(), allow_nan=False))
    assert values["labels"] == status.n_labels == len(project.labels)
    assert values["skipped"] == status.n_skipped > 0
    assert [found["class"] for found in values["classes"]] == [c.name for c in status.classes]
    assert sum(found["labelled"] for found in values["classes"]) == status.n_labels
    assert f"{status.n_labels} of {N} rows are labelled" in str(status)
    assert Path(status.store).name == "payments.labels.db"


def test_an_earlier_journal_is_continued_by_default(data: Path) -> None:
    y = truth(data)
    with Project.open(data, store="payments.labels.jsonl", settings=SETTINGS) as project:
        answer(project, y, 5)
    with Project.open(data, settings=SETTINGS) as project:
        assert project.status().n_labels > 0
    assert not Path("payments.labels.db").exists()


def test_two_people_never_have_the_same_row_and_both_answers_stay(data: Path) -> None:
    y = truth(data)
    with Project.open(data, settings=SETTINGS) as project:
        seen: dict[str, list[int]] = {"ann": [], "bob": []}
        for _ in range(15):
            ann, bob = project.question("ann"), project.question("bob")
            assert ann is not None
            assert bob is not None
            assert ann.row != bob.row
            for who, question in (("bob", bob), ("ann", ann)):
                seen[who].append(question.row)
                project.answer(question.row, y[question.row], who)
        assert not set(seen["ann"]) & set(seen["bob"])
        row = seen["ann"][0]
        other = "ok" if y[row] == "fraud" else "fraud"
        project.answer(row, other, "bob")
        status = project.status()
        assert status.disagreements == 1
        assert project.labels[row] == y[row]  # the first answer counts
        assert status.labels_by_annotator == {"ann": 15, "bob": 16}
        assert project.undo("bob") == row
        assert project.status().disagreements == 0
        assert project.labels[row] == y[row]


def test_an_answer_sent_twice_counts_once(data: Path) -> None:
    with Project.open(data, settings=SETTINGS) as project:
        question = project.question()
        assert question is not None
        for _ in range(3):
            project.answer(question.row, "ok", key="request-1")
        assert project.status().n_labels == 1
        following = project.question()
        assert following is not None
        project.answer(following.row, "ok", key="request-2")
        project.answer(question.row, "ok", key="request-1")
        assert len(project.store.events()) == len({e.number for e in project.store.events()})
        assert project.status().n_labels == 2


def test_a_correction_teaches_as_if_it_had_been_told_at_first(data: Path) -> None:
    y = truth(data)
    with Project.open(data, store="right.db", settings=SETTINGS) as right:
        for _ in range(30):
            question = right.question()
            assert question is not None
            right.answer(question.row, y[question.row])
        rows = list(right.labels)
    with Project.open(data, store="corrected.db", settings=SETTINGS) as corrected:
        for i, row in enumerate(rows):
            corrected.answer(row, "ok" if i == 4 else y[row])
        corrected.correct(rows[4], y[rows[4]])
        assert corrected.labels == {row: y[row] for row in rows}
        assert corrected.status().n_labels == 30


def test_refused_labels_are_not_stored(data: Path) -> None:
    with Project.open(data, settings=SETTINGS) as project:
        question = project.question()
        assert question is not None
        for wrong in (None, float("nan"), float("inf"), ["a"], b"a"):
            with pytest.raises((TypeError, ValueError)):
                project.answer(question.row, wrong)
        for row in (-1, N, 10**9):
            with pytest.raises((IndexError, ValueError)):
                project.answer(row, "ok")
        assert project.status().n_labels == 0
        project.answer(question.row, "ok")
    with Project.open(data, settings=SETTINGS) as project:
        assert project.status().n_labels == 1


def test_labels_come_in_and_go_out(data: Path, tmp_path: Path) -> None:
    y = truth(data)
    known = pl.DataFrame({"payment": ["P7", "P8", "P9"], "label": ["fraud", "ok", None]})
    known.write_csv("known.csv")
    with Project.open(data, settings=SETTINGS) as project:
        assert project.import_labels("known.csv") == 2
        assert project.import_labels("known.csv") == 0
        assert project.labels == {7: "fraud", 8: "ok"}
        assert project.status().classes[0].first_row == "P7"
        answer(project, y, 30)
        for name in ("out.csv", "out.jsonl", "out.parquet"):
            assert project.export(name) == project.status().n_labels
        assert project.export("details.csv", details=True) >= project.status().n_labels
        labels = project.labels
    expected = [(f"P{row}", label) for row, label in labels.items()]
    assert list(pl.read_csv("out.csv").iter_rows()) == expected
    assert list(pl.read_parquet("out.parquet").iter_rows()) == expected
    assert list(pl.read_ndjson("out.jsonl").iter_rows()) == expected
    details = pl.read_csv("details.csv")
    assert {"annotator", "reason", "order", "source", "at"} <= set(details.columns)
    pl.DataFrame({"payment": ["P1", "X9"], "label": ["ok", "ok"]}).write_csv("foreign.csv")
    with (
        Project.open(data, store="other.db", settings=SETTINGS) as project,
        pytest.raises(LabelImportError, match="X9"),
    ):
        project.import_labels("foreign.csv")


def test_a_column_answers_and_rows_held_out_measure(data: Path) -> None:
    settings = {"oracle": "kind", "holdout": 0.3, "reading": {"id": "payment"}}
    with Project.open(data, settings=settings) as project:
        project.answer_from_column()
        status = project.status()
        assert status.stop_reasons
        assert status.n_held_out == len(project.held_out) == 78
        assert not set(project.held_out.tolist()) & set(project.labels)
        assert all(project.labels[row] == label for row, label in _known(data, project.labels))
        model = project.finish()
        assert model.manifest["metrics"]["how"] == "30 % held out"
        page = project.report().html()
    for part in ("stopping", "discovery", "learning-curve", "ranking", "confusion", "rows"):
        assert f'<section id="{part}"' in page


def test_a_report_says_which_rows_its_numbers_count(data: Path) -> None:
    settings = {"oracle": "kind", "holdout": 0.3, "max_labels": 60, "reading": {"id": "payment"}}
    with Project.open(data, settings=settings) as project:
        project.answer_from_column()
        page = project.report().html()
        held_out = {str(project.table.ids[row]) for row in project.held_out}
    assert len(held_out) == 78
    assert f"60 of the {N - 78} rows that could be asked for (78 of {N} are held out)" in page
    assert f"among the {N - 78} rows that could be asked for" in page
    assert f"Of {N - 78 - 60} rows without a label (the 78 held out are not counted)" in page
    predicted = page.split("Rows that are predicted rare</h2>")[1].split("<section")[0]
    assert not held_out & set(re.findall(r"P\d+", predicted))
    # Only labelling at random was repeated.
    assert "random: the mean of 5 runs, the band reaches from the worst to the best." in page
    assert "rarebit: the mean of" not in page


def _known(data: Path, labels: dict[int, Any]) -> list[tuple[int, str]]:
    y = truth(data)
    return [(row, y[row]) for row in labels]


def test_discover_makes_a_report_and_no_model(data: Path) -> None:
    settings = {**SETTINGS, "task": "discover", "max_labels": 12}
    y = truth(data)
    with Project.open(data, settings=settings) as project:
        while (question := project.question()) is not None:
            project.answer(question.row, y[question.row])
        assert project.status().n_labels == 12
        assert project.status().is_full
        assert "Classes of payments.csv" in project.report().html()
        with pytest.raises(ProjectError, match="task='learn'"):
            project.finish()


def test_a_model_needs_two_classes(data: Path) -> None:
    with Project.open(data, settings=SETTINGS) as project:
        with pytest.raises(ProjectError, match="showed no class"):
            project.finish()
        question = project.question()
        assert question is not None
        project.answer(question.row, "ok")
        with pytest.raises(ProjectError, match="'ok'"):
            project.finish()


def test_threads_lose_nothing(data: Path) -> None:
    y = truth(data)
    with Project.open(data, settings=SETTINGS) as project:
        errors: list[BaseException] = []

        def work(who: str) -> None:
            try:
                for _ in range(12):
                    question = project.question(who)
                    assert question is not None
                    project.answer(question.row, y[question.row], who, key=f"{who}-{question.row}")
                    project.status()
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(f"person {i}",)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert project.status().n_labels == 48
        labels = project.labels
    with Project.open(data, settings=SETTINGS) as project:
        assert project.labels == labels


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"task": "teach"}, "task"),
        ({"explorer": "malice"}, "priors"),
        ({"priors": [0.1]}, "priors"),
        ({"holdout": 0.3}, "oracle"),
        ({"max_labels": 0}, "max_labels"),
        ({"C": -1.0}, "C"),
        ({"rule": "owner"}, "owner"),
        ({"colour": "red"}, "colour"),
        ({"format": 99}, "format"),
        ({"reading": {"leaf": 1}}, "leaf"),
    ],
)
def test_settings_that_no_project_can_have(data: Path, wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        Project.open(data, settings=wrong)
    assert not Path("payments.labels.db").exists()


def test_settings_are_in_the_store(data: Path) -> None:
    with Project.open(data, settings=SETTINGS) as project:
        version, kept = project.store.settings
        assert kept["format"] == 1
        assert kept["seed"] == 3
    with Project.open(data, settings={**SETTINGS, "seed": 4}) as project:
        assert project.store.settings[0] == version + 1


def test_rows_are_added_and_answers_stay(data: Path) -> None:
    y = truth(data)
    rng = np.random.default_rng(5)
    more = pl.DataFrame(
        {
            "payment": [f"Q{i}" for i in range(60)],
            "amount": rng.normal(size=60) + 9.0,
            "age": rng.normal(size=60),
            "kind": ["refund"] * 60,
        }
    )
    more.write_csv("more.csv")
    with Project.open(data, settings=SETTINGS) as project:
        answer(project, y, 25)
        labels = project.labels
        assert project.add_rows("more.csv") == 60
        assert project.labels == labels
        assert project.status().n_rows == N + 60
        both = y + ["refund"] * 60
        asked = answer(project, both, 30)
        assert max(asked) >= N
        last, labels = project.question(), project.labels
    with Project.open([data, "more.csv"], settings=SETTINGS) as project:
        assert project.labels == labels
        assert project.question() == last
    with pytest.raises(StoreError, match=r"payments.csv \+ more.csv"):
        Project.open(data, settings=SETTINGS)
    more.drop("age").write_csv("narrow.csv")
    with (
        Project.open([data, "more.csv"], settings=SETTINGS) as project,
        pytest.raises(RarebitError, match="age"),
    ):
        project.add_rows("narrow.csv")
