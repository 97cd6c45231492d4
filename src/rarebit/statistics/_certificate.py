"""Recall, precision and g-mean of a frozen classifier, by audits in two strata.

=========  ============================================================================
name       meaning
=========  ============================================================================
H, L       rows without a label at the freeze that the classifier calls rare, and the others
n_H, n_L   rows of the strata at the freeze
c          false alarms: rows of H that are not rare, counted at the freeze
b          misses: rows of L that are rare, counted at the freeze
m_0        rare rows confirmed at the freeze
f_L, f_H   misses and false alarms confirmed since
T          m_0 + n_H - c + f_L, rare rows that labels and predictions find together
=========  ============================================================================

In each stratum the bad rows are the rare ones of an urn, with the evidence E_H(c) and E_L(b) of
``_evidence`` at kappa = 0. The pairs (c, b) with E_L(b) (1/2 + 1/2 E_H(c)) below 1 / risk at all
times are a confidence set. Both factors do not fall in their argument, so that the set is a
staircase: it is described by the largest b for every c.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import log, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._ceiling import find_ceiling
from ._draws import Floats, Stretches, merge_stretches, read_draws
from ._errors import LedgerError, check_count, check_risk
from ._events import UNIFORM, AskedRow, RowEvent, as_classes, replay, urn_table
from ._evidence import stretch_path
from ._ledger import judge

CLAIMS = ("recall", "g_mean", "precision", "total")
# A longer staircase is bounded from the safe side by steps of several c.
STEPS = 400


@dataclass(frozen=True)
class Certificate:
    """Bounds on a frozen classifier that hold together, however often one looks.

    Attributes
    ----------
    recall_min : float
        Share of the rare rows of the pool that labels and predictions find together.
    g_mean_min : float
        Root of that recall times the share of the other rows that they leave alone.
    precision_min : float
        Share of rare rows among the unlabelled rows that were predicted rare; NaN if none was.
    misses_max, false_alarms_max : int
        Bounds of b and c by themselves.
    audits_low, audits_high : int
        Answered draws in L and H.
    risk : float
        Probability that any of the claims is ever wrong.
    claims : tuple of str
        What was claimed; the bounds of other quantities are None.
    done : bool
        Whether the bounds reach what was to be proved, where somebody has said what that is.
    """

    recall_min: float | None
    g_mean_min: float | None
    precision_min: float | None
    misses_max: int | None
    false_alarms_max: int | None
    audits_low: int
    audits_high: int
    risk: float
    claims: tuple[str, ...]
    done: bool = False

    def reaches(self, recall: float) -> bool:
        """Tell whether the recall is certified."""
        return self.recall_min is not None and self.recall_min >= recall


@dataclass(frozen=True)
class Stratum:
    """An urn of rows with one prediction, and what was learned of it since the freeze."""

    size: int
    known_bad: int
    known_good: int
    table: Floats
    places: NDArray[np.intp]
    audits: int

    @property
    def bad_max(self) -> int:
        """Bad rows that are possible."""
        return self.size - self.known_good


def certificate(
    events: Iterable[RowEvent],
    *,
    high: Collection[int],
    low: Collection[int],
    rare: Any,
    found: int,
    n_rows: int,
    risk: float = 0.05,
    claims: Sequence[str] = ("recall", "precision"),
    draws: Collection[str] = UNIFORM,
) -> Certificate:
    """Return what the audits since the freeze prove about a classifier.

    Parameters
    ----------
    events : iterable of RowEvent
        Events *since the freeze*, in the order asked. Rows that were pending or skipped at the
        freeze belong to their stratum; their event ``ask`` comes first. Audits from before the
        freeze may have trained the classifier and cannot judge it.
    high, low : collection of int
        Rows without a label at the freeze that are predicted rare (H), and the others (L).
    rare : hashable or collection of them
        The rare class or classes.
    found : int
        Rare rows confirmed at the freeze.
    n_rows : int
        Rows of the pool.
    risk : float, default=0.05
        Probability that any of the claims is ever wrong.
    claims : sequence of {"recall", "g_mean", "precision", "total"}
        What is to hold together. Recall and g-mean come from one confidence set and count once;
        precision, and the ceiling of the total if it is claimed beside them, take their own share.
    draws : collection of str
        Reasons that are uniform draws inside of a stratum, or from both strata together.

    Returns
    -------
    Certificate
        The bounds.

    Examples
    --------
    >>> from rarebit.statistics import RowEvent, certificate
    >>> events = []
    >>> for row in [*range(40), *range(100, 500)]:
    ...     events.append(RowEvent("ask", row, reason="audit"))
    ...     events.append(RowEvent("label", row, "fraud" if row < 100 else "normal"))
    >>> proved = certificate(
    ...     events, high=range(50), low=range(100, 1_000), rare="fraud", found=50, n_rows=1_000
    ... )
    >>> round(proved.recall_min, 2), round(proved.precision_min, 2)
    (0.93, 0.96)
    """
    wanted = _check_claims(claims)
    n_shares = len({"recall" if name == "g_mean" else name for name in wanted})
    each = check_risk(risk) / n_shares
    found, n_rows = check_count(found, "found"), check_count(n_rows, "n_rows")
    members = dict.fromkeys(high, True)
    members.update(dict.fromkeys(low, False))
    if len(members) != len(high) + len(low) or len(members) + found > n_rows:
        raise LedgerError(
            f"high and low must be different rows, with found ({found}) at most n_rows ({n_rows}) "
            f"together, but are {len(high)} and {len(low)} rows, {len(members)} of them different: "
            "divide the rows that had no label at the freeze."
        )
    entries = replay(events)
    outside = [entry.row for entry in entries if entry.row not in members]
    if outside:
        raise LedgerError(
            f"events must concern rows without a label at the freeze, but row {outside[0]} is in "
            "neither stratum: pass the events since the freeze only."
        )
    classes = as_classes(rare)
    above = _stratum(entries, members, True, classes, len(high), draws)
    below = _stratum(entries, members, False, classes, len(low), draws)
    recall = g_mean = precision = misses = alarms = None
    if "recall" in wanted or "g_mean" in wanted:
        stairs = staircase(above, below, each)
        recall, g_mean = _rates(stairs, above, below, found, n_rows)
        misses = int(stairs[2].max())
    if "precision" in wanted:
        stretches, _ = merge_stretches(read_draws(above.table))
        alarms = find_ceiling(stretches, above.known_bad, above.bad_max, each)
        precision = 1 - alarms / above.size if above.size else nan
    return Certificate(
        recall if "recall" in wanted else None,
        g_mean if "g_mean" in wanted or "recall" in wanted else None,
        precision,
        misses,
        alarms,
        below.audits,
        above.audits,
        risk,
        wanted,
    )


def _check_claims(claims: Sequence[str]) -> tuple[str, ...]:
    wanted = (claims,) if isinstance(claims, str) else tuple(claims)
    unknown = [name for name in wanted if name not in CLAIMS]
    if unknown or not wanted:
        raise LedgerError(
            f"claims must be some of {', '.join(CLAIMS)}, but are {list(wanted)!r}: name what "
            "shall hold together."
        )
    return wanted


def _stratum(
    entries: list[AskedRow],
    members: dict[int, bool],
    is_high: bool,
    classes: Collection[Any],
    size: int,
    draws: Collection[str],
) -> Stratum:
    places = [i for i, entry in enumerate(entries) if members[entry.row] is is_high]
    mine = [entries[i] for i in places]
    confirmed, unknown = judge(mine, classes)
    # In H the bad rows are those that are *not* rare; a row without an answer is bad in both.
    bad = (~confirmed & ~unknown) if is_high else confirmed
    free = [AskedRow(e.row, e.reason, 0.0, e.order, None, e.state, e.label) for e in mine]
    table, drawn = urn_table(free, bad | unknown, size, draws)
    good = ~bad & ~unknown
    order = np.array(places, dtype=np.intp)[drawn]
    audits = int((~unknown[drawn]).sum())
    return Stratum(size, int(bad.sum()), int(good.sum()), table, order, audits)


def _checkpoints(above: Stratum, below: Stratum) -> list[tuple[Stretches, NDArray[np.intp]]]:
    """Cut both strata where the joint evidence can be largest: before a bad draw, at the end.

    Returns for each stratum its stretches and, per checkpoint, how many of them are over.
    """
    order = np.concatenate([above.places, below.places])
    bad = np.concatenate([above.table[:, 3], below.table[:, 3]])[np.argsort(order)] == 1
    order = np.sort(order)
    ends = order[np.append(bad[1:], True)] if len(order) else order
    result = []
    for stratum in (above, below):
        done = np.searchsorted(stratum.places, ends, side="right")
        cuts = np.zeros(len(stratum.places) + 1, dtype=bool)
        cuts[done] = True
        stretches, last = merge_stretches(read_draws(stratum.table), cuts[:-1])
        result.append((stretches, np.searchsorted(last, done - 1, side="right")))
    return result


def _path(bad: Floats, stretches: Stretches, over: NDArray[np.intp]) -> Floats:
    """Return log E at every checkpoint, (n_hypotheses, n_checkpoints)."""
    path = np.zeros((len(bad), len(stretches) + 1))
    path[:, 1:] = stretch_path(bad, stretches)
    return np.asarray(path[:, over])


def staircase(above: Stratum, below: Stratum, risk: float) -> tuple[Floats, Floats, Floats]:
    """Return the confidence set as steps: first c, last c, largest b."""
    (h_parts, h_over), (l_parts, l_over) = _checkpoints(above, below)
    limit = -log(risk)

    def refuted(b: Floats, cash: Floats) -> NDArray[np.bool_]:
        if len(l_over) == 0:
            return np.zeros(len(b), dtype=bool)
        return np.asarray((_path(b, l_parts, l_over) + cash).max(axis=1) >= limit)

    def cash(c: Floats) -> Floats:
        return np.asarray(np.logaddexp(0.0, _path(c, h_parts, h_over)) - log(2.0))

    least = np.array([float(below.known_bad)])
    c_low, c_high = above.known_bad, above.bad_max
    if refuted(least, cash(np.array([float(c_high)])))[0]:
        inside = c_low
        while c_high - inside > 1:
            middle = (inside + c_high) // 2
            if refuted(least, cash(np.array([float(middle)])))[0]:
                c_high = middle
            else:
                inside = middle
        c_high = inside
    width = c_high - c_low + 1
    first = np.unique(np.floor(np.linspace(c_low, c_high, min(width, STEPS)))).astype(np.float64)
    last = np.append(first[1:] - 1, c_high)
    money = cash(first)
    low = np.full(len(first), float(below.known_bad))
    high = np.full(len(first), float(below.bad_max))
    top = ~refuted(high, money)
    low[top] = high[top]
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        out = refuted(middle, money)
        high, low = np.where(out, middle, high), np.where(out, low, middle)
    return first, last, low


def _rates(
    stairs: tuple[Floats, Floats, Floats], above: Stratum, below: Stratum, found: int, n_rows: int
) -> tuple[float, float]:
    """Return the smallest recall and the smallest g-mean on the staircase."""
    first, last, b = stairs
    taken = found + above.size - last + below.known_bad
    missing = b - below.known_bad
    recall = np.where(taken > 0, taken / np.maximum(taken + missing, 1), 0.0)
    normal = n_rows - (found + above.size - first + b)
    wrong = last - above.known_bad
    share = np.where(normal > 0, wrong / np.maximum(normal, 1), 0.0)
    specificity = np.clip(1 - share, 0.0, 1.0)
    return float(recall.min()), sqrt(float((recall * specificity).min()))
