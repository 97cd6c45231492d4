"""A path that leads nowhere is told in one sentence, and is still what Python calls it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rarebit import KernelSVC, RarebitError
from rarebit.models import ModelError, load_model, read_manifest, save_model, train_model
from rarebit.tables import read_table, scan_table


@pytest.mark.parametrize("load", [load_model, read_manifest, read_table, scan_table])
def test_no_such_file(load: Callable[[Path], Any], tmp_path: Path) -> None:
    path = tmp_path / "nowhere.csv"
    with pytest.raises(
        FileNotFoundError, match=r"nowhere\.csv' does not exist: check the path"
    ) as no:
        load(path)
    assert isinstance(no.value, RarebitError)
    assert no.value.filename == str(path)
    assert "Errno" not in str(no.value)
    # Who catches what may be wrong with a model catches this, too.
    assert isinstance(no.value, ModelError) == (load in (load_model, read_manifest))
    sent = pickle.loads(pickle.dumps(no.value))
    assert (str(sent), sent.filename) == (str(no.value), no.value.filename)


def test_no_such_folder(tmp_path: Path) -> None:
    path = tmp_path / "no" / "x.rarebit"
    estimator = KernelSVC().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    said = r"x\.rarebit' cannot be written, its folder does not exist: create '.*no' or choose"
    with pytest.raises(FileNotFoundError, match=said) as no:
        save_model(estimator, path)
    assert isinstance(no.value, RarebitError)
    assert (no.value.filename, "Errno" in str(no.value)) == (str(path), False)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"file/x\.rarebit'$"):
        save_model(estimator, tmp_path / "file" / "x.rarebit")


@pytest.mark.parametrize("given", [None, 5])
def test_a_model_is_read_from_a_path(given: Any) -> None:
    for read in (load_model, read_manifest):
        with pytest.raises(TypeError, match=r"got (NoneType|int): give the path that save_model"):
            read(given)


def test_an_encoder_is_no_name() -> None:
    rows = {"x": [1.0, 2.0, 3.0, 4.0], "class": ["a", "a", "b", "b"]}
    with pytest.raises(TypeError, match="must be a TableEncoder or None, got str: pass one"):
        train_model(rows, target="class", encoder="letters")  # type: ignore[arg-type]
