"""Files without names of columns, texts line by line, pipes, and ids that are whole numbers."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from rarebit.tables import TableError, read_table, save_standard_input
from rarebit.tables._text_file import detect_delimiter


@pytest.mark.parametrize(
    ("text", "rows", "names"),
    [
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n4.7,3.2,virginica\n", 3, ["column_1", "column_2"]),
        ("name,2019,2020\na,1.5,2\nb,2.5,3\n", 2, ["2019", "2020"]),
        ("0,1,2\n5.5,6.5,7.5\n1.5,2.5,3.5\n", 2, ["0", "1", "2"]),
        ("x,y\n1,2\n3,4\n", 2, ["x", "y"]),
        ("7.5;a\n8.5;b\n", 2, ["column_1"]),
        ("3,17,0\n4,2,1\n5,6,0\n", 3, ["column_1", "column_2", "column_3"]),
        ("1,2,3\n4,5,6\n7,8,9\n", 3, ["column_1", "column_2", "column_3"]),
        ("2,3,4\n14,12,11\n7,8,9\n", 3, ["column_1", "column_2", "column_3"]),
        ("1,2,ok\n4,2,bad\n5,6,ok\n", 3, ["column_1", "column_2"]),
        ("2019,2020\n2018,2021\n1999,2000\n", 3, ["column_1", "column_2"]),
        ("3,17,0\n", 1, ["column_1", "column_2", "column_3"]),
        # Numbers of columns, as programs write them, and years over other numbers.
        ("0,1,2,3,4\n0,5,13,9,1\n0,0,12,13,5\n", 2, ["0", "1", "2", "3", "4"]),
        ("1,2\n850,120\n860,110\n", 2, ["1", "2"]),
        ("2019,2020\n15,18\n20,17\n", 2, ["2019", "2020"]),
    ],
)
def test_names_are_told_from_rows(text: str, rows: int, names: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    table = read_table(tmp_path / "a.csv")
    assert table.n_rows == rows
    assert list(table.number_names) == names
    told = any("--header" in note for note in table.notes)
    assert told == names[0].startswith("column_")
    if text.count("\n") > 1:
        assert read_table(tmp_path / "a.csv", header=True).n_rows == text.count("\n") - 1


def test_a_text_file_is_one_text_a_line(tmp_path: Path) -> None:
    lines = ['He said "no, never", and left.', "Call now, win a prize!", "See you at nine then"]
    (tmp_path / "messages.txt").write_text("\n".join(lines) + "\n")
    table = read_table(tmp_path / "messages.txt")
    assert table.records["text"].to_list() == lines
    (tmp_path / "columns.txt").write_text("a\tb\n1\t2\n3\t4\n")
    assert read_table(tmp_path / "columns.txt").number_names == ("a", "b")


@pytest.mark.parametrize(
    ("data", "ending"), [(b"a,b\n1,2\n", ".csv"), (b'{"a": 1}\n{"a": 2}\n', ".jsonl")]
)
def test_rows_come_through_a_pipe(data: bytes, ending: str) -> None:
    path = save_standard_input(io.BytesIO(data))
    assert path.name == f"standard-input{ending}"
    assert read_table(path).n_rows >= 1
    with pytest.raises(TableError, match="Nothing came through"):
        save_standard_input(io.BytesIO(b""))


def test_whole_numbers_come_back_as_such(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("key,x\n12,1.5\n7,2.5\n")
    table = read_table(tmp_path / "a.csv", id="key")
    assert table.ids.tolist() == ["12", "7"]
    assert table.written_ids() == [12, 7]
    assert table.written_ids([1]) == [7]
    (tmp_path / "b.csv").write_text("key,x\n012,1.5\n7,2.5\n")
    assert read_table(tmp_path / "b.csv", id="key").written_ids() == ["012", "7"]


def test_a_ragged_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n" + "3,4\n" * 500 + "5,6,7\n")
    with pytest.raises(TableError, match=r"Line 503 of a\.csv"):
        read_table(tmp_path / "a.csv")


@pytest.mark.parametrize("n_columns", [2, 5])
@pytest.mark.parametrize("name", ["a.txt", "a.csv"])
def test_numbers_between_blanks_are_columns(
    tmp_path: Path, name: str, n_columns: int, rng: np.random.Generator
) -> None:
    cells = rng.normal(size=(300, n_columns)).round(3)
    path = tmp_path / name
    np.savetxt(path, cells, fmt="%.3f")
    table = read_table(path)
    assert table.number_names == tuple(f"column_{j}" for j in range(1, n_columns + 1))
    np.testing.assert_array_equal(table.numbers, cells)


@pytest.mark.parametrize(
    "lines",
    [
        ["1 234", "12 500", "1 000 000"],
        ["1 234", "12 500", "9 100"],  # thousands
        ["0171 23456", "0172 65432", "0171 9"],  # telephones
        ["5 kg", "6 kg", "7 kg"],
        ["1.5 2.5", "3.5", "4.5 1.0"],
        ["1.5  2.5", "3.5 7.5", "4.5 1.0"],
        ["0.5 is much", "1.5 2.5 3.5", "4.5 1.0 2.0"],
    ],
)
def test_other_blanks_delimit_nothing(lines: list[str]) -> None:
    assert detect_delimiter("\n".join([*lines, "", ""])) == ","
