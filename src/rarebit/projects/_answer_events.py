"""The event of an answer: its label checked, with its question and marks of its row.

The terminal, the page and Label Studio store answers that are made here, so that all of them follow
the same rules and are known again when the data change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarebit.projects._alike import check_name
from rarebit.projects._errors import ProjectError
from rarebit.projects.stores import CURRENT, Audit, Event

Marks = Callable[[int], dict[str, str]]


@dataclass(frozen=True)
class Origin:
    """Why and when a row was asked.

    Attributes
    ----------
    reason : str
        Query reason.
    order : int
        Position in the order asked, from 1.
    by : str
        Settings that decided the question.
    audit : Audit or None
        Circumstances of a uniform draw.
    """

    reason: str
    order: int
    by: str
    audit: Audit | None = None


def checked_label(what: str, row: Any, label: Any, classes: Iterable[Any]) -> Any:
    """Return the label of an answer as it is stored, or say why it cannot be.

    Parameters
    ----------
    what : {"label", "skip", "correction", "note"}
        Kind of the event.
    row : object
        Position of the row; stores check that it exists.
    label : object
        Class, None for events without one.
    classes : iterable
        Classes of earlier answers.

    Returns
    -------
    object
        The label, without blanks around a text.
    """
    if isinstance(row, bool | np.bool_) or not isinstance(row, int | float | np.number):
        raise ProjectError(
            f"A row is named by its position, a whole number from 0, got {row!r}: give the row of "
            "the question."
        )
    if what not in ("label", "correction"):
        return label
    if isinstance(label, str) and not label.strip():
        raise ProjectError(
            f"A label must name a class, got {label!r}: call skip for a row that has none."
        )
    return check_name(label, classes)


def answer_event(
    what: Any,
    row: int,
    label: Any,
    *,
    origin: Origin | None,
    marks: Marks | None,
    annotator: str = "",
    key: str | None = None,
    source: str = "person",
    note: str = "",
) -> Event:
    """Return an answer as an event to be stored.

    Parameters
    ----------
    what : str
        Kind of the event.
    row : int
        Position of the row.
    label : object
        Class, None for events without one.
    origin : Origin or None
        The question that it answers; None for a row that nobody asked about.
    marks : function of int, or None
        Marks of a row, by which it is known again when the data change.
    annotator, key, source, note
        As in `Project.answer` and `Project.skip`.

    Returns
    -------
    Event
        Without a number: stores number events.
    """
    return Event(
        0, what, row, label=label, annotator=annotator, key=key, source=source, note=note,
        settings=CURRENT, data=_marks_of(row, marks),
        reason="given" if origin is None else origin.reason,
        order=None if origin is None else origin.order,
        by="" if origin is None else origin.by,
        audit=None if origin is None else origin.audit,
    )  # fmt: skip


def _marks_of(row: Any, marks: Marks | None) -> dict[str, Any] | None:
    """Return what an answer keeps of its row; a row that does not exist is the store's error."""
    if marks is None or not isinstance(row, int | np.integer) or row < 0:
        return None
    try:
        return dict(marks(int(row)))
    except IndexError:
        return None
