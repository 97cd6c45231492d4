"""What all stores share: answers, views, leases and settings; subclasses keep the events."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from numpy.typing import NDArray

from rarebit.projects.stores._answers import Answers
from rarebit.projects.stores._changes import (
    Change,
    Transaction,
    checked_event,
    row_position,
    with_checked_texts,
)
from rarebit.projects.stores._errors import StoreConflictError, StoreError
from rarebit.projects.stores._event import CURRENT, Audit, Event, What, check_text
from rarebit.projects.stores._header import Header
from rarebit.projects.stores._lock import StoreLock
from rarebit.projects.stores._protocol import Lease, Wish


class BaseStore(ABC):
    """Everything that the protocol asks for but the place where events are kept.

    Parameters
    ----------
    ids : sequence
        Id of each row of the data, in its order.
    header : Header
        The data at hand.
    """

    _leases_are_events = True

    def __init__(self, ids: Sequence[Any] | NDArray[Any], header: Header) -> None:
        self._ids = ids
        self._header = header
        self._answers = Answers()
        self._lock = StoreLock()

    @property
    @abstractmethod
    def address(self) -> str:
        """Address of the store, without a password."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction with all earlier events taken; commit durably at its end."""

    @abstractmethod
    def _refresh(self) -> None:
        """Take events that others have stored since."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the store; it can be closed twice."""

    # --- answers ------------------------------------------------------------------------

    def append(
        self,
        what: What,
        row: int,
        label: Any = None,
        *,
        annotator: str = "",
        key: str | None = None,
        reason: str = "",
        order: int | None = None,
        audit: Audit | None = None,
        source: str = "person",
        settings: int | None = None,
        note: str = "",
        by: str = "",
    ) -> Event:
        """Store a label, a skip, a correction, a note or an ask; see `Store.append`."""
        version = CURRENT if settings is None else settings
        event = Event(
            0, what, row, None, label, annotator, reason, order, audit, key, source,
            version, note, None, None, by,
        )  # fmt: skip
        return self.append_many([event])[0]

    def append_many(self, events: Sequence[Event]) -> list[Event]:
        """Store several events in one transaction; see `Store.append_many`."""
        return self.exchange(events, [])[0]

    def undo(self, annotator: str = "", *, key: str | None = None) -> Event | None:
        """Take back the last standing answer of an annotator; see `Store.undo`."""
        draft = with_checked_texts(Event(0, "undo", annotator=annotator, key=key, settings=CURRENT))
        with self._changing() as change:
            undo = change.first_of(draft)
            if undo is None:
                last = self._answers.last(annotator)
                if last is None and key is None:
                    return None
                if last is not None:
                    draft = replace(
                        draft, row=last.row, of=last.number, source=last.source, by=last.by
                    )
                # Without an answer the undo is stored for its key: repeated later, it must not
                # take back an answer that came in between.
                undo = change.add(draft)
        return None if undo.of is None else undo

    # --- views --------------------------------------------------------------------------

    def _current(self) -> Answers:
        self._refresh()
        return self._answers

    def events(self, after: int = 0, *, refresh: bool = True) -> list[Event]:
        """Return the events whose number is larger than `after`; see `Store.events`."""
        with self._lock:
            known = self._current() if refresh else self._answers
            return known.events[max(0, after) :]

    def answers(self) -> dict[str, dict[int, Event]]:
        """Return annotator → row → standing answer, rows in the order answered."""
        with self._lock:
            return self._current().by_annotator()

    def answers_of(self, row: int) -> dict[str, Event]:
        """Return the standing answer of each annotator to one row, the first annotator first."""
        with self._lock:
            return self._current().of_row(row)

    def labels(self, rule: str = "first", *, owner: str | None = None) -> dict[int, Any]:
        """Return row → label that counts; see `Store.labels`."""
        with self._lock:
            return self._current().resolve(rule, owner)[0]

    def skipped(self) -> list[int]:
        """Return the rows that were skipped and have no label, in the order first skipped."""
        with self._lock:
            return self._current().resolve("first", None)[1]

    def disagreements(self) -> dict[int, dict[str, Any]]:
        """Return row → annotator → label for rows with different labels."""
        with self._lock:
            return self._current().disagreements()

    # --- leases -------------------------------------------------------------------------

    def lease(
        self,
        rows: Sequence[int] | NDArray[Any],
        annotator: str,
        *,
        seconds: float,
        n: int = 1,
        reason: str = "",
        order: int | None = None,
        audit: Audit | None = None,
    ) -> list[Lease]:
        """Lease the first free rows among candidates; see `Store.lease`."""
        check_text(annotator, "The name of an annotator")
        wish = Wish(list(rows), annotator, seconds, n)
        with self._changing() as change:
            held, now = change.transaction.leases(self._positions(wish)), change.transaction.now()
            return self._grant(change, wish, held, now, reason, order, audit)

    def _positions(self, wish: Wish) -> list[int]:
        return [row_position(candidate, len(self._ids)) for candidate in wish.rows]

    def _grant(
        self,
        change: Change,
        wish: Wish,
        held: dict[int, Lease],
        now: float,
        reason: str = "",
        order: int | None = None,
        audit: Audit | None = None,
    ) -> list[Lease]:
        granted: list[Lease] = []
        fresh: list[Lease] = []
        renewed: list[Lease] = []
        for row in self._positions(wish):
            if len(granted) >= wish.n:
                break
            holder = held.get(row)
            if holder is not None and holder.annotator != wish.annotator and holder.until > now:
                continue
            granted.append(Lease(row, wish.annotator, now + wish.seconds))
            (fresh if holder is None else renewed).append(granted[-1])
            held[row] = granted[-1]
            is_new = holder is None or holder.annotator != wish.annotator
            if self._leases_are_events and is_new:
                draft = Event(
                    0, "lease", row, annotator=wish.annotator, reason=reason, order=order,
                    audit=audit, settings=CURRENT,
                )  # fmt: skip
                change.add(with_checked_texts(draft))
        if fresh:
            change.transaction.put(fresh, replace=False)
        if renewed:
            change.transaction.put(renewed, replace=True)
        return granted

    def exchange(
        self, events: Sequence[Event], wishes: Sequence[Wish]
    ) -> tuple[list[Event], list[list[Lease]]]:
        """Store events and grant leases in one transaction; see `Store.exchange`."""
        drafts = [checked_event(event, len(self._ids)) for event in events]
        for wish in wishes:
            check_text(wish.annotator, "The name of an annotator")
        with self._changing() as change:
            stored = [change.first_of(draft) or change.add(draft) for draft in drafts]
            answered = _answered(change)
            wanted = {row for wish in wishes for row in self._positions(wish)}
            held: dict[int, Lease] = {}
            if answered or wanted:
                held = change.transaction.leases({*wanted, *(row for row, _ in answered)})
                _end_leases(change, answered, held)
            now = change.transaction.now() if wishes else 0.0
            granted = [self._grant(change, wish, held, now) for wish in wishes]
        return stored, granted

    def renew(self, row: int, annotator: str, *, seconds: float) -> Lease | None:
        """Extend a lease; None if the annotator holds it no longer."""
        with self._changing() as change:
            holder = change.transaction.leases([row]).get(row)
            if holder is None or holder.annotator != annotator:
                return None
            lease = Lease(holder.row, annotator, change.transaction.now() + seconds)
            change.transaction.put([lease], replace=True)
        return lease

    def release(self, row: int, annotator: str) -> bool:
        """End a lease; False if the annotator did not hold it."""
        with self._changing() as change:
            holder = change.transaction.leases([row]).get(row)
            if holder is None or holder.annotator != annotator:
                return False
            change.transaction.drop([holder.row])
            if self._leases_are_events:
                change.add(Event(0, "release", holder.row, annotator=annotator, settings=CURRENT))
        return True

    def leases(self) -> list[Lease]:
        """Return the leases that are not overdue, by row."""
        with self._changing() as change:
            now, held = change.transaction.now(), change.transaction.leases()
        return [held[row] for row in sorted(held) if held[row].until > now]

    # --- changes ------------------------------------------------------------------------

    @contextmanager
    def _changing(self) -> Iterator[Change]:
        with self._lock:
            with self._writing() as transaction:
                change = Change(transaction, self._answers, self._ids)
                yield change
                if change.events:
                    transaction.insert(change.events)
            # Only now: a transaction that fails must leave no trace in the view.
            for event in change.events:
                self._answers.take(event)

    def _check_data(self, stored: Header) -> None:
        """Refuse data that are not those of the store, as they are since they last grew."""
        grown = self._answers.rows
        (Header(**grown) if grown else stored).check(self._header, self.address)

    # --- settings and data --------------------------------------------------------------

    @property
    def settings(self) -> tuple[int, dict[str, Any]]:
        """Version of the current settings, 0 before there are any, and the settings."""
        with self._lock:
            current = self._current()
            return current.version, json.loads(json.dumps(current.settings))

    def save_settings(
        self, settings: dict[str, Any], *, annotator: str = "", expected: int | None = None
    ) -> int:
        """Store settings under a new version; see `Store.save_settings`."""
        try:
            held = json.loads(json.dumps(settings, allow_nan=False))
        except (TypeError, ValueError) as error:
            raise StoreError(
                f"Settings must be what JSON can hold, got something else ({error}): give text, "
                "finite numbers, lists and dicts."
            ) from error
        with self._changing() as change:
            version = self._answers.version
            if expected is not None and expected != version:
                raise StoreConflictError(
                    f"The settings of {self.address} are at version {version}, but the change is "
                    f"based on version {expected}: read them again and repeat the change."
                )
            if version and held == self._answers.settings:
                return version
            draft = Event(0, "settings", annotator=annotator, settings=version + 1, data=held)
            change.add(with_checked_texts(draft))
        return version + 1

    def extend(
        self, ids: Sequence[Any] | NDArray[Any], *, source: str = "", fingerprint: str = ""
    ) -> None:
        """Continue with data to which rows were added at the end; see `Store.extend`."""
        known = self._header
        start = Header.of(ids[: known.n_rows], source, known.fingerprint)
        known.check(start, self.address)
        header = Header.of(ids, source, fingerprint)
        with self._changing() as change:
            self._check_data(known)
            change.add(Event(0, "rows", data=header.to_json(), settings=CURRENT))
        self._ids, self._header = ids, header

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _answered(change: Change) -> set[tuple[int, str]]:
    """Return rows that were answered now, and by whom."""
    return {
        (event.row, event.annotator)
        for event in change.events
        if event.is_answer and event.row is not None
    }


def _end_leases(change: Change, answered: set[tuple[int, str]], held: dict[int, Lease]) -> None:
    """End the leases of rows that their holders have answered."""
    over = [row for row, who in answered if row in held and held[row].annotator == who]
    for row in over:
        del held[row]
    if over:
        change.transaction.drop(over)
