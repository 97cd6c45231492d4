"""``learn`` and ``predict`` say when far too many rows are called rare, or none can be."""

from __future__ import annotations

import html
import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.cli import ExitCode

from .conftest import Command

DOUBT = "most are probably false alarms."
FEW = "The model has learned from only 2 rows of 'fraud': its figures and thresholds are uncertain."


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


def test_a_threshold_that_no_row_reaches(command: Command) -> None:
    rng = np.random.default_rng(1)
    rare = np.arange(600) < 60
    columns = {"a": rng.normal(size=600) + 5 * rare, "b": rng.normal(size=600)}
    kind = np.where(rare, "fraud", "ok")
    pl.DataFrame({**columns, "kind": kind}).write_csv("pay.csv")
    pl.DataFrame({name: values[60:] for name, values in columns.items()}).write_csv("new.csv")
    assert command("fit", "pay.csv", "--target", "kind", "--out", "m.rarebit").code == ExitCode.OK
    predict = ("predict", "m.rarebit", "new.csv", "--out", "judged.csv", "--rare-only")
    by_number = command(*predict, "--threshold", "1000")
    highest = pl.read_csv(io.StringIO(command("predict", "m.rarebit", "new.csv").out))["score"]
    assert (
        "note: No row reaches the score of 1000 that --threshold gives; the highest score in this "
        f"file is {highest.max():.4g}: give a lower number, or list the highest with --top 100."
    ) in by_number.err
    found = command(*predict, "--threshold", "precision=1", "--json").json
    assert found["alarms"] == 0
    assert "that precision=1 takes; the highest" in found["notes"][-1]
    assert "lower the precision, or list" in found["notes"][-1]
    for reached in ("alarms=5", "-1000"):
        assert "No row reaches" not in command(*predict, "--threshold", reached).err
    listed = command(*predict[:-1], "--threshold", "1000", "--top", "3")
    assert listed.err.count("give a lower number.") == 1


def test_a_model_of_a_handful_of_labels_is_doubted(command: Command) -> None:
    columns = {
        "a": [9.0, 8.5, *(0.3 * i for i in range(18))],
        "b": [1.0 + i % 4 for i in range(20)],
    }
    for n_rare in (2, 10):
        kind = ["fraud"] * n_rare + ["ok"] * (20 - n_rare)
        pl.DataFrame({**columns, "kind": kind}).write_csv("pay.csv")
        fit = ("fit", "pay.csv", "--target", "kind", "--method", "kernel", "--rare", "fraud",
               "--out", "m.rarebit")  # fmt: skip
        fitted = command(*fit, "--report", "m.html")
        assert fitted.code == ExitCode.OK, fitted.err
        assert fitted.err.count(FEW) == (n_rare == 2)
        page = html.unescape(Path("m.html").read_text(encoding="utf-8"))
        assert (FEW in page) == (n_rare == 2)
        assert [FEW in note for note in command(*fit, "--json").json["notes"]] == [True] * (
            n_rare == 2
        )
        for more in ((), ("--threshold", "precision=0.5"), ("--top", "3")):
            predict = ("predict", "m.rarebit", "pay.csv", "--out", "j.csv", *more)
            assert command(*predict).err.count(FEW) == (n_rare == 2)
            notes = command(*predict, "--json").json["notes"]
            assert any(FEW in note for note in notes) == (n_rare == 2)
