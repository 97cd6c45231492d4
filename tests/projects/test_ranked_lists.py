"""Ranked lists in the formats that people keep, with the cells that they read rows by."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit import Project
from rarebit.cli import main
from rarebit.models import save_model
from rarebit.projects import ProjectError
from rarebit.tables import read_table

N = 60
RELEVANT = tuple(range(0, N, 6))


def labelled(file: Path, store: Path, **reading: str) -> Project:
    settings = {"rare": ["relevant"], "max_labels": 30, "reading": reading}
    project = Project.open(file, store=store, settings=settings)
    while (question := project.question()) is not None:
        project.answer(question.row, "relevant" if question.row in RELEVANT else "other")
    return project


@pytest.fixture(scope="module")
def payments(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("ranked")
    rare = np.isin(np.arange(N), RELEVANT)
    pl.DataFrame(
        {
            "order": [f"P{i}" for i in range(N)],
            "amount": np.random.default_rng(0).normal(size=N).round(2) + 4 * rare,
            "note": ["=1+1" if i % 2 else "fine" for i in range(N)],
            "label": np.arange(N) % 7,
        }
    ).write_csv(folder / "payments.csv")
    return labelled(folder / "payments.csv", folder / "a.db", id="order")


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet", ".xlsx"])
def test_rows_have_their_columns(payments: Project, ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"ranked{ending}"
    assert payments.export_ranked(file) == N
    ranked = read_table(file, id="order", columns={"label (file)": "category"})
    assert ranked.n_rows == N
    cells = {**{name: ranked.records[name].to_list() for name in ranked.records.columns}}
    assert cells["state"] == sorted(cells["state"], key=["found", "unseen", "other"].index)
    assert "probability" in ranked.columns
    amounts = dict(zip(payments.table.ids, payments.table.numbers[:, 0], strict=True))
    place = ranked.number_names.index("amount")
    for row, name in enumerate(ranked.ids):
        assert ranked.numbers[row, place] == pytest.approx(amounts[name])
        assert cells["note"][row] == ("=1+1" if int(name[1:]) % 2 else "fine")
        assert int(cells["label (file)"][row]) == int(name[1:]) % 7
    if ending == ".csv":
        assert ",'=1+1," in file.read_text()


def test_papers_come_back_by_rank(tmp_path: Path) -> None:
    papers = tmp_path / "papers.ris"
    papers.write_text(
        "".join(
            f"TY  - JOUR\nID  - key{i}\nTI  - "
            f"{'A trial of statin' if i in RELEVANT else 'Methods of survey'} number {i}\n"
            f"AB  - What was done in study {i}.\nER  - \n\n"
            for i in range(N)
        )
    )
    with labelled(papers, tmp_path / "a.db", id="key") as project:
        assert project.export_ranked(tmp_path / "ranked.ris") == N
        labels = project.labels
        with pytest.raises(ProjectError, match=r"\.xlsx, \.ris, got 'ranked.bib'"):
            project.export_ranked(tmp_path / "ranked.bib")
    again = read_table(tmp_path / "ranked.ris", id="key")
    found = [f"key{row}" for row, label in labels.items() if label == "relevant"]
    assert again.ids[: len(found)].tolist() == found
    text = (tmp_path / "ranked.ris").read_text()
    assert f"N1  - rarebit: relevant\nN1  - rarebit rank: 1 of {N}\n" in text
    assert f"N1  - rarebit rank: {len(found) + 1} of {N}, unseen, probability 0." in text
    assert text.count("TY  - JOUR") == text.count("ER  - ") == N


def test_a_name_without_a_format_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("x,kind\n" + "1.5,a\n2.5,b\n" * 20)
    command = ["learn", "a.csv", "--oracle", "kind", "--export-ranked"]
    for name in ("ranked.ris", "ranked.txt", "ranked"):
        assert main([*command, name]) == 2
        said = capsys.readouterr().err
        assert f".xlsx, got {name!r}" in " ".join(said.split())
        assert not Path(name).exists()
    assert not Path("a.labels.db").exists()


def test_texts_that_were_joined_are_written_as_they_came(tmp_path: Path) -> None:
    file = tmp_path / "papers.csv"
    titles = [f"A trial of {'statin' if i in RELEVANT else 'survey'} {i}" for i in range(N)]
    rows = {"key": [f"k{i}" for i in range(N)], "title": titles, "year": [2020] * N}
    frame = pl.DataFrame({**rows, "abstract": [f"What was done, {i}." for i in range(N)]})
    frame.write_csv(file)
    reading = {"id": "key", "text": ["title", "abstract"]}
    with labelled(file, tmp_path / "a.db", **reading) as project:  # type: ignore[arg-type]
        project.export_ranked(tmp_path / "ranked.csv")
        project.export_ranked(tmp_path / "ranked.parquet")
        save_model(project.finish(), tmp_path / "m.rarebit")
    for ranked in (
        pl.read_csv(tmp_path / "ranked.csv"),
        pl.read_parquet(tmp_path / "ranked.parquet"),
    ):
        assert "title + abstract" not in ranked.columns
        own = ranked.select(frame.columns).sort("key")
        assert own.equals(frame.sort("key"))
    top = tmp_path / "top.csv"
    assert main(["predict", f"{tmp_path}/m.rarebit", str(file), "--top", "5", "-o", str(top)]) == 0
    assert {"title", "abstract"} <= set(pl.read_csv(top).columns)
