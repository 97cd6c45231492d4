"""Rows held out to measure on: the same share of every class."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedGroupKFold

Random = int | np.random.Generator | np.random.RandomState | None


def stratified_holdout(
    y: ArrayLike, share: float, random_state: Random = 0, *, least: int = 1
) -> NDArray[np.intp]:
    """Draw the same share of the rows of every class.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Class of each row.
    share : float
        Share of the rows of each class, between 0 and 1.
    random_state : int, Generator, RandomState or None, default=0
        Source of the draw.
    least : int, default=1
        Smallest number of rows that is drawn of a class; at least one row of each class is left
        out of the draw wherever this is not 0.

    Returns
    -------
    ndarray of shape (n_drawn,)
        Row numbers, rising.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.metrics import stratified_holdout
    >>> y = np.repeat(["a", "b"], [90, 10])
    >>> np.unique(y[stratified_holdout(y, 0.2)], return_counts=True)[1]
    array([18,  2])
    """
    labels = np.asarray(y)
    random = (
        random_state
        if isinstance(random_state, np.random.RandomState)
        else np.random.default_rng(random_state)
    )
    drawn = []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        n = round(share * len(rows))
        if least:
            n = min(max(n, least), len(rows) - 1)
        drawn.append(random.choice(rows, size=n, replace=False))
    return np.sort(np.concatenate(drawn)) if drawn else np.empty(0, dtype=np.intp)


def grouped_holdout(
    y: ArrayLike, groups: ArrayLike, share: float, random_state: int | None = 0
) -> NDArray[np.intp]:
    """Draw whole groups of rows until about a share of every class is drawn.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Class of each row.
    groups : array-like of shape (n_rows,)
        Group of each row, such as a customer: its rows are all drawn or all left.
    share : float
        Share of the rows, between 0 and 1.
    random_state : int or None, default=0
        Seed of the draw.

    Returns
    -------
    ndarray of shape (n_drawn,)
        Row numbers, rising.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.metrics import grouped_holdout
    >>> groups = np.repeat(np.arange(20), 5)
    >>> y = np.where(groups % 4 == 0, "b", "a")
    >>> drawn = grouped_holdout(y, groups, 0.2)
    >>> len(drawn), len(set(groups[drawn]) & set(np.delete(groups, drawn)))
    (20, 0)
    """
    labels, names = np.asarray(y), np.asarray(groups)
    # Few folds, so that each has rows of the rare classes, and as many of them as make the share.
    folds = min(range(2, 11), key=lambda n: abs(max(1, round(share * n)) / n - share))
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=random_state)
    parts = [test for _, test in splitter.split(np.zeros(len(labels)), labels, names)]
    drawn = np.concatenate(parts[: max(1, round(share * folds))])
    return np.sort(drawn)


def latest_rows(times: ArrayLike, share: float) -> NDArray[np.intp]:
    """Return the latest rows, about a share of all; rows of one time stay together.

    Parameters
    ----------
    times : array-like of shape (n_rows,)
        Time of each row, as numbers; NaN where it is not known, which counts as early.
    share : float
        Share of the rows, between 0 and 1.

    Returns
    -------
    ndarray of shape (n_latest,)
        Row numbers, rising.

    Examples
    --------
    >>> from rarebit.metrics import latest_rows
    >>> latest_rows([3, 1, 2, 5, 4, 5], 0.5).tolist()
    [3, 4, 5]
    """
    values = np.asarray(times, dtype=np.float64)
    values = np.where(np.isnan(values), -np.inf, values)
    ordered = np.sort(values)
    last = ordered[-max(1, round(share * len(values)))]
    late = np.flatnonzero(values > last)
    both = np.flatnonzero(values >= last)
    wanted = share * len(values)
    return late if len(late) and wanted - len(late) < len(both) - wanted else both
