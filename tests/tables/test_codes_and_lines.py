"""Digits that are no numbers, lines that end too early, names with quotes, the order of columns."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from rarebit.cli import main
from rarebit.tables import TableEncoder, TableError, as_table, look, read_table


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_digits_with_zeros_before_them_are_codes(tmp_path: Path) -> None:
    lines = [f"{i % 30:05d},{i},{i % 7},{i % 12 + 1:02d}" for i in range(200)]
    file = write(tmp_path / "a.csv", "zip,amount,plain,month", *lines)
    table = read_table(file)
    assert table.number_names == ("amount", "plain")
    assert table.records["zip"].to_list()[:2] == ["00000", "00001"]
    assert [table.forms[name].kind for name in ("zip", "month")] == ["code", "code"]
    assert "zip: code (leading zeros), no number; --as zip=number makes it one." in table.notes
    seen = {column.name: column.kind for column in look(table).columns}
    assert seen["zip"] == "code (leading zeros)"
    # Whatever a later file begins with, its cells are compared as they are written.
    encoder = TableEncoder().fit(table)
    later = write(tmp_path / "b.csv", "zip,amount,plain,month", "7,1,2,3", "00007,1,2,03")
    other = read_table(later, schema=encoder.schema_, forms=encoder.forms_)
    assert other.records["zip"].to_list() == ["7", "00007"]
    assert encoder.unknown_categories(other) == {"zip": {"7": 1}, "month": {"3": 1}}
    numbers = read_table(file, columns={"zip": "number"})
    assert numbers.number_names == ("zip", "amount", "plain")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["001", "002", "100"], "code"),
        (["0", "10", "200"], "number"),
        (["0.5", "00.7", "1"], None),
        (["x01", "02", "3"], None),
        (["00:30", "01:45", "12:00"], "time"),
    ],
)
def test_strings_of_a_frame(cells: list[str], kind: str | None) -> None:
    form = as_table(pl.DataFrame({"a": cells, "b": [1, 2, 3]})).forms.get("a")
    assert (None if form is None else form.kind) == kind


def test_lines_that_end_too_early_are_told(tmp_path: Path) -> None:
    good = write(tmp_path / "good.csv", "a,b,c", "1,2,3", "4,5,", "6,7,8")
    assert read_table(good).notes == ()
    one = write(tmp_path / "one.csv", "a,b,c", "1,2,3", "4,5", "6,7,")
    assert read_table(one).notes == (
        "A line of one.csv ends before the last column, and what is missing counts as empty: "
        "line 3.",
    )
    cells = [f"{i},2,3" if i % 10 else f'"{i}",2' for i in range(100)]
    many = write(tmp_path / "many.csv", "a,b,c", *cells)
    assert read_table(many, drop=["c"]).notes[-1].startswith("10 lines of many.csv end before")
    assert read_table(many).notes[-1].endswith("lines 2, 12, 22, 32, 42, ….")


def test_quotes_in_names(tmp_path: Path) -> None:
    file = write(tmp_path / "q.csv", '"say ""hi""",b,"5"" pipe"', "1,2,x", "3,4,y")
    table = read_table(file, target='5" pipe')
    assert table.columns == ('say "hi"', "b")
    assert table.target is not None
    assert table.target.tolist() == ["x", "y"]


def test_rows_are_shown_in_the_order_of_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "o.csv", "name,n,day,x", "a,1,2024-01-31,2.5", "b,2,2024-02-01,3.5")
    table = read_table(file, aside=["x"])
    assert list(table.show(0).fields) == ["name", "n", "day", "x"]
    assert [column.name for column in look(table).columns] == ["name", "n", "day"]


def test_an_id_column_called_row_is_one(tmp_path: Path) -> None:
    file = write(tmp_path / "r.csv", "row,n", "900,1", "17,2")
    assert not read_table(file, id="row").counts_rows
    assert read_table(file, drop=["row"]).counts_rows


def test_look_lists_columns_that_a_person_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("note,x,serial\na,1.5,3\nb,2.5,9\nc,2.0,4\n", encoding="utf-8")
    command = ["look", str(path), "--drop", "note", "--as", "serial=drop"]
    assert main([*command, "--json"]) == 0
    columns = json.loads(capsys.readouterr().out)["columns"]
    assert [column["name"] for column in columns] == ["note", "x", "serial"]
    assert [column["used"] for column in columns] == [False, True, False]
    assert columns[0]["remark"] == columns[2]["remark"] == "left out as you said"
    assert main(command) == 0
    assert capsys.readouterr().out.count("left out as you said") == 2


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("place", [7, 150, 290])
def test_a_quote_that_is_not_closed_has_a_line(tmp_path: Path, place: int, at_end: bool) -> None:
    rows = [f'{j},"${j},200.00","said ""no""",{j % 7}%,"{j},1' + '"' for j in range(300)]
    rows[place] = f'{place},"$1'
    rows[3] = '3,"$3,200.00","two\nlines",3%,"3,1"'
    text = "\n".join(["id,amount,note,share,rate", *(rows[: place + 1] if at_end else rows)])
    (tmp_path / "a.csv").write_text(text)
    # One line for the names, one more for the cell of two lines, and counted from 1.
    with pytest.raises(TableError, match=rf"[Ll]ine {place + 3:,}\b"):
        read_table(tmp_path / "a.csv")


def test_a_quote_in_a_cell_of_json_lines_is_named_by_its_column(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"x": each}) + "\n" for each in ("1", "2", '"3')))
    with pytest.raises(TableError, match=r"Column 'x' of a\.jsonl has a quote"):
        read_table(path, schema={"x": "number"}, forms={})
