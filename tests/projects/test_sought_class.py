"""Who seeks like what is known, or by words, is shown more of it: never the usual class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rarebit import Hunt, Project
from rarebit._text import counted
from rarebit.projects import proof_line, proof_sentences

N, RARE = 300, 12


@pytest.fixture
def papers(tmp_path: Path) -> tuple[Path, list[str]]:
    rng = np.random.default_rng(3)
    y = ["include" if row < RARE else "exclude" for row in rng.permutation(N)]
    usual = ["bank", "oil", "wheat", "steel", "share", "profit", "trade", "bond", "ship", "gold"]
    lines = ["id,text"]
    for row, label in enumerate(y):
        words = rng.choice(usual, 9).tolist() + (["coffee", "quota"] if label == "include" else [])
        lines.append(f"p{row},{' '.join(words)}")
    path = tmp_path / "papers.csv"
    path.write_text("\n".join(lines) + "\n")
    return path, y


def ask(project: Project, y: list[str], n_labels: int) -> None:
    for _ in range(n_labels):
        question = project.question()
        if question is None:
            return
        project.answer(question.row, y[question.row])


@pytest.mark.parametrize("known", [True, False])
def test_what_is_sought_is_found(papers: tuple[Path, list[str]], known: bool) -> None:
    path, y = papers
    settings = {
        "goal": "find", "recall": 0.8, "like": "coffee quota", "classes": ("include", "exclude"),
        "known": {f"p{y.index('include')}": "include"} if known else {},
        "reading": {"id": "id", "text": "text"},
    }  # fmt: skip
    with Project.open(path, settings=settings, store=path.parent / "l.db") as project:
        said = [note for note in project.notes if "'include' are sought" in note]
        assert len(said) == known
        ask(project, y, 40)
        proof = project.status().proof
        assert proof is not None
        assert proof.found == RARE
        assert project._hunt("test").is_rare("include")
        assert not project._hunt("test").is_rare("exclude")


def test_words_alone_do_not_make_what_they_find_the_usual_class() -> None:
    rng = np.random.default_rng(0)
    y = np.array(["ok"] * 280 + ["rare"] * 20)
    X = rng.normal(size=(300, 3)) + 4.0 * (y == "rare")[:, None]
    hunt = Hunt(goal="find", target=0.8, first=X.sum(axis=1), random_state=0).start(X)
    for _ in range(4):
        rows = hunt.ask(1)
        hunt.tell(rows, y[rows])
    assert hunt.rare_ == "not known yet" or hunt.rare_ == "every class but 'ok'"
    while not hunt.done:
        rows = hunt.ask(1)
        hunt.tell(rows, y[rows])
    assert hunt.rare_ == "every class but 'ok'"
    assert hunt.guarantee().recall_min >= 0.8


def test_while_nobody_knows_which_class_is_rare(papers: tuple[Path, list[str]]) -> None:
    path, y = papers
    settings = {"recall": 0.8, "like": "coffee quota", "goal": "find", "reading": {"text": "text"}}
    with Project.open(path, settings=settings, store=path.parent / "l.db") as project:
        ask(project, y, 1)
        proof = project.status().proof
        assert proof is not None
        assert proof_line(proof) == "which class is rare is not known yet"
        assert "name it (--rare)" in proof_sentences(proof)[0]


def test_the_figures_of_a_report_agree(papers: tuple[Path, list[str]]) -> None:
    path, y = papers
    known = {f"p{y.index('include')}": "include"}
    settings = {"goal": "find", "recall": 0.5, "known": known, "method": "border",
                "reading": {"id": "id", "text": "text"}}  # fmt: skip
    with Project.open(path, settings=settings, store=path.parent / "l.db") as project:
        ask(project, y, 30)
        page = project.report().html()
        proof = project.status().proof
    assert proof is not None
    assert f"{counted(proof.found - 1, 'was found', 'were found')}." in page
    assert "1 rare row was known beforehand, beside these." in page
    assert "The rare class is &#39;include&#39;." in page


def test_a_pool_that_is_labelled_whole_misses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x\n" + "\n".join(str(i) for i in range(12)) + "\n")
    with Project.open(path, store=tmp_path / "l.db") as project:
        ask(project, ["rare" if i > 9 else "ok" for i in range(12)], 12)
        said = str(project.status())
    assert "You may stop" in said
    assert "promises no recall" not in said
