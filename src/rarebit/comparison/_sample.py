"""Rows of a large set to compare methods on, without losing the rare ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def sample_keeping_rare(
    y: ArrayLike, rare: Any, n_rows: int, random_state: int | None = 0
) -> NDArray[np.intp]:
    """Draw rows: all of the rare class, up to half of the sample, all of small ones, and others.

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
        Row numbers, rising; all rows where there are no more than `n_rows`. Every other class keeps
        its rows up to half of what each would have if all had the same number, and the rest of the
        sample is drawn from the larger classes in proportion.

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
    most = max(n_rows // 2, n_rows - (len(labels) - len(own)))
    kept = own if len(own) <= most else rng.choice(own, most, replace=False)
    names, counts = np.unique(labels[labels != rare], return_counts=True)
    quota = _quotas(counts, n_rows - len(kept), n_rows // (2 * (len(names) + 1)))
    drawn = [
        rng.choice(np.flatnonzero(labels == name), n, replace=False)
        for name, n in zip(names, quota, strict=True)
    ]
    return np.sort(np.concatenate([kept, *drawn]))


def _quotas(counts: NDArray[np.intp], room: int, least: int) -> NDArray[np.intp]:
    """Return how many rows of each class are drawn: in proportion, but `least` where there are."""
    quota = np.minimum(counts, max(least, 1))
    large = np.ones(len(counts), dtype=bool)
    while large.any():
        left = room - int(quota[~large].sum())
        share = np.floor(counts * (left / counts[large].sum())).astype(int)
        fewer = large & (share <= quota)
        if not fewer.any():
            quota[large] = share[large]
            break
        large &= ~fewer
    # What rounding left over goes to the largest classes, which have rows beyond their share.
    order = np.argsort(-counts, kind="stable")
    for place in order[: max(0, room - int(quota.sum()))]:
        quota[place] += quota[place] < counts[place]
    return quota
