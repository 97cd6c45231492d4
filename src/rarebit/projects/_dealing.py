"""Dealing: prepared questions are handed to the pages of annotators."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rarebit.projects._board import OVERLAP_PEOPLE, Board
from rarebit.projects._hands import AnswerRate, Hand, Hands
from rarebit.projects._settings import Settings
from rarebit.projects._writer import Writer
from rarebit.projects.stores import Audit, Event, Lease, Store, Wish
from rarebit.tables import Table

if TYPE_CHECKING:
    from rarebit.projects._learner import LearnerProcess
    from rarebit.projects._preparing import Prepared

LEASE = 120.0  # seconds that rows stay with a page that is not heard of
_LOT = 4  # rows leased beyond those wanted, so that not every answer needs a lease
_SPARE = 2  # questions kept ready beyond those that people will need
_PATIENCE = 1.5  # seconds to wait for the asker's question before rows are drawn at random
# While the asker has not seen the pool a page gets the row for now and the next one, and not more
# of them than people answer: a program would have the whole pool drawn.
_AT_THE_START, _PACE = 2, 1.0
_SHORT_PATIENCE, _FAR_BEHIND = 0.1, 100  # the same where so many events are not learned yet


@dataclass(frozen=True)
class Dealt:
    """Rows in front of a page.

    Attributes
    ----------
    rows : list of int
        Positions, the current one first.
    waiting : bool
        Whether further questions are being chosen.
    done : bool
        Whether there is nothing left to ask.
    message : str
        Why there is nothing left.
    """

    rows: list[int]
    waiting: bool
    done: bool
    message: str


class Dealing:
    """The part of a desk that hands out questions, and takes over what the learner has chosen."""

    table: Table
    store: Store
    settings: Settings
    board: Board
    learner: LearnerProcess
    _writer: Writer

    @property
    def prepared(self) -> Prepared:
        """The data as features."""
        raise NotImplementedError

    def __init__(
        self, seed: int, notify: Callable[[str, dict[str, Any]], None], *, team: bool
    ) -> None:
        self.notify, self.team = notify, team
        self.state, self.message = "starting", ""
        self.last_seen: dict[str, float] = {}
        self._lock = threading.RLock()
        self._hands = Hands(LEASE)
        self._rate = AnswerRate()
        self._dry_since: float | None = time.monotonic()  # since when no question is free
        self._draw = random.Random(seed)
        self._preferred: list[int] = []  # rows that a person has chosen to be asked next
        self._repeating: dict[int, str] = {}  # rows asked a second time, and whom
        self._foreign: dict[int, Lease] = {}  # of other processes, or of an earlier one

    # --- what the learner asks and says -------------------------------------------------

    @property
    def n_behind(self) -> int:
        """Number of events that are stored and not learned yet."""
        return self.board.n_events - self.learner.seen

    @property
    def n_free(self) -> int:
        """Number of questions that wait and that nobody has in front of them."""
        with self._lock:
            # Not all that wait are looked at: there can be many more of them than are held.
            waiting = self.board.waiting
            return len(waiting) - sum(row in waiting for row in self._hands.held())

    @property
    def is_full(self) -> bool:
        """Whether the limit of labels is reached."""
        limit = self.settings.max_labels
        return limit is not None and len(self.board.labels) >= limit

    @property
    def answers_per_second(self) -> float:
        """How many answers came in each of the last ten seconds."""
        with self._lock:
            return self._rate.per_second

    def wanted_ahead(self, seconds: float) -> int:
        """Return how many questions people will need while the learner is busy for so long."""
        with self._lock:
            rate = self.answers_per_second
            lots = (_LOT if self.team else 0) * len(self._hands)
            return int(lots + min(1000.0, 2.0 * rate * max(seconds, 0.5)))

    def follow(self) -> None:
        """Take what other processes have stored."""
        self._follow()

    def need(self, seconds: float) -> tuple[int, int]:
        """Return how many questions are missing, and how many were asked when this was so."""
        with self._lock:
            missing = 0 if self.is_full else self.wanted_ahead(seconds) + _SPARE - self.n_free
            return max(0, missing), len(self.board.asked)

    def store_for_learner(self, events: Sequence[Event]) -> Future[Any]:
        """Have questions stored that the learner has chosen."""
        return self._writer.send(events)

    def questions_came(self) -> None:
        """Tell pages that there are new questions."""
        self.notify("questions", {"ready": self.n_free})

    def status_came(self) -> None:
        """Tell pages that there is a new status."""
        self.notify("status", {})

    def _say(self, state: str, message: str) -> None:
        if (state, message) != (self.state, self.message):
            self.state, self.message = state, message
            self.notify("learner", {"state": state, "message": message})

    def _follow(self, *, refresh: bool = True) -> None:
        """Take events that this or another process has stored.

        After a transaction ``refresh`` is not needed: it has read what others had stored before.
        """
        # The store is read before the desk is locked: nobody waits here for a disk.
        events = self.store.events(after=self.board.n_events, refresh=refresh)
        with self._lock:
            for event in events:
                if event.number <= self.board.n_events:  # another thread was faster
                    continue
                self.board.take(event)
                answered = event.is_answer or event.what == "repeat"
                if answered and event.row is not None:
                    self._hands.discard(event.row, event.annotator)

    # --- questions ----------------------------------------------------------------------

    def deal(
        self, annotator: str = "", tab: str = "", n: int = 1, *, patience: float = 0.0
    ) -> Dealt:
        """Return the rows in front of a page, after it has got further ones if it needs them.

        Parameters
        ----------
        annotator : str, default=""
            Who sits there; empty where there is one person only.
        tab : str, default=""
            Which page of theirs; two pages never have the same row.
        n : int, default=1
            Number of rows wanted: the current one and those to be preloaded.
        patience : float, default=0.0
            Seconds to wait for the first question.

        Returns
        -------
        Dealt
            Rows, and whether more will come.
        """
        limit = time.monotonic() + patience
        while True:
            dealt = self._deal(annotator, tab, n)
            if dealt.rows or dealt.done or time.monotonic() >= limit:
                return dealt
            time.sleep(0.02)

    def _deal(self, annotator: str, tab: str, n: int) -> Dealt:
        with self._lock:
            self.last_seen[annotator] = time.time()
            overdue = self._hands.drop_overdue()
            hand = self._hands.of(annotator, tab)
            hand.rows = [row for row in hand.rows if self._is_open(row, annotator)]
            if self.is_full:
                return Dealt(hand.rows, False, not hand.rows, "The limit of labels is reached.")
            chosen: list[int] = []
            drawn: list[Event] = []
            if len(hand.rows) < n:
                wanted = n + (_LOT if self.team else 0) - len(hand.rows)
                again = self._second_time(annotator)
                chosen = [*again, *self._candidates(annotator, wanted)][:wanted]
                if not chosen:
                    drawn = self._at_random(hand, wanted)
                    chosen = [event.row for event in drawn if event.row is not None]
                hand.rows += chosen  # from now on nobody else gets them
        for who, rows in overdue:
            self._let_go(rows, who)
        if chosen:
            self._make_sure(chosen, drawn, annotator, hand)
            self.learner.wake()
        with self._lock:
            rows = list(hand.rows)
        learned = self.learner.learned
        done = learned is not None and learned.done and self.n_behind <= 0
        message = " ".join(learned.stop_reasons.values()) if done and learned else ""
        return Dealt(rows, len(rows) < n and not done, done and not rows,
                     message or ("There is nothing left to ask." if done else ""))  # fmt: skip

    def _make_sure(
        self, rows: list[int], questions: list[Event], annotator: str, hand: Hand
    ) -> None:
        """Store questions and leases of rows; those that another process holds leave the hand."""
        wishes = [Wish(rows, annotator, LEASE, len(rows))] if self.team else []
        if not (wishes or questions):
            return
        try:
            _, granted = self._writer.write(questions, wishes)
        except BaseException:
            with self._lock:
                hand.rows = [row for row in hand.rows if row not in rows]
            raise
        if not wishes:
            return
        got = {lease.row for lease in granted[0]}
        with self._lock:
            for row in rows:
                self._foreign.pop(row, None)
                if row not in got:
                    if row in hand.rows:
                        hand.rows.remove(row)
                    self._foreign[row] = Lease(row, "", time.time() + LEASE / 4)

    def _is_open(self, row: int, annotator: str) -> bool:
        """Whether an annotator may still answer a row in front of them as a question."""
        given = self.board.answers.of_row(row)
        if self.is_repeating(row, annotator):
            return True
        if annotator in given:
            return False
        return not given or (self.board.is_overlap(row) and len(given) < OVERLAP_PEOPLE)

    # --- rows that are asked a second time without saying so ----------------------------

    def is_repeating(self, row: int, annotator: str) -> bool:
        """Whether a row is in front of an annotator for a blind second answer."""
        return self._repeating.get(row) == annotator and row not in self.board.answers.repeats

    def _second_time(self, annotator: str) -> list[int]:
        """Return the row whose second answer is due, if this annotator may give it."""
        learned, answers = self.learner.learned, self.board.answers
        row = None if learned is None or not self.settings.repeats else learned.repeat
        if row is None or row in answers.repeats or row in self._hands.held():
            return []
        if len(answers.by_annotator()) > 1 and annotator in answers.of_row(row):
            return []  # of several people, another one
        self._repeating[row] = annotator
        return [row]

    def _is_second(self, row: int, annotator: str, key: str | None) -> bool:
        """Whether an answer is a blind second one, or such a request come again."""
        with self._lock:
            earlier = None if key is None else self.board.answers.by_key.get(key)
            if earlier is not None:
                return earlier.what == "repeat"
            held = row in self._hands.rows_of(annotator)
            return held and self.is_repeating(row, annotator)

    # --- choosing -----------------------------------------------------------------------

    def _candidates(self, annotator: str, wanted: int) -> list[int]:
        """Return free rows, best first; some more than wanted, because others may be faster."""
        board, held = self.board, self._hands.held()
        most = wanted + 8
        mine = [
            row for row, lease in self._foreign.items()
            if lease.annotator == annotator and row in board.waiting and row not in held
        ]  # fmt: skip
        found = dict.fromkeys([*self._preferred_rows(held), *mine])
        if self.team:
            for row, first in board.second.items():
                if len(found) >= most:
                    break
                if first != annotator and row not in held:
                    found[row] = None
        for row in board.waiting:
            if len(found) >= most:
                break
            if row not in held and not self._is_leased_elsewhere(row, annotator):
                found[row] = None
        if found:
            self._dry_since = None
        return list(found)

    def _preferred_rows(self, held: Collection[int]) -> list[int]:
        waiting = self.board.waiting
        self._preferred = [row for row in self._preferred if row in waiting]
        return [row for row in self._preferred if row not in held]

    def _is_leased_elsewhere(self, row: int, annotator: str) -> bool:
        lease = self._foreign.get(row)
        return lease is not None and lease.annotator != annotator and lease.until > time.time()

    def _at_random(self, hand: Hand, wanted: int) -> list[Event]:
        """Draw rows where people would wait: the learner starts, or learns anew after a change.

        Each is a uniform draw from the rows that nobody was asked for, made without regard to
        anything learned. So it counts in proofs, and is stored with the number of these rows.
        """
        now = time.monotonic()
        learned = self.learner.learned
        if learned is not None and (learned.done or self.n_behind <= 0):
            self._dry_since = None
            return []
        if self._dry_since is None:
            self._dry_since = now
        # A learner that is far behind will not be in time, one that has not begun even less.
        patience = _PATIENCE if self.n_behind < _FAR_BEHIND else _SHORT_PATIENCE
        if not self.learner.has_begun:
            patience = 0.0
        if now - self._dry_since < patience:
            return []
        if learned is None:
            wanted = min(wanted, _AT_THE_START - len(hand.rows))
            if wanted <= 0 or now - hand.drawn < _PACE:
                return []
        gone = self.board.touched | self._hands.held()
        left, drawn = self.table.n_rows - len(gone), dict[int, Audit]()
        for _ in range(50 * wanted):
            row = self._draw.randrange(self.table.n_rows)
            if row not in gone and row not in drawn:
                drawn[row] = Audit(left - len(drawn), self.settings.recall or 0.0)
                if len(drawn) == wanted:
                    break
        hand.drawn = now
        asks = self._questions_for(list(drawn), "random")
        return [replace(ask, audit=audit) for ask, audit in zip(asks, drawn.values(), strict=True)]

    def _questions_for(self, rows: Sequence[int], reason: str) -> list[Event]:
        """Return questions that the asker did not choose, to be stored."""
        start = len(self.board.asked) + 1
        return [
            Event(0, "ask", row=row, reason=reason, order=start + i)
            for i, row in enumerate(dict.fromkeys(rows))
        ]

    def heartbeat(self, annotator: str, tab: str, rows: Sequence[int]) -> list[int]:
        """Keep rows in front of a page; return those that it still has.

        Parameters
        ----------
        annotator, tab
            As in `deal`.
        rows : sequence of int
            Rows that the page shows or has preloaded.

        Returns
        -------
        list of int
            Rows that are still its own; others were taken over.
        """
        with self._lock:
            self.last_seen[annotator] = time.time()
            hand = self._hands.of(annotator, tab)
            kept = [row for row in rows if row in hand.rows]
            held = list(hand.rows)
        if self.team and held:
            self._writer.send((), [Wish(held, annotator, LEASE, len(held))])
        return kept

    def rows_of(self, annotator: str) -> list[int]:
        """Return the rows in front of an annotator."""
        with self._lock:
            return self._hands.rows_of(annotator)

    def release(self, annotator: str, tab: str) -> int:
        """Let go of the rows of a page that is closed; return their number."""
        with self._lock:
            rows = self._hands.drop(annotator, tab)
        self._let_go(rows, annotator)
        return len(rows)

    def _let_go(self, rows: Sequence[int], annotator: str) -> None:
        if self.team:
            for row in rows:
                self.store.release(row, annotator)
