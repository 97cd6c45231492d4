"""A mark that may be of decimals or of thousands is told, with how to have it read otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from rarebit.tables import look, read_table

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
            f"3.682 is taken as 3.682 (decimal point), --as w=decimal-comma {TAKEN}",
        ),
        (
            "w;x\n€3.682;1\n€4.100;3\n",
            f"3.682 is taken as 3682 (point for thousands), --as w=decimal-point {TAKEN}",
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
