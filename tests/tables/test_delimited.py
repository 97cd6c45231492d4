"""Delimited text: delimiters, encodings, packed files, roles of columns, ids, missing cells."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from rarebit.tables import ColumnsMismatchError, TableError, read_table, scan_table
from rarebit.tables._header import has_header

ROWS = "name,amount,when,class\nÅsa,1.5,2024-01-31,ok\nJosé,,2024-02-01,fraud\nBo,3,,ok\n"


def write(path: Path, text: str = ROWS, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def check_rows(path: Path, **options: object) -> None:
    table = read_table(path, target="class", **options)  # type: ignore[arg-type]
    assert table.n_rows == 3
    assert table.number_names == ("amount",)
    np.testing.assert_array_equal(table.numbers[:, 0], [1.5, np.nan, 3.0])
    assert table.records["name"].to_list() == ["Åsa", "José", "Bo"]
    assert table.records["when"].dtype == pl.Datetime
    assert table.target is not None
    assert table.target.tolist() == ["ok", "fraud", "ok"]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiters_are_found(tmp_path: Path, delimiter: str) -> None:
    check_rows(write(tmp_path / "a.csv", ROWS.replace(",", delimiter)))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16", "utf-16-le", "utf-16-be"]
)
def test_encodings_are_found(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path / "a.csv", ROWS, encoding)
    check_rows(path)
    check_rows(path, encoding=encoding)


def test_an_encoding_that_was_guessed_is_told(tmp_path: Path) -> None:
    (note,) = read_table(write(tmp_path / "a.csv", ROWS, "latin-1")).notes
    assert "was read as Windows-1252; --encoding changes that" in note


def test_a_wrong_encoding_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", ROWS, "latin-1")
    with pytest.raises(TableError, match="is not written in utf-8: leave out the encoding"):
        read_table(path, encoding="utf-8")
    with pytest.raises(TableError, match="no encoding 'klingon'"):
        read_table(path, encoding="klingon")


def packed(folder: Path, suffix: str) -> Path:
    path, data = folder / f"a.csv{suffix}", ROWS.encode()
    if suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.csv", data)
    elif suffix == ".zst":
        with pa.output_stream(str(path), compression="zstd") as stream:
            stream.write(data)
    else:
        pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix]
        path.write_bytes(pack(data))
    return path


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst", ".zip"])
def test_packed_files(tmp_path: Path, suffix: str) -> None:
    check_rows(packed(tmp_path, suffix))


def test_a_zip_of_two_files_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.csv.zip", "w") as archive:
        archive.writestr("a.csv", ROWS)
        archive.writestr("b.csv", ROWS)
    with pytest.raises(TableError, match="holds 2 files"):
        read_table(tmp_path / "a.csv.zip")


def test_decimal_commas(tmp_path: Path) -> None:
    table = read_table(write(tmp_path / "a.csv", "x;y\n1,5;2\n2,25;3\n1;4\n"))
    np.testing.assert_array_equal(table.numbers, [[1.5, 2], [2.25, 3], [1, 4]])


def test_missing_cells_have_many_names(tmp_path: Path) -> None:
    text = "x,k\n1,a\n?,NA\nNA,\nnan,b\nnull,c\n"
    table = read_table(write(tmp_path / "a.csv", text))
    np.testing.assert_array_equal(table.numbers[:, 0], [1, *[np.nan] * 4])
    assert table.records["k"].to_list() == ["a", None, None, "b", "c"]


def test_a_word_far_down_makes_a_column_text(tmp_path: Path) -> None:
    text = "x,y\n" + "1,2\n" * 30_000 + "later,2\n" + "1,2\n" * 10
    table = read_table(write(tmp_path / "a.csv", text))
    assert table.number_names == ("y",)
    assert table.records["x"][30_000] == "later"
    assert "'later'" in table.notes[0]
    with pytest.raises(TableError, match="must hold numbers, and one cell is 'later'"):
        read_table(tmp_path / "a.csv", schema={"x": "number", "y": "number"})


def test_ids_survive(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "key,x\nb,1\na,2\n0012,3\n")
    table = read_table(path, id="key")
    assert table.ids.tolist() == ["b", "a", "0012"]
    assert table.take([2, 0]).ids.tolist() == ["0012", "b"]
    assert read_table(path, drop=["key"]).ids.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("keys", "message"), [("a,a", "stands 2 times"), ("a,", "has no id")])
def test_ids_must_tell_rows_apart(tmp_path: Path, keys: str, message: str) -> None:
    first, second = keys.split(",")
    path = write(tmp_path / "a.csv", f"key,x\n{first},1\n{second},2\n")
    with pytest.raises(TableError, match=message):
        read_table(path, id="key")


def test_ids_count_on_through_batches(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "x\n" + "".join(f"{i}\n" for i in range(50_000)))
    parts = list(scan_table(path).batches(1000))
    assert len(parts) > 1
    ids = np.concatenate([part.ids for part in parts])
    np.testing.assert_array_equal(ids, np.arange(50_000))
    np.testing.assert_array_equal(np.concatenate([part.numbers[:, 0] for part in parts]), ids)


def test_numbers_may_be_categories_and_targets(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "code,x,y\n1,1,0\n2,2,1\n1,3,0\n")
    table = read_table(path, target="y", categorical=["code"])
    assert table.records["code"].to_list() == ["1", "2", "1"]
    assert table.target is not None
    assert table.target.tolist() == ["0", "1", "0"]


def test_no_header(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "1,2\n3,4\n")
    assert "--no-header" in read_table(path).notes[0]
    assert read_table(path, header=False).n_rows == 2


def test_ten_thousand_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 10_000)).round(3)
    pl.DataFrame(X).with_columns(y=pl.lit("a")).write_csv(tmp_path / "wide.csv")
    table = read_table(tmp_path / "wide.csv", target="y")
    np.testing.assert_array_equal(table.numbers, X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "klass"}, "no column 'klass': did you mean 'class'?"),
        ({"id": "zzz"}, "no id column 'zzz': it has name, amount, when, class; give one"),
        ({"drop": ["zzz"]}, "no dropped column 'zzz'"),
        ({"target": "class", "delimiter": ";"}, "its only column is 'name,amount,when,class'"),
        ({"delimiter": ";;"}, "must be one character"),
        ({"drop": ["name", "amount", "when", "class"]}, "no column left to learn from"),
        ({"schema": {"amount": "number", "b": "text"}}, "lacks 1 of 2 columns: 'b' (it has 'name'"),
    ],
)
def test_wrong_columns_are_named(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(TableError) as raised:
        read_table(write(tmp_path / "a.csv"), **options)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    with pytest.raises(ColumnsMismatchError, match="two columns named 'a'"):
        read_table(write(tmp_path / "a.csv", "a,b,a\n1,2,3\n"))


def test_a_quoted_word_among_numbers_makes_text(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "x,z\n" + "1,2\n" * 12_000 + '1,"wo ""r"" d"\n1,"u\nv"\n')
    table = read_table(path)
    assert table.number_names == ("x",)
    assert table.records["z"].to_list()[-2:] == ['wo "r" d', "u\nv"]


@pytest.mark.parametrize(
    ("lines", "header"),
    [
        (["€455.06;24%;a", "€1.50;3%;b", "€7.25;11%;a"], False),
        (["05/23/2024;x", "01/02/2024;y", "11/30/2023;x"], False),
        (["24.12.2024,ok", "1.1.2025,late", "3.2.2025,ok"], False),
        (["price;share;a", "€1.50;3%;b", "€7.25;11%;a"], True),
        (["2019-01;2019-02", "€1.50;€3", "€7.25;€11"], True),
        (["a;b", "x;y", "z;w"], True),
        # An empty cell, a word, a minus or a note behind the amount is no name.
        (["€455.06;;a", "€1.50;3%;b", "€7.25;11%;a"], False),
        (["€455.06;open;a", "€1.50;3%;b", "€7.25;11%;a"], False),
        (["-€455.06;24%;a", "€1.50;3%;b", "€7.25;11%;a"], False),
        (["($455.06);04.01.2025", "$1.50;05.01.2025", "$7.25;06.01.2025"], False),
        (["455.06 EUR CR;x", "1.50 EUR DR;y", "7.25 EUR CR;x"], False),
        (["€1.50;3%", "pending;4%", *["€1.70;5%"] * 12], False),
        (["Land;2019;2020", "DE;1.234,5;7,1", "FR;2.345,6;8,2"], True),
        (["a;;€5", "€1.50;3;€7.25", "€2.50;4;€8.25"], False),
        ([";5.1;3.5", "1;4.9;3.0", "2;4.7;3.2"], False),
        ([";;", "1;4.9;3.0", "2;4.7;3.2"], True),
        ([";0;1;2", "0;1;2;2", "1;0;2;1", "2;0;1;0"], True),
        (["broken;4.8;3.1", "1;4.9;3.0", "2;4.7;3.2"], False),
        (["sample;850.5;851.0", "1;0.9;0.3", "2;0.7;0.2"], True),
    ],
)
def test_amounts_and_dates_in_the_first_line_are_no_names(lines: list[str], header: bool) -> None:
    delimiter = "," if "," in lines[0] else ";"
    assert has_header([line.split(delimiter) for line in lines]) is header
