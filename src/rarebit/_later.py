"""Imports that wait until they are needed: a first question must not wait for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def names_later(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Return a module's ``__getattr__`` that imports names when they are first used.

    Parameters
    ----------
    package : str
        The package that has the names.
    homes : mapping of str to tuple of str
        Modules of the package, and the names that each of them has.

    Returns
    -------
    function of str
        Gives the value of a name, and keeps it in the package.

    Examples
    --------
    >>> find = names_later("rarebit.metrics", {"_rates": ("g_mean_score",)})
    >>> find("g_mean_score").__name__
    'g_mean_score'
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def find(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find


def is_sparse(values: Any) -> bool:
    """Return whether values are a sparse matrix or array of SciPy.

    SciPy is neither imported for this nor asked: another thread may be importing it just now.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> is_sparse(np.eye(2)), is_sparse(sparse.eye_array(2))
    (False, True)
    """
    return any(kind.__module__.startswith("scipy.sparse.") for kind in type(values).__mro__)
