"""Labels of a file that was written anew by another program, with a column added or removed."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rarebit import Project
from rarebit.projects import Desk

AMOUNTS = [f"{10 + i * 7 % 40}.{i % 4 * 25:02}" for i in range(60)]
DAYS = [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(60)]


def write_payments(file: Path, amounts: list[str], days: list[str], *more: str) -> None:
    columns = {"id": [f"p{i}" for i in range(60)], "amount": amounts, "day": days}
    columns |= {"hour": [str(i % 24) for i in range(60)]} if "hour" in more else {}
    columns |= {"branch": ["north", "south"] * 30} if "branch" in more else {}
    pl.DataFrame(columns).write_csv(file)


def label(file: Path, kind: type[Project] | type[Desk]) -> None:
    with kind.open(file, store=f"{file}.db", settings={"reading": {"id": "id"}}) as project:
        for row in range(12):
            project.correct(row, "ok" if row % 4 else "rare")


@pytest.mark.parametrize("kind", [Project, Desk])
@pytest.mark.parametrize("more", [("hour", "branch"), (), ("branch",)])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (AMOUNTS, [repr(float(each)) for each in AMOUNTS]),
        ([f"${each}" for each in AMOUNTS], [f"USD {each}" for each in AMOUNTS]),
        ([f"{each.replace('.', ',')} EUR" for each in AMOUNTS], [f"€{each}" for each in AMOUNTS]),
    ],
)
def test_cells_that_mean_the_same_keep_their_labels(
    tmp_path: Path, kind: type[Project], more: tuple[str, ...], before: list[str], after: list[str]
) -> None:
    file = tmp_path / "payments.csv"
    write_payments(file, before, DAYS, "hour")
    label(file, kind)
    # A new column, one that is gone, and both.
    write_payments(file, after, [f"{d[8:]}.{d[5:7]}.{d[:4]}" for d in DAYS], *more)
    with Project.open(file, store=f"{file}.db", settings={"reading": {"id": "id"}}) as project:
        assert "12 labels of unchanged rows kept" in project.notes[0]
        assert "left out" not in project.notes[0]
        assert len(project.labels) == 12


def test_cells_that_mean_something_else_lose_them(tmp_path: Path) -> None:
    file = tmp_path / "payments.csv"
    write_payments(file, AMOUNTS, DAYS)
    label(file, Project)
    after = [repr(float(each)) for each in AMOUNTS]
    after[3], after[5] = "99.5", "99.25"
    write_payments(file, after, DAYS, "branch")
    with Project.open(file, store=f"{file}.db", settings={"reading": {"id": "id"}}) as project:
        assert "10 labels of unchanged rows kept" in project.notes[0]
        assert "2 labels of changed rows left out (changed in column 'amount')" in project.notes[0]


def test_labels_survive_several_changes_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "payments.csv"
    write_payments(file, AMOUNTS, DAYS)
    label(file, Project)
    for amounts, more in (
        ([repr(float(each)) for each in AMOUNTS], ("branch",)),
        ([f"{float(each):.3f}" for each in AMOUNTS], ("branch", "hour")),
        (AMOUNTS, ("hour",)),
    ):
        write_payments(file, amounts, DAYS, *more)
        with Project.open(file, store=f"{file}.db", settings={"reading": {"id": "id"}}) as project:
            assert "12 labels of unchanged rows kept" in project.notes[0]
