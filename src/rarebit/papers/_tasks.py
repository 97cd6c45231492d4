"""Rows of a task, loaded once for the experiments that follow each other, whole or thinned."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from rarebit.datasets import Task, load_task


@lru_cache(maxsize=1)
def whole_task(name: str) -> Task:
    """Load a task, once for all experiments on it that follow each other."""
    return load_task(name)


def thin_rows(X: Any, y: NDArray[np.int64], n: int, seed: int) -> tuple[Any, NDArray[np.int64]]:
    """Keep ``n`` random rows at most, with the classes' shares.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Dense or CSR rows.
    y : ndarray of shape (n_rows,)
        Their classes.
    n : int
        Number of rows to keep.
    seed : int
        Seed of the draw.

    Returns
    -------
    X, y
        The rows kept, in their order.
    """
    if n >= len(y):
        return X, y
    kept, _ = train_test_split(np.arange(len(y)), train_size=n, stratify=y, random_state=seed)
    kept = np.sort(kept)
    return X[kept], y[kept]
