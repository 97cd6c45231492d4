"""What ``rarebit compare`` says of methods that cannot learn from words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rarebit.cli import ExitCode


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A table of 120 rows with two texts and a number."""
    words = [
        "late parcel box refund please",
        "good shoes at a fair price",
        "no answer by telephone",
    ]
    text = [f"{words[i % 3]} number {i}" for i in range(120)]
    classes = ["b" if i % 6 == 0 else "a" for i in range(120)]
    frame = pl.DataFrame({"note": text, "my reply": text[::-1], "n": range(120), "class": classes})
    frame.write_csv(tmp_path / "texts.csv")
    return tmp_path / "texts.csv"


def test_a_method_that_is_named_is_refused(texts: Path, command: Any) -> None:
    words = ["compare", texts, "-t", "class", "--text", "note", "-m", "gradient boosting"]
    outcome = command(*words, "--drop", "my reply")
    assert outcome.code == ExitCode.INPUT
    assert "'gradient boosting' needs dense features" in outcome.error
    assert "text column 'note': leave out the method, or the column (--drop note)" in outcome.error
    both = command("compare", texts, "-t", "class", "-m", "gradient boosting").error
    assert "text columns 'note' and 'my reply'" in both
    assert "the columns (--drop note --drop 'my reply')" in both


def test_methods_left_out_are_told(texts: Path, command: Any) -> None:
    few = ["compare", texts, "-t", "class", "--drop", "my reply", "--rows", "60", "--folds", "2"]
    page = texts.with_suffix(".html")
    outcome = command(*few, "--text", "note", "--report", page)
    assert outcome.code == ExitCode.OK, outcome.err
    said = (
        "eft out: gradient boosting, which needs dense features, and texts.csv has the text column "
        "'note', which makes them sparse: leave out the column (--drop note) to compare it too."
    )
    assert f"note: l{said}" in outcome.err
    assert "gradient boosting, which needs dense features" in page.read_text(encoding="utf-8")
    told = command(*few, "--text", "note", "--json").json
    assert f"L{said}" in told["notes"]
    assert "gradient boosting" not in [row["method"] for row in told["methods"]]
    named = command(*few, "--text", "note", "--json", "-m", "BaggedSVC").json
    assert not any("gradient" in note for note in named["notes"])
    dense = command(*few, "--drop", "note", "--json").json
    assert not any("gradient" in note for note in dense["notes"])
    assert "gradient boosting" in [row["method"] for row in dense["methods"]]
