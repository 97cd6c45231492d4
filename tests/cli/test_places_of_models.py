"""A model goes to a place of its own: no library or table is replaced by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rarebit.cli import ExitCode

LEARN = ("learn", "good.csv", "--id", "id", "--oracle", "class", "--max-labels", "10")
FIT = ("fit", "good.csv", "-t", "class", "--id", "id", "-m", "kernel", "--no-validation")


@pytest.fixture(autouse=True)
def folder(good: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(good.parent)
    return good.parent


@pytest.mark.parametrize("words", [FIT, LEARN])
@pytest.mark.parametrize("name", ["library.bib", "last_year.csv", "new.HTML", "rows.2024.tsv"])
def test_a_model_has_no_name_of_another_result(
    command: Any, words: tuple[str, ...], name: str
) -> None:
    file = Path(name)
    if not name.startswith("new"):
        file.write_text("kept")
    refused = command(*words, "--out", name)
    assert refused.code == ExitCode.USAGE
    assert f"--out is the place of the model, got {name!r}" in refused.error
    assert "NAME.rarebit" in refused.error
    assert ("--export" in refused.error) == (words is LEARN)
    assert file.read_text() == "kept" if not name.startswith("new") else not file.exists()
    assert not Path("good.labels.db").exists()


@pytest.mark.parametrize("words", [FIT, LEARN])
def test_only_a_model_is_replaced_by_a_model(command: Any, words: tuple[str, ...]) -> None:
    Path("notes.old").write_text("kept")
    refused = command(*words, "--out", "notes.old")
    assert refused.code == ExitCode.OUTPUT
    assert "'notes.old' is not a rarebit model" in refused.error
    assert Path("notes.old").read_text() == "kept"
    Path("empty").touch()
    Path("cut.rarebit").write_text("a model that was cut off")
    for name in ("empty", "empty", "first.model", "first.model", "cut.rarebit"):
        outcome = command(*words, "--out", name)
        assert outcome.code == ExitCode.OK, outcome.err
