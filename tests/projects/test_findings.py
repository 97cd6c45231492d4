"""Status, JSON and report say what was proved when, and how soon rare rows were found."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit import Project
from rarebit.projects import heading_line, search_progress
from rarebit.projects._judgement import how_many_rare

N, RARE = 240, 30


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    y = truth()
    X = np.random.default_rng(1).normal(size=(N, 3)) + 1.6 * (y == "fraud")[:, None]
    path = tmp_path_factory.mktemp("findings") / "payments.csv"
    pl.DataFrame(
        {"id": [f"P{i}" for i in range(N)], **dict(zip("abc", X.T, strict=True)), "truth": y}
    ).write_csv(path)
    return path


def truth() -> np.ndarray:
    return np.random.default_rng(0).permutation(np.repeat(["ok", "fraud"], [N - RARE, RARE]))


def run(file: Path, store: Path, most: int = 1000, **changes: Any) -> Project:
    settings = {"goal": "find", "recall": 0.7, "rare": ["fraud"], "seed": 3, **changes}
    project = Project.open(file, store=store, settings=settings)
    for _ in range(most):
        question = project.question()
        if question is None:
            break
        project.answer(question.row, str(truth()[question.row]))
    return project


def test_hand_labelled(file: Path, tmp_path: Path) -> None:
    with run(file, tmp_path / "a.db", reading={"id": "id", "aside": ["truth"]}) as project:
        status, proved = project.status(), project.guarantee()
        page = project.report().html()
        labels = project.labels
        n_lines = project.export_ranked(tmp_path / "ranked.csv")
    ranked = pl.read_csv(tmp_path / "ranked.csv")
    assert n_lines == len(ranked) == N
    states = ranked["state"].to_list()
    assert states == sorted(states, key=["found", "unseen", "other"].index)
    found = {f"P{row}" for row, label in labels.items() if label == "fraud"}
    assert set(ranked.filter(pl.col("state") == "found")["id"]) == found
    unseen = ranked.filter(pl.col("state") == "unseen")
    assert len(unseen) == N - len(labels)
    assert unseen["score"].is_sorted(descending=True)
    assert unseen["probability"].is_between(0, 1).all()
    assert ranked.filter(pl.col("state") != "unseen")["score"].is_null().all()
    assert status.search is not None
    assert status.search.total is None
    assert status.search.found == proved.found
    assert status.path is not None
    assert status.path.recall_min[-1] == proved.recall_min
    assert status.path.total_max[-1] == proved.total_max
    told = json.loads(json.dumps(status.to_json()))
    assert told["path"]["recall_min"][-1] == proved.recall_min
    assert told["search"]["labels_for_95"] <= status.n_labels
    assert "Rows that nobody found are not counted" in told["search"]["sentence"]
    for text in (
        "What is proved",
        "How soon rare rows were found",
        "How good the classifier is, by audits",
        "Rows to look at next",
        "A prediction is not a find",
        "a recall of 70 % is proved",
    ):
        assert text in page, text
    assert "Labels spent when each class was first seen." not in page  # two dots are no chart
    assert "The data says which rows are rare" not in page


def test_a_column_that_knows(file: Path, tmp_path: Path) -> None:
    with run(file, tmp_path / "b.db", 90, oracle="truth", reading={"id": "id"}) as project:
        status = project.status()
        page = project.report().html()
        asked = [label == "fraud" for label in project.labels.values()]
    search = status.search
    assert search is not None
    assert search.total == RARE
    assert search.recall == sum(asked) / RARE
    places = np.flatnonzero(asked) + 1
    assert search.mean_labels == pytest.approx(places.mean())
    assert (search.work_saved_95 is None) == (sum(asked) < 0.95 * RARE)
    assert search.curve_found[-1] == sum(asked)
    assert "The data says which rows are rare" in page
    assert "WSS@95" in page


def test_without_a_target_nothing_is_promised(file: Path, tmp_path: Path) -> None:
    settings = {"recall": None, "goal": "learn", "oracle": "truth", "reading": {"id": "id"}}
    with run(file, tmp_path / "c.db", 60, holdout=0.4, **settings) as project:
        status = project.status()
        page = project.report().html()
    assert status.path is None
    assert status.search is not None
    assert status.search.total is not None
    assert status.search.total < RARE  # rows held out are no part of the pool
    assert status.proof is not None
    assert ("What is proved" in page) == bool(status.proof.audits)  # random rows prove something
    assert "Continue: a recall" not in page
    assert "Brier score" in page
    assert " skipped" not in page  # nobody did: rows held out are never asked for
    assert "The rare class is &#39;fraud&#39;." in page


def test_the_rare_classes_of_a_report_are_those_of_the_proof(file: Path, tmp_path: Path) -> None:
    with run(file, tmp_path / "r.db", 60, rare=["fraud", "theft"]) as project:
        page = project.report().html()
    rare = "&#39;fraud&#39;, &#39;theft&#39;"
    assert f"Rare are {rare}; the classifier calls those that were met &#39;fraud&#39;." in page


def test_no_find() -> None:
    progress = search_progress([0, 0, 0], 10, None)
    assert progress.mean_labels is None
    assert "None of the rows" in progress.to_json()["sentence"]
    assert search_progress([], 10, 3).recall == 0.0


class Blend:
    """A classifier of which only probabilities and draws are asked."""

    def __init__(self, known: bool, draws: list[int]) -> None:
        self.classes_ = np.array(["fraud", "ok"])
        self.minority_class_ = "fraud"
        self.base_rate_known_ = known
        self.drawn_ = np.array([[0.5, 0.0, hit] for hit in draws]).reshape(-1, 3)

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.full((len(X), 2), 0.5)

    def probability_band(self, X: Any) -> np.ndarray:
        return np.tile([0.1, 0.9], (len(X), 1))


@pytest.mark.parametrize(
    ("known", "draws", "told"),
    [
        (False, [], "the number of rare rows is not known: no row was drawn at random"),
        (False, [0] * 40, "may be 0 to 9 rare rows: of 40 labelled rows drawn at random none was"),
        (
            False,
            [1, *[0] * 39],
            "may be 0 to 14 rare rows: of 40 labelled rows drawn at random",
        ),
        (True, [1, 1, *[0] * 38], "about 50 rows are rare by their probabilities, 10 to 90 as far"),
    ],
)
def test_rare_rows_without_a_label_are_only_counted_where_draws_tell(
    known: bool, draws: list[int], told: str
) -> None:
    model: Any = SimpleNamespace(classifier=Blend(known, draws), rare_class="fraud")
    said = how_many_rare(model, np.zeros((100, 1)), np.arange(100), 100)
    assert said.startswith("Among all 100 rows without a label, predicted rare or not, ")
    assert told in said


@pytest.mark.parametrize("recall", [None, 0.7])
def test_rare_rows_given_beforehand_are_told_apart(
    file: Path, tmp_path: Path, recall: float | None
) -> None:
    given = int(np.flatnonzero(truth() == "fraud")[0])
    reading = {"id": "id", "aside": ["truth"]}
    known = {f"P{given}": "fraud"}
    with run(file, tmp_path / "a.db", 20, reading=reading, recall=recall, known=known) as project:
        status = project.status()
        n_rare = sum(label == "fraud" for label in project.labels.values())
    assert status.search is not None
    assert (status.search.found, status.search.given) == (n_rare - 1, 1)
    assert f"{n_rare} rare rows known, 1 of them given" in heading_line(status)
    said = str(status)
    assert "1 of them given beforehand" in said
    assert f"{n_rare - 1} rare rows" not in said


def test_a_rare_row_that_was_given_is_not_counted_twice(file: Path, tmp_path: Path) -> None:
    given = int(np.flatnonzero(truth() == "fraud")[0])
    settings = {"reading": {"id": "id", "aside": ["truth"]}, "known": {f"P{given}": "fraud"},
                "goal": "find", "rare": ["fraud"]}  # fmt: skip
    with Project.open(file, store=tmp_path / "a.db", settings=settings) as project:
        project.answer(int(np.flatnonzero(truth() != "fraud")[0]), "ok")
        status = project.status()
    assert "1 rare row known (given beforehand)" in heading_line(status)
    assert "1 of them" not in str(status)


@pytest.mark.parametrize(
    ("remaining", "told"),
    [
        (7, "may be 0 to 7 rare rows: more are ruled out by what is proved (95 %), of 40 labelled"),
        (60, "may be 0 to 9 rare rows: of 40 labelled rows drawn at random none was"),
        (60, "rests on these rows alone, looked at once; that at most 60 are missing is proved"),
    ],
)
def test_rare_rows_without_a_label_are_no_more_than_is_proved(remaining: int, told: str) -> None:
    model: Any = SimpleNamespace(classifier=Blend(False, [0] * 40), rare_class="fraud")
    proof: Any = SimpleNamespace(remaining_max=remaining, confidence=0.95)
    assert told in how_many_rare(model, np.zeros((100, 1)), np.arange(100), 100, proof)
