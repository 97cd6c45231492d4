"""Rounds of boosting: which to keep, and how they vote."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rarebit.metrics import g_mean

Floats = NDArray[np.float64]

_WITHIN = 1e-3  # what decision values add to a balance of votes


def ballot(values: Floats, a: Floats) -> Floats:
    """Balance of votes; rows with the same votes are ranked by the rounds' decision values.

    The sign is that of the votes: decision values move a balance by a thousandth at most.
    """
    votes = np.where(values > 0.0, 1.0, -1.0) @ a / a.sum()
    within = np.tanh(values @ a / a.sum())
    moved = (votes + _WITHIN * within) / (1.0 + _WITHIN)
    tiny = np.finfo(np.float64).tiny
    return np.asarray(np.where(votes > 0.0, np.maximum(moved, tiny), np.minimum(moved, 0.0)))


def round_kept(scores: list[float], y: Floats) -> int:
    """Return how many rounds to keep: the best one, if it is better than the first beyond chance.

    A fifth of a few rare rows makes steps of ten points and more, and the greatest of forty such
    figures is above the first by chance alone. The gain has to exceed the standard error that the
    first round's g-mean has with so many validation rows.
    """
    best = int(np.argmax(scores))
    spread = 0.0
    for side in (y > 0, y < 0):
        n = int(np.count_nonzero(side))
        # A rate near the g-mean, and never 0 or 1: a few rows do not prove either.
        rate = (scores[0] * n + 1.0) / (n + 2.0)
        spread += (1.0 - rate) / (rate * n)
    error = 0.5 * max(scores[0], 1.0 / (len(y) + 1.0)) * float(np.sqrt(spread))
    return best + 1 if scores[best] - scores[0] > error else 1


def vote_g_mean(votes: Floats, y: Floats) -> float:
    """Return the g-mean of votes against sides of ±1."""
    right = (votes > 0.0) == (y > 0.0)
    return g_mean(right[y > 0].mean(), right[y < 0].mean())
