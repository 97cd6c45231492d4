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


def test_two_results_are_not_written_to_one_file(command: Any, data: Path) -> None:
    refused = command("learn", data, *LEARN, "--export", "x.csv", "--export-ranked", "./x.csv")
    assert refused.code == ExitCode.USAGE
    assert "both the labels (--export) and the ranked rows (--export-ranked)" in refused.error
    assert "give two names" in refused.error
    assert not Path("x.csv").exists()


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


def test_labels_of_the_default_store_are_not_replaced(command: Any, data: Path) -> None:
    run = ("learn", data, *LEARN, "--method", "border")
    for store in ("good.labels.db", "old.labels.jsonl"):
        assert command("discover", data, *LEARN, "--labels", store).code == ExitCode.OK
        before = Path(store).read_bytes()
        for words in (("--out", store), ("--report", store), ("--export-ranked", store)):
            refused = command(*run, *words)
            assert refused.code in (ExitCode.OUTPUT, ExitCode.USAGE)
        assert "holds labels" in command(*run, "--out", store).error
        assert Path(store).read_bytes() == before


@pytest.mark.parametrize("option", ["--export", "--export-ranked", "--report", "--out"])
def test_a_store_that_is_about_to_be_made_is_not_replaced(
    command: Any, data: Path, option: str
) -> None:
    refused = command("learn", data, *LEARN, "--labels", "new.jsonl", option, "new.jsonl")
    assert refused.code == ExitCode.OUTPUT
    assert "'new.jsonl' is read by this command" in refused.error
    assert not Path("new.jsonl").exists()


def test_an_image_that_is_read_is_not_replaced(command: Any, tmp_path: Path) -> None:
    from PIL import Image

    for kind, shade in (("ok", 20), ("bad", 200)):
        (tmp_path / "parts" / kind).mkdir(parents=True)
        for number in range(6):
            image = Image.new("L", (16, 16), shade + number)
            image.save(tmp_path / "parts" / kind / f"{number}.png")
    parts = tmp_path / "parts"
    run = (
        "discover",
        parts,
        "--oracle",
        "folder",
        "--max-labels",
        "4",
        "--labels",
        tmp_path / "l.db",
    )
    refused = command(*run, "--report", parts / "ok" / "0.png")
    assert "is read by this command" in refused.error
    (parts / "r.html").write_text("of an earlier run")
    assert command(*run, "--report", parts / "r.html").code == ExitCode.OK
