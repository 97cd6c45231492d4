"""The urn: rows that nobody was asked for, and the order in which the others left it."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarebit.active._queries import Draw, QueryReason
from rarebit.statistics import Ledger, RowEvent

# What is known of a row that left.
UNKNOWN, RARE, OTHER = 0, 1, 2


class Departure(NamedTuple):
    """A row that left the urn, and how."""

    row: int
    reason: QueryReason
    draw: Draw | None


class Urn:
    """Rows of a pool until somebody is asked for them, whoever asks.

    A row that has left never returns: not when it is skipped, and not when its answer is taken
    back. Uniform draws from the urn are what proofs are made of.

    Parameters
    ----------
    n_rows : int
        Rows of the pool.

    Attributes
    ----------
    left : list of Departure
        Rows that left, in their order.
    """

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        self.left: list[Departure] = []
        self._n_all = n_rows
        self._inside: NDArray[np.bool_] | None = None  # once somebody wants all rows
        self._gone: list[int] = []  # rows outside, rising
        self._is_gone: set[int] = set()
        self._place: dict[int, int] = {}  # of a row among those that left
        # Draws from the whole pool: their places, rows and targets.
        self._drawn: list[int] = []
        self._drawn_rows: list[int] = []
        self._kappas: list[float] = []
        self._harvested: list[int] = []  # places of rows that looked rare most, and of audits
        # Verdicts of the rows that left, by one meaning of rare; places where they may be outdated.
        self._verdicts = bytearray()
        self._meaning: Hashable = None
        self._stale: set[int] = set()

    def __contains__(self, row: int) -> bool:
        return row not in self._is_gone

    def __len__(self) -> int:
        return self._n_all - len(self._gone)

    @property
    def rows(self) -> NDArray[np.intp]:
        """Rows inside, rising."""
        if self._inside is None:
            self._inside = np.ones(self._n_all, dtype=np.bool_)
            self._inside[self._gone] = False
        return np.flatnonzero(self._inside)

    @property
    def drawn(self) -> list[int]:
        """Rows that left by uniform draws from the whole pool, in their order."""
        return list(self._drawn_rows)

    @property
    def outside(self) -> NDArray[np.intp]:
        """Rows that left or were excluded, rising."""
        return np.array(self._gone, dtype=np.intp)

    def nth(self, at: int) -> int:
        """Return ``rows[at]`` without listing the rows, of which there may be a billion."""
        # So many rows inside lie before each row outside.
        before = self.outside - np.arange(len(self._gone))
        return at + int(np.searchsorted(before, at, side="right"))

    def exclude(self, rows: Iterable[int]) -> None:
        """Remove rows from the pool itself: no statement is about them."""
        new = sorted({int(row) for row in rows} - self._is_gone)
        self._gone = sorted([*self._gone, *new])
        self._is_gone.update(new)
        self._inside = None
        self.n_rows -= len(new)

    def leave(self, row: int, reason: QueryReason, draw: Draw | None = None) -> None:
        """Note that a row left; nothing happens to one that is outside."""
        if row not in self._is_gone:
            if self._inside is not None:
                self._inside[row] = False
            insort(self._gone, row)
            self._is_gone.add(row)
            at = len(self.left)
            self.left.append(Departure(row, reason, draw))
            self._place[row] = at
            self._verdicts.append(UNKNOWN)
            self._stale.add(at)
            if draw is not None and not draw.stratum:
                self._drawn.append(at)
                self._drawn_rows.append(row)
                self._kappas.append(draw.kappa)
            if reason in (QueryReason.HARVEST, QueryReason.AUDIT):
                self._harvested.append(at)

    def touch(self, rows: Iterable[int]) -> None:
        """Note that the answers of rows have changed."""
        self._stale.update(self._place[row] for row in rows if row in self._place)

    def harvested(
        self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], meaning: Hashable
    ) -> list[int]:
        """Return 1 for rare and 0 for other harvested rows with an answer, in the order asked.

        An audit that was rare counts as a hit: the ranking learns from it, and what it finds next
        must be tried.
        """
        places = np.array(self._harvested, dtype=np.intp)
        verdicts = self._judge(labels, is_rare, meaning)[places]
        drawn = np.isin(places, self._drawn)
        counted = np.where(drawn, verdicts == RARE, verdicts != UNKNOWN)
        return (verdicts[counted] == RARE).astype(int).tolist()

    def outcomes(
        self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], meaning: Hashable
    ) -> NDArray[np.intp]:
        """Return 1 for rare rows that left, 0 for others, -1 without an answer, in their order."""
        verdicts = self._judge(labels, is_rare, meaning)
        return np.array([-1, 1, 0], dtype=np.intp)[verdicts]

    def places(self, since: int = 0) -> NDArray[np.intp]:
        """Return the places of the draws of `ledger` among the rows that left."""
        drawn = np.array(self._drawn, dtype=np.intp)
        return drawn[drawn >= since]

    def ledger(
        self,
        labels: Mapping[int, Any],
        is_rare: Callable[[Any], bool],
        since: int = 0,
        meaning: Hashable = None,
        without: Collection[int] = (),
    ) -> Ledger:
        """Return the ledger of the draws from the whole pool, as the labels are now.

        Parameters
        ----------
        labels : mapping of int to object
            Row to class.
        is_rare : callable
            Whether a class is rare.
        since : int, default=0
            Draws count that were made when so many rows had left.
        meaning : hashable, default=None
            Names what ``is_rare`` says: for the same one only rows are judged again whose answers
            have changed. None judges all.
        without : collection of int, default=()
            Rows that are taken as if they had not been asked for: a plan leaves those out that
            wait for their answers. A bound never does.
        """
        verdicts = self._judge(labels, is_rare, meaning)
        # A row without an answer counts as rare in the evidence, and is not known to be.
        known, rare = verdicts != UNKNOWN, verdicts == RARE
        unknown = ~known
        left_out = [self._place[row] for row in without if row in self._place]
        unknown[left_out] = False
        counted = rare | unknown
        drawn = np.array(self._drawn, dtype=np.intp)
        kept = (drawn >= since) & ~np.isin(drawn, left_out)
        drawn = drawn[kept]
        draws = np.empty((len(drawn), 4))
        draws[:, 0] = self.n_rows - drawn
        draws[:, 1] = (np.cumsum(counted) - counted)[drawn]
        draws[:, 2] = np.array(self._kappas)[kept]
        draws[:, 3] = counted[drawn]
        return Ledger(
            draws=draws,
            rows=np.array(self._drawn_rows, dtype=np.intp)[kept],
            n_rows=self.n_rows,
            known=int(rare.sum()),
            known_negatives=int((known & ~rare).sum()),
            unanswered=int(unknown.sum()),
            audits=int(known[drawn].sum()),
            hits=int(rare[drawn].sum()),
        )

    def _judge(
        self, labels: Mapping[int, Any], is_rare: Callable[[Any], bool], meaning: Hashable
    ) -> NDArray[np.uint8]:
        """Return what is known of the rows that left."""
        if meaning is None:
            verdicts, stale = bytearray(len(self.left)), set(range(len(self.left)))
        else:
            verdicts = self._verdicts
            stale = self._stale if meaning == self._meaning else set(range(len(self.left)))
        for at in stale:
            row = self.left[at].row
            verdicts[at] = (RARE if is_rare(labels[row]) else OTHER) if row in labels else UNKNOWN
        if meaning is not None:
            self._meaning, self._stale = meaning, set()
        return np.array(verdicts, dtype=np.uint8)

    def events(
        self, labels: Mapping[int, Any], skipped: Mapping[int, None], since: int = 0
    ) -> list[RowEvent]:
        """Return events for `rarebit.statistics.build_ledger`, as the labels are now.

        Draws that were made before ``since`` rows had left are not marked as draws.
        """
        made: list[RowEvent] = []
        for at, (row, reason, draw) in enumerate(self.left):
            counts = draw is not None and not draw.stratum and at >= since
            made.append(
                RowEvent(
                    "ask",
                    row,
                    reason="audit" if counts else ("given" if draw else str(reason)),
                    kappa=draw.kappa if counts and draw is not None else 0.0,
                    n=draw.n if counts and draw is not None else None,
                )
            )
            if row in labels:
                made.append(RowEvent("label", row, labels[row]))
            elif row in skipped:
                made.append(RowEvent("skip", row))
        return made
