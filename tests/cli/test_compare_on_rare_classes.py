"""What ``rarebit compare`` says and keeps of the rare classes of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode


@pytest.fixture
def payments(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    kind = rng.permutation(np.repeat(["theft", "fraud", "ok"], [12, 30, 2958]))
    data = {"a": rng.normal(size=3000) + 4.0 * (kind == "theft"), "kind": kind}
    data["b"] = rng.normal(size=3000) + 4.0 * (kind == "fraud")
    path = tmp_path / "payments.csv"
    pl.DataFrame(data).write_csv(path)
    return path


def run(command: Any, file: Path, *more: object) -> Any:
    return command(
        "compare", file, "-t", "kind", "-m", "KernelSVC", "--folds", 2, "--rows", 600, *more
    )


def test_the_rare_class_is_that_of_the_file(command: Any, payments: Path, tmp_path: Path) -> None:
    told = run(command, payments, "--json", "--report", tmp_path / "page.html")
    assert told.code == ExitCode.OK, told.err
    assert told.json["rare_class"] == "theft"
    assert "600 of 3,000 rows were drawn, with 12 of theft" in told.json["notes"][0]
    kept = "Of other small classes more than their share was drawn, too: 'fraud' (30 of 30)."
    assert kept in told.json["notes"][0]
    assert "the rare class is theft" in (tmp_path / "page.html").read_text()


def test_the_table_names_the_rare_class(command: Any, payments: Path, tmp_path: Path) -> None:
    shown = run(command, payments, "--out", tmp_path / "table.md")
    assert "The rare class is 'theft'." in shown.out
    assert "of 3 classes 'theft', which has the fewest rows, is taken as the rare one" in shown.err
    assert "The rare class is 'theft'." in (tmp_path / "table.md").read_text()
    named = run(command, payments, "--rare", "ok")
    assert "The rare class is 'ok'." in named.out
    assert "taken as" not in named.err


def test_every_class_has_rows_for_the_folds(command: Any, payments: Path) -> None:
    done = run(command, payments, "--rows", 300, "--folds", 5)
    assert done.code == ExitCode.OK, done.err


def test_near_names_of_classes_are_told(command: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    kind = rng.permutation(np.repeat(["Fraud", "OK", "ok"], [20, 80, 100]))
    pl.DataFrame({"a": rng.normal(size=200), "kind": kind}).write_csv(tmp_path / "near.csv")
    alike = "'OK' (80) and 'ok' (100) count as different classes: spell them alike if they are one."
    assert f"note: {alike}" in run(command, tmp_path / "near.csv").err
    assert alike in run(command, tmp_path / "near.csv", "--json").json["notes"]
