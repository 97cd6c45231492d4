"""The queue of questions: a store of answers and an asker that has learned all of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from rarebit.projects._answer_events import Marks, Origin, answer_event, checked_label
from rarebit.projects._questions import ChosenRow, Questions
from rarebit.projects._repeats import BlindRepeats
from rarebit.projects.stores import Event, Store

_LEARNED = "learned to "  # before the number of the last event that a question knew of
_LEASE = 300.0  # seconds that a question stays with a named annotator


def in_order_learned(history: list[Event]) -> list[Event]:
    """Return a history in the order in which its events were learned.

    Questions that were chosen ahead are stored after answers that the asker did not know yet.
    """

    def place(event: Event) -> float:
        if event.what == "ask" and event.note.startswith(_LEARNED):
            seen = event.note.removeprefix(_LEARNED)
            if seen.isdecimal():
                return min(event.number, int(seen) + 0.5)
        return event.number

    return sorted(history, key=place)


class Queue:
    """Hands questions to annotators, and stores each answer before it is learned.

    Parameters
    ----------
    questions : Questions
        In step with nothing yet, or with the first `n_learned` events.
    store : Store
        The history; events that other processes add to it are learned, too.
    on_replay : function of int, optional
        Called with the number of events learned since the last call.
    marks : function of int, optional
        Marks of a row, stored with its answer, so that it is known again when the data change.
    repeats : float, default=0.0
        Share of the answers that is asked a second time without saying so.
    seed : int, default=0
        Seed of the rows that are.
    n_learned : int, default=0
        Number of events that `questions` is in step with already.
    """

    def __init__(
        self,
        questions: Questions,
        store: Store,
        on_replay: Callable[[int], None] = lambda steps: None,
        marks: Marks | None = None,
        *,
        repeats: float = 0.0,
        seed: int = 0,
        n_learned: int = 0,
    ) -> None:
        self.questions, self.store = questions, store
        self._marks = marks
        self._repeats = BlindRepeats(questions, repeats, seed)
        self._lock = threading.RLock()
        self._seen = n_learned
        self._current: dict[str, int] = {}  # annotator → row in front of them
        history = store.events()
        # Before rows were added the asker chose from another pool: those questions cannot be
        # repeated, only their answers can be told.
        grown = max((event.number for event in history if event.what == "rows"), default=0)
        for event in in_order_learned(history[n_learned:]):
            self._learn(event, repeat=event.number > grown)
            on_replay(1)
        self._seen = len(history)

    @property
    def n_learned(self) -> int:
        """Number of events that were learned."""
        return self._seen

    def catch_up(self, seconds: float | None = None) -> None:
        """Learn what this or another process has stored since the last look.

        Parameters
        ----------
        seconds : float or None, default=None
            Time after which the rest is left for later; at least one event is learned.
        """
        with self._lock:
            limit = None if seconds is None else time.monotonic() + seconds
            for event in self.store.events(after=self._seen):
                self._learn(event)
                if limit is not None and time.monotonic() > limit:
                    return

    def _learn(self, event: Event, *, repeat: bool = True) -> None:
        self.questions.learn(event, repeat=repeat)
        self._seen = event.number
        if event.is_answer and self._current.get(event.annotator) == event.row:
            del self._current[event.annotator]

    # --- questions ----------------------------------------------------------------------

    def next(self, annotator: str) -> ChosenRow | None:
        """Return the question in front of an annotator, the same one until it has an answer."""
        with self._lock:
            self.catch_up()
            asked = self._choose(annotator)
            if asked is not None and not asked.stored:
                asked = self._record(asked)
            if asked is not None and annotator:
                self.store.lease([asked.row], annotator, seconds=_LEASE, reason=asked.reason)
            return asked

    def _choose(self, annotator: str) -> ChosenRow | None:
        """Return a question that nobody else has in front of them; ask for one if none waits."""
        questions = self.questions
        row = self._current.get(annotator)
        if row is not None and row in questions.waiting:
            return questions.waiting[row]
        repeat = self._repeats.due(annotator)
        if repeat is not None:
            return repeat
        taken = {other for who, other in self._current.items() if who != annotator}
        if annotator:
            taken |= {lease.row for lease in self.store.leases() if lease.annotator != annotator}
        again = [r for who, r in questions.reopened if who == annotator and r not in taken]
        waiting = [r for r in again if r in questions.waiting]
        asked = (
            questions.waiting[waiting[-1]]
            if waiting
            else questions.next_free(taken) or questions.ask()
        )
        if asked is not None:
            self._current[annotator] = asked.row
        return asked

    def _record(self, asked: ChosenRow) -> ChosenRow:
        """Store that a row was asked, so that a later process asks the same."""
        self.store.append(
            "ask", asked.row, reason=asked.reason, order=asked.order, audit=asked.audit,
            by=self.questions.by,
        )  # fmt: skip
        self.catch_up()
        return self.questions.asked[asked.row]

    def repeat_due(self) -> int | None:
        """Return the row to ask a second time now; None if none is due."""
        asked = self._repeats.due("")
        return None if asked is None else asked.row

    # --- answers ------------------------------------------------------------------------

    def put(
        self,
        what: Any,
        row: int,
        label: Any,
        annotator: str,
        key: str | None,
        *,
        source: str = "person",
        note: str = "",
    ) -> None:
        """Store an answer, then learn it."""
        with self._lock:
            label = checked_label(what, row, label, self.questions.labels.values())
            if what in ("label", "skip") and self._repeats.is_open(row, annotator):
                what, label = "repeat", label if what == "label" else None
            event = answer_event(
                what, row, label, origin=self._origin(row), marks=self._marks,
                annotator=annotator, key=key, source=source, note=note,
            )  # fmt: skip
            self.store.append_many([event])
            self.catch_up()

    def put_asked(self, asked: ChosenRow, label: Any, annotator: str, source: str) -> None:
        """Store a question together with its answer in one transaction; None is a skip."""
        with self._lock:
            again = self._repeats.is_open(asked.row, annotator)
            what: Any = "repeat" if again else "skip" if label is None else "label"
            events = [
                answer_event(
                    what, asked.row, label, origin=self._origin(asked.row),
                    marks=self._marks, annotator=annotator, source=source,
                )
            ]  # fmt: skip
            if not asked.stored:
                events.insert(
                    0,
                    Event(
                        0, "ask", row=asked.row, reason=asked.reason, order=asked.order,
                        audit=asked.audit, by=self.questions.by,
                    ),
                )  # fmt: skip
            self.store.append_many(events)
            self.catch_up()

    def choose_unrecorded(self, annotator: str) -> ChosenRow | None:
        """Return the next question without storing it, for `put_asked`."""
        with self._lock:
            self.catch_up()
            return self._choose(annotator)

    def ask_ahead(self, n: int) -> list[ChosenRow]:
        """Choose further questions from what is learned so far, and store them at once.

        Answers may be stored meanwhile: the questions say up to which event was learned when they
        were chosen, so that a later process repeats both in this order.
        """
        with self._lock:
            chosen: list[ChosenRow] = []
            while len(chosen) < n and (asked := self.questions.ask()) is not None:
                chosen.append(asked)
            events = [
                Event(0, "ask", row=asked.row, reason=asked.reason, order=asked.order,
                      audit=asked.audit, by=self.questions.by, note=f"{_LEARNED}{self._seen}")
                for asked in chosen
            ]  # fmt: skip
            if events:
                self.store.append_many(events)
            return chosen

    def undo(self, annotator: str, key: str | None) -> int | None:
        """Take back the last standing answer of an annotator; its row is in question again."""
        with self._lock:
            event = self.store.undo(annotator, key=key)
            self.catch_up()
            if event is None or event.row is None:
                return None
            self._current.pop(annotator, None)
            return event.row

    def _origin(self, row: int) -> Origin | None:
        asked = self.questions.asked.get(int(row))
        if asked is None:
            return None
        return Origin(asked.reason, asked.order, self.questions.by, asked.audit)
