"""Small defects are found without a download; digits keep their shape; old models read pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

from rarebit import BaggedSVC
from rarebit.tables import Table, TableEncoder, TableError, read_table

N_IMAGES = 260


def surface(rng: np.random.Generator, *, defect: bool, side: int = 96) -> np.ndarray:
    """A textured surface in uneven light, perhaps with a pit, a scratch or a smear."""
    image = 60 * ndimage.gaussian_filter(rng.normal(size=(side, side)), 1.2) + 128
    down, right = np.mgrid[:side, :side] / side
    image += 25 * rng.normal() * right + 25 * rng.normal() * down + 12 * rng.normal()
    if defect:
        a, b = rng.integers(8, side - 20, 2)
        kind = rng.integers(3)
        if kind == 0:
            image[a : a + 4, b : b + 4] -= 55
        elif kind == 1:
            image[a + np.arange(12), b + np.arange(12) // 2] += 70
        else:
            image[a : a + 5, b : b + 5] = image[a : a + 5, b : b + 5].mean()
    return np.clip(image, 0, 255).astype(np.uint8)


def write_surfaces(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    for name in ("good", "defect"):
        (folder / name).mkdir(parents=True)
    for i in range(N_IMAGES):
        defect = i % 10 == 0
        file = folder / ("defect" if defect else "good") / f"{i:04}.png"
        Image.fromarray(surface(rng, defect=defect)).save(file)
    return folder


def area(table: Table) -> float:
    """AUC of rows held out, with the labels of all others."""
    assert table.target is not None
    X = TableEncoder().fit_transform(table)
    y = table.target
    rare = min(set(y.tolist()), key=y.tolist().count)
    train = np.random.default_rng(1).random(len(y)) < 0.6
    classifier = BaggedSVC(random_state=0).fit(X[train], y[train])
    return float(roc_auc_score(y[~train] == rare, classifier.minority_score(X[~train])))


def test_small_defects_are_found(tmp_path: Path) -> None:
    folder = write_surfaces(tmp_path / "parts")
    local = read_table(folder)
    assert not local.pixels
    assert local.numbers.dtype == np.float32
    pixels = read_table(folder, image_features="pixels")
    # 0.908 here and 0.91 to 0.98 in other splits, ten defects held out in each; pixels reach 0.555.
    assert area(local) > 0.85
    assert area(pixels) < 0.75
    encoder = TableEncoder().fit(local)
    again = read_table(folder, schema=encoder.schema_)
    np.testing.assert_array_equal(encoder.transform(again), encoder.transform(local))
    old = TableEncoder().fit(pixels)
    np.testing.assert_array_equal(read_table(folder, schema=old.schema_).numbers, pixels.numbers)
    shown = local.take([3]).show(0)
    assert shown.file is not None
    assert shown.file.name == Path(str(shown.id)).name


def test_digits_keep_their_shape(tmp_path: Path) -> None:
    digits = load_digits()
    eights = np.flatnonzero(digits.target == 8)[:40]
    rows = [*np.flatnonzero(digits.target != 8)[:400].tolist(), *eights.tolist()]
    for i in rows:
        name = "eight" if digits.target[i] == 8 else "other"
        (tmp_path / name).mkdir(exist_ok=True)
        image = (15.9 * digits.images[i]).astype(np.uint8)
        Image.fromarray(image).save(tmp_path / name / f"{i}.png")
    # 0.990 here and from 0.990 to 1 in other splits; pixels reach 0.949.
    assert area(read_table(tmp_path)) > 0.97


def test_colours_count(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for i in range(4):
        pixels = rng.integers(0, 255, (20, 30, 3)).astype(np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"{i}.png")
    table = read_table(tmp_path)
    assert "r_mean" in table.number_names
    assert np.isfinite(table.numbers).all()
    with pytest.raises(TableError, match="local or pixels"):
        read_table(tmp_path, image_features="magic")
