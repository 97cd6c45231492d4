"""The pools of the experiments, each with as many draws as its randomness allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.datasets import load_pool, thin_class
from rarebit.papers.discovery._runs import POOLS as PAPER_POOLS

Draw = tuple[Any, NDArray[Any]]

# Constants of Scout were chosen on these …
CHOSEN_ON = ("ecoli", "glass", "satimage-4", "synthetic-1", "synthetic-2")
# … and these only report.
REPORTED = ("shuttle-4515", "yeast", "abalone", "letter-5", "kddcup99-20000")

_KDD_ROWS = 20_000
_FEWEST = 20
_THINNED = 15


def draw(name: str, seed: int) -> Draw:
    """Return the rows and classes of one draw of a pool."""
    X, y = _MAKERS[name](seed)
    return X, y


def is_random(name: str) -> bool:
    """Whether draws of a pool differ."""
    return name not in ("ecoli", "glass", "yeast", "abalone", "abalone-20")


def _abalone(seed: int) -> Draw:
    """Classes with at least twenty rows."""
    X, y = load_pool("abalone")
    classes, counts = np.unique(y, return_counts=True)
    rows = np.isin(y, classes[counts >= _FEWEST])
    return X[rows], y[rows]


def _letter(seed: int) -> Draw:
    """Five random letters thinned to fifteen rows."""
    rng = np.random.default_rng(seed)
    X, y = load_pool("letter")
    for name in rng.choice(np.unique(y), 5, replace=False):
        X, y = thin_class(X, y, name, _THINNED, rng)
    return X, y


def _kddcup(seed: int) -> Draw:
    """20,000 rows in proportion to the classes, at least two rows of each."""
    rng = np.random.default_rng(seed)
    X, y = load_pool("kddcup99")
    classes, counts = np.unique(y, return_counts=True)
    wanted = np.maximum(np.round(counts * _KDD_ROWS / len(y)).astype(int), np.minimum(counts, 2))
    rows = [
        rng.choice(np.flatnonzero(y == name), size=n, replace=False)
        for name, n in zip(classes, wanted, strict=True)
    ]
    chosen = np.sort(np.concatenate(rows))
    return X[chosen], y[chosen]


_MAKERS: dict[str, Callable[[int], Draw]] = {
    **PAPER_POOLS,
    "ecoli": lambda seed: load_pool("ecoli"),
    "glass": lambda seed: load_pool("glass"),
    "satimage-4": lambda seed: thin_class(*load_pool("satimage"), 4, 20, seed),
    "yeast": lambda seed: load_pool("yeast"),
    "abalone": _abalone,
    "abalone-20": lambda seed: load_pool("abalone-20"),
    "letter-5": _letter,
    "kddcup99-20000": _kddcup,
}
