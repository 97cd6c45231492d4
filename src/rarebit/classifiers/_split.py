"""Rows set aside to judge SVMs by, some of every class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.metrics import stratified_holdout

Ids = NDArray[np.intp]


def split_rows(
    encoded: Ids, fraction: float, rng: np.random.RandomState, labels: NDArray[Any], name: str
) -> tuple[Ids, Ids]:
    """Return sorted row numbers to train on and to validate on.

    Each class gives its share, at least one row, and keeps at least one.

    Parameters
    ----------
    encoded : ndarray of shape (n_rows,)
        Class numbers.
    fraction : float
        Share of each class to set aside.
    rng : RandomState
        Chooses the rows.
    labels : ndarray of shape (n_classes,)
        Names of the classes, for the message.
    name : str
        Name of the estimator, for the message.
    """
    counts = np.bincount(encoded, minlength=len(labels))
    for label, count in zip(labels.tolist(), counts.tolist(), strict=True):
        if count < 2:
            raise ValueError(
                f"{name} sets rows of every class aside for validation and needs at least 2 of "
                f"each, class {label!r} has {count}: add rows of it or leave the class out."
            )
    validation = stratified_holdout(encoded, fraction, rng)
    return np.setdiff1d(np.arange(len(encoded)), validation), validation
