"""Columns that are nearly numbers or dates say why they are read as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from rarebit.tables import look, read_table


def amounts(n: int, mark: str = ".") -> list[str]:
    group = "," if mark == "." else "."
    return [f"{1 + j % 9}{group}{100 + j:03}{mark}{j % 100:02}" for j in range(n)]


def write(path: Path, cells: list[str]) -> Path:
    lines = [f"{cell};{'ab'[j % 2]}" for j, cell in enumerate(cells)]
    path.write_text("\n".join(["net sum;c", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("sign", ["€", ""])
@pytest.mark.parametrize("place", [0, 200])
def test_a_stray_word_among_amounts_is_named(tmp_path: Path, sign: str, place: int) -> None:
    cells = [sign + cell for cell in amounts(300)]
    cells[place] = "see note"
    path = write(tmp_path / "a.csv", cells)
    table = read_table(path)
    kind = "money' reads it as money" if sign else "number' reads it as numbers"
    told = f"read as text because of 'see note' in it; --as 'net sum={kind}, such cells missing"
    assert f"Column 'net sum' is {told}." in table.notes
    assert look(table).columns[0].remark == f"left out: it is {told}"
    assert "net sum" in read_table(path, columns={"net sum": "number"}).number_names


def test_a_stray_word_among_plain_numbers_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", [f"{j / 7:.3f}" for j in range(300)] + ["none", "late"])
    assert "because of 'late' in it" in " ".join(read_table(path).notes)


def test_many_different_words_among_amounts_are_told(tmp_path: Path) -> None:
    cells = [f"€{j}.50" for j in range(300)]
    for j, word in enumerate(["pending", "waived", "disputed", "see note", "n.b.", "refunded"]):
        cells[7 + 9 * j :: 60] = [word] * len(cells[7 + 9 * j :: 60])
    table = read_table(write(tmp_path / "a.csv", cells))
    told = "because of 'pending' in it; --as 'net sum=money' reads it as money, such cells missing"
    assert told in " ".join(table.notes)
    assert "net sum" in read_table(tmp_path / "a.csv", columns={"net sum": "money"}).number_names


def test_amounts_in_two_forms_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", [*amounts(150), *amounts(150, ",")])
    table = read_table(path)
    assert "looks like amounts in two forms ('1,100.00' and '1.100,00')" in " ".join(table.notes)
    assert "--as 'net sum=decimal-point' or --as 'net sum=decimal-comma'" in " ".join(table.notes)
    assert "amounts in two forms" in look(table).columns[0].remark
    read = read_table(path, columns={"net sum": "decimal-comma"})
    assert "150 cells such as" in " ".join(read.notes)


def test_dates_in_two_forms_are_named(tmp_path: Path) -> None:
    days = [f"{1 + j % 12:02}/{1 + j % 28:02}/2025" for j in range(150)]
    turned = [f"{1 + j % 28:02}/{1 + j % 12:02}/2025" for j in range(150)]
    table = read_table(write(tmp_path / "a.csv", [*days, *turned]))
    assert "looks like dates in two forms ('13/01/2025' and '01/13/2025')" in " ".join(table.notes)
    assert "dates in two forms" in look(table).columns[0].remark


@pytest.mark.parametrize(
    "cells",
    [
        [f"{j % 30}{'ab'[j % 2]}" for j in range(100)],
        [f"0{j:04}" for j in range(99)] + ["A0001"],
        [f"10.0.0.{j}" for j in range(100)],
        ["unknown" if j % 4 == 0 else str(j) for j in range(100)],
        [f"{j} {'kg' if j % 2 else 'pounds'}" for j in range(100)],
    ],
)
def test_names_and_codes_are_no_puzzles(tmp_path: Path, cells: list[str]) -> None:
    table = read_table(write(tmp_path / "a.csv", cells))
    assert not any("read as text" in note for note in table.notes)
