"""Rows of an online SVM: which are met first, and whether those kept belong together."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Rows of each class that are met first, so that both sides of the border exist early.
_SEEDS = 5


def seeds_first(order: NDArray[np.int32], encoded: NDArray[np.intp]) -> NDArray[np.int32]:
    """Move the first few rows of each class to the front, classes taking turns."""
    firsts = [order[encoded[order] == c][:_SEEDS] for c in range(int(encoded.max()) + 1)]
    seeds = [rows[turn] for turn in range(_SEEDS) for rows in firsts if turn < len(rows)]
    rest = order[~np.isin(order, seeds)]
    return np.concatenate([np.array(seeds, dtype=np.int32), rest])


def check_kept_rows(
    tags: Any, classes: Any, counts: Any, n_classes: int, n_seen: Any
) -> NDArray[Any]:
    """Return the numbers of the rows kept; refuse a saved state in which fields disagree."""
    kept = [np.asarray(tags), np.asarray(classes)]
    if (
        any(array.ndim != 1 or array.dtype.kind not in "iu" for array in kept)
        or len(kept[0]) != len(kept[1])
        or np.any(np.diff(kept[0].astype(np.int64)) <= 0)
        or np.any((kept[1] < 0) | (kept[1] >= n_classes))
        or np.shape(counts) != (n_classes,)
        or np.asarray(counts).dtype.kind not in "iu"
        or not isinstance(n_seen, Integral)
        or n_seen <= max(kept[0], default=-1)  # later rows are numbered from it
    ):
        raise ValueError("the classes of the rows kept do not belong to them")
    return kept[0]
