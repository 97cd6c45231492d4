"""One run of one explorer, and what is read from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit import Interleave, Malice, RandomExplorer, Scout, discover
from rarebit.discovery import Explorer

EXPLORERS = ("Scout", "Malice", "Interleave", "random")


def majority(y: NDArray[Any]) -> Any:
    """The most frequent class."""
    classes, counts = np.unique(y, return_counts=True)
    return classes[counts.argmax()].item()


def true_priors(y: NDArray[Any]) -> dict[Any, float]:
    """Shares of all classes but the most frequent one."""
    classes, counts = np.unique(y, return_counts=True)
    shares = zip(classes.tolist(), (counts / len(y)).tolist(), strict=True)
    return {name: share for name, share in shares if name != majority(y)}


def make(name: str, y: NDArray[Any], seed: int) -> Explorer:
    """An explorer that knows of the pool what its parameters say."""
    if name == "Scout":
        return Scout()
    if name == "Malice":
        return Malice(true_priors(y))
    if name == "Interleave":
        return Interleave(len(np.unique(y)), random_state=seed)
    return RandomExplorer(random_state=seed)


def curve(
    X: Any, y: NDArray[Any], explorer: Explorer, max_labels: int | None = None
) -> list[float]:
    """Labels spent when 1, 2, … classes besides the most frequent were seen.

    Classes not seen within ``max_labels`` count as that many.
    """
    classes = np.unique(y)
    result = discover(
        X, lambda row: y[row], explorer, max_labels=max_labels, n_classes=len(classes)
    )
    common = majority(y)
    found = sorted(spent for name, spent in result.discovered.items() if name != common)
    missing = len(classes) - 1 - len(found)
    return [float(spent) for spent in found] + [float(max_labels or len(y))] * missing


def random_labels(y: NDArray[Any], draws: int = 400, seed: int = 0) -> NDArray[np.float64]:
    """Labels that random drawing needs until every class is seen, without any explorer."""
    rng = np.random.default_rng(seed)
    numbers = np.unique(y, return_inverse=True)[1]
    return np.array(
        [
            float(np.unique(numbers[rng.permutation(len(y))], return_index=True)[1].max() + 1)
            for _ in range(draws)
        ]
    )
