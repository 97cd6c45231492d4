"""The ceiling U: the largest number of rare rows that the draws have not refuted."""

from __future__ import annotations

from math import floor, log
from typing import Any

import numpy as np

from ._draws import Draws, Stretches, merge_stretches, read_draws
from ._errors import LedgerError, check_count, check_risk, check_share
from ._evidence import stretch_path


def ceiling(
    ledger: Any, n_rows: int, known: int, risk: float = 0.05, *, known_negatives: int = 0
) -> int:
    """Return the largest number of rare rows that the pool can hold.

    With probability ``1 - risk`` the true number never exceeds the ceiling, at all times at
    once: the bound may be looked at after every label and used to decide when to stop. The rows
    that are not draws may be chosen by any rule that sees any label.

    Parameters
    ----------
    ledger : array-like of shape (n_draws, 4)
        Columns n, m, kappa and y in the order asked; see :func:`build_ledger`.
    n_rows : int
        Rows of the pool.
    known : int
        Rare rows that are confirmed, whatever chose them.
    risk : float, default=0.05
        Probability that the ceiling is ever too low.
    known_negatives : int, default=0
        Rows that are confirmed not to be rare, whatever chose them.

    Returns
    -------
    int
        The ceiling, at least ``known`` and at most ``n_rows - known_negatives``.

    Notes
    -----
    U is the largest M whose evidence stayed below ``1 / risk`` after every draw. The evidence does
    not fall in M, so U is found by bisection.

    Examples
    --------
    100 rare rows are known in a pool of 10,000; 300 draws from the other rows hit nothing.

    >>> from rarebit.statistics import ceiling
    >>> ledger = [(9900 - d, 100, 0.0, 0) for d in range(300)]
    >>> ceiling(ledger, n_rows=10_000, known=100, known_negatives=300)
    213
    """
    draws = read_draws(ledger)
    n_rows, known, most = check_counts(draws, n_rows, known, known_negatives)
    return find_ceiling(merge_stretches(draws)[0], known, most, check_risk(risk))


def proves_recall(
    ledger: Any,
    n_rows: int,
    known: int,
    recall: float,
    risk: float = 0.05,
    *,
    known_negatives: int = 0,
) -> bool:
    """Tell whether the share ``recall`` of the rare rows is proved to be found.

    This is the stop rule ``known / ceiling >= recall`` at the price of one evaluation.

    Parameters
    ----------
    ledger, n_rows, known, risk, known_negatives
        As for :func:`ceiling`.
    recall : float
        Share of the rare rows to be found.

    Returns
    -------
    bool
        False as long as no rare row is known.

    Examples
    --------
    >>> from rarebit.statistics import proves_recall
    >>> ledger = [(9900 - d, 100, 0.0, 0) for d in range(300)]
    >>> proves_recall(ledger, 10_000, 100, 0.3), proves_recall(ledger, 10_000, 100, 0.5)
    (True, False)
    """
    draws = read_draws(ledger)
    n_rows, known, most = check_counts(draws, n_rows, known, known_negatives)
    if known == 0:
        check_share(recall, "recall", one=True)
        return False
    refuted = known + allowed_misses(known, recall) + 1
    if refuted > most:
        return True
    stretches, _ = merge_stretches(draws)
    return is_refuted(stretches, refuted, check_risk(risk))


def allowed_misses(known: int, recall: float) -> int:
    """Return how many rare rows may be missing: the largest k with known / (known + k) >= recall.

    Examples
    --------
    >>> from rarebit.statistics import allowed_misses
    >>> allowed_misses(90, 0.9), allowed_misses(100, 0.95)
    (10, 5)
    """
    recall = check_share(recall, "recall", one=True)
    total = floor(known / recall)
    # 0.9 is not a binary number: 90 / 0.9 may come out a hair below or above 100.
    while known and known / (total + 1) >= recall:
        total += 1
    while total > known and known / total < recall:
        total -= 1
    return total - known


def check_counts(
    draws: Draws, n_rows: int, known: int, known_negatives: int
) -> tuple[int, int, int]:
    """Return n_rows, known and the largest possible number of rare rows."""
    n_rows = check_count(n_rows, "n_rows")
    known, negatives = check_count(known, "known"), check_count(known_negatives, "known_negatives")
    if known + negatives > n_rows:
        raise LedgerError(
            f"known and known_negatives must be at most n_rows ({n_rows}) together, but are "
            f"{known} and {negatives}: count every row of the pool once."
        )
    if len(draws) and draws.n[0] + draws.m[0] > n_rows:
        raise LedgerError(
            f"n and m of the first draw must be at most n_rows ({n_rows}) together, but are "
            f"{draws.n[0]:g} and {draws.m[0]:g}: pass the number of rows of the whole pool."
        )
    return n_rows, known, n_rows - negatives


def is_refuted(stretches: Stretches, total: int, risk: float) -> bool:
    """Tell whether the evidence against ``total`` ever reached ``1 / risk``."""
    if len(stretches) == 0:
        return False
    # Evidence rises through a stretch of negatives, so that the ends of stretches are enough.
    path = stretch_path(np.array([total], dtype=np.float64), stretches)
    return bool(path.max() >= -log(risk))


def find_ceiling(stretches: Stretches, low: int, high: int, risk: float) -> int:
    """Return the largest total from low to high that is not refuted; low if all are."""
    if not is_refuted(stretches, high, risk):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if is_refuted(stretches, middle, risk):
            high = middle
        else:
            low = middle
    return low
