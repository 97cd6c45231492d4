"""Packages use each other's public names only; modules of the ground are open to all."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "rarebit"
FILES = sorted(PACKAGE.rglob("*.py"))


def reach_ins(path: Path) -> list[tuple[str, str]]:
    """Return the importing package and each private module of another package that it imports."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    own = parts[0]
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            # Of a relative import, the package that its dots start from.
            start = ["rarebit", *parts][: -node.level] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            words = name.split(".")
            if words[0] != "rarebit" or len(words) < 3 or words[1].startswith("_"):
                continue  # not ours, the top, or the ground
            private = next((i for i, word in enumerate(words) if word.startswith("_")), None)
            if words[1] != own and private is not None:
                found.append((own, ".".join(words[: private + 1])))
    return found


@pytest.mark.skipif(not FILES, reason="the sources are not beside the tests")
def test_no_package_imports_private_modules_of_another() -> None:
    new = sorted({found for path in FILES for found in reach_ins(path)})
    assert not new, f"make the names public, or move them to a ground module rarebit._x: {new}"


def test_the_rule_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.PACKAGE", tmp_path)
    (tmp_path / "svm").mkdir()
    path = tmp_path / "svm" / "_solver.py"
    path.write_text(
        "from rarebit._core import fit\n"
        "from rarebit.svm._base import KernelMachine\n"
        "from rarebit.metrics import g_mean_score\n"
        "from rarebit.metrics._rates import _rate\n"
        "from rarebit.metrics import _private\n"
        "import rarebit.tables._read\n"
        "from ..models._file import save\n"
        "from ._base import KernelMachine\n"
        "from .. import exceptions\n"
    )
    assert sorted(reach_ins(path)) == [
        ("svm", "rarebit.metrics._private"),
        ("svm", "rarebit.metrics._rates"),
        ("svm", "rarebit.models._file"),
        ("svm", "rarebit.tables._read"),
    ]
