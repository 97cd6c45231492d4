"""Spreadsheets, collections of papers, joined texts and columns of vectors."""

from __future__ import annotations

import zipfile
from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit import Project
from rarebit.tables import ColumnsMismatchError, SheetWriter, TableEncoder, TableError, read_table

openpyxl = pytest.importorskip("openpyxl")

RIS = """TY  - JOUR
TI  - Deep learning for rare
 events
AU  - Roe, A.
AU  - Doe, B.
PY  - 2020/05/01
AB  - We find rare events.
DO  - 10.1/x
ER  -

TY  - CONF
T1  - Cooking with gas
N2  - Recipes.
ER  -
"""
BIBTEX = """% a comment
@article{roe2020, title = {Deep {L}earning for rare events}, author="Roe, A.",
  year = 2020, abstract = {We find {rare} events.},
}
@comment{nothing}
@inproceedings{doe, title={Cooking with gas}, abstract={Recipes.}}
"""


def write_book(path: Path, rows: list[list[object]], more: bool = False) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    if more:
        book.create_sheet("second").append(["z"])
        book["second"].append([5])
    book.save(path)
    return path


def test_a_sheet_is_read(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        ["id", "paid", "when", "kind", "ok", "mixed", None],
        ["a", 1.5, datetime(2024, 1, 31), "x", True, 5, None],
        ["b", None, datetime(2024, 2, 1), "NA", False, "six", None],
        [None] * 7,
        ["c", 3, None, "y", None, 7.0, None],
    ]
    path = write_book(tmp_path / "a.xlsx", rows, more=True)
    table = read_table(path, id="id")
    assert table.ids.tolist() == ["a", "b", "c"]
    assert table.number_names == ("paid", "ok")
    np.testing.assert_array_equal(table.numbers[:, 0], [1.5, np.nan, 3.0])
    assert table.records["when"][0] == datetime(2024, 1, 31)
    assert table.records["kind"].to_list() == ["x", None, "y"]
    assert table.records["mixed"].to_list() == ["5", "six", "7"]
    assert "--sheet NAME reads another one: 'second'." in " ".join(table.notes)
    assert read_table(path, sheet="second").number_names == ("z",)
    with pytest.raises(TableError, match="no sheet 'third'"):
        read_table(path, sheet="third")


@pytest.mark.parametrize("n", [2, 10, 12])
def test_all_other_sheets_are_named(tmp_path: Path, n: int) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.active.append([1])
    for j in range(n):
        book.create_sheet(f"Part {j}").append(["z"])
    book.save(tmp_path / "book.xlsx")
    told = " ".join(read_table(tmp_path / "book.xlsx").notes)
    named = ", ".join(f"'Part {j}'" for j in range(min(n, 10)))
    assert f"--sheet NAME reads another one: {named}{' and 2 more' if n == 12 else ''}." in told


def test_a_sheet_is_written_and_read_again(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, 2], "b": ["=1+1", "bell\x07"], "c": [None, "ö"]})
    writer = SheetWriter()
    writer.append(frame)
    writer.append(frame)
    writer.save(tmp_path / "b.xlsx")
    cells = list(openpyxl.load_workbook(tmp_path / "b.xlsx").active.iter_rows())
    assert [cell.value for cell in cells[0]] == ["a", "b", "c"]
    assert cells[1][1].value == "=1+1"
    assert cells[1][1].data_type == "s"
    assert read_table(tmp_path / "b.xlsx").n_rows == 4


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x03\x04 cut"])
def test_damaged_sheets(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(data)
    with pytest.raises(TableError, match="cannot be read as a spreadsheet"):
        read_table(tmp_path / "a.xlsx")


def test_sheets_with_nothing_in_them(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "z.xlsx", "w") as archive:
        archive.writestr("hello", "x")
    with pytest.raises(TableError, match="cannot be read as a spreadsheet"):
        read_table(tmp_path / "z.xlsx")
    with pytest.raises(TableError, match="is empty"):
        read_table(write_book(tmp_path / "e.xlsx", []))
    with pytest.raises(ColumnsMismatchError, match="two columns named 'a'"):
        read_table(write_book(tmp_path / "d.xlsx", [["a", "a"], [1, 2]]))


@pytest.mark.parametrize(("name", "text"), [("p.ris", RIS), ("p.bib", BIBTEX)])
def test_papers_are_read_and_written_back(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    table = read_table(path)
    assert table.n_rows == 2
    assert table.text == "title + abstract"
    shown = table.show(0)
    assert str(shown.text).lower() == "deep learning for rare events\nwe find rare events."
    assert str(shown.fields["year"]) == "2020"
    with Project.open(path, store=tmp_path / "l.db") as project:
        project.answer(0, "relevant")
        assert project.export(tmp_path / f"out{path.suffix}") == 1  # labels, of two papers
        with pytest.raises(ValueError, match="can be written from a"):
            project.export(tmp_path / ("x.bib" if path.suffix == ".ris" else "x.ris"))
    written = (tmp_path / f"out{path.suffix}").read_text(encoding="utf-8")
    assert written.count("rarebit") == 1
    assert "relevant" in written
    again = read_table(tmp_path / f"out{path.suffix}")
    assert (
        again.records["title + abstract"].to_list() == table.records["title + abstract"].to_list()
    )


@pytest.mark.parametrize("name", ["a.ris", "a.bib"])
@pytest.mark.parametrize(
    "text", ["nothing here", "TY  - JOUR\nER  - \n", "@article{a, title={", "@"]
)
def test_no_papers(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(TableError, match="no paper with a title"):
        read_table(tmp_path / name)


def test_texts_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("title,body,x\nred car,fast,1\nblue,,2\n,12,3\n")
    table = read_table(path, text=["title", "body"])
    assert table.text == "title + body"
    assert table.records["title + body"].to_list() == ["red car\nfast", "blue", "12"]
    encoder = TableEncoder().fit(table)
    again = read_table(path, schema=encoder.schema_, forms=encoder.forms_, text=table.text)
    np.testing.assert_array_equal(
        encoder.transform(again).toarray(), encoder.transform(table).toarray()
    )
    with pytest.raises(ColumnsMismatchError, match="no text column 'boddy'"):
        read_table(path, text=["title", "boddy"])


@pytest.mark.parametrize("kind", ["list", "array"])
def test_vectors_become_numbers(kind: str, tmp_path: Path) -> None:
    vectors = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    column = pl.Series("e", vectors)
    column = column.cast(pl.Array(pl.Float32, 3)) if kind == "array" else column
    frame = pl.DataFrame({"x": [7.0, 8.0]}).with_columns(column)
    frame.write_parquet(tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet")
    assert table.number_names == ("x", "e_1", "e_2", "e_3")
    np.testing.assert_array_equal(table.numbers[:, 1:], vectors)
    if kind == "list":
        frame.write_ndjson(tmp_path / "a.jsonl")
        np.testing.assert_array_equal(read_table(tmp_path / "a.jsonl").numbers, table.numbers)
        pl.DataFrame({"e": [[1.0], [1.0, 2.0]]}).write_parquet(tmp_path / "b.parquet")
        with pytest.raises(TableError, match="must have one length"):
            read_table(tmp_path / "b.parquet")
