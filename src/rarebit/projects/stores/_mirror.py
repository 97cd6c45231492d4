"""A store that another process keeps: this one sees its events, and sends it what to store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from numpy.typing import NDArray

from rarebit.projects.stores._base import BaseStore
from rarebit.projects.stores._changes import Transaction
from rarebit.projects.stores._errors import StoreError
from rarebit.projects.stores._event import Event
from rarebit.projects.stores._header import Header


class MirrorStore(BaseStore):
    """The history of a store in another process, as far as it has been told here.

    Parameters
    ----------
    ids : sequence
        Id of each row of the data, in its order.
    address : str
        Address of the store itself.
    send : function of list of Event
        Has events stored; returns when they are durable. They come back through `take`, with
        their numbers.

    Examples
    --------
    >>> from rarebit.projects.stores import Event, MirrorStore
    >>> mirror = MirrorStore(["a", "b"], "payments.labels.db", print)
    >>> mirror.take([Event(1, "label", row=1, id="b", label="fraud")])
    >>> mirror.labels()
    {1: 'fraud'}
    """

    def __init__(
        self,
        ids: Sequence[Any] | NDArray[Any],
        address: str,
        send: Callable[[list[Event]], object],
    ) -> None:
        super().__init__(ids, Header("", "", len(ids), ""))
        self._address, self._send = address, send

    @property
    def address(self) -> str:
        """Address of the store itself."""
        return self._address

    @property
    def ids(self) -> Sequence[Any] | NDArray[Any]:
        """Id of each row of the data."""
        return self._ids

    @property
    def n_events(self) -> int:
        """Number of events told so far."""
        return len(self._answers.events)

    def take(self, events: Sequence[Event]) -> None:
        """Continue the history by events; those known already are passed over."""
        with self._lock:
            for event in events:
                if event.number == self.n_events + 1:
                    self._answers.take(event)

    def append_many(self, events: Sequence[Event]) -> list[Event]:
        """Have events stored; return them as they were sent, before they have numbers."""
        self._send(list(events))
        return list(events)

    def save_settings(
        self, settings: dict[str, Any], *, annotator: str = "", expected: int | None = None
    ) -> int:
        """Return the version of the settings, which the other process has stored."""
        return self.settings[0]

    def _writing(self) -> AbstractContextManager[Transaction]:
        raise StoreError(
            f"{self.address} is kept by another process: lease rows and take back answers there."
        )

    def _refresh(self) -> None:
        """Events come by `take`."""

    def close(self) -> None:
        """Nothing is open here."""
