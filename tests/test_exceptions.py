"""Every error class of the package has one root."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import rarebit

PACKAGE = Path(rarebit.__file__).parent


def error_classes() -> list[tuple[str, str]]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
                found.append((module, node.name))
    return found


def test_there_are_error_classes() -> None:
    assert ("rarebit.models._file", "ModelError") in error_classes() or len(error_classes()) > 5


@pytest.mark.parametrize(("module", "name"), error_classes())
def test_every_error_class_derives_from_the_root(module: str, name: str) -> None:
    assert issubclass(getattr(importlib.import_module(module), name), rarebit.RarebitError)
