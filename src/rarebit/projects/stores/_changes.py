"""What one transaction adds to a store: events, checked and numbered."""

from __future__ import annotations

import json
import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from numpy.typing import NDArray

from rarebit.projects.stores._answers import Answers
from rarebit.projects.stores._errors import StoreConflictError, StoreError
from rarebit.projects.stores._event import CURRENT, Event, check_label, check_text, plain_id
from rarebit.projects.stores._protocol import Lease

_APPENDABLE = ("label", "skip", "correction", "note", "ask", "repeat", "certify")


class Transaction(Protocol):
    """Writes that happen together or not at all, while no other writer is at work."""

    def now(self) -> float:
        """Return the time by the clock of the store, in seconds since 1970."""

    def insert(self, events: Sequence[Event]) -> None:
        """Write events."""

    def leases(self, rows: Collection[int] | None = None) -> dict[int, Lease]:
        """Return the leases of these rows at least, or of all; overdue ones included, by row."""

    def put(self, leases: Sequence[Lease], *, replace: bool) -> None:
        """Write leases, one or more; ``replace`` says whether their rows have some."""

    def drop(self, rows: Sequence[int]) -> None:
        """Remove the leases of rows, one or more."""


@dataclass
class Change:
    """One transaction, and the events that it adds to the history."""

    transaction: Transaction
    answers: Answers
    ids: Sequence[Any] | NDArray[Any]
    events: list[Event] = field(default_factory=list)
    _keys: dict[str, Event] = field(default_factory=dict)

    def first_of(self, draft: Event) -> Event | None:
        """Return the event that is already stored under the key of a draft."""
        if draft.key is None:
            return None
        first = self.answers.by_key.get(draft.key) or self._keys.get(draft.key)
        if first is not None and first.content != draft.content:
            raise StoreConflictError(
                f"The idempotency key {draft.key!r} belongs to another request (event "
                f"{first.number}, {first.what}): give every answer a key of its own."
            )
        return first

    def add(self, draft: Event) -> Event:
        """Give a draft its number, time, row id and settings version, and add it."""
        event = replace(
            draft,
            number=len(self.answers.events) + len(self.events) + 1,
            id=None if draft.row is None else plain_id(self.ids[draft.row]),
            settings=self.answers.version if draft.settings == CURRENT else draft.settings,
            at=draft.at or datetime.now(UTC).isoformat(timespec="milliseconds"),
        )
        self.events.append(event)
        if event.key is not None:
            self._keys[event.key] = event
        return event


def checked_event(event: Event, n_rows: int) -> Event:
    """Return an event of those that can be appended, with plain values."""
    if event.what not in _APPENDABLE:
        raise StoreError(
            f"Events of the kinds {', '.join(_APPENDABLE)} can be appended, got "
            f"{event.what!r}: use the method of that name for others."
        )
    if event.what == "certify":
        try:
            held = json.loads(json.dumps(event.data or {}, allow_nan=False))
        except (TypeError, ValueError) as error:
            raise StoreError(
                f"The data of an event must be what JSON can hold, got something else "
                f"({error}): give text, finite numbers, lists and dicts."
            ) from error
        return with_checked_texts(replace(event, row=None, label=None, of=None, data=held))
    needs_label = event.what in ("label", "correction") or (
        event.what == "repeat" and event.label is not None
    )
    if not needs_label and event.label is not None:
        raise StoreError(f"A {event.what} has no label, got {event.label!r}: leave the label out.")
    label = check_label(event.label) if needs_label else None
    row = row_position(event.row, n_rows)
    data = _row_check(event)
    return with_checked_texts(replace(event, row=row, label=label, of=None, data=data))


def row_position(row: Any, n_rows: int) -> int:
    """Return the position of a row; refuse one that the data do not have."""
    try:
        position = operator.index(row)
    except TypeError:
        position = -1
    if not 0 <= position < n_rows:
        raise StoreError(
            f"The data have rows 0 to {n_rows - 1}, got row {row!r}: give one of these."
        )
    return position


_CARRIED = {
    "check": "The checksum of a row",
    "cells": "The checksums of cells",
    "values": "The checksums of values",
    "before": "An earlier store",
}


def _row_check(event: Event) -> dict[str, Any] | None:
    """Return what an answer may carry beside its own fields: marks of its row, an earlier store."""
    told = event.data or {}
    found = {
        name: check_text(told[name], what) for name, what in _CARRIED.items() if told.get(name)
    }
    return found or None


def with_checked_texts(event: Event) -> Event:
    """Return the event if its texts can be held by every store."""
    for name in ("annotator", "reason", "source", "note", "by", "at"):
        check_text(getattr(event, name), f"The {name} of an event")
    if event.key is not None:
        check_text(event.key, "The idempotency key of an event")
    if event.audit is not None:
        check_text(event.audit.stratum, "The stratum of an audit")
    return event
