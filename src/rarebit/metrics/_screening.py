"""How soon a search found the rare rows: recall, work saved, time to discovery."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._validation import check_count, check_number, check_scores


def labels_to_recall(
    found: ArrayLike, recall: float = 0.95, *, n_rare: int | None = None
) -> int | None:
    """Labels after which a share of the rare rows was found.

    Parameters
    ----------
    found : array-like of {0, 1} of shape (n_labels,)
        Answers in the order given, 1 for rare.
    recall : float, default=0.95
        The share to reach.
    n_rare : int or None, default=None
        Rare rows of the pool. None for the rows in `found`: the result then says nothing of rows
        that nobody found.

    Returns
    -------
    int or None
        The number of labels, or None where the share was not reached.

    Examples
    --------
    >>> from rarebit.metrics import labels_to_recall
    >>> labels_to_recall([1, 1, 0, 1, 0, 0, 1], 0.75)
    4
    >>> print(labels_to_recall([1, 1, 0, 1, 0, 0, 1], 0.75, n_rare=8))
    None
    """
    hits, total = _check_found(found, n_rare)
    share = check_number(recall, "recall")
    if not 0.0 < share <= 1.0:
        raise ValueError(
            f"recall must be a share above 0 and up to 1, got {share:g}: pass a number such as "
            "0.95."
        )
    # A share such as 0.95 of 20 rows is 19 of them, whatever binary fractions say.
    wanted = max(1, ceil(share * total - 1e-9))
    places = np.flatnonzero(hits)
    return int(places[wanted - 1]) + 1 if len(places) >= wanted else None


def work_saved(
    found: ArrayLike, n_rows: int, recall: float = 0.95, *, n_rare: int | None = None
) -> float | None:
    """Work saved over sampling (WSS): labels saved beside reading rows in any order.

    Parameters
    ----------
    found : array-like of {0, 1} of shape (n_labels,)
        Answers in the order given, 1 for rare.
    n_rows : int
        Rows of the pool.
    recall : float, default=0.95
        The share to reach; 0.95 gives WSS@95.
    n_rare : int or None, default=None
        Rare rows of the pool; None for the rows in `found`.

    Returns
    -------
    float or None
        ``recall`` minus the share of the rows that were read; None where it was not reached.

    References
    ----------
    A. M. Cohen, W. R. Hersh, K. Peterson, P.-Y. Yen: Reducing workload in systematic review
    preparation using automated document classification, JAMIA 13 (2006).

    Examples
    --------
    >>> from rarebit.metrics import work_saved
    >>> round(work_saved([1, 1, 0, 1, 0, 0, 1], n_rows=100, recall=0.75), 2)
    0.71
    """
    spent = labels_to_recall(found, recall, n_rare=n_rare)
    rows = check_count(n_rows, "n_rows")
    if rows < 1 or rows < np.size(found):
        raise ValueError(
            f"n_rows must be at least the number of answers ({np.size(found)}) and 1, got {rows}: "
            "pass the number of rows of the whole pool."
        )
    return None if spent is None else float(recall) - spent / rows


def time_to_discovery(found: ArrayLike) -> float | None:
    """Average time to discovery: labels spent when a rare row was found, over the rows found.

    Parameters
    ----------
    found : array-like of {0, 1} of shape (n_labels,)
        Answers in the order given, 1 for rare. Rows that nobody found do not count.

    Returns
    -------
    float or None
        The mean, or None without a rare row.

    Examples
    --------
    >>> from rarebit.metrics import time_to_discovery
    >>> time_to_discovery([1, 1, 0, 1, 0, 0, 1])
    3.5
    """
    hits, _ = _check_found(found, None)
    places = np.flatnonzero(hits) + 1
    return float(places.mean()) if len(places) else None


def _check_found(found: Any, n_rare: int | None) -> tuple[NDArray[np.bool_], int]:
    """Return the answers as flags, and the number of rare rows that there are."""
    if np.size(found) == 0:
        hits = np.zeros(0, dtype=np.bool_)
    else:
        values = check_scores(found, "found")
        if not np.isin(values, (0.0, 1.0)).all():
            raise ValueError(
                "found must hold 1 for rare rows and 0 for others, got other numbers: pass the "
                "answers in the order given as flags."
            )
        hits = values == 1.0
    known = int(np.count_nonzero(hits))
    if n_rare is None:
        return hits, known
    total = check_count(n_rare, "n_rare")
    if total < known:
        raise ValueError(
            f"n_rare must be at least the rare rows in found ({known}), got {total}: pass those "
            "of the whole pool."
        )
    return hits, total
