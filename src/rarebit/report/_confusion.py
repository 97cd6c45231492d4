"""What is said about a confusion matrix, and what is left out of a large one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

MOST_CLASSES = 20


def count_right(counts: Any, union: str = "") -> str:
    """Return a sentence on the rows that were predicted right; ``union`` stands for several."""
    right, total = int(np.trace(counts)), int(counts.sum())
    merged = f", where {union!r} counts as one class" if union else ""
    return f"{right:,} of {total:,} rows were predicted as what they are{merged}."


def worst_mistakes(counts: Any, names: Sequence[str]) -> str:
    """Return a sentence on the most frequent mistakes."""
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(wrong, axis=None)[::-1][:3]
    pairs = [np.unravel_index(place, wrong.shape) for place in order if wrong.flat[place]]
    said = [f"{names[t]} taken for {names[p]}: {wrong[t, p]:,}" for t, p in pairs]
    return f"Most mistakes: {'; '.join(said)}." if said else "No mistakes."


def fold_frequent(counts: Any, names: Sequence[str]) -> tuple[Any, list[str]]:
    """Keep the rarest of many classes and add up the others: the rare ones are what matters."""
    if len(names) <= MOST_CLASSES:
        return counts, list(names)
    rarest = np.sort(np.argsort(counts.sum(axis=1), kind="stable")[: MOST_CLASSES - 1])
    place = np.full(len(names), MOST_CLASSES - 1)
    place[rarest] = np.arange(len(rarest))
    folded = np.zeros((MOST_CLASSES, MOST_CLASSES), dtype=counts.dtype)
    np.add.at(folded, (place[:, None], place[None, :]), counts)
    return folded, [*(names[i] for i in rarest), f"{len(names) - len(rarest)} others"]
