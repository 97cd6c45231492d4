"""``rarebit learn --recall``: asks until the share is proved, and says what is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.cli import main


def test_learn_until_a_recall_is_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["ok", "fraud"], [270, 30]))
    X = rng.normal(size=(300, 2)) + 3.0 * (y == "fraud")[:, None]
    file = tmp_path / "payments.csv"
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": y}).write_csv(file)
    options = ["--oracle", "kind", "--rare", "fraud", "--goal", "find", "--recall", "0.7"]
    places = ["--labels", str(tmp_path / "l.db"), "-o", str(tmp_path / "m.rarebit")]
    assert main(["learn", str(file), *options, *places, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["proof"]["reached"]
    assert found["proof"]["recall_min"] >= 0.7
    assert found["labels"] < 300
    assert found["path"]["recall_min"][-1] == found["proof"]["recall_min"]
    assert found["search"]["total"] == 30
    ranked = tmp_path / "ranked.csv"
    assert main(["learn", str(file), *options, *places, "--export-ranked", str(ranked)]) == 0
    assert pl.read_csv(ranked)["state"].to_list()[:2] == ["found", "found"]
    said = " ".join(capsys.readouterr().out.split())
    assert "Proved with 95 % confidence: at least 7" in said
    assert "assumes that the labels are right" in said
    assert "300 rows in" in said
