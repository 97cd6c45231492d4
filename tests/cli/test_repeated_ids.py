"""``predict`` says when several rows of a file have one id."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from .conftest import Command


def test_repeated_ids_are_told_once(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rare = np.arange(200) < 40
    frame = pl.DataFrame(
        {
            "payment": [f"P{i}" for i in range(200)],
            "x": rng.normal(size=200) + 4 * rare,
            "class": np.where(rare, "fraud", "ok"),
        }
    )
    frame.write_csv("pay.csv")
    fit = ("-t", "class", "--id", "payment", "-m", "kernel", "-o", "m.rarebit")
    assert command("fit", "pay.csv", *fit).code == 0
    predict = ("predict", "m.rarebit", "new.csv", "--out", "judged.csv")
    frame.drop("class").write_csv("new.csv")
    assert "an earlier row" not in command(*predict).err
    frame.drop("class").vstack(frame.drop("class").head(3)).write_csv("new.csv")
    assert (
        "note: 3 rows have an id in 'payment' that an earlier row of new.csv has: results with the "
        "same id are different rows.\n"
    ) in command(*predict).err
    assert len([n for n in command(*predict, "--json").json["notes"] if "an earlier" in n]) == 1
    assert pl.read_csv("judged.csv").height == 203
