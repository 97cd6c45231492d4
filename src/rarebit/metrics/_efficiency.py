"""How few labels were enough."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ._validation import (
    check_count,
    check_number,
    check_same_length,
    check_scores,
    check_switch,
    show,
)


def label_efficiency(
    n_labels: ArrayLike, scores: ArrayLike, target: float, *, stay: bool = False
) -> int | None:
    """Fewest labels at which a learning curve reaches a target.

    Parameters
    ----------
    n_labels : array-like of shape (n_points,)
        Labels spent at each point of the curve: whole numbers, each greater than the one before.
    scores : array-like of shape (n_points,)
        Score at each point, the higher the better. Negate a loss and its target.
    target : float
        The score to reach. It is reached by ``score >= target``; nothing is interpolated.
    stay : bool, default=False
        Whether the curve must also stay at or above the target to its end, so that a lucky spike
        does not count.

    Returns
    -------
    int or None
        Labels spent when the target was reached, or None when it never was.

    See Also
    --------
    data_efficiency : Labels spent as a share of the rows.

    Examples
    --------
    >>> from rarebit.metrics import label_efficiency
    >>> labels, g_means = [10, 20, 30, 40], [0.50, 0.91, 0.80, 0.93]
    >>> label_efficiency(labels, g_means, 0.9)
    20
    >>> label_efficiency(labels, g_means, 0.9, stay=True)
    40
    >>> print(label_efficiency(labels, g_means, 0.99))
    None
    """
    spent, curve = check_scores(n_labels, "n_labels"), check_scores(scores, "scores")
    check_same_length(spent, curve, "n_labels and scores")
    if spent[0] < 0 or np.any(spent != np.floor(spent)) or np.any(np.diff(spent) <= 0):
        raise ValueError(
            "n_labels must count labels along a curve: whole numbers of zero and more, each "
            f"greater than the one before, are allowed, got {show(spent)}; sort the points and "
            "keep one point per count."
        )
    goal = check_number(target, "target")
    reached = curve >= goal
    if check_switch(stay, "stay"):
        # A point counts when it and all points after it do: accumulate from the end.
        reached = np.logical_and.accumulate(reached[::-1])[::-1]
    return int(spent[np.argmax(reached)]) if reached.any() else None


def data_efficiency(n_labels: int, n_rows: int) -> float:
    """Share of the rows whose label was read.

    Parameters
    ----------
    n_labels : int
        Labels spent, from 0 to `n_rows`.
    n_rows : int
        Rows that could have been labelled, at least 1.

    Returns
    -------
    float
        Between 0 and 1; the lower, the cheaper.

    Notes
    -----
    The paper gives it in percent, as the part of the training rows that active learning processes
    until it stops.

    References
    ----------
    S. Ertekin, J. Huang, L. Bottou, C. L. Giles: Learning on the border, CIKM 2007, table 1.

    Examples
    --------
    >>> from rarebit.metrics import data_efficiency
    >>> data_efficiency(150, 6000)
    0.025
    """
    labels, rows = check_count(n_labels, "n_labels"), check_count(n_rows, "n_rows")
    if rows < 1 or not 0 <= labels <= rows:
        raise ValueError(
            "n_labels must not exceed n_rows: 0 <= n_labels <= n_rows with at least one row is "
            f"allowed, got n_labels={labels} and n_rows={rows}; count each labelled row once."
        )
    return labels / rows
