"""Rows that are written out again have the cells of their file, not what these were taken for."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.models import cells_of
from rarebit.projects import describe_rows
from rarebit.tables import as_table, concatenate, read_table, scan_table

LINES = [
    ["p1", "€1,750.21", "31/12/2024", "12%", "1.50", "True", "NA", "8:05"],
    ["p2", "€900.00", "01/02/2024", "7.5%", "+2", "False", "SE", "23:59"],
    ["p3", "n.a.", "13/05/2024", "-3%", "1e3", "True", "", "12:00"],
]
NAMES = ["id", "amount", "day", "share", "weight", "paid", "country", "at"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "payments.csv"
    rows = [NAMES, *LINES]
    path.write_text("\n".join(";".join(row) for row in rows) + "\n", encoding="utf-8")
    return path


def test_cells_are_those_of_the_file(file: Path) -> None:
    table = read_table(file, id="id")
    assert table.numbers[0, table.number_names.index("amount")] == 1750.21
    cells = cells_of(table.take([2, 0]))
    assert cells.columns == NAMES[1:]
    assert [list(row) for row in cells.fill_null("").rows()] == [LINES[2][1:], LINES[0][1:]]
    texts, _ = describe_rows(table, [1])
    assert texts == [
        "amount €900.00, day 01/02/2024, share 7.5%, weight +2, paid False, country SE, at 23:59"
    ]


def test_formats_with_types_have_plain_numbers(file: Path) -> None:
    cells = cells_of(read_table(file, id="id"), typed=True)
    assert cells["weight"].to_list() == [1.5, 2.0, 1000.0]
    assert cells["amount"].to_list() == ["€1,750.21", "€900.00", "n.a."]
    assert cells["day"].to_list() == [row[2] for row in LINES]
    assert cells["country"].to_list() == [None, "SE", None]


def test_batches_have_them_where_wanted(tmp_path: Path) -> None:
    file = tmp_path / "many.csv"
    amounts = [f"${i % 90 + 1},{i % 1000:03d}.50" for i in range(1500)]
    lines = [f'{i},"{amount}"' for i, amount in enumerate(amounts)]
    file.write_text("\n".join(["number,amount", *lines]) + "\n")
    parts = list(scan_table(file, as_written=True).batches(400))
    assert len(parts) > 1
    assert pl.concat(cells_of(part)["amount"] for part in parts).to_list() == amounts
    assert all(part.written is None for part in scan_table(file).batches(400))


def test_types_of_a_file_stay(tmp_path: Path) -> None:
    file = tmp_path / "typed.parquet"
    frame = pl.DataFrame(
        {"paid": [True, False], "n": [3, 4], "amount": ["€1,50", "€2,75"], "weight": [1.5, 2.0]}
    )
    frame.write_parquet(file)
    assert cells_of(read_table(file)).equals(frame)
    assert cells_of(as_table(frame), typed=True).equals(frame)


def test_files_below_each_other_and_in_other_processes(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "more.csv"
    other.write_text(file.read_text(encoding="utf-8").replace("\np", "\nq"), encoding="utf-8")
    both = concatenate([read_table(file, id="id"), read_table(other, id="id")])
    found = cells_of(both.take([5, 0, 3]))["amount"].to_list()
    assert found == ["n.a.", "€1,750.21", "€1,750.21"]
    assert both.written is not None
    sent = pickle.loads(pickle.dumps(both.written.portable()))
    assert sent.read(np.array([4]))["amount"].to_list() == ["€900.00"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_single_rows_are_read_by_their_place(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"many.{ending}"
    frame = pl.DataFrame({"amount": [f"${i:,}.50" for i in range(5000)], "n": range(5000)})
    write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}
    write[ending](file)
    table = read_table(file)
    for row in (0, 1, 2777, 4999):
        shown = table.show(row, as_written=True)
        assert shown.fields["amount"] == f"${row:,}.50"
        assert str(shown.fields["n"]) == str(row)
        assert table.show(row).fields["amount"] == row + 0.5
    assert table.take([4999, 3]).show(0, as_written=True).fields["amount"] == "$4,999.50"


def test_a_file_that_has_changed_is_not_taken(file: Path) -> None:
    table = read_table(file, id="id")
    file.write_text("id;amount\n", encoding="utf-8")
    assert cells_of(table)["amount"].to_list() == [1750.21, 900.0, None]
