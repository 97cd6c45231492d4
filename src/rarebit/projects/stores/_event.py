"""One event of a labelling project, and its JSON form."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np

from rarebit.exceptions import InputTypeError

What = Literal[
    "label", "skip", "correction", "undo", "note", "ask", "repeat", "certify",
    "lease", "release", "settings", "rows",
]  # fmt: skip
KINDS: tuple[str, ...] = get_args(What)
# Answers are what an undo takes back; the other kinds leave the labels as they are.
ANSWERS = frozenset({"label", "skip", "correction"})
# Stands for "the version in force when the event is stored" in events that are not stored yet.
CURRENT = -1


@dataclass(frozen=True)
class Audit:
    """Circumstances of a uniform draw, fixed before the row was drawn.

    Attributes
    ----------
    n : int
        Number of rows from which it was drawn.
    kappa : float
        Target recall of the bet.
    stratum : str
        Part of the pool from which it was drawn; empty for the whole pool.
    """

    n: int
    kappa: float
    stratum: str = ""


@dataclass(frozen=True)
class Event:
    """One line of the append-only history of a project.

    Attributes
    ----------
    number : int
        Position in the history, from 1, without gaps; 0 before the event is stored.
    what : str
        ``"label"``, ``"skip"`` or ``"correction"`` (answers), ``"undo"``, ``"note"``, ``"ask"``
        (a question was chosen), ``"repeat"`` (a blind second answer), ``"certify"`` (a classifier
        was frozen, or released), ``"lease"``, ``"release"``, ``"settings"`` or ``"rows"`` (the
        data have grown).
    row : int or None
        Position of the row in the data.
    id : str, int, float, bool or None
        Id of that row.
    label : str, int, float, bool or None
        The class, for labels, corrections and repeats; None for a repeat that was skipped.
    annotator : str
        The person who answered; empty where there is only one.
    reason : str
        Query reason: why the row was asked.
    order : int or None
        Position of the question in the order asked.
    audit : Audit or None
        Circumstances of the draw, for audits.
    key : str or None
        Idempotency key of the request.
    source : str
        Who answered: ``"person"``, ``"oracle"`` or ``"import"``.
    settings : int
        Version of the settings in force; 0 before there are any.
    note : str
        Free text.
    of : int or None
        For an undo, the number of the answer that it takes back; None if there was none.
    data : dict or None
        The settings, for ``"settings"``; the new header, for ``"rows"``; ``{"check": …}``,
        ``{"cells": …}`` and ``{"values": …}``, by which the row is known again, for answers of a
        project, and ``{"before": …}``, the name of the store as it was, for the first that was
        taken from it;
        the rows predicted rare and the bounds to reach, for ``"certify"``.
    by : str
        What asked, as files of earlier versions name it.
    at : str
        Time in UTC, ISO 8601.

    Examples
    --------
    >>> from rarebit.projects.stores import Event
    >>> event = Event(1, "label", row=7, id="T-7", label="fraud", annotator="ann")
    >>> event.to_json()
    {'number': 1, 'what': 'label', 'row': 7, 'id': 'T-7', 'label': 'fraud', 'annotator': 'ann'}
    >>> Event.from_json(event.to_json()) == event
    True
    """

    number: int
    what: What
    row: int | None = None
    id: Any = None
    label: Any = None
    annotator: str = ""
    reason: str = ""
    order: int | None = None
    audit: Audit | None = None
    key: str | None = None
    source: str = "person"
    settings: int = 0
    note: str = ""
    of: int | None = None
    data: dict[str, Any] | None = None
    by: str = ""
    at: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the event as a dict that JSON can hold, without fields at their default.

        Returns
        -------
        dict
            Field names to values.
        """
        record = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("number", "what") or value != field.default:
                record[field.name] = value
        if self.audit is not None:
            record["audit"] = {"n": self.audit.n, "kappa": self.audit.kappa}
            if self.audit.stratum:
                record["audit"]["stratum"] = self.audit.stratum
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Event:
        """Return the event that a dict describes; fields that are not known are ignored.

        Parameters
        ----------
        record : mapping
            As `to_json` returns it.

        Returns
        -------
        Event
            The event.
        """
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in record.items() if name in known}
        if values.get("audit") is not None:
            values["audit"] = Audit(**values["audit"])
        if values.get("what") not in KINDS:
            raise ValueError(f"unknown event {values.get('what')!r}")
        return cls(**values)

    @property
    def is_answer(self) -> bool:
        """Whether the event is a label, a skip or a correction."""
        return self.what in ANSWERS

    @property
    def content(self) -> tuple[Any, ...]:
        """What must agree when a request is repeated under its idempotency key."""
        if self.what == "undo":  # which answer it took back was decided by the store
            return ("undo", self.annotator)
        return (
            self.what,
            self.row,
            json.dumps(self.label),
            self.annotator,
            self.note,
            json.dumps(self.data, sort_keys=True),
        )


def plain(value: Any) -> Any:
    """Return NumPy scalars as Python's own; other values as they are."""
    return value.item() if isinstance(value, np.generic) else value


def plain_id(value: Any) -> Any:
    """Return the id of a row as JSON can hold it."""
    value = plain(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)


def check_label(label: Any) -> Any:
    """Return a label that every store can hold, or refuse it in one sentence."""
    label = plain(label)
    if not isinstance(label, str | int | float) or (
        isinstance(label, float) and not math.isfinite(label)
    ):
        raise InputTypeError(
            f"A label must be text or a finite number, got {label!r}: name the class by one of "
            "these."
        )
    return check_text(label, "A label") if isinstance(label, str) else label


def check_text(text: Any, what: str) -> str:
    """Return text that every database can hold, or refuse it in one sentence."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be text, got {text!r}: give a string.")
    try:
        text.encode()
    except UnicodeEncodeError:
        held = False
    else:
        held = "\0" not in text
    if not held:
        raise ValueError(
            f"{what} must be text without NUL characters and unpaired surrogates, got {text!r}: "
            "remove them."
        )
    return text
