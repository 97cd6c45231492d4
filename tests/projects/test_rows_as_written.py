"""Whoever sees a row sees its cells as written in the file, not as they were understood."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rarebit import Project
from rarebit.projects import Desk, describe_rows
from rarebit.tables import Table, read_table, scan_table
from rarebit.tables._written import WrittenCells

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


def test_batches_of_a_file_do_not_keep_its_cells(file: Path) -> None:
    assert all(part.written is None for part in scan_table(file, id="id").batches())


def test_small_files_are_read_once_and_large_ones_by_what_looks_different(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rarebit.tables import _table

    table = read_table(file, id="id")
    opened = _count_openings(table, monkeypatch)
    assert [describe_rows(table, [row])[0][0][:16] for row in (17, 3)] == [
        "amount €1,017.21", "amount €1,003.21"
    ]  # fmt: skip
    assert opened == [None]
    monkeypatch.setattr(_table, "_MOST_KEPT", N)  # no room for all columns, nor for three of them
    large = read_table(file, id="id")
    opened = _count_openings(large, monkeypatch)
    shown = large.show(17, as_written=True).fields
    assert [shown[name] for name in ("amount", "share", "day")] == line(17)[1:4]
    assert shown["weight"] == 3.5  # a plain number looks as it is
    assert opened == [["amount", "share", "day"]]
    large.show(18, as_written=True)
    assert len(opened) == 2  # read again: nothing was kept


def _count_openings(table: Table, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    assert isinstance(table.written, WrittenCells)
    opened: list[object] = []
    real = WrittenCells._open

    def open_frame(cells: WrittenCells, names: object) -> object:
        opened.append(names)
        return real(cells, names)  # type: ignore[arg-type]

    monkeypatch.setattr(WrittenCells, "_open", open_frame)
    return opened
