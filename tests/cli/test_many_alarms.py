"""``learn`` and ``predict`` say when far too many rows are called rare."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode

from .conftest import Command

DOUBT = "most are probably false alarms."


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_few_labels_of_a_class_that_looks_like_the_others(command: Command) -> None:
    rng = np.random.default_rng(0)
    rare = rng.random(4_000) < 0.01
    frame = pl.DataFrame(
        {
            "a": rng.normal(size=4_000) + 0.7 * rare,
            "b": rng.normal(size=4_000),
            "kind": np.where(rare, "fraud", "ok"),
        }
    )
    frame.write_csv("pay.csv")
    run = ("--oracle", "kind", "--rare", "fraud", "--method", "bagged", "--max-labels", "40")
    told = command("learn", "pay.csv", *run)
    assert told.code == ExitCode.OK, told.err
    assert "Of 3,960 rows without a label " in told.out
    assert DOUBT in told.err
    found = command("learn", "pay.csv", *run, "--json").json
    assert DOUBT in found["notes"][0]
    assert found["called_rare"]["called"] > 0.05 * 3_960
    predict = ("predict", "pay.learned.rarebit", "pay.csv", "--out", "judged.csv")
    assert DOUBT in command(*predict).err
    assert any(DOUBT in note for note in command(*predict, "--json").json["notes"])
    for chosen in (("--top", "50"), ("--threshold", "alarms=900")):
        assert DOUBT not in command(*predict, *chosen).err
