"""Rows in a line: what was searched for is in sight, and digits do not fill it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.projects import Desk, describe_rows
from rarebit.tables import read_table


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    numbers = {f"x{i}": rng.normal(size=250) * 10.0 ** (i - 2) for i in range(8)}
    memo = ["thanks " * 40 + "refund wanted" if i % 9 == 0 else f"note {i % 3}" for i in range(250)]
    kind = ["odd" if i == 5 else "usual" for i in range(250)]
    ids = [f"T-{i}" for i in range(250)]
    path = tmp_path / "bills.csv"
    pl.DataFrame({"id": ids, **numbers, "kind": kind, "memo": memo}).write_csv(path)
    return path


def test_cells_that_were_searched_come_first(file: Path) -> None:
    table = read_table(file, id="id", categorical=["memo", "kind"])
    (plain,), _ = describe_rows(table, [9])
    assert plain.startswith("x0 ")
    assert "kind usual" in plain  # eight numbers leave room
    (found,), _ = describe_rows(table, [9], "Refund")
    assert found.startswith("memo …")
    assert "refund wanted, x0 " in found
    (found,), _ = describe_rows(table, [9], first=["x7"])
    assert found.startswith("x7 ")
    assert found.count("x7 ") == 1


def test_texts_are_cut_around_a_word(file: Path) -> None:
    table = read_table(file, id="id", text="memo")
    assert "refund" not in describe_rows(table, [9])[0][0]
    (found,), _ = describe_rows(table, [9], "refund")
    assert "refund wanted" in found
    assert len(found) <= 200
    (found,), _ = describe_rows(table, [5], "odd")  # in another column than the text
    assert found.startswith("kind odd, note 2")


def test_numbers_of_many_digits_are_rounded(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    written = "id,a,b,c,d\nr1,0.12345678901,1234567.12345678,-12.3456789012,2.50\nr2,1,2,3,4\n"
    path.write_text(written)
    (told, _), _ = describe_rows(read_table(path, id="id"), [0, 1])
    assert told == "a 0.123457, b 1234567, c -12.3457, d 2.50"


def test_shares_of_rare_values_are_written_like_others(file: Path) -> None:
    settings = {"reading": {"id": "id", "categorical": ["kind"]}}
    with Desk.open(file, store=file.with_suffix(".labels.db"), settings=settings) as desk:
        cells = {cell["name"]: cell for cell in desk.display.row(5)["cells"]}
    assert cells["kind"]["unusual"] == "in 0.40 % of the rows only"
