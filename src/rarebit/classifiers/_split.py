"""Rows set aside to judge machines by, some of every class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    held: list[Ids] = []
    for c, label in enumerate(labels.tolist()):
        rows = np.flatnonzero(encoded == c)
        if len(rows) < 2:
            raise ValueError(
                f"{name} sets rows of every class aside for validation and needs at least 2 of "
                f"each, class {label!r} has {len(rows)}; add rows of it or leave the class out."
            )
        count = min(max(1, round(fraction * len(rows))), len(rows) - 1)
        held.append(rng.permutation(rows)[:count])
    validation = np.sort(np.concatenate(held))
    return np.setdiff1d(np.arange(len(encoded)), validation), validation
