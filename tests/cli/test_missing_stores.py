"""Commands that read labels never make a store; one without answers stands in nobody's way."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rarebit import Project
from rarebit.cli import ExitCode
from rarebit.projects.stores import open_store, read_history

from .conftest import Command


@pytest.fixture(autouse=True)
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"id": [f"r{i}" for i in range(40)], "x": [float(i) for i in range(40)]})
    frame.write_csv("bank.csv")
    papers = "".join(f"TY  - JOUR\nTI  - Title {i}\nER  - \n" for i in range(5))
    Path("papers.ris").write_text(papers)


READING = [
    ("labels", "list", "bank.csv"),
    ("labels", "export", "bank.csv"),
    ("labels", "show", "bank.csv", "r3"),
    ("labels", "export", "papers.ris", "--out", "screened.ris"),
]


@pytest.mark.parametrize("arguments", READING)
@pytest.mark.parametrize("typo", ["typo.db", "typo.labels.jsonl", "sqlite:///typo.db", None])
def test_a_missing_store_is_an_error_and_stays_missing(
    arguments: tuple[str, ...], typo: str | None, command: Command
) -> None:
    data = arguments[2]
    if typo is not None:
        with Project.open(Path(data), store="second.labels.db") as project:
            project.correct(3, "fraud")
        open_store("other.labels.db", ids=["a"], source="other.csv").close()
    before = sorted(Path().iterdir())
    given = () if typo is None else ("--labels", typo)
    told = command(*arguments, *given)
    assert told.code == ExitCode.INPUT
    place = Path(data).stem + ".labels.db" if typo is None else typo.removeprefix("sqlite:///")
    assert f"There are no labels at {place}" in told.error
    assert (f"; those of {data} are in second.labels.db: " in told.error) == (typo is not None)
    assert sorted(Path().iterdir()) == before


def test_a_project_that_a_database_does_not_have(command: Command) -> None:
    with open_store("all.db#march", ids=["a"], source="march.csv") as store:
        store.append("label", 0, "ok")
    for arguments in READING[:3]:
        told = command(*arguments, "--labels", "all.db#may")
        assert told.code == ExitCode.INPUT
        assert "has no labels of bank.csv: check the name of the project after #" in told.error
    assert not read_history("all.db#may").source


@pytest.mark.parametrize("store", ["bank.labels.db", "bank.labels.jsonl", "all.db#bank"])
def test_a_store_without_answers_is_begun_anew(store: str, command: Command) -> None:
    with Project.open(Path("bank.csv"), store=store, settings={"classes": ("ok",)}) as project:
        assert project.question() is not None
    settings = {"reading": {"id": "id"}}
    with Project.open(Path("bank.csv"), store=store, settings=settings) as project:
        assert project.notes[0].startswith(f"{store} had no answer yet and was begun anew")
        assert len(project.notes) == 1
        project.correct(3, "fraud")
    assert [event.id for event in read_history(store).standing()] == ["r3"]
    # Answers are never left behind.
    told = command("labels", "list", "bank.csv", "--labels", store)
    assert "1 answer." in told.out


def test_labels_are_imported_beside_a_session_that_was_left(command: Command) -> None:
    with Project.open(Path("bank.csv")) as project:
        project.question()
    pl.DataFrame({"id": ["r3", "r4"], "label": ["ok", "fraud"]}).write_csv("reviewed.csv")
    told = command("labels", "import", "bank.csv", "reviewed.csv", "--id", "id")
    assert told.code == ExitCode.OK, told.err
    assert "2 labels of reviewed.csv imported" in told.out
