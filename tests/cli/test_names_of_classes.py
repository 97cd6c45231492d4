"""Names of classes that people and files give: none is empty, and near ones are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rarebit import Project
from rarebit.cli import ExitCode
from rarebit.models import LeakWarning, train_model
from rarebit.projects.stores import read_history

STORE = "payments.labels.db"
ALIKE = "'Fraud' (1) and 'fraud' (2) count as different classes: spell them alike if they are one."


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ids = [f"p{i}" for i in range(40)]
    pl.DataFrame({"payment": ids, "amount": [i * 0.5 for i in range(40)]}).write_csv("payments.csv")
    return Path("payments.csv")


def imported(command: Any, data: Path, text: str, *options: str) -> Any:
    Path("given.csv").write_text(text)
    return command("labels", "import", data, "given.csv", "--id", "payment", *options)


@pytest.mark.parametrize("name", ["", "   "])
def test_a_class_without_a_name_replaces_no_label(command: Any, data: Path, name: str) -> None:
    refused = command("labels", "set", data, "p3", name)
    assert refused.code == ExitCode.USAGE
    assert "CLASS must name a class" in refused.error
    assert not Path(STORE).exists()
    assert imported(command, data, "payment,label\np3,fraud\n").code == ExitCode.OK
    assert command("labels", "set", data, "p3", name).code == ExitCode.USAGE
    assert [event.label for event in read_history(STORE).standing()] == ["fraud"]
    assert command("labels", "set", data, "p3", " ok ").code == ExitCode.OK
    assert [event.label for event in read_history(STORE).standing()] == ["ok"]


def test_near_names_of_a_file_are_told(command: Any, data: Path) -> None:
    text = "payment,label\np1,Fraud\np2,fraud\np3, fraud\np4,  \n"
    assert imported(command, data, text).code == ExitCode.USAGE
    assert not Path(STORE).exists() or not read_history(STORE).standing()
    told = imported(command, data, text, "--new-class")
    assert told.code == ExitCode.OK
    assert ALIKE in told.err
    assert {e.id: e.label for e in read_history(STORE).standing()} == {
        "p1": "Fraud", "p2": "fraud", "p3": "fraud",
    }  # fmt: skip


def test_near_names_of_a_file_and_of_earlier_answers_are_told(command: Any, data: Path) -> None:
    assert "note" not in imported(command, data, "payment,label\np2,fraud\np3,fraud\n").err
    near = "payment,label\np1,Fraud\n"
    assert "'fraud' and 'Fraud' differ" in imported(command, data, near).error
    assert ALIKE in imported(command, data, near, "--new-class").err


def test_a_project_notes_near_names_of_a_file(data: Path) -> None:
    Path("given.csv").write_text("payment,label\np1,Fraud\np2,fraud\np3,fraud \n")
    with Project.open(data, settings={"reading": {"id": "payment"}}) as project:
        assert project.import_labels("given.csv") == 3
        assert ALIKE in project.notes


def test_names_with_commas_are_quoted(data: Path) -> None:
    with Project.open(data, settings={"reading": {"id": "payment"}}) as project:
        for row in range(6):
            project.answer(row, "a, b" if row % 2 else "c")
        assert 'c (first at label 1, 3 rows), "a, b" (first at label' in str(project.status())
    rows = {"x": [*range(20)], "k": ["c"] * 15 + ["a, b"] * 5}
    with pytest.warns(LeakWarning):
        model = train_model(rows, target="k", method="kernel", validate=False)
    assert repr(model) == "Model(kernel, classes \"a, b\", c, rare 'a, b')"


def test_the_index_that_pandas_writes_can_be_kept(command: Any, tmp_path: Path) -> None:
    lines = "".join(f"{i},{i * 7 % 13 / 3},{'a' if i % 6 else 'b'}\n" for i in range(60))
    (tmp_path / "index.csv").write_text(f",x,k\n{lines}")
    options = ("fit", tmp_path / "index.csv", "-t", "k", "--method", "kernel", "--out")
    left = command(*options, tmp_path / "a.rarebit")
    assert "not used: the one without a name (every row has its own number)." in left.err
    assert "--as =number keeps one." in left.err
    kept = command(*options, tmp_path / "a.rarebit", "--as", "=number", "--json")
    assert kept.code == ExitCode.OK, kept.err
    assert set(kept.json["columns"]) == {"", "x"}


def test_an_import_counts_what_it_replaces(command: Any, data: Path) -> None:
    imported(command, data, "payment,label\np1,ok\np2,ok\n")
    text = "payment,label\np1,ok\np2,fraud\np3,ok\n"
    told = imported(command, data, text)
    assert (
        f"2 labels of given.csv imported into {STORE}; 1 of them instead of an earlier answer; "
        "1 was there already."
    ) in told.out
    Path("given.csv").write_text(text.replace("fraud", "ok"))
    words = ("labels", "import", data, "given.csv", "--id", "payment", "--json")
    result = command(*words).json
    assert (result["imported"], result["replaced"], result["known"]) == (1, 1, 2)


@pytest.mark.parametrize("named", ["classes", "rare", "normal"])
def test_classes_of_the_settings_are_known(command: Any, data: Path, named: str) -> None:
    settings = {"reading": {"id": "payment"}, named: ("relevant",)}
    with Project.open(data, settings=settings) as project:
        project.answer(1, "irrelevant")
    for name in ("Relevant", "relevan"):
        refused = command("labels", "set", data, "p3", name)
        assert refused.code == ExitCode.USAGE
        assert f"{name!r} is none of the classes so far (irrelevant, relevant)" in refused.error
        assert "close to 'relevant': write that" in refused.error
    done = command("labels", "set", data, "p3", "relevant", "--json")
    assert done.code == ExitCode.OK
    assert done.json["new"] is False
    assert "new class" not in done.err
