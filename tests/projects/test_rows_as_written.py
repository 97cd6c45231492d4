"""Whoever sees a row sees its cells as written in the file, not as they were understood."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rarebit import Project
from rarebit.projects import Desk, describe_rows
from rarebit.tables import read_table, scan_table

N = 250


def line(i: int) -> list[str]:
    missing = "" if i == 3 else "n/a" if i == 4 else f"{i % 7}.50"
    return [f"p{i}", f"€{1000 + i:,}.21", f"{i % 90 + 5}%", f"{i % 28 + 1:02}/04/2026", missing]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "payments.csv"
    lines = [["id", "amount", "share", "day", "weight"], *map(line, range(N))]
    path.write_text("\n".join(";".join(cells) for cells in lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def desk(file: Path) -> Iterator[Desk]:
    settings = {"reading": {"id": "id"}}
    with Desk.open(file, store=file.with_suffix(".labels.db"), settings=settings) as opened:
        yield opened


def test_a_project_shows_cells_as_written(file: Path, tmp_path: Path) -> None:
    with Project.open(file, store=tmp_path / "a.db", settings={"reading": {"id": "id"}}) as project:
        assert list(project.show(17).fields.values()) == line(17)[1:]
        assert project.show(3).fields["weight"] is None
        assert project.show(4).fields["weight"] == "n/a"
        # What learns has numbers.
        assert project.table.show(17).fields["amount"] == 1017.21
        told, _ = describe_rows(project.table, [129, 0])
    assert told == [f"amount €{n}, share {s}, day {d}, weight {w}" for n, s, d, w in (
        ("1,129.21", "44%", "18/04/2026", "3.50"), ("1,000.21", "5%", "01/04/2026", "0.50")
    )]  # fmt: skip


def test_a_file_that_has_changed_is_shown_as_understood(file: Path) -> None:
    table = read_table(file, id="id")
    file.write_text("id;amount\n", encoding="utf-8")
    assert table.show(17, as_written=True) == table.show(17)
    assert table.show(17).fields["amount"] == 1017.21


def test_the_page_shows_cells_as_written_and_knows_their_values(desk: Desk) -> None:
    first, last = desk.display.rows([3, 249])
    assert [cell["shown"] for cell in last["cells"]] == line(249)[1:]
    amount = last["cells"][0]
    assert (amount["name"], amount["kind"], amount["value"]) == ("amount", "number", 1249.21)
    assert amount["unusual"] == "larger than in 99.6 % of the rows"
    weight = first["cells"][3]
    assert (weight["value"], weight["shown"]) == (None, "missing")
    assert desk.display.row(249) == last
    assert desk.display.summaries([129, 3]) == describe_rows(desk.table, [129, 3])[0]
    assert "€1,129.21" in desk.display.summaries([129])[0]


def test_numbers_are_not_kept_as_texts(file: Path) -> None:
    """The file is read again for the rows that are shown; nothing of it is kept."""
    opened = 0
    table = read_table(file, id="id")
    assert table.written is not None
    read = table.written.open_frame

    def counting():  # type: ignore[no-untyped-def]
        nonlocal opened
        opened += 1
        return read()

    object.__setattr__(table.written, "open_frame", counting)
    assert table.show(128, as_written=True).fields["amount"] == "€1,128.21"
    describe_rows(table, list(range(N)))
    assert opened == 2  # once per call, not once per row
    assert all(part.written is None for part in scan_table(file, id="id").batches())
