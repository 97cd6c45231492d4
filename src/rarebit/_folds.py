"""Folds for cross-validation of few labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.intp]


def fold_numbers(encoded: Ids, n_folds: int, seed: int) -> Ids:
    """Return the fold of each row, dealt out class by class; -1 for a class with a single row.

    Rows of fold -1 are trained on and never judged, so that every class is always trained on.

    Parameters
    ----------
    encoded : ndarray of int of shape (n_rows,)
        Class numbers.
    n_folds : int
        Folds, at most.
    seed : int
        Seed of the deal.

    Returns
    -------
    ndarray of int of shape (n_rows,)
        Fold numbers 0, 1, …, or -1.

    Examples
    --------
    >>> np.bincount(fold_numbers(np.array([0, 0, 0, 0, 1, 1]), 2, seed=0)).tolist()
    [3, 3]
    """
    rng = np.random.default_rng(seed)
    folds = np.full(len(encoded), -1, dtype=np.intp)
    start = 0
    for number in np.unique(encoded):
        rows = rng.permutation(np.flatnonzero(encoded == number))
        if len(rows) > 1:
            folds[rows] = (start + np.arange(len(rows))) % n_folds
            start += len(rows)
    used = np.unique(folds[folds >= 0])
    return np.where(folds >= 0, np.searchsorted(used, folds), -1)
