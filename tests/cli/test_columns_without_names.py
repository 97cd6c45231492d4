"""Columns without a name: the index that frames write beside their columns."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl


def test_commands_speak_of_a_column_without_a_name(
    command: Any, tmp_path: Path, rng: np.random.Generator
) -> None:
    kind = np.where(np.arange(300) % 10 == 0, "rare", "usual")
    columns = {"": rng.permutation(400)[:300], "x": rng.normal(size=300).round(3), "kind": kind}
    pl.DataFrame(columns).write_csv(tmp_path / "index.csv")
    leak = {"": (kind == "rare") + rng.integers(0, 2, 300) / 4, "x": columns["x"], "kind": kind}
    pl.DataFrame(leak).write_csv(tmp_path / "leak.csv")
    fit = ("--target", "kind", "--method", "kernel", "--no-validation", "--out", tmp_path / "m.rb")
    said = command("fit", tmp_path / "index.csv", *fit).err
    assert "not used: the one without a name (every row has its own number)" in said
    kept = shlex.split(said.partition("--as ")[2])[0]
    done = command("fit", tmp_path / "index.csv", *fit, "--as", kept)
    assert "2 columns used" in done.out
    assert "note: the column without a name: number, as you said." in done.err
    said = command("fit", tmp_path / "leak.csv", *fit).err
    assert "note: the column without a name: tells the rarest class by itself" in said
