"""Bounds on a share that hold however often one looks at them."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, betaln


def share_upper_bound(hits: int, trials: int, risk: float = 0.05) -> float:
    """Bound a share from above, given how many of some random rows had the property.

    The bound may be looked at after every draw and used to decide when to stop: with
    probability ``1 - risk`` it is right at all times at once. The share may fall while rows are
    drawn; the bound then holds for its value at the end.

    Parameters
    ----------
    hits : int
        Rows with the property.
    trials : int
        Rows drawn.
    risk : float, default=0.05
        Probability that the bound fails at any time.

    Returns
    -------
    float
        The bound, at most 1.

    Notes
    -----
    For a supposed share p the likelihood of the draws under a mixture of smaller shares
    (Beta(1/2, 1/2) cut off at p), divided by their likelihood under p, is a supermartingale if
    the share never was below p; by Ville's inequality it exceeds ``1 / risk`` with at most that
    probability. The bound is the smallest p for which it does.

    Examples
    --------
    >>> from rarebit.active import share_upper_bound
    >>> round(share_upper_bound(0, 59), 3), round(share_upper_bound(3, 5900), 4)
    (0.062, 0.0018)
    """
    if trials == 0:
        return 1.0
    if hits >= trials:
        return 1.0

    def log_evidence(p: float) -> float:
        a, b = hits + 0.5, trials - hits + 0.5
        inner, prior = betainc(a, b, p), betainc(0.5, 0.5, p)
        if inner <= 0.0:
            return -np.inf
        against = hits * np.log(p) + (trials - hits) * np.log1p(-p)
        mixture = betaln(a, b) + np.log(inner) - betaln(0.5, 0.5) - np.log(prior)
        return float(mixture - against)

    # The evidence against p grows with p above the observed share.
    low, high = hits / trials, 1.0 - 1e-12
    wanted = -np.log(risk)
    for _ in range(60):
        middle = 0.5 * (low + high)
        if log_evidence(middle) >= wanted:
            high = middle
        else:
            low = middle
    return high
