"""Public names have an example and a place in the guide."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import rarebit.datasets as datasets

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "datasets.md"


@pytest.mark.parametrize("name", datasets.__all__)
def test_public_names_are_documented(name: str) -> None:
    item = getattr(datasets, name)
    text = inspect.getdoc(item) or ""
    assert text
    if not (inspect.isclass(item) and issubclass(item, Exception)):
        assert ">>> " in text


@pytest.mark.skipif(not GUIDE.is_file(), reason="the guide is not part of an installed package")
def test_the_guide_names_every_task_pool_and_set() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for name in (*datasets.__all__, *datasets.list_pools(), *datasets.list_sets()):
        assert f"`{name}" in text, name
    for name in datasets.list_tasks():
        assert f"`{name}`" in text, name
