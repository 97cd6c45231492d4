"""One run of one explorer, and what is read from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active import (
    Alice,
    Discovery,
    Explorer,
    Interleave,
    Malice,
    RandomExplorer,
    Scout,
    discover,
)
from rarebit.datasets import load_pool, make_malice_synthetic_1, make_malice_synthetic_2

# Rows that score alike are taken by their number: in shuffled rows the tie is broken at random.
SHUFFLED = "Malice, rows shuffled"
EXPLORERS = ("Alice", "Malice", SHUFFLED, "Interleave", "random", "Scout")

# Pools of the paper by the seed of their draw.
POOLS: dict[str, Callable[[int], tuple[NDArray[np.float64], NDArray[Any]]]] = {
    "synthetic-1": make_malice_synthetic_1,
    "synthetic-2": make_malice_synthetic_2,
    "shuttle-4515": lambda seed: load_pool("shuttle-4515", seed),
}


def majority_class(y: NDArray[Any]) -> Any:
    """Return the most frequent class."""
    classes, counts = np.unique(y, return_counts=True)
    return classes[counts.argmax()].item()


def true_priors(y: NDArray[Any]) -> dict[Any, float]:
    """Return the shares of all classes but the most frequent one."""
    classes, counts = np.unique(y, return_counts=True)
    shares = zip(classes.tolist(), (counts / len(y)).tolist(), strict=True)
    return {name: share for name, share in shares if name != majority_class(y)}


def make_explorer(name: str, y: NDArray[Any], seed: int) -> Explorer:
    """Return an explorer that knows of the pool what its parameters say."""
    if name == "Alice":
        return Alice(true_priors(y))
    if name in ("Malice", SHUFFLED):
        return Malice(true_priors(y))
    if name == "Interleave":
        return Interleave(len(np.unique(y)), random_state=seed)
    return Scout() if name == "Scout" else RandomExplorer(random_state=seed)


def shuffled_rows(n: int, seed: int) -> NDArray[np.intp]:
    """Return a random order of the rows of a pool."""
    return np.random.default_rng([seed, n]).permutation(n)


def explore(
    X: Any, y: NDArray[Any], explorer: Explorer, max_labels: int | None = None
) -> Discovery:
    """Let an explorer ask until every class is met."""
    n_classes = len(np.unique(y))
    return discover(X, lambda row: y[row], explorer, max_labels=max_labels, n_classes=n_classes)


def count_labels(
    X: Any, y: NDArray[Any], explorer: Explorer, max_labels: int | None = None
) -> list[float]:
    """Return the labels spent when 1, 2, … classes besides the most frequent were met.

    Classes not met within ``max_labels`` count as that many.
    """
    found = explore(X, y, explorer, max_labels)
    common = majority_class(y)
    spent = sorted(float(n) for name, n in found.discovered.items() if name != common)
    missing = len(np.unique(y)) - 1 - len(spent)
    return spent + [float(max_labels or len(y))] * missing
