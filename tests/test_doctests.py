"""The examples in docstrings run, in every module of the installed package."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import rarebit

MODULES = [
    "rarebit",
    *(
        info.name
        for info in pkgutil.walk_packages(rarebit.__path__, "rarebit.", onerror=lambda name: None)
        if not info.name.endswith("__main__")
    ),
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "rarebit":
            raise
        pytest.skip(f"{name} needs the optional package {error.name}")
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module):
        runner.run(test, out=report.append)
    assert not report, "".join(report)
