"""One of something is not called by its plural."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from rarebit.projects import search_progress
from rarebit.projects.stores import OtherDataError, open_store
from rarebit.tables import TableError, as_table

SLIP = re.compile(r"\b1 (?:rare |more )?(?:rows|labels|columns|classes|files|others)\b")


def of_a_store(tmp_path: Path) -> Any:
    open_store(tmp_path / "a.db", ids=["a"], source="a.csv").close()
    with pytest.raises(OtherDataError) as refused:
        open_store(tmp_path / "a.db", ids=["a", "b"], source="b.csv")
    return refused.value


def of_a_frame(tmp_path: Path) -> Any:
    with pytest.raises(TableError) as refused:
        as_table({"x": [1.0]}, target=["a", "b"])
    return refused.value


SAID = {
    "store": (of_a_store, "a.csv (1 row), but the data given, b.csv, have 2 rows"),
    "frame": (of_a_frame, "has 1 row and 2 classes"),
    "table": (lambda tmp_path: repr(as_table({"x": [1.0]})), "1 row, 1 column)"),
    "search": (lambda tmp_path: search_progress([1], 9, None).sentence(), "found with 1 label;"),
    "oracle": (lambda tmp_path: search_progress([1], 9, 1).sentence(), "1 of 1 rare row found"),
}


@pytest.mark.parametrize("what", SAID)
def test_one_is_singular(what: str, tmp_path: Path) -> None:
    say, words = SAID[what]
    said = str(say(tmp_path))
    assert words in said
    assert not SLIP.search(said)
