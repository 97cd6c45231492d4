"""Find the rare class, learn its border, and classify without ignoring it."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rarebit.active import (
        Alice,
        BorderLearner,
        BorderSVC,
        Hunt,
        Interleave,
        Malice,
        RandomExplorer,
        Scout,
        discover,
    )
    from rarebit.classifiers import BaggedSVC, BoostedSVC, PrunedSVC
    from rarebit.comparison import compare
    from rarebit.exceptions import RarebitError
    from rarebit.projects import Project
    from rarebit.svm import KernelSVC, OnlineSVC

    __version__: str

__all__ = [
    "Alice",
    "BaggedSVC",
    "BoostedSVC",
    "BorderLearner",
    "BorderSVC",
    "Hunt",
    "Interleave",
    "KernelSVC",
    "Malice",
    "OnlineSVC",
    "Project",
    "PrunedSVC",
    "RandomExplorer",
    "RarebitError",
    "Scout",
    "compare",
    "discover",
]

# Names are looked up when they are first used: `rarebit --help` and `import rarebit` must not wait
# for scikit-learn.
_SUBPACKAGES = {
    "active": (
        "Alice",
        "BorderLearner",
        "BorderSVC",
        "Hunt",
        "Interleave",
        "Malice",
        "RandomExplorer",
        "Scout",
        "discover",
    ),
    "border": (),
    "classifiers": ("BaggedSVC", "BoostedSVC", "PrunedSVC"),
    "cli": (),
    "comparison": ("compare",),
    "datasets": (),
    "demo": (),
    "discovery": (),
    "distributed": (),
    "exceptions": ("RarebitError",),
    "hunt": (),
    "labels": (),
    "metrics": (),
    "statistics": (),
    "models": (),
    "papers": (),
    "projects": ("Project",),
    "report": (),
    "rivals": (),
    "server": (),
    "svm": ("KernelSVC", "OnlineSVC"),
    "tables": (),
    "testing": (),
}
_HOMES = {name: home for home, names in _SUBPACKAGES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"rarebit.{_HOMES[name]}"), name)
    elif name in _SUBPACKAGES:
        try:
            return import_module(f"rarebit.{name}")
        except ModuleNotFoundError as error:
            from rarebit._extras import how_to_install

            extra = {"distributed": "dask", "server": "server"}.get(name, "cli")
            # `hasattr` must answer; `import rarebit.tables` still tells which package is missing.
            raise AttributeError(
                f"rarebit.{name} cannot be imported: {error}; {how_to_install(extra)}, which has "
                "everything it needs."
            ) from error
    elif name == "__version__":
        from importlib.metadata import version

        value = version("rarebit")
    else:
        raise AttributeError(f"module 'rarebit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBPACKAGES, "__version__"})


if os.environ.get("RAREBIT_PRODUCTS"):
    from rarebit._engine.products import use_products_of_environment

    use_products_of_environment()
