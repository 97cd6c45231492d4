"""A mark that may be of decimals or of thousands is told, with how to have it read otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from rarebit.tables import as_table, look, read_table

TAKEN = "takes it otherwise"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "net sum;x\n86,655;1\n12,400;3\n",
            f"86,655 is taken as 86655 (comma for thousands), --as 'net sum=decimal-comma' {TAKEN}",
        ),
        (
            "w;x\n3.682;1,5\n4.100;3,25\n",
            f"3.682 is taken as 3682 (point for thousands), --as w=decimal-point {TAKEN}",
        ),
        (
            "w;x\n3.682;1\n14.100;3\n2;4\n1.500;2\n",
            f"3.682 is taken as 3.682 (decimal point), --as w=decimal-comma {TAKEN}",
        ),
        (
            "w;x\n1.372;2,10\n353;25,34\n",
            f"1.372 is taken as 1372 (point for thousands), --as w=decimal-point {TAKEN}",
        ),
        (
            "w;x\n€3.682;1\n€4.100;3\n",
            f"3.682 is taken as 3682 (point for thousands), --as w=decimal-point {TAKEN}",
        ),
        (
            "w;x\n5.840;12,50\n1.234;1.200,10\n",  # whoever wrote the thousands of x
            f"5.840 is taken as 5840 (point for thousands), --as w=decimal-point {TAKEN}",
        ),
        (
            'w,x\n3.682,"1,5"\n4.100,"3,25"\n',
            f"3.682 is taken as 3682 (point for thousands), --as w=decimal-point {TAKEN}",
        ),
    ],
)
def test_look_and_notes_say_what_a_mark_is_taken_for(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    table = read_table(path)
    assert look(table).columns[0].kind.endswith(f"; {told}")
    assert any(note.endswith(f"; {told}.") for note in table.notes)


def test_points_beside_quoted_decimal_commas_can_be_decimals(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('w,x\n3.682,"1,5"\n4.100,"3,25"\n', encoding="utf-8")
    assert read_table(path).numbers[:, 0].tolist() == [3682.0, 4100.0]
    table = read_table(path, columns={"w": "decimal-point"})
    assert table.numbers[:, 0].tolist() == [3.682, 4.1]
    assert TAKEN not in look(table).columns[0].kind


POINTS = "w;x\n3.682;1\n14.100;3\n2;4\n-1.500;2\n"


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ("decimal-comma", [3682.0, 14100.0, 2.0, -1500.0]),
        ("money", [3682.0, 14100.0, 2.0, -1500.0]),
        ("decimal-point", [3.682, 14.1, 2.0, -1.5]),
        ("number", [3.682, 14.1, 2.0, -1.5]),
    ],
)
def test_what_people_say_of_plain_numbers_is_obeyed(
    tmp_path: Path, kind: str, numbers: list[float]
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(POINTS, encoding="utf-8")
    table = read_table(path, columns={"w": kind})
    assert table.numbers[:, 0].tolist() == numbers
    told = TAKEN in look(table).columns[0].kind
    assert told == (kind in ("money", "number"))


@pytest.mark.parametrize(
    "text",
    [
        "w;x\n0.125;1\n12.500;3\n2;4\n1.500;2\n",
        "w;x\n1.125;1\n12.500;3\n2.250;4\n1.500;2\n",
        "w;x\n1.125;1\n12.5;3\n2;4\n1.500;2\n1.750;2\n",
        "w;x\n1.125;1.5\n12.500;3.25\n2;4\n1.500;2\n",
        "w;x\n1.125;1\n12.500;3\n2;4\n",
    ],
)
def test_plain_decimals_are_not_doubted(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, encoding="utf-8")
    table = read_table(path)
    assert not table.notes
    assert table.number_names == ("w", "x")
    assert table.numbers[1, 0] == 12.5


def test_points_beside_decimal_commas_are_thousands(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("w;x\n1.372;2,10\n353;25,34\n", encoding="utf-8")
    assert read_table(path).numbers[:, 0].tolist() == [1372.0, 353.0]
    table = read_table(path, columns={"w": "decimal-point"})
    assert table.numbers[:, 0].tolist() == [1.372, 353.0]


MIXED = ["1.234", "12.500", "0,50", "500", "2.500"]


@pytest.mark.parametrize(
    ("wish", "swapped", "kind", "values"),
    [
        ("decimal-point", False, "number, as you said", [1.234, 12.5, None, 500.0, 2.5]),
        (
            "decimal-comma",
            True,
            "number, decimal comma, as you said",
            [1.234, 12.5, None, 500.0, 2.5],
        ),
        (
            "decimal-comma",
            False,
            "number, decimal comma, thousands as in 1.234, as you said",
            [1234.0, 12500.0, 0.5, 500.0, 2500.0],
        ),
        (
            "decimal-point",
            True,
            "number, thousands as in 1,234, as you said",
            [1234.0, 12500.0, 0.5, 500.0, 2500.0],
        ),
    ],
)
def test_what_a_person_said_is_described_as_it_was_done(
    tmp_path: Path, wish: str, swapped: bool, kind: str, values: list[float | None]
) -> None:
    cells = [cell.translate(str.maketrans(".,", ",.")) if swapped else cell for cell in MIXED]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["v;w", *(f"{cell};{j % 3}" for j, cell in enumerate(cells))]))
    table = read_table(path, columns={"v": wish})
    assert look(table).columns[0].kind == kind
    assert [None if each != each else each for each in table.numbers[:, 0].tolist()] == values
    missed = [note for note in table.notes if "count" in note]
    mark = "decimal comma" if wish == "decimal-comma" else "decimal point"
    assert len(missed) == (None in values)
    assert all(f"cannot be read as number, {mark} and counts as missing" in each for each in missed)


def test_guesses_come_first_and_are_not_cut(tmp_path: Path) -> None:
    sure = {f"sure{j}": ["3,5 %", "12,25 %"] for j in range(12)}
    unsure = {f"day{j}": ["05/11/2025", "01/06/2025"] for j in range(10)}
    table = as_table(sure | unsure | {"n": [1.5, 2.0]})
    assert [note.partition(":")[0] for note in table.notes[:10]] == list(unsure)
    assert all("takes it otherwise" in note for note in table.notes[:10])
    assert table.notes[-1].startswith("4 more columns were understood")


def test_hundreds_of_guesses_are_counted(tmp_path: Path) -> None:
    table = as_table({f"day{j}": ["05/11/2025", "01/06/2025"] for j in range(100)})
    assert table.notes[-1].startswith("60 more columns are guesses; ")


@pytest.mark.parametrize(
    ("units", "told"),
    [
        (["€", "$", "£", "CHF "], "money, $, CHF, £, €"),
        (["€", "$", "£", "CHF ", "¥", "₹"], "money, $, CHF, £, ¥ and others"),
    ],
)
def test_currencies_of_a_column_are_named(units: list[str], told: str) -> None:
    table = as_table({"paid": [f"{unit}{j}.50" for unit in units for j in range(3)]})
    assert look(table).columns[0].kind == told
