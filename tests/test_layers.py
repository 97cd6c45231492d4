"""Imports inside the package go down the list of layers only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "rarebit"

# From the ground up. A layer may import itself and the layers before it. Private modules that sit
# directly in the package (rarebit._core, rarebit._engine, ...) are the ground.
GROUND = "rarebit._*"
LAYERS = [
    "rarebit.exceptions",
    GROUND,
    "rarebit.metrics",
    "rarebit.statistics",
    "rarebit.svm",
    "rarebit.classifiers",
    "rarebit.rivals",
    "rarebit.comparison",
    "rarebit.active",
    "rarebit.border",  # deprecated names, as the next three
    "rarebit.discovery",
    "rarebit.hunt",
    "rarebit.labels",
    "rarebit.tables",
    "rarebit.datasets",
    "rarebit.models",
    "rarebit.report",
    "rarebit.projects",
    "rarebit.testing",
    "rarebit.distributed",
    "rarebit.papers",
    "rarebit.demo",
    "rarebit.server",
    "rarebit.cli",
]
# The package itself and programs (`python -m rarebit`) stand above all layers; no layer may import
# them.
TOP = {"rarebit", "rarebit.__main__", "rarebit.papers.__main__"}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> str | None:
    """Return the layer of a module, None if it is the top, and fail if it has no place."""
    if module in TOP:
        return None
    name = ".".join(module.split(".")[:2])
    layer = GROUND if name.startswith("rarebit._") else name
    assert layer in LAYERS, f"{module} belongs to no layer: give {name} a place in LAYERS"
    return layer


def imported_modules(tree: ast.AST, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of every import from within the package."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            # `from rarebit import svm` imports a module, `from rarebit import KernelSVC` the top.
            names = (
                [resolve_from_top(alias.name) for alias in node.names]
                if source == "rarebit"
                else [source]
            )
        else:
            continue
        for name in names:
            if name.split(".")[0] == "rarebit":
                yield node.lineno, name


def resolve_from_top(name: str) -> str:
    is_module = (PACKAGE / name).is_dir() or any(PACKAGE.glob(f"{name}.*"))
    return f"rarebit.{name}" if is_module or name == "_core" else "rarebit"


def violations(source: str, module: str, is_package: bool) -> list[str]:
    layer = layer_of(module)
    found = []
    for line, target in imported_modules(ast.parse(source), module, is_package):
        target_layer = layer_of(target)
        if layer is None:
            continue
        if target_layer is None:
            found.append(f"line {line}: {module} imports the top of the package, {target}")
        elif LAYERS.index(target_layer) > LAYERS.index(layer):
            found.append(f"line {line}: {module} imports {target}, which is a higher layer")
    return found


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.skipif(not FILES, reason="the sources are not beside the tests")
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down_only(path: Path) -> None:
    found = violations(
        path.read_text(encoding="utf-8"), module_name(path), path.name == "__init__.py"
    )
    assert not found, "\n".join(found)


PAGE = ROOT / "docs" / "architecture.md"
DEPRECATED = {"border", "discovery", "hunt", "labels"}


def drawn_name(layer: str) -> str:
    return "_ground" if layer == GROUND else layer.removeprefix("rarebit.")


def measured_house() -> dict[str, set[str]]:
    """Return what each package imports from other packages, by the names of the drawing."""
    imports: dict[str, set[str]] = {drawn_name(layer): set() for layer in LAYERS}
    for path in FILES:
        module = module_name(path)
        layer = layer_of(module)
        if layer is None:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for _, target in imported_modules(tree, module, path.name == "__init__.py"):
            target_layer = layer_of(target)
            if target_layer is not None and target_layer != layer:
                imports[drawn_name(layer)].add(drawn_name(target_layer))
    return imports


@pytest.mark.skipif(not PAGE.is_file(), reason="the documents are not beside the tests")
def test_the_drawing_of_the_house_is_the_import_graph() -> None:
    drawing = PAGE.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    lines = [line for line in drawing.splitlines() if "←" in line]
    drawn = {line.split()[0]: set(line.split("←")[1].split()) for line in lines}
    measured = measured_house()
    names = [drawn_name(layer) for layer in reversed(LAYERS)]
    assert list(drawn) == [name for name in names if name not in DEPRECATED], (
        "docs/architecture.md draws the packages from the top of LAYERS down, one line each"
    )
    wrong = [
        f"{name} … ← {' '.join(sorted(measured[name]))}"
        for name in drawn
        if drawn[name] != measured[name]
    ]
    assert not wrong, "write in docs/architecture.md:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("module", "source", "allowed"),
    [
        ("rarebit.svm._kernel", "from rarebit._core import fit", True),
        ("rarebit.svm._kernel", "from ._online import OnlineSVC", True),
        ("rarebit.svm._kernel", "from ..metrics import g_mean_score", True),
        ("rarebit.svm._kernel", "from .. import _core", True),
        ("rarebit.metrics._scores", "from ..svm import KernelSVC", False),
        ("rarebit.metrics._scores", "import rarebit.svm._kernel", False),
        ("rarebit.metrics._scores", "def f():\n    from rarebit.svm import KernelSVC", False),
        ("rarebit.svm._kernel", "from rarebit import KernelSVC", False),
        ("rarebit.svm._kernel", "import rarebit", False),
        ("rarebit._engine.reference", "from rarebit.metrics import g_mean_score", False),
        ("rarebit", "from rarebit.cli import main", True),
        ("rarebit.svm._kernel", "import numpy, sklearn.svm", True),
    ],
)
def test_the_rule_itself(module: str, source: str, allowed: bool) -> None:
    assert (not violations(source, module, module == "rarebit")) is allowed
