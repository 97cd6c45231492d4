"""The generic parts of `rarebit.papers` know no single paper, and no package's private modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import rarebit.papers
from rarebit.papers._paper import PAPERS

PACKAGE = Path(rarebit.papers.__file__).parent
GENERIC = sorted(PACKAGE.glob("*.py"))


def imported(source: str, package: str) -> Iterator[str]:
    """Yield the full names of all modules and objects that a module imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")
            base = base[: len(base) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)


def papers_met(source: str, package: str = "rarebit.papers") -> list[str]:
    """Return imports from the subpackage of one paper."""
    single = tuple(f"rarebit.papers.{name}." for name in PAPERS)
    return [name for name in imported(source, package) if f"{name}.".startswith(single)]


def reached_into(source: str, package: str) -> list[str]:
    """Return imports of underscore modules of other packages of rarebit."""
    found = (name.split(".") for name in imported(source, package))
    return [
        ".".join(name)
        for name in found
        if name[0] == "rarebit"
        and name[1] != "papers"
        and not name[1].startswith("_")  # the ground that all packages stand on
        and any(part.startswith("_") for part in name[2:])
    ]


@pytest.mark.parametrize("path", GENERIC, ids=lambda path: path.name)
def test_generic_parts_import_no_single_paper(path: Path) -> None:
    assert papers_met(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_private_modules_of_other_packages_are_left_alone(path: Path) -> None:
    package = ".".join(["rarebit", "papers", *path.relative_to(PACKAGE).parts[:-1]])
    assert reached_into(path.read_text(encoding="utf-8"), package) == []


def test_papers_are_the_subpackages() -> None:
    assert sorted(PAPERS) == sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


@pytest.mark.parametrize(
    "source",
    [
        "from rarebit.papers.border._tasks import thin_rows",
        "from rarebit.papers import border",
        "def f():\n    import rarebit.papers.bagging",
        "from .pruning import PLANS",
        "from . import discovery",
    ],
)
def test_the_rule_sees_every_kind_of_import(source: str) -> None:
    assert papers_met(source)


def test_the_rule_on_private_modules() -> None:
    assert reached_into("from rarebit.classifiers._operating import choose", "rarebit.papers")
    assert reached_into("from rarebit.classifiers import _operating", "rarebit.papers")
    assert not reached_into("from rarebit._text import visible", "rarebit.papers")
    assert not reached_into("from rarebit.papers._rows import Results", "rarebit.papers.border")
