"""``fit`` and ``predict`` on files of every kind, from end to end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image
from sklearn.datasets import dump_svmlight_file

from rarebit.cli import ExitCode

from .conftest import Command, make_rows

N = 150
RNG = np.random.default_rng(0)
IS_RARE = RNG.random(N) < 0.2
CLASSES = np.where(IS_RARE, "odd", "usual")
X = RNG.normal(size=(N, 6)) + 2.0 * IS_RARE[:, None]


def write_svmlight(folder: Path) -> Path:
    dump_svmlight_file(X, IS_RARE.astype(int), str(folder / "a.svmlight"))
    return folder / "a.svmlight"


def write_npz(folder: Path) -> Path:
    np.savez(folder / "a.npz", X=X, y=CLASSES)
    return folder / "a.npz"


def write_npy(folder: Path) -> Path:
    np.save(folder / "a.npy", X)
    np.save(folder / "y.npy", CLASSES)
    return folder / "a.npy"


def write_images(folder: Path) -> Path:
    for i in range(60):
        kind = "odd" if i % 5 == 0 else "usual"
        (folder / "images" / kind).mkdir(parents=True, exist_ok=True)
        pixels = RNG.integers(0, 120, (12, 12)) + (130 if kind == "odd" else 0)
        Image.fromarray(pixels.astype(np.uint8)).save(folder / "images" / kind / f"{i}.png")
    return folder / "images"


def write_texts(folder: Path) -> Path:
    words = np.array(["sun", "rain", "wind", "sea", "snow"])
    texts = [" ".join(RNG.choice(words, 7)) + (" storm" if rare else "") for rare in IS_RARE]
    pl.DataFrame({"text": texts, "class": CLASSES}).write_ndjson(folder / "a.jsonl")
    return folder / "a.jsonl"


def write_parquet(folder: Path) -> Path:
    make_rows().drop("id").write_parquet(folder / "a.parquet")
    return folder / "a.parquet"


@pytest.mark.parametrize(
    ("write", "options", "id_name"),
    [
        (write_svmlight, [], "row"),
        (write_npz, [], "row"),
        (write_npy, ["-t", "y.npy"], "row"),
        (write_images, ["--image-size", 8], "file"),
        (write_texts, ["-t", "class", "--text", "text"], "row"),
        (write_parquet, ["-t", "class"], "row"),
    ],
    ids=lambda value: value.__name__[6:] if callable(value) else "",
)
def test_files_of_every_kind(
    write: Callable[[Path], Path],
    options: list[object],
    id_name: str,
    tmp_path: Path,
    command: Any,
) -> None:
    file, model = write(tmp_path), tmp_path / "m.rarebit"
    fitted = command("fit", file, *options, "-m", "kernel", "-o", model, "--json")
    assert fitted.code == ExitCode.OK, fitted.err
    assert fitted.json["metrics"]["g_mean"] > 0.8
    judged = command("predict", model, file, "--json")
    assert judged.code == ExitCode.OK, judged.err
    assert judged.json["rows"] == fitted.json["source"]["rows"]
    assert list(judged.json["predictions"][0]) == [id_name, "predicted", "score"]
    target = options[:2] if options[:1] == ["-t"] else []
    evaluated = command("evaluate", model, file, *target, "--json")
    assert evaluated.code == ExitCode.OK, evaluated.err
    assert evaluated.json["g_mean"] > 0.8


@pytest.mark.parametrize("name", ["learn", "discover"])
def test_classes_of_a_folder_of_images_answer(
    name: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "'folder' for images in subfolders" in " ".join(command(name, "--help").out.split())
    guide = Path(__file__).parents[2] / "docs" / "guide" / "files.md"
    assert "--oracle folder" in guide.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    images = write_images(tmp_path)
    told = command(name, images, "--oracle", "folder", "--max-labels", "20", "--json")
    assert told.code == 0, told.err
    assert {each["class"] for each in told.json["classes"]} <= {p.name for p in images.iterdir()}


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "--target", "folder"),
        ("fit",),
        ("compare", "--target", "folder"),
        ("look", "--target", "folder"),
        ("learn", "--oracle", "folder"),
    ],
)
def test_images_without_subfolders_have_no_classes(
    command: Any, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "flat").mkdir()
    for i in range(4):
        Image.fromarray(np.full((8, 8), 60 * i, np.uint8)).save(tmp_path / "flat" / f"{i}.png")
    outcome = command(words[0], tmp_path / "flat", *words[1:])
    assert outcome.code == ExitCode.INPUT
    assert "put the images of each class into a subfolder of its name" in outcome.err
    assert command("look", tmp_path / "flat").code == ExitCode.OK
