"""The price of a proof: how many more draws it takes if none hits, and how many as a rule.

Hits change the price in both directions. A hit is evidence against few rare rows being left, which
makes a proof dearer; it is also one more row that is found, while what was refuted stays refuted,
which makes it cheaper. With few rare rows the second is often larger, and which of the two comes
first is chance. The expected number is therefore the median over futures that are drawn from what
the draws so far say about the rare rows in the urn, not the price of one smooth future.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.stats import nbinom

from ._ceiling import allowed_misses, is_refuted
from ._draws import Floats, Stretches, merge_stretches, read_draws
from ._evidence import mixture, stretch_path
from ._ledger import Ledger

# Futures whose median is the expected number, the hits of one that are followed, and the parts that
# its draws are cut into; the proof is dated by interpolation between their ends.
FUTURES = 25
MOST_HITS = 16
PARTS = 20


@dataclass(frozen=True)
class Forecast:
    """The price of proving a recall.

    Attributes
    ----------
    recall : float
        The share to prove.
    audits : int or None
        Draws that prove it if none of them hits; None if it cannot be proved that way.
    labels : int or None
        Draws that prove it in half of the futures that the draws so far make likely. It can be
        less than ``audits``: a hit is one more row that is found.
    remaining : float
        Guess of the rare rows in the urn, no bound.
    """

    recall: float
    audits: int | None
    labels: int | None
    remaining: float


def forecast_draws(
    ledger: Ledger, recall: float, risk: float, remaining: float | None = None
) -> Forecast:
    """Return how many more draws would prove a recall.

    Parameters
    ----------
    ledger : Ledger
        The draws so far.
    recall : float
        The share to prove.
    risk : float
        Of the proof.
    remaining : float, optional
        Rare rows in the urn; if None, as likely as the draws make it.

    Returns
    -------
    Forecast
        A plan, no bound.
    """
    shape, rate = _belief(ledger, recall)
    guess = min(shape / rate if remaining is None else float(remaining), float(ledger.urn))
    if ledger.known == 0:
        return Forecast(recall, None, None, guess)
    stretches, _ = merge_stretches(read_draws(ledger.draws))
    audits = _least(lambda k: _proves(ledger, stretches, recall, risk, k), ledger.urn)
    if audits is None or audits == 0:
        return Forecast(recall, audits, audits, guess)
    chances = (np.arange(FUTURES) + 0.5) / FUTURES
    if remaining is None:
        left = nbinom.ppf(chances, shape, rate / (rate + 1.0))
    else:
        left = np.floor(guess + chances)
    left = np.minimum(left, ledger.urn).astype(np.intp)
    times = _times(ledger, stretches, recall, risk, left, audits)
    return Forecast(recall, audits, int(np.median(times)), guess)


def _belief(ledger: Ledger, recall: float) -> tuple[float, float]:
    """Return shape and rate of the gamma distribution of the rare rows in the urn.

    The draws expect sum (M - m) / n hits, which gives M; half a hit and half a row of the
    permitted number stand in for draws that are still few.
    """
    n, m, _, y = ledger.draws.T
    now = ledger.known + ledger.unanswered
    expected = float(np.sum((now - m) / n))
    surplus = max(float(y.sum()) - expected, 0.0)
    permitted = max(allowed_misses(ledger.known, recall), 1)
    return surplus + 0.5, float(np.sum(1 / n)) + 0.5 / permitted


def _least(holds: Callable[[int], bool], most: int) -> int | None:
    """Return the smallest number from 0 to most for which the rule holds, None if it never does."""
    if holds(0):
        return 0
    if most == 0 or not holds(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _proves(ledger: Ledger, stretches: Stretches, recall: float, risk: float, draws: int) -> bool:
    """Tell whether so many more draws without a hit would prove the recall."""
    refuted = ledger.known + allowed_misses(ledger.known, recall) + 1
    if refuted > ledger.n_rows - ledger.known_negatives - draws:
        return True
    if draws == 0:
        return is_refuted(stretches, refuted, risk)
    total = np.array([refuted], dtype=np.float64)
    wealth = np.zeros((1, len(mixture()[0])))
    best = -np.inf
    if len(stretches):
        best = float(stretch_path(total, stretches, wealth).max())
    new, _ = _future(ledger, recall, np.empty(0), np.array([float(draws)]))
    best = max(best, float(stretch_path(total, new, wealth).max()))
    return best >= -log(risk)


def _times(
    ledger: Ledger,
    stretches: Stretches,
    recall: float,
    risk: float,
    left: np.ndarray,
    audits: int,
) -> Floats:
    """Return the draws after which the recall is proved in each future.

    ``left`` has the rare rows in the urn of each. With h hits the total that has to be refuted is
    known + h + allowed_misses(known + h) + 1, and evidence against it counts from all draws.
    """
    known = ledger.known + np.arange(min(int(left.max()), MOST_HITS) + 1)
    totals = np.array([k + allowed_misses(int(k), recall) + 1 for k in known], dtype=np.float64)
    wealth, before = np.zeros((len(totals), len(mixture()[0]))), np.full(len(totals), -np.inf)
    if len(stretches):
        before = stretch_path(totals, stretches, wealth).max(axis=1)
    random, limit = np.random.default_rng(0), -log(risk)
    times = np.empty(len(left))
    grid = np.unique(np.ceil(np.linspace(0, ledger.urn, PARTS + 1))[1:])
    for i, rare in enumerate(left.tolist()):
        places = np.sort(random.choice(ledger.urn, rare, replace=False))[:MOST_HITS]
        places = places.astype(np.float64)
        if len(places) == 0 or places[0] >= audits:
            times[i] = audits  # nothing happens before the proof without hits
            continue
        new, ends = _future(ledger, recall, places, grid)
        n_hits = len(places) + 1
        path = stretch_path(totals[:n_hits], new, wealth[:n_hits].copy())
        times[i] = _first(path, ends, before[:n_hits], limit, np.append(0.0, places + 1))
    return np.minimum(times, ledger.urn)


def _first(path: Floats, ends: Floats, before: Floats, limit: float, hit_at: Floats) -> float:
    """Return the first number of draws that proves: refuted, and as many hits found."""
    when = np.full(len(before), np.inf)
    when[before >= limit] = 0.0
    for h in np.flatnonzero((path >= limit).any(axis=1) & (before < limit)).tolist():
        at = int(np.argmax(path[h] >= limit))
        start = ends[at - 1] if at else 0.0
        low = float(path[h, at - 1] if at else min(before[h], 0.0))
        if not np.isfinite(low):
            low = 0.0  # where nothing is drawn yet: evidence begins with a factor of 1
        part = (limit - low) / (path[h, at] - low) if np.isfinite(path[h, at]) else 1.0
        when[h] = np.ceil(start + min(max(part, 0.0), 1.0) * (ends[at] - start))
    return float(np.maximum(when, hit_at).min())


def _future(ledger: Ledger, kappa: float, places: Floats, cuts: Floats) -> tuple[Stretches, Floats]:
    """Return further draws as stretches, and the draws that are over after each.

    ``places`` are the draws that hit, from 0, rising; ``cuts`` the ends of further stretches.
    """
    starts = np.unique(np.concatenate([[0.0], places, places + 1, cuts]))
    ends, starts = starts[1:], starts[:-1]
    inside = starts < cuts[-1]
    starts, ends = starts[inside], ends[inside]
    m = ledger.known + ledger.unanswered + np.searchsorted(places, starts, side="left")
    hit = np.isin(starts, places)
    stretches = Stretches(
        ledger.urn - starts, ends - starts, m.astype(np.float64), np.full(len(starts), kappa), hit
    )
    return stretches, ends
