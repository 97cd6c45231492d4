"""Decisions that a file of papers has already are not lost when it is written again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rarebit import Project
from rarebit.cli import ExitCode
from rarebit.projects import Settings
from rarebit.tables import with_decision

N = 12
DECIDED = {i: "relevant" if i % 4 == 0 else "irrelevant" for i in range(8)}


def piece(i: int, suffix: str) -> str:
    if suffix == ".ris":
        return f"TY  - JOUR\nID  - k{i}\nTI  - Title {i} of study\nAB  - Words of paper {i}."
    return f"@article{{k{i},\n  title = {{Title {i} of study}}\n}}"


@pytest.fixture(params=[".ris", ".bib"])
def screened(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Papers, of which the first eight have a decision of an earlier export, and two a rank."""
    monkeypatch.chdir(tmp_path)
    path = Path("screened" + request.param)
    ranks = {1: "1 of 12", 9: "2 of 12, unseen"}
    path.write_text(
        "".join(
            with_decision(piece(i, path.suffix), DECIDED.get(i, ""), path.suffix, ranks.get(i, ""))
            for i in range(N)
        )
    )
    return path


def decisions(path: Path) -> list[str]:
    """Decision of each paper, as the file has it."""
    mark = "N1  - rarebit: " if path.suffix == ".ris" else "rarebit = {"
    pieces = path.read_text().split("TY  - " if path.suffix == ".ris" else "@article")[1:]
    return [p.split(mark)[1].split("\n")[0].strip("},") if mark in p else "" for p in pieces]


def test_decisions_of_papers_without_a_label_stay(command: Any, screened: Path) -> None:
    Path("more.csv").write_text("key,label\nk2,relevant\nk10,irrelevant\n")
    assert command("labels", "import", screened, "more.csv", "--id", "key").code == ExitCode.OK
    out = Path("again" + screened.suffix)
    done = command("labels", "export", screened, "--out", out)
    wanted = DECIDED | {2: "relevant", 10: "irrelevant"}
    assert decisions(out) == [wanted.get(i, "") for i in range(N)]
    assert f"2 labels; 7 others keep the decision that they have in {screened.name}." in done.out
    assert "rank" not in out.read_text()
    told = command("labels", "export", screened, "--out", out, "--json").json
    assert (told["labels"], told["kept"]) == (2, 7)


def test_a_decision_taken_back_is_not_written(screened: Path) -> None:
    out = Path("again" + screened.suffix)
    settings = Settings(reading={"id": "key"}, target="rarebit")
    with Project.open(screened, store="a.db", settings=settings) as project:
        assert project.labels == DECIDED
        project.undo()
        (gone,) = set(DECIDED) - set(project.labels)
        project.export(out)
    assert decisions(out) == ["" if i == gone else DECIDED.get(i, "") for i in range(N)]
    # What was never taken over stays, whatever was answered and undone.
    with Project.open(screened, store="b.db", settings=Settings(reading={"id": "key"})) as project:
        project.correct(5, "relevant")
        project.undo()
        project.export(out)
    assert decisions(out) == [DECIDED.get(i, "") for i in range(N)]


def test_ranked_papers_keep_their_decisions(screened: Path) -> None:
    with Project.open(screened, settings=Settings(reading={"id": "key"})) as project:
        for row, label in {0: "relevant", 1: "irrelevant", 8: "relevant", 9: "irrelevant"}.items():
            project.correct(row, label)
        out = Path("ranked" + screened.suffix)
        project.export_ranked(out)
    assert sorted(decisions(out)) == sorted([*DECIDED.values(), "relevant", "irrelevant", "", ""])
    assert out.read_text().count("rank") == N
