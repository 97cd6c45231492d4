"""The page of constants has the values of the code."""

from __future__ import annotations

import inspect
import re
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "papers" / "constants.md"
ROW = re.compile(r"^\| `([\w.]+)(?:\((\w+)\))?`(?: \(([\w-]+)\))? \| ([^|]+) \|", re.M)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else []


def value_in_code(name: str, parameter: str, part: str) -> list[float]:
    module, _, attribute = name.rpartition(".")
    value: Any = getattr(import_module(module), attribute)
    if parameter:
        value = inspect.signature(value).parameters[parameter].default
    elif part:
        value = value[part] if isinstance(value, dict) else [getattr(v, part) for v in value]
    return [float(v) for v in value] if isinstance(value, tuple | list) else [float(value)]


@pytest.mark.skipif(not ROWS, reason="the pages are not beside the tests")
def test_the_page_names_enough() -> None:
    assert len(ROWS) > 30
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert len(ROWS) == sum(line.startswith("| `") for line in lines)


@pytest.mark.parametrize(("name", "parameter", "part", "written"), ROWS)
def test_value(name: str, parameter: str, part: str, written: str) -> None:
    wanted = [float(Fraction(number.strip())) for number in written.split(",")]
    assert value_in_code(name, parameter, part) == pytest.approx(wanted)
