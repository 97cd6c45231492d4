"""What is proved now, and what the next step would cost."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ._ceiling import ceiling
from ._errors import check_count, check_risk, check_share
from ._forecast import Forecast, forecast_draws
from ._ledger import Ledger
from ._rounding import floor_percent


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
    plan : Ledger or None
        What forecasts are computed from, if it is another one: rows that wait for an answer count
        as rare in a bound, but a plan need not expect them to be.
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
    plan: Ledger | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        sure = f"With {100 * (1 - self.risk):g} % confidence"
        if not self.found:
            return f"{sure} the pool holds at most {self.total_max:,} rare rows; none is known."
        return (
            f"{sure} at least {floor_percent(self.recall_min)} of the rare rows are found: "
            f"{self.found:,} known, at most {self.remaining_max:,} missing."
        )

    def forecast(self, recall: float, *, remaining: float | None = None) -> Forecast:
        """Return how many more draws would prove a recall.

        Parameters
        ----------
        recall : float
            The share to prove.
        remaining : float, optional
            Rare rows in the urn; if None it is not known, and as likely as the draws make it.

        Returns
        -------
        Forecast
            A plan, not a promise: half of the time it takes more draws than it says.
        """
        recall = check_share(recall, "recall")
        return forecast_draws(self.plan or self.ledger, recall, self.risk, remaining)

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
        ledger = self.plan or self.ledger
        if ledger.known == 0:
            return 0.0
        # Rows that a plan puts back may have been asked for before the last draw.
        urn = min(ledger.urn, int(ledger.draws[-1, 0]) - 1) if len(ledger.draws) else ledger.urn
        draws = min(check_count(labels, "labels"), urn)
        more = np.empty((draws, 4))
        more[:, 0] = urn - np.arange(draws)
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


def guarantee(ledger: Ledger, risk: float = 0.05, *, plan: Ledger | None = None) -> Guarantee:
    """Return what a ledger proves.

    Parameters
    ----------
    ledger : Ledger
        From :func:`build_ledger`.
    risk : float, default=0.05
        Probability that the ceiling is ever too low.
    plan : Ledger or None, default=None
        The ledger that forecasts start from, if it is another one.

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
        plan=plan,
    )
