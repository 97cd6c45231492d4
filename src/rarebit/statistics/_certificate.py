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

For one of several rare classes H holds the rows predicted to be of it. Those predicted to be of
another rare class are a third urn, X, whose misses are bounded by E_X alone at a tenth of the risk.
A draw that is uniform in a union of urns is uniform in the one that it falls into, so that the same
draws judge all classes.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ._errors import LedgerError, check_count, check_risk
from ._events import UNIFORM, RowEvent, as_classes, replay
from ._rounding import floor_share
from ._strata import ELSE, HIGH, LOW, lowest_rates, most_bad, open_stratum, staircase

CLAIMS = ("recall", "g_mean", "precision", "total")
# Part of the risk of a recall that goes to rows predicted to be of another rare class.
ELSEWHERE = 0.1


@dataclass(frozen=True)
class Certificate:
    """Bounds on a frozen classifier that hold together, however often one looks.

    Attributes
    ----------
    recall_min : float or None
        Share of the rare rows of the pool that labels and predictions find together.
    g_mean_min : float or None
        Root of that recall times the share of the other rows that they leave alone.
    precision_min : float or None
        Share of rare rows among the unlabelled rows that were predicted rare; None if none was,
        because there is no precision to bound then.
    misses_max, false_alarms_max : int
        Bounds of b and c by themselves.
    audits_low, audits_high : int
        Answered draws in L, or elsewhere, and in H.
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

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as values that JSON has, and its sentences.

        Returns
        -------
        dict
            The attributes by name, bounds that were not claimed or do not exist as None; what
            `str` says as ``sentence``.
        """
        return {**asdict(self), "claims": list(self.claims), "sentence": str(self)}

    def __str__(self) -> str:
        bounds = {
            "recall": self.recall_min, "precision": self.precision_min, "g-mean": self.g_mean_min
        }  # fmt: skip
        shown = [
            # Never rounded up: a bound that is not reached is none.
            f"{name} is at least {floor_share(bound):g}"
            for name, bound in bounds.items()
            if bound is not None
        ]
        listed = ", ".join(shown[:-1]) + " and " * bool(shown[1:]) + "".join(shown[-1:])
        said = [f"With {100 * (1 - self.risk):g} % confidence {listed}."] if shown else []
        if "precision" in self.claims and self.precision_min is None:
            said.append(
                "No row without a label is predicted rare, so there is no precision to bound."
            )
        return " ".join(said)

    def reaches(self, recall: float) -> bool:
        """Tell whether the recall is certified."""
        return self.recall_min is not None and self.recall_min >= recall


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
    elsewhere: Collection[int] = (),
    undone: int = 0,
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
        Rare rows among those with a label at the freeze, as their labels are now.
    n_rows : int
        Rows of the pool.
    risk : float, default=0.05
        Probability that any of the claims is ever wrong.
    claims : sequence of {"recall", "g_mean", "precision", "total"}
        What is to hold together. Recall and g-mean come from one confidence set and count once;
        precision, and the ceiling of the total if it is claimed beside them, take their own share.
    draws : collection of str
        Reasons that are uniform draws inside of a stratum, or from several strata together.
    elsewhere : collection of int, default=()
        Rows without a label at the freeze that are predicted to be of another rare class, where
        several are judged one by one; rows of this class among them are missed.
    undone : int, default=0
        Rows with a label at the freeze that was taken back since. Each counts as a miss until it
        has a label again.

    Returns
    -------
    Certificate
        The bounds.

    See Also
    --------
    certificates : One per class, where several classes are rare.

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
    undone = check_count(undone, "undone")
    members = dict.fromkeys(high, HIGH)
    members.update(dict.fromkeys(low, LOW))
    members.update(dict.fromkeys(elsewhere, ELSE))
    sizes = {HIGH: len(high), LOW: len(low), ELSE: len(elsewhere)}
    if len(members) != sum(sizes.values()) or len(members) + found + undone > n_rows:
        raise LedgerError(
            f"high, low and elsewhere must be different rows, with found ({found}) and undone "
            f"({undone}) at most n_rows ({n_rows}) together, but are {len(high)}, {len(low)} and "
            f"{len(elsewhere)} rows, {len(members)} of them different: divide the rows that had no "
            "label at the freeze."
        )
    entries = replay(events)
    outside = [entry.row for entry in entries if entry.row not in members]
    if outside:
        raise LedgerError(
            f"events must concern rows without a label at the freeze, but row {outside[0]} is in "
            "no stratum: pass the events since the freeze only."
        )
    classes = as_classes(rare)
    above, below, beside = (
        open_stratum(entries, members, name, classes, sizes[name], draws)
        for name in (HIGH, LOW, ELSE)
    )
    recall = g_mean = precision = misses = alarms = None
    if "recall" in wanted or "g_mean" in wanted:
        spent = ELSEWHERE * each if beside.size else 0.0
        stairs = staircase(above, below, each - spent)
        others = most_bad(beside, spent) if beside.size else 0
        found_beside = beside.known_bad
        recall, g_mean = lowest_rates(
            stairs, above, below, found + found_beside, others - found_beside + undone, n_rows
        )
        misses = int(stairs[2].max()) + others
    if "precision" in wanted:
        alarms = most_bad(above, each)
        precision = 1 - alarms / above.size if above.size else None
    return Certificate(
        recall if "recall" in wanted else None,
        g_mean if "g_mean" in wanted or "recall" in wanted else None,
        precision,
        misses,
        alarms,
        below.audits + beside.audits,
        above.audits,
        risk,
        wanted,
    )


def certificates(
    events: Iterable[RowEvent],
    *,
    high: Mapping[Hashable, Collection[int]],
    low: Collection[int],
    found: Mapping[Hashable, int],
    n_rows: int,
    risk: float = 0.05,
    claims: Sequence[str] = ("recall", "precision"),
    draws: Collection[str] = UNIFORM,
    undone: int = 0,
) -> dict[Hashable, Certificate]:
    """Return what the audits since the freeze prove of each of several rare classes.

    Parameters
    ----------
    events, n_rows, claims, draws, undone
        As for :func:`certificate`. Draws may be uniform inside of the rows of each class, or of
        all rows predicted rare together.
    high : mapping of hashable to collection of int
        Rare class to the rows without a label at the freeze that are predicted to be of it. The
        classes are named before the draws are looked at; they share the risk.
    low : collection of int
        The other rows without a label at the freeze.
    found : mapping of hashable to int
        Rare class to its rows among those with a label at the freeze, as their labels are now.
    risk : float, default=0.05
        Probability that any claim of any class is ever wrong.

    Returns
    -------
    dict
        Class to `Certificate`; all hold together.

    Examples
    --------
    >>> from rarebit.statistics import RowEvent, certificates
    >>> events = []
    >>> for row in [*range(40), *range(50, 90), *range(100, 800)]:
    ...     events.append(RowEvent("ask", row, reason="audit"))
    ...     name = "fraud" if row < 50 else "theft" if row < 100 else "normal"
    ...     events.append(RowEvent("label", row, name))
    >>> proved = certificates(
    ...     events,
    ...     high={"fraud": range(50), "theft": range(50, 100)},
    ...     low=range(100, 1_000),
    ...     found={"fraud": 50, "theft": 10},
    ...     n_rows=1_060,
    ... )
    >>> {name: round(one.recall_min, 2) for name, one in proved.items()}
    {'fraud': 0.93, 'theft': 0.9}
    """
    kept = list(events)
    each = check_risk(risk) / max(1, len(high))
    return {
        name: certificate(
            kept,
            high=rows,
            low=low,
            rare=(name,),
            found=found.get(name, 0),
            n_rows=n_rows,
            risk=each,
            claims=claims,
            draws=draws,
            elsewhere=[row for other, more in high.items() if other != name for row in more],
            undone=undone,
        )
        for name, rows in high.items()
    }


def _check_claims(claims: Sequence[str]) -> tuple[str, ...]:
    wanted = (claims,) if isinstance(claims, str) else tuple(claims)
    unknown = [name for name in wanted if name not in CLAIMS]
    if unknown or not wanted:
        raise LedgerError(
            f"claims must be some of {', '.join(CLAIMS)}, but are {list(wanted)!r}: name what "
            "shall hold together."
        )
    return wanted
