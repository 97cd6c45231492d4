"""Keys of papers that are numbers are names: nothing is learned from them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from rarebit import Project
from rarebit.models import train_model
from rarebit.projects.stores import Event, open_store
from rarebit.tables import TableEncoder, look, read_table, scan_table

PAPER = "TY  - JOUR\nAN  - {0}\nTI  - on {1} number {0}\nPY  - {2}\nN1  - rarebit: {1}\nER  - \n\n"
BIBTEX = "@article{{{0},\n title={{on {1} number {0}}},\n year={{{2}}},\n rarebit={{{1}}}\n}}\n\n"


def papers(path: Path, n: int = 120) -> Path:
    form = PAPER if path.suffix == ".ris" else BIBTEX
    rows = [(30_000_000 + 7 * i, "fish" if i % 6 == 0 else "rocks", 1990 + i % 9) for i in range(n)]
    path.write_text("".join(form.format(*row) for row in rows))
    return path


@pytest.mark.parametrize("name", ["papers.ris", "papers.bib"])
def test_a_number_that_is_the_key_is_no_feature(tmp_path: Path, name: str) -> None:
    file = papers(tmp_path / name)
    table = read_table(file)
    assert table.number_names == ("year",)
    assert table.show(3).fields["key"] == "30000021"
    encoder = TableEncoder().fit(table)
    assert "key" not in encoder.schema_
    (key,) = (each for each in look(table).columns if each.name == "key")
    assert not key.used
    assert "left out as an id" in key.remark


def test_who_says_that_it_is_a_number_gets_one(tmp_path: Path) -> None:
    file = papers(tmp_path / "papers.ris")
    assert read_table(file, columns={"key": "number"}).number_names == ("key", "year")
    assert read_table(file, id="key").ids[3] == "30000021"


def test_models_that_learned_from_it_still_read_it(tmp_path: Path) -> None:
    file = papers(tmp_path / "papers.ris")
    table = read_table(file, target="rarebit", columns={"key": "number"})
    model = train_model(table, method="kernel", validate=False)
    assert "key" in model.manifest["columns"]
    assert scan_table(file, **model.reading).columns["key"] == "number"


def test_labels_of_earlier_versions_stay_when_papers_are_added(tmp_path: Path) -> None:
    file = papers(tmp_path / "papers.ris")
    table = read_table(file)
    cells = {"year": repr(float(table.numbers[3, 0])), "key": "30000021.0"}
    cells |= {k: str(v) for k, v in table.records.row(3, named=True).items() if k != "key"}
    told = json.dumps(cells, sort_keys=True, ensure_ascii=True)
    check = hashlib.sha256(told.encode()).hexdigest()[:16]
    place = tmp_path / "papers.labels.db"
    known = {"source": table.source, "fingerprint": table.fingerprint}
    with open_store(place, ids=table.ids, **known) as store:
        store.append_many([Event(0, "label", row=3, label="fish", data={"check": check})])
    papers(file, 130)
    with Project.open(file, store=place) as project:
        assert project.labels == {3: "fish"}
        assert any("1 label of unchanged rows kept" in note for note in project.notes)


@pytest.mark.parametrize("name", ["papers.ris", "papers.bib"])
def test_the_key_of_papers_of_two_databases_is_no_feature(tmp_path: Path, name: str) -> None:
    file = papers(tmp_path / name)
    text = file.read_text()
    n = 40 * (text.count("\n") // 120)
    file.write_text(text + "".join(text.splitlines(keepends=True)[:n]))
    table = read_table(file)
    assert table.n_rows == 160
    assert table.show(3).fields["key"] == "30000021"
    encoder = TableEncoder().fit(table)
    assert "key" not in encoder.schema_
    assert encoder.dropped_["key"] == "names the paper"
    (key,) = (each for each in look(table).columns if each.name == "key")
    assert not key.used
    assert key.remark == "names the paper and is left out as an id"
    model = train_model(read_table(file, target="rarebit"), method="kernel", validate=False)
    assert "key" not in model.manifest["columns"]
    assert read_table(file, categorical=["key"]).left_out == {}
    assert "key" in TableEncoder().fit(read_table(file, categorical=["key"])).schema_
