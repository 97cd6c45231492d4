"""How a bound came about: what was proved after each part of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._ceiling import find_ceiling
from ._draws import merge_stretches, read_draws
from ._errors import LedgerError, check_count, check_risk

NO_ANSWER = -1


@dataclass(frozen=True, eq=False)
class ProofPath:
    """What was proved after each part of the labels; arrays have one entry per point.

    Attributes
    ----------
    labels : ndarray of int of shape (n_points,)
        Answers to the rows asked for until then.
    found : ndarray of int of shape (n_points,)
        Rare rows among them.
    total_max : ndarray of int of shape (n_points,)
        Rare rows of the pool at most; it never rises, unless more are found than it allows.
    recall_min : ndarray of float of shape (n_points,)
        Share of the rare rows that was found at least.
    audits, hits : ndarray of int of shape (n_points,)
        Answered draws, and those that were rare.
    audit_labels : ndarray of int of shape (n_audits,)
        Number of labels at each answered draw, that draw included.
    audit_hits : ndarray of bool of shape (n_audits,)
        Which of them were rare.
    """

    labels: NDArray[np.intp]
    found: NDArray[np.intp]
    total_max: NDArray[np.intp]
    recall_min: NDArray[np.float64]
    audits: NDArray[np.intp]
    hits: NDArray[np.intp]
    audit_labels: NDArray[np.intp]
    audit_hits: NDArray[np.bool_]

    def to_json(self) -> dict[str, Any]:
        """Return the path as lists of numbers, by name."""
        names = ("labels", "found", "total_max", "recall_min", "audits", "hits", "audit_labels")
        told = {name: getattr(self, name).tolist() for name in names}
        return {**told, "audit_hits": self.audit_hits.astype(int).tolist()}


def proof_path(
    outcomes: ArrayLike,
    draws: Any,
    places: ArrayLike,
    n_rows: int,
    risk: float = 0.05,
    *,
    points: int = 60,
) -> ProofPath:
    """Return the bounds after parts of the labels, as the labels are today.

    Parameters
    ----------
    outcomes : array-like of int of shape (n_asked,)
        All rows that left the urn in the order asked: 1 for rare, 0 for not, -1 without an answer.
    draws : array-like of shape (n_draws, 4)
        The ledger: columns n, m, kappa and y.
    places : array-like of int of shape (n_draws,)
        Position of each draw among `outcomes`, rising.
    n_rows : int
        Rows of the pool.
    risk : float, default=0.05
        Probability that the ceiling is ever too low.
    points : int, default=60
        Largest number of points, the last of which is today.

    Returns
    -------
    ProofPath
        The last point is what :func:`guarantee` says.

    Examples
    --------
    40 rows were found, then 400 draws hit nothing.

    >>> import numpy as np
    >>> from rarebit.statistics import proof_path
    >>> outcomes = np.repeat([1, 0], [40, 400])
    >>> draws = [(2000 - at, 40, 0.5, 0) for at in range(40, 440)]
    >>> path = proof_path(outcomes, draws, np.arange(40, 440), 2_000, points=5)
    >>> path.labels.tolist(), path.total_max.tolist()
    ([1, 111, 220, 330, 440], [2000, 162, 76, 61, 55])
    """
    told = np.asarray(outcomes, dtype=np.intp).ravel()
    n_rows, points = check_count(n_rows, "n_rows"), check_count(points, "points", 1)
    risk = check_risk(risk)
    ledger, at = read_draws(draws), np.asarray(places, dtype=np.intp).ravel()
    if len(at) != len(ledger) or (len(at) and at[-1] >= len(told)) or np.any(np.diff(at) <= 0):
        raise LedgerError(
            f"places must hold one rising position below {len(told)} per draw ({len(ledger)}), "
            f"but holds {len(at)}: pass the positions of the draws among the rows asked for."
        )
    rare, normal = told == 1, told == 0
    found, negatives = np.cumsum(rare), np.cumsum(normal)
    answered = told[at] != NO_ANSWER
    drawn, hit = np.zeros(len(told), dtype=bool), np.zeros(len(told), dtype=bool)
    drawn[at[answered]] = True
    hit[at] = rare[at]
    ends = np.unique(np.linspace(1, len(told), min(points, len(told))).round().astype(np.intp))
    tops, top = [], n_rows
    for end in ends.tolist():
        stretches, _ = merge_stretches(ledger.first(int(np.searchsorted(at, end))))
        low = int(found[end - 1])
        # What was refuted stays refuted.
        high = max(low, min(top, n_rows - int(negatives[end - 1])))
        top = find_ceiling(stretches, low, high, risk)
        tops.append(top)
    last = ends - 1
    total = np.array(tops, dtype=np.intp)
    return ProofPath(
        labels=(found + negatives)[last],
        found=found[last],
        total_max=total,
        recall_min=np.where(found[last] > 0, found[last] / np.maximum(total, 1), 0.0),
        audits=np.cumsum(drawn)[last],
        hits=np.cumsum(hit)[last],
        audit_labels=(found + negatives)[at[answered]],
        audit_hits=rare[at[answered]],
    )
