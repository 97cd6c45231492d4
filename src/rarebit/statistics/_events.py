"""Events of labelling, replayed into what is known of every row that left the urn."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import LedgerError, check_count, check_share

# Ways of asking that draw uniformly from all rows that nobody was asked for.
UNIFORM = ("audit", "random", "random-start")
KINDS = ("ask", "given", "label", "correct", "skip", "undo", "repeat")


@dataclass(frozen=True)
class RowEvent:
    """Something that happened to a row.

    Parameters
    ----------
    kind : {"ask", "given", "label", "correct", "skip", "undo", "repeat"}
        A row was asked for; its label was known without being asked for; it got its label; the
        label was replaced; the annotator passed; the label or the skip was taken back; the row
        got a second label from somebody who did not see the first.
    row : int
        Position in the pool.
    label : hashable, optional
        For ``given``, ``label``, ``correct`` and ``repeat``.
    reason : str, optional
        For ``ask``: why the row was asked for, such as ``"audit"`` or ``"border"``.
    kappa : float, default=0.0
        For ``ask``: the target recall at that moment, 0 without one.
    order : int, optional
        For ``ask`` and ``given``: position in the order asked, where events come in another order.
    n : int, optional
        For ``ask``: size of the urn as recorded at the draw; compared with the replay.

    Examples
    --------
    >>> from rarebit.statistics import RowEvent
    >>> RowEvent("ask", 7, reason="audit", kappa=0.9).row
    7
    """

    kind: str
    row: int
    label: Hashable = None
    reason: str | None = None
    kappa: float = 0.0
    order: int | None = None
    n: int | None = None


@dataclass
class AskedRow:
    """A row that left the urn, as it stands now."""

    row: int
    reason: str | None
    kappa: float
    order: int
    n: int | None
    state: str = "pending"
    label: Hashable = None


def replay(events: Iterable[RowEvent]) -> list[AskedRow]:
    """Return all rows that left the urn in the order asked, each with its present state."""
    asked: dict[int, AskedRow] = {}
    ordered = None
    for position, event in enumerate(events):
        row = check_count(event.row, f"row of event {position}")
        entry = asked.get(row)
        if event.kind in ("ask", "given"):
            if entry is not None:
                _ask_again(entry, event)
                continue
            if ordered is not None and ordered != (event.order is not None):
                raise LedgerError(
                    f"order must be given for all rows asked for or for none, but row {row} "
                    f"{'has' if event.order is not None else 'lacks'} it: record the order asked."
                )
            ordered = event.order is not None
            asked[row] = _first(event, position)
        elif event.kind not in KINDS:
            raise LedgerError(
                f"kind of event {position} must be one of {', '.join(KINDS)}, but is "
                f"{event.kind!r}: translate the entry of the store."
            )
        elif entry is None:
            raise LedgerError(
                f"row {row} must be asked for before the event {event.kind!r}, but was not: record "
                "an event 'ask', or 'given' for a label that was known."
            )
        else:
            _change(entry, event)
    entries = sorted(asked.values(), key=lambda entry: entry.order)
    for before, after in pairwise(entries):
        if before.order == after.order:
            raise LedgerError(
                f"order must differ between rows, but is {after.order} for rows {before.row} and "
                f"{after.row}: record one order of asking for all annotators."
            )
    return entries


def _first(event: RowEvent, position: int) -> AskedRow:
    kappa = check_share(
        event.kappa, f"kappa of row {event.row}", zero=True, advice="store the target recall"
    )
    order = position if event.order is None else check_count(event.order, "order")
    entry = AskedRow(event.row, event.reason, kappa, order, event.n)
    if event.kind == "given":
        entry.reason, entry.state, entry.label = "given", "answered", _label(event)
    return entry


def _ask_again(entry: AskedRow, event: RowEvent) -> None:
    # A row that is shown again keeps its place: it left the urn when it was asked for first.
    if entry.state == "answered" or event.kind == "given":
        raise LedgerError(
            f"row {entry.row} must be asked for once, but is again while {entry.state}: use "
            "'correct' for a new label and 'repeat' for a blind second one."
        )


def _change(entry: AskedRow, event: RowEvent) -> None:
    answered = entry.state == "answered"
    if event.kind == "repeat":
        _label(event)
        return
    allowed = {
        "label": not answered,
        "correct": answered,
        "skip": not answered,
        "undo": entry.state in ("answered", "skipped"),
    }
    if not allowed[event.kind]:
        raise LedgerError(
            f"the event {event.kind!r} must follow another state of row {entry.row}, but the row "
            f"is {entry.state}: use 'label' for the first label, 'correct' for a new one, 'undo' "
            "to take one back."
        )
    if event.kind in ("label", "correct"):
        entry.state, entry.label = "answered", _label(event)
    else:
        entry.state = "skipped" if event.kind == "skip" else "undone"
        entry.label = None


def _label(event: RowEvent) -> Hashable:
    if event.label is None:
        raise LedgerError(
            f"the event {event.kind!r} of row {event.row} must carry a label, but has none: use "
            "'skip' for a row without an answer."
        )
    return event.label


def as_classes(rare: Any) -> Collection[Hashable]:
    """Return the rare classes as a collection; a single label is a class of its own."""
    if isinstance(rare, (list, tuple, set, frozenset)):
        return rare
    return (rare,)


def urn_table(
    entries: list[AskedRow], rare: NDArray[np.bool_], n_members: int, reasons: Collection[str]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the ledger of an urn and the positions of its draws among the entries.

    Parameters
    ----------
    entries : list of AskedRow
        Rows that left this urn, in the order asked.
    rare : ndarray of shape (n_entries,)
        Which of them are rare or count as rare.
    n_members : int
        Rows in the urn before the first left it.
    reasons : collection of str
        Ways of asking that are draws.
    """
    if len(entries) > n_members:
        raise LedgerError(
            f"at most {n_members} rows can leave an urn of as many, but {len(entries)} did: pass "
            "the number of rows of the whole pool."
        )
    before = np.concatenate([[0], np.cumsum(rare)[:-1]]) if len(entries) else np.zeros(0)
    draws = np.flatnonzero([entry.reason in reasons for entry in entries])
    table = np.empty((len(draws), 4))
    table[:, 0] = n_members - draws
    table[:, 1] = before[draws]
    table[:, 2] = [entries[index].kappa for index in draws]
    table[:, 3] = rare[draws]
    for index, n in zip(draws, table[:, 0], strict=True):
        if entries[index].n is not None and entries[index].n != n:
            raise LedgerError(
                f"the urn of the draw of row {entries[index].row} must hold {n:g} rows, all that "
                f"nobody had been asked for, but {entries[index].n} were recorded: draw audits "
                "where the rows of all askers are seen."
            )
    return table, draws
