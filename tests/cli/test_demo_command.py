"""``rarebit demo``: what it prints, what it writes, and how it fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rarebit.cli import ExitCode
from rarebit.cli._blocks import picture, sparkline


def test_it_tells_the_story_and_writes_the_report(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = command("demo", "--repeats", 1)
    assert outcome.code == ExitCode.OK, outcome.err
    for words in ("digit 8: 8 rows", "found at label", "You may stop", "as many random labels"):
        assert words in outcome.out
    page = (tmp_path / "rarebit-demo.html").read_text(encoding="utf-8")
    assert "<h1>Rare digits" in page
    assert [path.name for path in tmp_path.iterdir()] == ["rarebit-demo.html"]


def test_for_machines(command: Any, tmp_path: Path) -> None:
    out = tmp_path / "demo.html"
    found = command("demo", "--json", "--repeats", 1, "--seed", 2, "--out", out).json
    assert found["report"] == str(out)
    assert found["stop"]["advised"] is True
    assert set(found["scores"]) == {"rarebit", "random", "all"}


def test_a_place_that_cannot_be_written_is_named_before_the_work(
    command: Any, tmp_path: Path
) -> None:
    outcome = command("demo", "--out", tmp_path / "absent" / "demo.html")
    assert outcome.code == ExitCode.OUTPUT
    assert "its folder does not exist" in outcome.error
    assert command("demo", "--out", tmp_path).code == ExitCode.USAGE
    assert command("demo", "--repeats", 0).code == ExitCode.USAGE


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("shape", [(8, 8), (300, 200), (200, 300, 3), (1, 1), (3, 90)])
def test_pictures_fit_their_place(shape: tuple[int, ...], color: bool) -> None:
    image = np.random.default_rng(0).integers(0, 256, shape)
    lines = picture(image, columns=40, lines=12, color=color).plain.split("\n")
    assert 1 <= len(lines) <= 12
    assert all(len(line) <= 40 for line in lines)


def test_what_is_brighter_is_fuller() -> None:
    assert picture([[0, 255]], columns=4, lines=1).plain == "  ██"
    assert picture([[float("nan")]], columns=2, lines=1).plain.strip() == ""
    assert sparkline([-1.0, 0.0, 2.0]) == "▁▁█"
