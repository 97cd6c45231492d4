"""Images that are there more than once, under whatever names."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rarebit.tables import look, read_table


def images(folder: Path, n: int, seed: int = 0) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    for i in range(n):
        pixels = rng.integers(0, 256, (20, 24), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"part_{i:02}.png")
    return folder


@pytest.mark.parametrize("features", ["local", "pixels"])
def test_a_copy_under_another_name_is_found(tmp_path: Path, features: str) -> None:
    folder = images(tmp_path / "parts", 12)
    shutil.copy(folder / "part_00.png", folder / "zz_copy.png")
    Image.open(folder / "part_03.png").save(folder / "zz_other_format.bmp")
    table = read_table(folder, image_features=features)
    assert table.n_rows == 14
    assert look(table).duplicates == 2
    first = read_table(folder, image_features=features, duplicates="first")
    assert first.ids.tolist() == [f"part_{i:02}.png" for i in range(12)]
    assert "2 duplicate rows of parts were left out." in first.notes
    assert np.array_equal(first.show(3).image, table.show(3).image)
    none = read_table(folder, image_features=features, duplicates="drop")
    assert none.n_rows == 10
    assert "4 duplicate rows of parts were left out." in none.notes


def test_images_that_only_have_the_same_features_are_no_copies(tmp_path: Path) -> None:
    folder = images(tmp_path / "parts", 6)
    big = np.zeros((300, 300), dtype=np.uint8)
    for i in range(3):
        big[0, i] = 1
        Image.fromarray(big).save(folder / f"dark_{i}.png")
    table = read_table(folder, image_features="pixels", image_size=8)
    assert len({tuple(row) for row in table.numbers[:3].tolist()}) == 1
    assert look(table).duplicates == 0
    assert not table.notes


def test_one_image_in_folders_of_two_classes_is_told(tmp_path: Path) -> None:
    folder = images(tmp_path / "parts" / "a", 5).parent
    images(folder / "b", 5, seed=1)
    shutil.copy(folder / "a" / "part_02.png", folder / "b" / "x.png")
    shutil.copy(folder / "a" / "part_02.png", folder / "a" / "y.png")
    shutil.copy(folder / "a" / "part_02.png", folder / "z.png")  # of no class
    table = read_table(folder, target="folder", duplicates="first")
    assert "a/y.png" not in table.ids.tolist()
    assert {"a/part_02.png", "b/x.png"} <= set(table.ids.tolist())
    (note,) = [each for each in table.notes if "classes" in each]
    assert note.startswith("1 image of parts is in folders of several classes: a/part_02.png, ")
    assert "b/x.png" in note
