"""Files whose classes are called as a missing cell is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.tables import read_table
from tests.cli.conftest import Command

LOST = "have no class, because 'None' counts as a missing cell: give the class another name"


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_files_count_the_rows_that_are_used(tmp_path: Path, command: Command, ending: str) -> None:
    random = np.random.default_rng(4)
    y = random.choice(["scam", "theft", "None"], 400, p=[0.1, 0.2, 0.7])
    frame = pl.DataFrame({"x": random.normal(size=400), "y": y})
    path = tmp_path / f"a.{ending}"
    {
        "csv": frame.write_csv,
        "parquet": frame.write_parquet,
        "jsonl": frame.write_ndjson,
    }[ending](path)
    n_lost = int((frame["y"] == "None").sum())
    assert read_table(path, target="y").missing_classes == {"None": n_lost}
    fit = ["fit", path, "--target", "y", "--method", "kernel", "--no-validation"]
    made = command(*fit, "-o", tmp_path / "m.rarebit")
    assert f"Method kernel: {400 - n_lost} rows, 1 column used." in made.out
    assert " ".join(made.err.split()).count(LOST) == 1
    refused = command(*fit, "--normal", "None", "-o", tmp_path / "n.rarebit")
    assert "such cells count as missing" in refused.error
