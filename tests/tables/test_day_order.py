"""Dates of a file to predict that do not show their order are told."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rarebit.cli import main
from rarebit.tables import TableEncoder, as_table, read_table

TOLD = "booked: every day is at most 12, so that the dates do not show whether day or month comes"


def write(path: Path, days: list[str]) -> Path:
    pl.DataFrame(
        {
            "booked": days,
            "n": [(7 * j) % 31 for j in range(len(days))],
            "kind": ["fraud" if j % 9 == 0 else "ok" for j in range(len(days))],
        }
    ).write_csv(path)
    return path


def trained(tmp_path: Path) -> TableEncoder:
    days = [f"{1 + j % 12:02}/{1 + j % 28:02}/2025" for j in range(200)]
    return TableEncoder().fit(read_table(write(tmp_path / "a.csv", days), target="kind"))


def notes_of(path: Path, encoder: TableEncoder, **given: object) -> str:
    read = read_table(path, schema=encoder.schema_, forms=encoder.forms_, **given)  # type: ignore[arg-type]
    return " ".join(read.notes)


@pytest.mark.parametrize(
    ("day", "told"),
    [("03/04/2026", True), ("03/13/2026", False), ("04/04/2026", False), ("", False)],
)
def test_dates_without_an_order_are_told(tmp_path: Path, day: str, told: bool) -> None:
    encoder = trained(tmp_path)
    path = write(tmp_path / "new.csv", ["02/02/2026"] * 40 + [day])
    notes = notes_of(path, encoder)
    assert (TOLD in notes) == told
    if told:
        assert "read as month first, as in training, --as booked=day-first takes them" in notes
        assert TOLD not in notes_of(path, encoder, columns={"booked": "day-first"})


def test_single_rows_of_a_service_are_no_doubt(tmp_path: Path) -> None:
    encoder = trained(tmp_path)
    known = {"schema": encoder.schema_, "forms": encoder.forms_}
    one = pl.DataFrame({"booked": ["03/04/2026"], "n": [3]})
    assert TOLD not in " ".join(as_table(one, **known).notes)  # type: ignore[arg-type]
    many = pl.concat([one] * 30)
    assert TOLD in " ".join(as_table(many, **known).notes)  # type: ignore[arg-type]


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_commands_tell_it_once(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    trained(tmp_path)
    model = str(tmp_path / "m.rarebit")
    fit = ["fit", str(tmp_path / "a.csv"), "--target", "kind", "--method", "kernel", "--out", model]
    assert main(fit) == 0
    new = write(tmp_path / "new.csv", [f"{1 + j % 9:02}/{1 + j % 11:02}/2026" for j in range(60)])
    capsys.readouterr()
    assert main([command, model, str(new)]) == 0
    assert " ".join(capsys.readouterr().err.split()).count(TOLD) == 1
