"""Names still import from their former places, with a warning."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from rarebit import active
from rarebit.projects import stores

RENAMED = {"Rehearsal": "Simulation", "Table": "ColumnTable", "rehearse": "simulate"}
FILES = {
    "Event": "Line",
    "LabelStore": "LabelFile",
    "check_labels": "check_label_file",
    "recover_labels": "recover_label_file",
}


@pytest.mark.parametrize("name", ["border", "discovery", "hunt"])
def test_former_packages_warn_and_hold_the_same_objects(name: str) -> None:
    sys.modules.pop(f"rarebit.{name}", None)
    with pytest.warns(DeprecationWarning, match=rf"rarebit\.{name} is deprecated .* 0\.2"):
        former = importlib.import_module(f"rarebit.{name}")
    for public in former.__all__:
        assert getattr(former, public) is getattr(active, RENAMED.get(public, public))


def test_label_files_warn_and_hold_the_objects_of_the_stores() -> None:
    sys.modules.pop("rarebit.labels", None)
    with pytest.warns(DeprecationWarning, match=r"rarebit\.labels is deprecated .* 0\.2"):
        former = importlib.import_module("rarebit.labels")
    for public in set(former.__all__) - {"LabelSession"}:
        assert getattr(former, public) is getattr(stores, FILES.get(public, public))


def test_the_package_itself_uses_no_former_name() -> None:
    code = (
        "import importlib, pkgutil, sys, rarebit\n"
        "former = {f'rarebit.{name}' for name in ('border', 'discovery', 'hunt', 'labels')}\n"
        "for info in pkgutil.iter_modules(rarebit.__path__, 'rarebit.'):\n"
        "    if info.name not in {*former, 'rarebit.__main__'}:\n"
        "        importlib.import_module(info.name)\n"
        "print(sorted(former & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
