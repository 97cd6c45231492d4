"""No result replaces a file that its command reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from rarebit.cli import ExitCode


@pytest.fixture
def data(good: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(good.parent)
    return Path(good.name)


LEARN = ("--id", "id", "--oracle", "class", "--max-labels", "10")


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "good.csv", "--target", "class", "--out", "good.csv"),
        ("fit", "good.csv", "--target", "class", "--report", "./good.csv"),
        ("learn", "good.csv", *LEARN, "--export", "good.csv"),
        ("learn", "good.csv", *LEARN, "--export-ranked", "good.csv"),
        ("learn", "good.csv", *LEARN, "--out", "same.csv"),
        ("discover", "good.csv", *LEARN, "--report", "good.csv"),
        ("compare", "good.csv", "--target", "class", "--out", "good.csv"),
        ("labels", "export", "good.csv", "--out", "good.csv"),
    ],
)
def test_data_are_not_replaced(command: Any, data: Path, words: tuple[str, ...]) -> None:
    os.link("good.csv", "same.csv")
    before = data.read_bytes()
    refused = command(*words)
    assert refused.code == ExitCode.OUTPUT
    assert "is read by this command" in refused.error
    assert "give another name" in refused.error
    assert data.read_bytes() == before
    assert not Path("good.labels.db").exists()


def test_models_and_labels_are_not_replaced(command: Any, data: Path) -> None:
    run = ["fit", data, "--target", "class", "--id", "id", "--method", "kernel", "--no-validation"]
    assert command(*run, "--out", "m.rarebit").code == ExitCode.OK
    model = Path("m.rarebit").read_bytes()
    for words in (
        ["predict", "m.rarebit", data, "--top", 5, "--out", data],
        ["evaluate", "m.rarebit", data, "--report", "m.rarebit"],
        ["card", "m.rarebit", "--out", "m.rarebit"],
    ):
        assert "is read by this command" in command(*words).error
    assert Path("m.rarebit").read_bytes() == model
    mine = [*LEARN, "--labels", "mine.db"]
    assert command("discover", data, *mine).code == ExitCode.OK
    refused = command("discover", data, *mine, "--report", "mine.db")
    assert "'mine.db' is read by this command" in refused.error
    assert command("labels", "check", "mine.db").code == ExitCode.OK
    # Other files are replaced as ever.
    assert command(*run, "--out", "m.rarebit").code == ExitCode.OK
