"""Amounts marked as credits and debits, and columns whose few other cells make them text."""

from __future__ import annotations

from pathlib import Path

import pytest

from rarebit.tables import TableError, look, read_table


@pytest.mark.parametrize(
    ("cells", "values", "told"),
    [
        (
            ["$1,200.50", "$3.00 CR", "($4.00)", "5.00CR."],
            [1200.5, -3.0, -4.0, -5.0],
            "CR as minus",
        ),
        (["12,50 DR", "1.200,00 CR", "7,25 CR"], [-12.5, 1200.0, 7.25], "DR as minus"),
        (["£8.00", "£2.50 DR"], [8.0, -2.5], "DR as minus"),
        (["₹1,200.50Cr", "₹3.00 Dr", "₹5.00 cr"], [1200.5, -3.0, 5.0], "DR as minus"),
    ],
)
def test_credits_and_debits_have_signs(
    tmp_path: Path, cells: list[str], values: list[float], told: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,paid\n" + "".join(f'{i}.5,"{c}"\n' for i, c in enumerate(cells * 10)))
    table = read_table(path)
    assert [table.numbers[i, 1] for i in range(len(cells))] == values
    form = table.forms["paid"]
    assert form.kind == "money"
    assert form.sentence().count(told) == 1
    assert type(form).from_json(form.to_json()) == form


def test_a_crore_is_no_credit(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,paid\n" + "".join(f"{i}.5,₹{i} Cr\n" for i in range(30)), encoding="utf-8")
    assert "paid" in read_table(path).records.columns


@pytest.mark.parametrize(
    ("cell", "other", "n_others", "kind"),
    [
        ("12,5 %", "unbekannt", 12, "percent"),
        ("€7.50", "unknown", 12, "money"),
        ("31/12/2024", "tbd", 12, "date"),
        ("$7.50", "$3.00 net", 2, "money"),
        ("7.5 kg", "3 lb", 2, "number"),
    ],
)
def test_why_a_column_of_amounts_is_read_as_text_is_told(
    tmp_path: Path, cell: str, other: str, n_others: int, kind: str
) -> None:
    cells = [cell] * 100 + [other] * n_others
    path = tmp_path / "a.csv"
    lines = "".join(f"{i}.5;{each}\n" for i, each in enumerate(cells))
    path.write_text(f"x;rate\n{lines}", encoding="utf-8")
    table = read_table(path)
    told = f"read as text because of {other!r} in it; --as rate={kind} reads it"
    said = {column.name: column.remark for column in look(table).columns}["rate"]
    assert said.startswith(told)
    assert any(note.startswith(f"Column 'rate' is {told}") for note in table.notes)


@pytest.mark.parametrize("cell", ["1.250,00", "12,5 %", "€7,50"])
def test_few_words_of_any_language_beside_amounts_are_told(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "a.csv"
    cells = [cell] * 100 + ["offen", "frei", "siehe Blatt"] * 5
    lines = "".join(f"{i}.5;{each}\n" for i, each in enumerate(cells))
    path.write_text(f"x;rate\n{lines}", encoding="utf-8")
    table = read_table(path)
    assert any("'rate' is read as text because of 'offen'" in note for note in table.notes)


def test_a_column_of_words_among_which_are_numbers_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    cells = [f"{i}.5" for i in range(30)] + ["unknown"] * 10
    path.write_text("x,size\n" + "".join(f"{i}.5,{each}\n" for i, each in enumerate(cells)))
    assert not any("size" in note for note in read_table(path).notes)


def test_lines_above_the_names_of_columns_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Export of May 2026\n\nid,amount,class\n" + "p1,2.5,ok\n" * 3)
    for options in ({}, {"target": "class"}):
        with pytest.raises(TableError, match="lines above the names of the columns"):
            read_table(path, **options)
