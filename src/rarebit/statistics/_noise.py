"""What wrong labels do to a bound: a stated model, measured by blind repeats.

The evidence is about labels: M is the number of rows that would be called rare when asked for the
first time. That number is fixed as long as an answer does not depend on why or when a row is asked
for, so that the ceiling stays valid for it. How far it lies from the number of rows that *are*
rare is the model's business:

1. Every rare row is called normal with the same probability ``beta``, independently of the others
   and of a second look; every normal row is called rare with the same probability ``phi``.
2. Rows for a repeat are chosen at random among those called rare, and among those called normal.
3. ``phi + beta < 1``: answers say more than nothing.

Mistakes that everybody makes on a row twice are not seen by repeats, and not covered. The bounds of
the two error rates are exact for one look at the repeats (Clopper-Pearson); unlike the ceiling they
are not made for looking until they please.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from scipy.special import bdtr, betaincinv

from ._errors import LedgerError, check_count, check_risk
from ._events import RowEvent, as_classes, replay


@dataclass(frozen=True)
class Repeats:
    """Counts of blind repeats.

    Attributes
    ----------
    rare, rare_changed : int
        Rows first called rare that were repeated, and those then called normal.
    normal, normal_changed : int
        Rows first called normal that were repeated, and those then called rare.
    """

    rare: int
    rare_changed: int
    normal: int
    normal_changed: int

    @property
    def disagreement(self) -> float:
        """Share of the repeats with another answer; 0 without repeats."""
        total = self.rare + self.normal
        return (self.rare_changed + self.normal_changed) / total if total else 0.0


@dataclass(frozen=True)
class NoisyGuarantee:
    """A bound that allows for wrong labels under the model of blind repeats.

    Attributes
    ----------
    disagreement : float
        Share of the repeats with another answer.
    miss_rate_max : float
        Upper bound of beta, the probability that a rare row is called normal.
    false_share_max : float
        Upper bound of the share of wrong rows among those called rare.
    total_max : int
        Rare rows in the pool at most.
    recall_min : float
        Share of the rare rows among those found at least.
    risk : float
        Probability that the statement is wrong: that of the ceiling plus that of the repeats.
    """

    disagreement: float
    miss_rate_max: float
    false_share_max: float
    total_max: int
    recall_min: float
    risk: float


def count_repeats(events: Iterable[RowEvent], rare: Any) -> Repeats:
    """Count blind repeats by what their rows were called first.

    Parameters
    ----------
    events : iterable of RowEvent
        As for :func:`build_ledger`; the first repeat per row counts. The first label is the one
        that was given first, before any correction.
    rare : hashable or collection of them
        The rare class or classes.

    Returns
    -------
    Repeats
        The counts.

    Examples
    --------
    >>> from rarebit.statistics import RowEvent, count_repeats
    >>> events = [
    ...     RowEvent("ask", 3, reason="audit"),
    ...     RowEvent("label", 3, "fraud"),
    ...     RowEvent("repeat", 3, "normal"),
    ... ]
    >>> count_repeats(events, "fraud")
    Repeats(rare=1, rare_changed=1, normal=0, normal_changed=0)
    """
    kept = list(events)
    replay(kept)  # refuses what is malformed
    classes = as_classes(rare)
    first: dict[int, bool] = {}
    second: dict[int, bool] = {}
    for event in kept:
        if event.kind in ("label", "given"):
            first.setdefault(event.row, event.label in classes)
        elif event.kind == "repeat" and event.row in first:
            second.setdefault(event.row, event.label in classes)
    pairs = [(first[row], again) for row, again in second.items()]
    return Repeats(
        rare=sum(before for before, _ in pairs),
        rare_changed=sum(before and not after for before, after in pairs),
        normal=sum(not before for before, _ in pairs),
        normal_changed=sum(after and not before for before, after in pairs),
    )


def share_upper(changed: int, total: int, risk: float) -> float:
    """Return the exact (Clopper-Pearson) upper bound of a share; 1 without trials."""
    if changed >= total:
        return 1.0
    return float(betaincinv(changed + 1, total - changed, 1 - risk))


def share_interval(hits: int, total: int, risk: float = 0.05) -> tuple[float, float]:
    """Return the exact (Clopper-Pearson) interval of a share, for one look at a fixed sample.

    Parameters
    ----------
    hits, total : int
        Rows that count, and all rows of the sample.
    risk : float, default=0.05
        Probability that the interval misses the share, at most.

    Returns
    -------
    tuple of float
        Lower and upper end; 0 and 1 without rows.

    Examples
    --------
    >>> from rarebit.statistics import share_interval
    >>> low, high = share_interval(9, 10)
    >>> round(low, 3), round(high, 3)
    (0.555, 0.997)
    """
    hits, total = check_count(hits, "hits"), check_count(total, "total")
    if hits > total:
        raise LedgerError(
            f"hits must be at most total ({total}), but is {hits}: count rows of one sample."
        )
    each = check_risk(risk) / 2
    low = float(betaincinv(hits, total - hits + 1, each)) if hits else 0.0
    return low, share_upper(hits, total, each)


def allow_for_noise(
    total_max: int, found: int, repeats: Repeats, *, risk: float = 0.05, noise_risk: float = 0.05
) -> NoisyGuarantee:
    """Widen a ceiling by what blind repeats say about wrong labels.

    Parameters
    ----------
    total_max : int
        The ceiling of rows that would be called rare.
    found : int
        Rows called rare so far.
    repeats : Repeats
        From :func:`count_repeats`.
    risk : float, default=0.05
        Risk of the ceiling.
    noise_risk : float, default=0.05
        Risk of this step, on top of it; a third each for the two error rates and the number of
        rare rows that were called so.

    Returns
    -------
    NoisyGuarantee
        The widened bounds.

    Notes
    -----
    With s the share of rows called rare that are called normal when repeated, and f the share of
    wrong rows among those called rare, s = (1 - f) beta + f (1 - phi). Hence beta <= s and
    f <= s / (1 - phi), both at once whatever the mixture. Of M rare rows at least a number from
    Binomial(M, 1 - beta) would be called rare, which bounds M.

    Examples
    --------
    >>> from rarebit.statistics import Repeats, allow_for_noise
    >>> noisy = allow_for_noise(110, 100, Repeats(60, 0, 200, 0))
    >>> noisy.total_max, round(noisy.miss_rate_max, 3), round(noisy.recall_min, 2)
    (125, 0.066, 0.75)
    """
    top, found = check_count(total_max, "total_max"), check_count(found, "found")
    if found > top:
        raise LedgerError(
            f"found must be at most total_max ({top}), but is {found}: pass the ceiling of the "
            "same ledger."
        )
    risk, each = check_risk(risk), check_risk(noise_risk, "noise_risk") / 3
    miss = share_upper(repeats.rare_changed, repeats.rare, each)
    alarm = share_upper(repeats.normal_changed, repeats.normal, each)
    false = min(1.0, miss / (1 - alarm)) if alarm < 1 else 1.0
    if miss >= 1:
        raise LedgerError(
            "repeats must hold rows that were called rare twice, but hold none: repeat some of the "
            "rows called rare before asking for a bound."
        )
    total = _largest_total(top, miss, each)
    recall = found * (1 - false) / total if total else 0.0
    return NoisyGuarantee(repeats.disagreement, miss, false, total, recall, risk + noise_risk)


def _largest_total(called: int, miss: float, risk: float) -> int:
    """Return the largest M for which Binomial(M, 1 - miss) <= called has a chance above risk."""
    low, high = called, max(2 * called, 16)
    while bdtr(called, high, 1 - miss) > risk:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if bdtr(called, middle, 1 - miss) > risk:
            low = middle
        else:
            high = middle
    return int(low)
