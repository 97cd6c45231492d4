"""What is proved now, and what the next step would cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log

import numpy as np

from ._ceiling import allowed_misses, ceiling, is_refuted
from ._draws import Stretches, merge_stretches, read_draws
from ._errors import check_count, check_risk, check_share
from ._evidence import mixture, stretch_path
from ._ledger import Ledger


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
        Draws expected if the urn holds ``remaining`` rare rows that turn up evenly.
    remaining : float
        Guess of the rare rows in the urn, no bound.
    """

    recall: float
    audits: int | None
    labels: int | None
    remaining: float


@dataclass(frozen=True)
class Guarantee:
    """What the labels prove at the confidence ``1 - risk``, however often one looks.

    Attributes
    ----------
    total_max : int
        Rare rows in the pool at most.
    remaining_max : int
        Rare rows that are not confirmed at most, rows without an answer among them.
    recall_min : float
        Share of the rare rows that is found at least; 0 while none is known.
    found : int
        Rare rows confirmed.
    audits, hits : int
        Answered draws, and those that were rare.
    unanswered : int
        Rows asked for without an answer.
    risk : float
        Probability that ``total_max`` is ever too low.
    ledger : Ledger
        What it was computed from.
    """

    total_max: int
    remaining_max: int
    recall_min: float
    found: int
    audits: int
    hits: int
    unanswered: int
    risk: float
    ledger: Ledger = field(repr=False, compare=False)

    def forecast(self, recall: float, *, remaining: float | None = None) -> Forecast:
        """Return how many more draws would prove a recall.

        Parameters
        ----------
        recall : float
            The share to prove.
        remaining : float, optional
            Rare rows in the urn; guessed from the draws if None.

        Returns
        -------
        Forecast
            A plan, not a promise: rare rows that harvesting finds first make it cheaper.
        """
        recall = check_share(recall, "recall")
        return _forecast(self.ledger, recall, self.risk, remaining)

    def within(self, labels: int, *, kappa: float = 0.0) -> float:
        """Return the recall that further draws would prove if none of them hits.

        Parameters
        ----------
        labels : int
            Further draws; as many as the urn has rows at most.
        kappa : float, default=0.0
            Target recall that would be stored with them.

        Returns
        -------
        float
            The recall, 0 while no rare row is known.
        """
        ledger, draws = self.ledger, min(check_count(labels, "labels"), self.ledger.urn)
        if ledger.known == 0:
            return 0.0
        more = np.empty((draws, 4))
        more[:, 0] = ledger.urn - np.arange(draws)
        more[:, 1] = ledger.known + ledger.unanswered
        more[:, 2] = check_share(kappa, "kappa", zero=True)
        more[:, 3] = 0.0
        top = ceiling(
            np.concatenate([ledger.draws, more]),
            ledger.n_rows,
            ledger.known,
            self.risk,
            known_negatives=ledger.known_negatives + draws,
        )
        return ledger.known / top


def guarantee(ledger: Ledger, risk: float = 0.05) -> Guarantee:
    """Return what a ledger proves.

    Parameters
    ----------
    ledger : Ledger
        From :func:`build_ledger`.
    risk : float, default=0.05
        Probability that the ceiling is ever too low.

    Returns
    -------
    Guarantee
        Bounds, counts and ``forecast``.

    Examples
    --------
    >>> from rarebit.statistics import RowEvent, build_ledger, guarantee
    >>> events = [RowEvent("given", row, "fraud") for row in range(40)]
    >>> for row in range(40, 440):
    ...     events.append(RowEvent("ask", row, reason="audit", kappa=0.5))
    ...     events.append(RowEvent("label", row, "normal"))
    >>> proved = guarantee(build_ledger(events, 2_000, "fraud"))
    >>> proved.total_max, proved.remaining_max, round(proved.recall_min, 3)
    (55, 15, 0.727)
    >>> proved.forecast(0.8).audits
    139
    """
    top = ledger.ceiling(check_risk(risk))
    return Guarantee(
        total_max=top,
        remaining_max=top - ledger.known,
        recall_min=ledger.known / top if ledger.known else 0.0,
        found=ledger.known,
        audits=ledger.audits,
        hits=ledger.hits,
        unanswered=ledger.unanswered,
        risk=risk,
        ledger=ledger,
    )


def _forecast(ledger: Ledger, recall: float, risk: float, remaining: float | None) -> Forecast:
    guess = _guess(ledger, recall) if remaining is None else float(remaining)
    guess = min(guess, float(ledger.urn))
    if ledger.known == 0:
        return Forecast(recall, None, None, guess)
    stretches, _ = merge_stretches(read_draws(ledger.draws))
    audits = _least(lambda k: _proves(ledger, stretches, recall, risk, k, 0), ledger.urn)
    if audits is None:
        return Forecast(recall, None, None, guess)
    share = guess / ledger.urn if ledger.urn else 0.0
    labels = _least(
        lambda k: _proves(ledger, stretches, recall, risk, k, int(k * share)), ledger.urn
    )
    return Forecast(recall, audits, ledger.urn if labels is None else labels, guess)


def _guess(ledger: Ledger, recall: float) -> float:
    """Guess the rare rows in the urn.

    The draws expect sum (M - m) / n hits, which gives M; half a hit and half a row of the
    permitted number stand in for draws that are still few.
    """
    n, m, _, y = ledger.draws.T
    now = ledger.known + ledger.unanswered
    expected = float(np.sum((now - m) / n))
    surplus = max(float(y.sum()) - expected, 0.0)
    permitted = max(allowed_misses(ledger.known, recall), 1)
    return (surplus + 0.5) / (float(np.sum(1 / n)) + 0.5 / permitted)


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


def _proves(
    ledger: Ledger, stretches: Stretches, recall: float, risk: float, draws: int, hits: int
) -> bool:
    """Tell whether so many more draws with hits at even distances would prove the recall."""
    known = ledger.known + hits
    refuted = known + allowed_misses(known, recall) + 1
    if refuted > ledger.n_rows - ledger.known_negatives - (draws - hits):
        return True
    if draws == 0:
        return is_refuted(stretches, refuted, risk)
    total = np.array([refuted], dtype=np.float64)
    wealth = np.zeros((1, len(mixture()[0])))
    best = -np.inf
    if len(stretches):
        best = float(stretch_path(total, stretches, wealth).max())
    new = _evenly(ledger, recall, draws, hits)
    best = max(best, float(stretch_path(total, new, wealth).max()))
    return best >= -log(risk)


def _evenly(ledger: Ledger, kappa: float, draws: int, hits: int) -> Stretches:
    """Return further draws as stretches: negatives and hits in turns."""
    places = np.floor((np.arange(hits) + 0.5) * draws / max(hits, 1))
    starts = np.append(0, places + 1)
    known = float(ledger.known + ledger.unanswered)
    n, length, m = np.empty(2 * hits + 1), np.ones(2 * hits + 1), np.empty(2 * hits + 1)
    n[0::2], n[1::2] = ledger.urn - starts, ledger.urn - places
    length[0::2] = np.append(places, draws) - starts
    m[0::2], m[1::2] = known + np.arange(hits + 1), known + np.arange(hits)
    y = np.arange(2 * hits + 1) % 2 == 1
    kept = length > 0
    return Stretches(n[kept], length[kept], m[kept], np.full(int(kept.sum()), kappa), y[kept])
