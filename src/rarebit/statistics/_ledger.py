"""Ledgers: the draws of a labelling project as rows (n, m, kappa, y)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._ceiling import ceiling, find_ceiling
from ._draws import merge_stretches, read_draws
from ._errors import LedgerError, check_count, check_risk
from ._events import UNIFORM, AskedRow, RowEvent, as_classes, replay, urn_table


@dataclass(frozen=True)
class Ledger:
    """The draws of a project in the order asked, with today's counts.

    Attributes
    ----------
    draws : ndarray of shape (n_draws, 4)
        Columns n, m, kappa and y. Rows without an answer count as rare, in y and in later m.
    rows : ndarray of shape (n_draws,)
        The rows drawn, as positions in the pool.
    n_rows : int
        Rows of the pool.
    known : int
        Rare rows that are confirmed.
    known_negatives : int
        Rows that are confirmed not to be rare.
    unanswered : int
        Rows asked for without an answer today: pending, skipped and undone ones.
    audits : int
        Draws with an answer.
    hits : int
        Draws whose answer is rare.

    Examples
    --------
    >>> from rarebit.statistics import RowEvent, build_ledger
    >>> events = [
    ...     RowEvent("ask", 4, reason="border"),
    ...     RowEvent("ask", 7, reason="audit", kappa=0.9),
    ...     RowEvent("label", 7, "normal"),
    ... ]
    >>> ledger = build_ledger(events, n_rows=10, rare="fraud")
    >>> ledger.draws.tolist(), ledger.urn
    ([[9.0, 1.0, 0.9, 0.0]], 8)
    """

    draws: NDArray[np.float64]
    rows: NDArray[np.intp]
    n_rows: int
    known: int
    known_negatives: int
    unanswered: int
    audits: int
    hits: int

    @property
    def urn(self) -> int:
        """Rows that nobody was asked for."""
        return self.n_rows - self.known - self.known_negatives - self.unanswered

    def ceiling(self, risk: float = 0.05) -> int:
        """Return the largest number of rare rows that the pool can hold; see :func:`ceiling`."""
        return ceiling(
            self.draws, self.n_rows, self.known, risk, known_negatives=self.known_negatives
        )


def build_ledger(
    events: Iterable[RowEvent], n_rows: int, rare: Any, *, draws: Collection[str] = UNIFORM
) -> Ledger:
    """Replay events into a ledger; the same events give the same ledger to the last bit.

    Parameters
    ----------
    events : iterable of RowEvent
        All events of the project, of all annotators and all ways of asking.
    n_rows : int
        Rows of the pool.
    rare : hashable or collection of them
        The rare class, or classes that are counted together.
    draws : collection of str, default=("audit", "random", "random-start")
        Reasons that are uniform draws from *all* rows that nobody was asked for. Leave those out
        that were drawn where the rows of other askers were not seen.

    Returns
    -------
    Ledger
        The draws and the counts.

    Notes
    -----
    Draws are taken in the order asked, and m counts the rare rows asked for earlier, whenever they
    were answered. Every row without an answer, drawn or not, counts as rare in y and m, and not as
    known: the evidence can only be too small that way. A correction changes the ledger as if the
    new label had been the first.

    Examples
    --------
    A skipped row counts as rare in the ledger and is not known to be rare.

    >>> from rarebit.statistics import RowEvent, build_ledger
    >>> events = [
    ...     RowEvent("ask", 1, reason="audit"),
    ...     RowEvent("ask", 2, reason="audit"),
    ...     RowEvent("skip", 1),
    ...     RowEvent("label", 2, "normal"),
    ... ]
    >>> ledger = build_ledger(events, n_rows=5, rare="fraud")
    >>> ledger.draws.tolist(), ledger.known
    ([[5.0, 0.0, 0.0, 1.0], [4.0, 1.0, 0.0, 0.0]], 0)
    """
    entries = replay(events)
    n_rows = check_members(entries, n_rows)
    classes = as_classes(rare)
    confirmed, unknown = judge(entries, classes)
    table, places = urn_table(entries, confirmed | unknown, n_rows, draws)
    drawn = np.zeros(len(entries), dtype=bool)
    drawn[places] = True
    return Ledger(
        draws=table,
        rows=np.array([entries[index].row for index in places], dtype=np.intp),
        n_rows=n_rows,
        known=int(confirmed.sum()),
        known_negatives=int((~confirmed & ~unknown).sum()),
        unanswered=int(unknown.sum()),
        audits=int((drawn & ~unknown).sum()),
        hits=int((drawn & confirmed).sum()),
    )


def check_members(entries: Sequence[AskedRow], n_rows: int) -> int:
    """Return n_rows; refuse rows outside of the pool."""
    n_rows = check_count(n_rows, "n_rows")
    for entry in entries:
        if entry.row >= n_rows:
            raise LedgerError(
                f"row must be below n_rows ({n_rows}), but is {entry.row}: pass the number of rows "
                "of the whole pool."
            )
    return n_rows


def judge(
    entries: Sequence[AskedRow], classes: Collection[Hashable]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which entries are confirmed to be of the classes, and which have no answer."""
    unknown = np.array([entry.state != "answered" for entry in entries], dtype=bool)
    confirmed = np.array(
        [entry.state == "answered" and entry.label in classes for entry in entries], dtype=bool
    )
    return confirmed, unknown


def shared_risk(risk: float, n_claims: int) -> float:
    """Return the risk of each of several claims that shall hold together.

    The claims must be named before their draws are looked at.

    Examples
    --------
    >>> from rarebit.statistics import shared_risk
    >>> shared_risk(0.05, 2)
    0.025
    """
    return check_risk(risk) / check_count(n_claims, "n_claims", 1)


def ceilings(
    events: Iterable[RowEvent],
    n_rows: int,
    classes: Sequence[Hashable],
    risk: float = 0.05,
    *,
    draws: Collection[str] = UNIFORM,
) -> dict[Hashable, int]:
    """Return the ceiling of each of several classes; all hold together.

    Parameters
    ----------
    events, n_rows, draws
        As for :func:`build_ledger`.
    classes : sequence of hashable
        Classes, named before the draws were looked at; they share the risk.
    risk : float, default=0.05
        Probability that any ceiling is ever too low.

    Returns
    -------
    dict
        The largest number of rows per class.

    Examples
    --------
    >>> from rarebit.statistics import RowEvent, ceilings
    >>> events = [RowEvent("ask", row, reason="audit") for row in range(80)]
    >>> events += [RowEvent("label", row, "normal") for row in range(80)]
    >>> ceilings(events, 100, ["fraud", "error"])
    {'fraud': 2, 'error': 2}
    """
    kept = list(events)
    each = shared_risk(risk, len(classes))
    return {
        name: build_ledger(kept, n_rows, (name,), draws=draws).ceiling(each) for name in classes
    }


def unmet_ceiling(
    events: Iterable[RowEvent], n_rows: int, risk: float = 0.05, *, draws: Collection[str] = UNIFORM
) -> int:
    """Return how many rows can belong to classes of which no row was asked for.

    Parameters
    ----------
    events, n_rows, draws
        As for :func:`build_ledger`.
    risk : float, default=0.05
        Probability that the bound is ever too low.

    Returns
    -------
    int
        The largest number of such rows, at most the rows that nobody was asked for.

    Notes
    -----
    A draw is a hit if its class was new when it was asked for. The number R of rows of unmet
    classes only falls, so that the evidence against a constant R is at most the evidence against
    the true course of R, which is a martingale: one bound for all times, as for :func:`ceiling`.

    Examples
    --------
    >>> from rarebit.statistics import RowEvent, unmet_ceiling
    >>> events = [RowEvent("ask", row, reason="audit") for row in range(80)]
    >>> events += [RowEvent("label", row, "normal") for row in range(80)]
    >>> unmet_ceiling(events, 100)
    3
    """
    entries = replay(events)
    n_rows = check_members(entries, n_rows)
    met: set[Hashable] = set()
    new = np.ones(len(entries), dtype=bool)
    for index, entry in enumerate(entries):
        if entry.state == "answered":
            new[index] = entry.label not in met
            met.add(entry.label)
    table, _ = urn_table(entries, new, n_rows, draws)
    table[:, 1:3] = 0.0  # the hypothesis is a number of rows in the urn; no target
    stretches, _ = merge_stretches(read_draws(table, total=False))
    return find_ceiling(stretches, 0, n_rows - len(entries), check_risk(risk))
