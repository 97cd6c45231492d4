"""Rows that are not there are refused where people look at one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rarebit import Project, RarebitError


@pytest.mark.parametrize("row", [30, 1000, -1, "x", True, 1.5])
def test_rows_that_are_not_there(tmp_path: Path, row: Any) -> None:
    rows = {"a": np.arange(30.0), "b": np.arange(30.0) ** 2}
    with Project.open(rows, store=tmp_path / "l.db") as project:
        with pytest.raises(RarebitError, match=r"The data have rows 0 to 29, got row .*: give one"):
            project.show(row)
        assert project.show(np.int64(29)).fields["a"] == 29.0
