"""Ids that are whole numbers in the data stay numbers in every file of labels; whose labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rarebit import Project
from rarebit.cli import ExitCode


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = {"nr": [700_000 + i for i in range(30)], "x": [i * 0.5 for i in range(30)]}
    pl.DataFrame(rows).write_csv("pay.csv")
    Path("given.csv").write_text("nr,label\n700003,ok\n700007,fraud\n")
    return Path("pay.csv")


IDS = [700_003, 700_007]


@pytest.mark.parametrize("store", ["pay.labels.db", "pay.labels.jsonl"])
def test_whole_numbers_stay_numbers(command: Any, data: Path, store: str) -> None:
    into = ("labels", "import", data, "given.csv", "--id", "nr", "--labels", store)
    assert command(*into).code == ExitCode.OK
    for place in ((data, "--labels", store), (store,)):
        for more in ([], ["--details"]):
            for out in ("o.jsonl", "o.parquet"):
                assert command("labels", "export", *place, *more, "-o", out).code == ExitCode.OK
            assert pl.read_parquet("o.parquet")["nr"].to_list() == IDS
            lines = Path("o.jsonl").read_text().splitlines()
            assert [json.loads(line)["nr"] for line in lines] == IDS
    listed = command("labels", "list", data, "--labels", store, "--json").json["answers"]
    assert sorted(each["id"] for each in listed) == IDS
    shown = command("labels", "show", data, "700003", "--labels", store, "--json").json
    assert (shown["id"], shown["events"][0]["id"]) == (700_003, 700_003)
    changed = command("labels", "set", data, "700003", "odd", "--labels", store, "--json").json
    assert changed["id"] == 700_003
    with Project.open(data, store=store, settings={"reading": {"id": "nr"}}) as project:
        project.export("p.parquet", details=True)
    assert set(pl.read_parquet("p.parquet")["nr"].to_list()) == set(IDS)


def test_names_with_zeros_before_them_stay_texts(command: Any, data: Path) -> None:
    data.write_text(data.read_text().replace("\n7", "\n07"))
    Path("given.csv").write_text("nr,label\n0700003,ok\n")
    assert command("labels", "import", data, "given.csv", "--id", "nr").code == ExitCode.OK
    assert command("labels", "export", data, "-o", "o.jsonl").code == ExitCode.OK
    assert json.loads(Path("o.jsonl").read_text())["nr"] == "0700003"


def test_an_undone_answer_is_shown_without_a_class(command: Any, data: Path) -> None:
    with Project.open(data, settings={"reading": {"id": "nr"}}) as project:
        project.answer(3, "ok")
        project.undo()
    told = command("labels", "show", data, "700003").out
    assert "undo (person)" in told
    assert "None" not in told


def test_other_data_than_those_of_the_store_are_told(command: Any, data: Path) -> None:
    text = pl.read_csv(data).with_columns(Title=pl.format("a title {}", "nr"))
    text.write_csv("papers.csv")
    settings = {"reading": {"id": "nr", "text": "Title"}}
    with Project.open("papers.csv", settings=settings) as project:
        project.answer(3, "ok")
    paper = "TY  - JOUR\nAN  - {0}\nTI  - title {0}\nER  - \n\n"
    Path("papers.ris").write_text("".join(paper.format(each) for each in range(40)))
    for words in (
        ("import", "papers.ris", "given.csv", "--id", "key"),
        ("set", "papers.ris", "3", "ok"),
        ("show", "papers.ris", "3"),
        ("list", "papers.ris"),
        ("export", "papers.ris"),
        ("export", "papers.ris", "--out", "o.ris"),
    ):
        refused = command("labels", *words)
        assert refused.code == ExitCode.INPUT, words
        assert "papers.labels.db holds labels of papers.csv" in refused.error
        assert "or another store (--labels NAME.db)" in refused.error
    # The same rows under another name are no other data.
    Path("papers.csv").rename("moved.csv")
    moved = command("labels", "export", "moved.csv", "--labels", "papers.labels.db")
    assert moved.out == "nr,label\n700003,ok\n"
