"""Hidden files and folders hold previews and leftovers of other programs, and no rows."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rarebit.tables import TableError, read_table


def test_hidden_images_are_no_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    folder = tmp_path / ".camera" / "parts"
    for name in ("fine/a.png", "bent/b.png", ".thumbnails/a.png", "fine/.trash/c.png"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 255, (20, 20), dtype=np.uint8)).save(folder / name)
    (folder / "fine" / "._a.png").write_bytes(b"\0\5\26\7")
    table = read_table(folder, target="folder")
    assert table.ids.tolist() == ["bent/b.png", "fine/a.png"]
    assert table.target is not None
    assert table.target.tolist() == ["bent", "fine"]
    assert not any("cannot be read" in note for note in table.notes)
    shutil.rmtree(folder / "fine")
    shutil.rmtree(folder / "bent")
    with pytest.raises(TableError, match="holds no images"):
        read_table(folder)
