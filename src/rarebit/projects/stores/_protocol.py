"""What every store of labels does, whatever keeps its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from numpy.typing import NDArray

from rarebit.projects.stores._event import Audit, Event, What


@dataclass(frozen=True)
class Lease:
    """A row that one annotator has in front of them.

    Attributes
    ----------
    row : int
        Position of the row.
    annotator : str
        Who holds it.
    until : float
        When it runs out, in seconds since 1970 by the clock of the store.
    """

    row: int
    annotator: str
    until: float


@dataclass(frozen=True)
class Wish:
    """A wish for leases: the first free rows among candidates.

    Attributes
    ----------
    rows : sequence of int
        Candidates, best first.
    annotator : str
        Annotator who holds the lease.
    seconds : float
        Duration.
    n : int
        Largest number of rows.
    """

    rows: Sequence[int]
    annotator: str
    seconds: float
    n: int = 1


@runtime_checkable
class Store(Protocol):
    """An append-only history of answers, and what follows from it.

    An answer is durable when the call that stores it returns. A call that was interrupted (the
    process killed, the connection cut) has stored its event entirely or not at all; repeating it
    with the same idempotency key stores it exactly once. Numbers of events have no gaps, and an
    event appears only after all events with smaller numbers, so that ``events(after=n)`` never
    misses one. Stores can be used by several threads.
    """

    @property
    def address(self) -> str:
        """Address of the store, without a password."""

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
        """Store a label, a skip, a correction, a note or an ask.

        A label or skip by the holder of the row's lease ends the lease. The second answer of an
        annotator to a row replaces their first; answers of others stay.

        Parameters
        ----------
        what : {"label", "skip", "correction", "note", "ask", "repeat"}
            Kind of the event; a ``"certify"`` has no row and goes through `append_many`.
        row : int
            Position of the row in the data.
        label : str, int, float or bool, optional
            The class, for labels and corrections.
        annotator : str
            Name of the annotator.
        key : str, optional
            Idempotency key. A repeated key returns the first event and changes nothing; one
            repeated with another content is a `StoreError`.
        reason, order, audit, source, settings, note, by
            As in `Event`; ``settings=None`` takes the current version.

        Returns
        -------
        Event
            As stored.
        """

    def append_many(self, events: Sequence[Event]) -> list[Event]:
        """Store several events of the kinds of `append` in one transaction: all, or none.

        Only in a journal whose process is killed meanwhile the first of them may be there alone.

        Parameters
        ----------
        events : sequence of Event
            With any number; row ids, numbers and empty times are filled in.

        Returns
        -------
        list of Event
            As stored; for repeated keys, the first event of the key.
        """

    def undo(self, annotator: str = "", *, key: str | None = None) -> Event | None:
        """Take back the last standing answer of an annotator.

        Parameters
        ----------
        annotator : str
            Whose answer.
        key : str, optional
            Idempotency key.

        Returns
        -------
        Event or None
            The undo, with the row in ``row`` and the number of the answer taken back in ``of``;
            None if there is no answer to take back.
        """

    # --- views --------------------------------------------------------------------------

    def events(self, after: int = 0, *, refresh: bool = True) -> list[Event]:
        """Return the events whose number is larger than `after`, in their order.

        Parameters
        ----------
        after : int, default=0
            Number of the last event that is not wanted.
        refresh : bool, default=True
            Whether to look for what other processes have stored since the last look or write.
        """

    def answers(self) -> dict[str, dict[int, Event]]:
        """Return annotator → row → standing answer, rows in the order answered."""

    def answers_of(self, row: int) -> dict[str, Event]:
        """Return the standing answer of each annotator to one row, the first annotator first."""

    def labels(self, rule: str = "first", *, owner: str | None = None) -> dict[int, Any]:
        """Return row → label that counts, rows in the order first answered.

        Parameters
        ----------
        rule : {"first", "majority", "owner"}
            Which label counts where annotators differ: that of the annotator who answered first;
            the most frequent one (a tie goes to the one given first); or the owner's, rows on
            which others disagree being left out until the owner has answered. A correction by the
            owner counts under every rule. Skips are no votes.
        owner : str, optional
            Annotator who decides; needed for ``"owner"``.
        """

    def skipped(self) -> list[int]:
        """Return the rows that were skipped and have no label, in the order first skipped."""

    def disagreements(self) -> dict[int, dict[str, Any]]:
        """Return row → annotator → label for rows with different labels of several annotators."""

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
        """Lease the first `n` free rows among candidates, atomically.

        A row is free if nobody else holds it, or their lease is overdue (it is taken over). Rows
        that the annotator holds already are renewed and count among the `n`.

        Parameters
        ----------
        rows : sequence of int
            Candidates, best first.
        annotator : str
            Annotator who holds the lease.
        seconds : float
            Duration.
        n : int
            Largest number of rows.
        reason, order, audit
            Written to the lease's event, in stores whose leases are events.

        Returns
        -------
        list of Lease
            At most `n`, in the order of the candidates.
        """

    def exchange(
        self, events: Sequence[Event], wishes: Sequence[Wish]
    ) -> tuple[list[Event], list[list[Lease]]]:
        """Store events and grant leases in one transaction: all, or nothing.

        Parameters
        ----------
        events : sequence of Event
            As in `append_many`.
        wishes : sequence of Wish
            Leases that are wanted, each as in `lease`.

        Returns
        -------
        tuple of list of Event and list of list of Lease
            Events as stored, and the leases of each wish.
        """

    def renew(self, row: int, annotator: str, *, seconds: float) -> Lease | None:
        """Extend a lease (heartbeat); None if the annotator holds it no longer."""

    def release(self, row: int, annotator: str) -> bool:
        """End a lease; False if the annotator did not hold it."""

    def leases(self) -> list[Lease]:
        """Return the leases that are not overdue, by row."""

    # --- settings and data --------------------------------------------------------------

    @property
    def settings(self) -> tuple[int, dict[str, Any]]:
        """Version of the current settings, from 1 (0 before there are any), and the settings."""

    def save_settings(
        self, settings: dict[str, Any], *, annotator: str = "", expected: int | None = None
    ) -> int:
        """Store settings under a new version.

        Parameters
        ----------
        settings : dict
            What JSON can hold.
        annotator : str
            Who changed them.
        expected : int, optional
            Version that the change is based on; a `StoreError` if it is not the current one.

        Returns
        -------
        int
            The new version; the current one if the settings are the same.
        """

    def extend(
        self, ids: Sequence[Any] | NDArray[Any], *, source: str = "", fingerprint: str = ""
    ) -> None:
        """Continue with data to which rows were added at the end.

        Parameters
        ----------
        ids : sequence
            Id of each row, old rows first and unchanged.
        source, fingerprint : str
            Name and checksum of the longer data.
        """

    def close(self) -> None:
        """Let go of the store; it can be closed twice."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
