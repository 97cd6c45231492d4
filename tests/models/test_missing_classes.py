"""Classes that are called as a missing cell is written do not vanish without a word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.models import ClassNamesWarning, load_model, save_model, train_model
from rarebit.tables import TableError, as_table

LOST = "have no class, because 'None' counts as a missing cell: give the class another name"


def rows(*names: str) -> pl.DataFrame:
    random = np.random.default_rng(4)
    bad = random.random(400) < 0.1
    y = np.where(bad, random.choice(names, 400), "None")
    return pl.DataFrame({"x": random.normal(size=400) + 1.5 * (y == names[0]), "y": y})


def test_a_frame_warns_and_the_manifest_remembers(tmp_path: Path) -> None:
    frame = rows("scam", "theft")
    n_lost = int((frame["y"] == "None").sum())
    with pytest.warns(ClassNamesWarning, match=f"^{n_lost} rows of the target 'y' {LOST}"):
        model = train_model(frame, target="y", method="kernel", validate=False)
    save_model(model, tmp_path / "m.rarebit")
    (note,) = load_model(tmp_path / "m.rarebit").manifest["notes"]
    assert note.startswith(f"{n_lost} rows of the target 'y' {LOST}")


def test_empty_classes_are_just_missing() -> None:
    frame = rows("scam", "theft").with_columns(pl.col("y").replace("None", ""))
    table = as_table(frame, target="y")
    assert not table.missing_classes
    assert not [note for note in table.notes if "no class" in note]
    model = train_model(frame, target="y", method="kernel", validate=False)
    assert "notes" not in model.manifest


def test_errors_say_what_counts_as_missing() -> None:
    with pytest.raises(TableError, match=rf"one class only \('fraud'\).* rows .* {LOST}"):
        train_model(rows("fraud"), target="y", method="kernel", validate=False)
    with pytest.raises(TableError, match="no class 'None', because such cells count as missing"):
        train_model(rows("scam", "theft"), target="y", normal="None", method="kernel")
    gone = rows("fraud").with_columns(y=pl.lit("None"))
    with pytest.raises(TableError, match=f"empty in every row.* 400 rows .* {LOST}"):
        train_model(gone, target="y", method="kernel")
