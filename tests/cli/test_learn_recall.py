"""``rarebit learn --recall``: asks until the share is proved, and says what is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rarebit.cli import _terminal, main
from rarebit.cli._terminal import Bar, Terminal


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


def test_a_column_that_is_asked_shows_what_is_found_and_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["ok", "fraud"], [180, 20]))
    X = rng.normal(size=(200, 2)) + 3.0 * (y == "fraud")[:, None]
    file = tmp_path / "payments.csv"
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": y}).write_csv(file)
    told: list[str] = []

    @contextmanager
    def watched(self: Terminal, what: str, total: int | None = None) -> Iterator[Bar]:
        yield Bar(what, lambda steps, said: told.append(said or ""))

    monkeypatch.setattr(Terminal, "progress", watched)
    monkeypatch.setattr(_terminal, "PATIENCE", 0.0)
    options = ["--oracle", "kind", "--rare", "fraud", "--goal", "find", "--recall", "0.7"]
    places = ["--labels", str(tmp_path / "l.db"), "-o", str(tmp_path / "m.rarebit")]
    assert main(["learn", str(file), *options, *places]) == 0
    said = [each for each in told if each.startswith("Reading answers from the column: ")]
    assert said
    assert re.search(r": \d+ labels?, 2 classes, \d+ rare rows found, recall of at", said[-1])
    # With a limit the bar counts the labels, and the words have no second number of them.
    told.clear()
    places[1] = str(tmp_path / "limited.db")
    assert main(["learn", str(file), *options, *places, "--max-labels", "20"]) == 0
    said = [each for each in told if each.startswith("Reading answers from the column: ")]
    assert said
    assert all(re.match(r"[^:]*: \d class(es)?\b", each) for each in said)
