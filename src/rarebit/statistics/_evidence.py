"""The evidence E(M) against the hypothesis that the pool holds M rare rows.

Notation of this module, beside that of ``_draws``:

=========  ============================================================================
name       meaning, shape
=========  ============================================================================
M          hypothetical number of rare rows, (n_hypotheses, 1, 1)
r          max(M - m, 0), rare rows in the urn under the hypothesis, (n_hypotheses, n_stretches, 1)
theta_j    nodes of the mixture, (21,)
s          (1 - theta) r = min((1 - theta_j) r, (1 - kappa) M), (.., .., 21)
a          n - r just before the *last* draw of a stretch, at least 1
=========  ============================================================================

The factors of a draw are, with theta = max(theta_j, clip((kappa M - m) / r, 0, 1))::

    y = 0:  (n - theta r) / (n - r) = 1 + s / (n - r)        y = 1:  theta = 1 - s / r

Their mean is 1 if y = 1 has probability r / n. A stretch of L negative draws is the product of
1 + s / (a + i) over i = 0 .. L-1, which is Γ(a+s+L) Γ(a) / (Γ(a+s) Γ(a+L)).
"""

from __future__ import annotations

from functools import cache
from typing import Any, overload

import numpy as np
from scipy.special import roots_sh_jacobi

from ._draws import Floats, Stretches, merge_stretches, read_draws
from ._errors import LedgerError, check_count

# At most so many numbers are held in one temporary array (16 MB).
BLOCK = 2_000_000
# Stirling's series is used from here upwards, where its first omitted term is below 1e-14.
LARGE = 16.0


@cache
def mixture() -> tuple[Floats, Floats]:
    """Return 1 - theta_j and the logarithms of the weights.

    Beta(1/2, 2) by 20 nodes of Gauss-Jacobi quadrature carries 0.98, theta = 1 (no bet) 0.02.
    """
    nodes, weights = roots_sh_jacobi(20, 1.5, 0.5)
    weights = np.append(0.98 * weights / weights.sum(), 0.02)
    return np.append(1.0 - nodes, 0.0), np.log(weights)


def _stirling(x: Floats) -> Floats:
    """Return log Γ(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x of LARGE or more."""
    inverse = 1.0 / x
    square = inverse * inverse
    series = 1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))
    return np.asarray(inverse * series)


def log_product(a: Floats, s: Floats, length: Floats) -> Floats:
    """Return the sum of log(1 + s / (a + i)) over i = 0 .. length-1, for a >= 1 and s >= 0.

    It equals a difference of four log Γ. Their large parts cancel on paper, not in floating point,
    so that a stretch of half a million draws keeps all its digits.
    """
    total = np.zeros(np.broadcast_shapes(a.shape, s.shape, length.shape))
    if (a < LARGE).any():
        a, length = (column.copy() for column in np.broadcast_arrays(a, length))
        for _ in range(int(LARGE)):
            active = (a < LARGE) & (length > 0)
            if not active.any():
                break
            total += np.log1p(np.where(active, s / a, 0.0))
            a += active
            length -= active
        # Where nothing is left the terms below are exactly 0, whatever a is.
        a = np.maximum(a, LARGE)
    low, high = a + s, a + length
    total += (a - 0.5) * np.log1p(-(s / low) * (length / high))
    total += s * np.log1p(length / low) + length * np.log1p(s / high)
    total += (_stirling(low + length) - _stirling(low)) - (_stirling(high) - _stirling(a))
    return total


def log_factors(M: Floats, parts: Stretches) -> Floats:
    """Return the logarithm of the factor of every stretch, (n_hypotheses, n_stretches, 21).

    It is infinite where the hypothesis cannot be true: no row of the urn would be left to be
    negative, or more rare rows than rows.
    """
    one_minus_theta, _ = mixture()
    total = M[:, None, None]
    n, length, m, kappa = (column[None, :, None] for column in parts.columns()[:4])
    r = np.maximum(total - m, 0.0)
    cap = (1.0 - kappa) * total
    a = n - length + 1 - r
    out = np.empty((len(M), len(parts), len(one_minus_theta)))
    hit = parts.y
    if hit.any():
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(r[:, hit] > 0, cap[:, hit] / r[:, hit], np.inf)
        out[:, hit] = np.log1p(-np.minimum(one_minus_theta, ratio))
        out[:, hit] = np.where(r[:, hit] > n[:, hit], np.inf, out[:, hit])
    # A single draw is a product of one factor; most draws are single while others ask in between.
    for miss in (~hit & (parts.length == 1), ~hit & (parts.length > 1)):
        if not miss.any():
            continue
        s = np.minimum(one_minus_theta * r[:, miss], cap[:, miss])
        safe = np.maximum(a[:, miss], 1.0)
        single = parts.length[miss.argmax()] == 1
        sums = np.log1p(s / safe) if single else log_product(safe, s, length[:, miss])
        out[:, miss] = np.where(a[:, miss] < 1.0, np.inf, sums)
    return out


def log_mean(wealth: Floats) -> Floats:
    """Return log of sum_j w_j exp(wealth_j) over the last axis; infinite wealth stays infinite."""
    _, log_weights = mixture()
    top = wealth.max(axis=-1, keepdims=True)
    finite = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(over="ignore"):
        sums = np.exp(wealth - finite + log_weights).sum(axis=-1)
    return np.asarray(np.log(sums) + finite[..., 0])


def stretch_path(M: Floats, stretches: Stretches, start: Floats | None = None) -> Floats:
    """Return log E after every stretch, (n_hypotheses, n_stretches).

    ``start``, (n_hypotheses, 21) or None for zeros, is what the nodes have won before; it holds
    what they have won in the end when the function returns.
    """
    wealth = np.zeros((len(M), len(mixture()[0]))) if start is None else start
    out = np.empty((len(M), len(stretches)))
    width = max(1, BLOCK // (wealth.shape[1] * max(1, len(M))))
    height = max(1, BLOCK // (wealth.shape[1] * max(1, min(len(stretches), width))))
    for low in range(0, len(M), height):
        rows = slice(low, low + height)
        for begin in range(0, len(stretches), width):
            part = stretches.part(begin, begin + width)
            sums = log_factors(M[rows], part)
            sums[:, 0] += wealth[rows]
            np.cumsum(sums, axis=1, out=sums)
            wealth[rows] = sums[:, -1]
            out[rows, begin : begin + width] = log_mean(sums)
    return out


def hypotheses(M: Any) -> Floats:
    """Return hypothetical totals as a vector of floats."""
    values = np.atleast_1d(np.asarray(M))
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise LedgerError(
            f"M must be an integer or a vector of integers, but is {M!r}: pass numbers of rows."
        )
    if len(values):
        check_count(int(values.min()), "M")
    return values.astype(np.float64)


@overload
def log_evidence(M: int, ledger: Any) -> float: ...
@overload
def log_evidence(M: Any, ledger: Any) -> Any: ...
def log_evidence(M: Any, ledger: Any) -> Any:
    """Return the logarithm of the evidence against "the pool holds M rare rows".

    Under the true M the evidence E is a martingale that begins at 1, whatever chose the rows that
    were asked for between the draws. By Ville's inequality it ever reaches ``1 / risk`` with
    probability ``risk`` at most, however often one looks.

    Parameters
    ----------
    M : int or array-like of int
        Hypothetical number of rare rows in the pool; many at once are computed together.
    ledger : array-like of shape (n_draws, 4)
        Columns n, m, kappa and y in the order asked; see :func:`build_ledger`.

    Returns
    -------
    float or ndarray
        log E(M) after the last draw; infinite if M contradicts the ledger.

    Examples
    --------
    >>> from rarebit.statistics import log_evidence
    >>> ledger = [(100, 5, 0.0, 0), (99, 5, 0.0, 0)]
    >>> log_evidence(5, ledger)
    0.0
    >>> log_evidence([10, 50], ledger).round(3).tolist()
    [0.081, 1.013]
    """
    draws = read_draws(ledger)
    stretches, _ = merge_stretches(draws)
    values = hypotheses(M)
    wealth = np.zeros((len(values), len(mixture()[0])))
    stretch_path(values, stretches, wealth)
    result = log_mean(wealth) if len(stretches) else np.zeros(len(values))
    return float(result[0]) if np.ndim(M) == 0 else result


def evidence_path(M: int, ledger: Any) -> Floats:
    """Return log E(M) after every draw.

    Parameters
    ----------
    M : int
        Hypothetical number of rare rows in the pool.
    ledger : array-like of shape (n_draws, 4)
        Columns n, m, kappa and y in the order asked.

    Returns
    -------
    ndarray of shape (n_draws,)
        The path; ``max`` of it is what :func:`ceiling` compares with ``1 / risk``.

    Examples
    --------
    >>> from rarebit.statistics import evidence_path
    >>> evidence_path(10, [(100, 5, 0.0, 0), (99, 5, 0.0, 1), (98, 6, 0.0, 0)]).round(3).tolist()
    [0.04, -1.506, -1.484]
    """
    draws = read_draws(ledger)
    stretches, _ = merge_stretches(draws, np.ones(len(draws), dtype=bool))
    return np.asarray(stretch_path(hypotheses(check_count(M, "M")), stretches)[0])
