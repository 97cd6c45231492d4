"""Rows of a large set to compare methods on, without losing the rare ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def sample_keeping_rare(
    y: ArrayLike, rare: Any, n_rows: int, random_state: int | None = 0
) -> NDArray[np.intp]:
    """Draw rows: all of the rare class, as far as half of the sample holds them, and others.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Class of each row.
    rare : object
        The rare class.
    n_rows : int
        Number of rows to draw.
    random_state : int or None, default=0
        Seed of the draw.

    Returns
    -------
    ndarray of shape (n_rows,)
        Row numbers, rising; all rows where there are no more than `n_rows`. Of the other classes
        each has its share, and one row at least.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.comparison import sample_keeping_rare
    >>> y = np.repeat(["normal", "fraud"], [990, 10])
    >>> kept = sample_keeping_rare(y, "fraud", 100)
    >>> len(kept), int(np.sum(y[kept] == "fraud"))
    (100, 10)
    """
    labels = np.asarray(y)
    if len(labels) <= n_rows:
        return np.arange(len(labels))
    rng = np.random.default_rng(random_state)
    own = np.flatnonzero(labels == rare)
    kept = own if len(own) <= n_rows // 2 else rng.choice(own, n_rows // 2, replace=False)
    room = n_rows - len(kept)
    others = np.flatnonzero(labels != rare)
    names, counts = np.unique(labels[others], return_counts=True)
    quota = np.maximum(1, np.floor(counts / counts.sum() * room).astype(int))
    quota = np.minimum(quota, counts)
    # What rounding left over or took too much is settled with the largest classes.
    order = np.argsort(-counts, kind="stable")
    step = 0
    while quota.sum() != room:
        place = order[step % len(order)]
        if quota.sum() < room and quota[place] < counts[place]:
            quota[place] += 1
        elif quota.sum() > room and quota[place] > 1:
            quota[place] -= 1
        step += 1
        if step > 10 * (len(order) + room):
            break  # more classes than rows
    drawn = [
        rng.choice(np.flatnonzero(labels == name), n, replace=False)
        for name, n in zip(names, quota, strict=True)
    ]
    return np.sort(np.concatenate([kept, *drawn]))
