"""Classes that differ by the blanks around them are one, and that is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.models import ClassNamesWarning, train_model
from rarebit.tables import read_table

from .conftest import Command

TOLD = "Blanks around the name of a class do not count: 'fraud ' (20 rows) is taken as 'fraud'."


@pytest.fixture
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    kind = ["fraud" if j % 10 == 0 else "fraud " if j % 10 == 5 else "ok" for j in range(200)]
    return pl.DataFrame({"x": rng.normal(size=200), "y": rng.normal(size=200), "kind": kind})


def test_every_command_says_so(frame: pl.DataFrame, tmp_path: Path, command: Command) -> None:
    path, model = tmp_path / "a.csv", tmp_path / "m.rarebit"
    frame.write_csv(path)
    fit = ["fit", path, "-t", "kind", "-m", "kernel", "--no-validation", "-o", model]
    look, learn = ["look", path, "-t", "kind"], ["learn", path, "--oracle", "kind"]
    learn += ["--max-labels", 30, "-o", tmp_path / "l.rarebit", "--labels", tmp_path / "l.db"]
    for arguments in (look, fit, ["evaluate", model, path], learn):
        outcome = command(*arguments)
        assert outcome.code == 0, outcome.err
        assert " ".join(outcome.err.split()).count(TOLD) == 1


def test_frames_are_warned_of(frame: pl.DataFrame) -> None:
    with pytest.warns(ClassNamesWarning, match="'fraud ' .20 rows. is taken as 'fraud'"):
        train_model(frame, target="kind", method="kernel", validate=False)


def test_blanks_around_all_of_a_class_are_nothing_to_say(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    frame.with_columns(pl.col("kind").str.strip_chars() + " ").write_csv(tmp_path / "a.csv")
    table = read_table(tmp_path / "a.csv", target="kind")
    assert set(table.target.tolist()) == {"fraud", "ok"}
    assert not any("Blanks" in note for note in table.notes)


def test_long_cells_are_told_in_short(tmp_path: Path, command: Command) -> None:
    kinds = ["tight", f"{' ' * 200}tight{' ' * 300}", f"{'long ' * 90} ", "long " * 90, "ok", "ok"]
    lines = [f"{i * 7 % 23}.5,{kinds[i % 6]}" for i in range(120)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["x,kind", *lines]))
    said = " ".join(command("look", path, "-t", "kind").err.split())
    assert "'tight' with 500 blanks around it (20 rows) is taken as 'tight'" in said
    assert "'long long" in said
    assert "long " * 20 not in said
