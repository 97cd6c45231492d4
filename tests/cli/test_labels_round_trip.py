"""What `labels export` writes, `labels import` reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rarebit import Project
from rarebit.cli import ExitCode


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for i in range(12):
        Path("parts", str(i % 2)).mkdir(parents=True, exist_ok=True)
        pixels = rng.normal(150, 8, (24, 32)).astype(np.uint8)
        Image.fromarray(pixels).save(f"parts/{i % 2}/{i:02}.png")
    return Path("parts")


def test_labels_of_images_come_back(command: Any, parts: Path) -> None:
    with Project.open(parts) as project:
        project.correct(3, "scratched")
        project.correct(7, "fine")
        names = {str(project.table.ids[3]): "scratched", str(project.table.ids[7]): "fine"}
    for place in (parts, "parts.labels.db"):
        assert command("labels", "export", place, "--out", "labels.csv").code == ExitCode.OK
        lines = Path("labels.csv").read_text().splitlines()
        assert lines == ["file,label", *(f"{name},{label}" for name, label in names.items())]
    done = command("labels", "import", parts, "labels.csv", "--labels", "other.db")
    assert done.code == ExitCode.OK
    assert "2 labels of labels.csv imported" in done.out


def test_who_names_no_column_of_ids_is_told_which_option_does(command: Any, parts: Path) -> None:
    Path("labels.csv").write_text("picture,verdict,who\n0/00.png,fine,me\n")
    run = ["labels", "import", parts, "labels.csv"]
    refused = command(*run)
    assert "no column 'file' of ids: it has picture, verdict, who" in refused.error
    assert "--id-column" in refused.error
    refused = command(*run, "--id-column", "picture")
    assert "no column 'label' of classes" in refused.error
    assert "--column" in refused.error
    done = command(*run, "--id-column", "picture", "--column", "verdict")
    assert done.code == ExitCode.OK
