"""Which rows are in front of whom: hands of prepared questions, one per open page."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field


@dataclass
class Hand:
    """Rows in front of one page of one annotator, the current one first."""

    annotator: str
    rows: list[int] = field(default_factory=list)
    seen: float = 0.0  # when the page was last heard of
    drawn: float = -math.inf  # when rows were last drawn at random for it


class Hands:
    """All hands; a row is in one hand at most, but for rows of the overlap.

    Parameters
    ----------
    seconds : float
        How long a hand is kept for a page that is not heard of.
    clock : function, optional
        Returns seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self._clock = seconds, clock
        self._hands: dict[tuple[str, str], Hand] = {}

    def of(self, annotator: str, tab: str) -> Hand:
        """Return the hand of a page, and note that the page is alive."""
        hand = self._hands.setdefault((annotator, tab), Hand(annotator))
        hand.seen = self._clock()
        return hand

    def drop_overdue(self) -> list[tuple[str, list[int]]]:
        """Let go of the hands of pages that were not heard of; return annotators and rows."""
        limit = self._clock() - self.seconds
        overdue = [place for place, hand in self._hands.items() if hand.seen < limit]
        return [(place[0], self._hands.pop(place).rows) for place in overdue]

    def drop(self, annotator: str, tab: str) -> list[int]:
        """Let go of one hand; return its rows."""
        hand = self._hands.pop((annotator, tab), None)
        return [] if hand is None else hand.rows

    def discard(self, row: int, annotator: str) -> None:
        """Take a row out of every hand of an annotator."""
        for hand in self._hands.values():
            if hand.annotator == annotator and row in hand.rows:
                hand.rows.remove(row)

    def held(self) -> set[int]:
        """Return the rows that anybody has in front of them."""
        return {row for hand in self._hands.values() for row in hand.rows}

    def rows_of(self, annotator: str) -> list[int]:
        """Return all rows in front of an annotator."""
        hands = (hand for hand in self._hands.values() if hand.annotator == annotator)
        return [row for hand in hands for row in hand.rows]

    def annotators(self) -> Iterable[str]:
        """Return the annotators whose pages are open, each once."""
        return dict.fromkeys(hand.annotator for hand in self._hands.values())

    def __len__(self) -> int:
        return len(self._hands)


class AnswerRate:
    """How many answers came in the last seconds.

    Parameters
    ----------
    seconds : float, default=10.0
        How far back answers count.
    clock : function, optional
        Returns seconds.
    """

    def __init__(self, seconds: float = 10.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self._clock = seconds, clock
        self._recent: deque[float] = deque()  # when answers came, the earliest first

    def note(self) -> None:
        """Note that an answer came."""
        self._recent.append(self._clock())

    @property
    def per_second(self) -> float:
        """Answers per second; those that are too long ago are forgotten."""
        limit = self._clock() - self.seconds
        while self._recent and self._recent[0] <= limit:
            self._recent.popleft()
        return len(self._recent) / self.seconds
