"""One advice: status, report and terminal say the same of every goal, before and after the end."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit import Project
from rarebit.cli._labelling import say_advice, ways
from rarebit.cli._terminal import Terminal
from rarebit.projects import ProjectStatus, Ways, advise

N, RARE = 200, 20
Y = np.random.default_rng(0).permutation(np.repeat(["ok", "fraud"], [N - RARE, RARE]))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    X = np.random.default_rng(1).normal(size=(N, 2)) + 3.0 * (Y == "fraud")[:, None]
    path = tmp_path_factory.mktemp("advice") / "payments.csv"
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}).write_csv(path)
    return path


def labelled(file: Path, store: Path, most: int, **settings: Any) -> Project:
    project = Project.open(
        file, store=store, settings={"rare": ["fraud"], "method": "border", **settings}
    )
    for _ in range(most):
        question = project.question()
        if question is None:
            break
        project.answer(question.row, str(Y[question.row]))
    return project


def advice_box(page: str) -> list[str]:
    box = re.search(r'<div class="advice.*?</div>', page, re.DOTALL)
    assert box is not None
    found = re.findall(r"<(?:strong|li)>(.*?)</(?:strong|li)>", box[0], re.DOTALL)
    return [html.unescape(each) for each in found]


@pytest.mark.parametrize("most", [30, N], ids=["early", "end"])
@pytest.mark.parametrize("recall", [None, 0.6])
@pytest.mark.parametrize("goal", ["find", "learn", "both"])
def test_everybody_says_the_same(
    file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    goal: str,
    recall: float | None,
    most: int,
) -> None:
    with labelled(file, tmp_path / "l.db", most, goal=goal, recall=recall) as project:
        status, page = project.status(), project.report(ways()).html()
    advice = advise(status, ways())
    assert advice.stop == bool(status.stop_reasons) == (most == N)
    assert advice_box(page) == [f"{advice.verdict}.", *advice.reasons, *advice.steps]
    capsys.readouterr()
    say_advice(Terminal(), status)
    assert capsys.readouterr().out.splitlines()[-len(advice.lines) :] == advice.lines
    assert str(advise(status)) in str(status)
    assert status.to_json()["advice"] == advise(status).to_json()
    if advice.stop:
        proved = recall is not None
        assert advice.verdict.startswith("You may stop")
        assert ("a recall of 60 % is proved" in advice.verdict) == proved
    elif recall is not None:
        assert advice.verdict == "Continue: a recall of 60 % is not proved yet"
    elif goal == "find":
        assert advice.verdict == "You decide when to stop"
        assert "still changing" not in page
        assert "More labels should help" not in page
    else:
        assert advice.verdict == "More labels should help"


def test_at_the_limit_the_advice_names_it(file: Path, tmp_path: Path) -> None:
    settings = {"goal": "find", "recall": None, "max_labels": 30}
    with labelled(file, tmp_path / "l.db", N, **settings) as project:
        status = project.status()
    advice = advise(status, ways())
    assert advice.verdict == "You decide whether to continue"
    assert advice.reasons[0] == "The limit of 30 labels is reached."
    assert "asking ends only" not in str(advice)
    assert advice.steps[-1] == "To continue, run the same command with a larger --max-labels."


def test_how_to_continue_is_said_only_where_labels_do_not_end(file: Path, tmp_path: Path) -> None:
    with labelled(file, tmp_path / "l.db", 1) as project:
        status: ProjectStatus = project.status()
    said = Ways(insist="press c")
    ended = replace(status, stop_reasons={"exhausted": "All is labelled."})
    assert str(advise(ended, said)) == "You may stop: All is labelled."
    half = replace(status, stop_reasons={"half": "It would bring little."})
    assert advise(half, said).lines[:2] == [
        "You may stop: It would bring little.", "To continue, press c.",
    ]  # fmt: skip


def test_a_class_that_was_never_met(file: Path, tmp_path: Path) -> None:
    settings = {"goal": "find", "rare": ["nosuch"]}
    with labelled(file, tmp_path / "l.db", 40, **settings) as project:
        status = project.status()
        assert project.why_no_model() == "no row of the class 'nosuch' was labelled"
        page = project.report().html()
    unmet = "No row of the class 'nosuch' is among the 40 labels"
    assert advise(status).reasons[0].startswith(unmet)
    assert any(each.startswith(unmet) for each in advice_box(page))
    assert "No rare row was found with these labels" in page
    assert '<section id="search"' in page


def test_a_report_of_a_search_has_its_curve_and_its_rows(file: Path, tmp_path: Path) -> None:
    with labelled(file, tmp_path / "l.db", 60, goal="find") as project:
        page = project.report().html()
        found = [row for row, label in project.labels.items() if label == "fraud"]
    search = page[page.index('<section id="search"') :]
    assert "<svg" in search[: search.index("</section>")]
    assert "Rare rows found" in page
    assert f">{project.table.ids[found[-1]]}<" in page
    assert "Rows to look at next" in page


def test_labels_given_beforehand_are_no_search(tmp_path: Path) -> None:
    """Somebody else chose these rows: that they lack a class says nothing of the search."""
    rng = np.random.default_rng(0)
    kind = np.where(rng.random(300) < 0.1, "fraud", "ok")
    known = [name if row < 120 else None for row, name in enumerate(kind.tolist())]
    frame = pl.DataFrame({"x": rng.normal(size=300), "y": rng.normal(size=300), "seen": known})
    settings = {"task": "discover", "target": "seen"}
    with Project.open(frame, store=tmp_path / "a.db", settings=settings) as project:
        assert project.status().n_given == 120
        assert project.status().stop_reasons == {}
        for n_asked in range(1, 21):
            question = project.question()
            assert question is not None
            project.answer(question.row, "ok")
            assert bool(project.status().stop_reasons) == (n_asked >= 20)
        assert project.status().stop_reasons["dry"] == "The last 20 labels showed no new class."
        question = project.question()
        assert question is not None
        project.answer(question.row, "odd")
        assert project.status().stop_reasons == {}
