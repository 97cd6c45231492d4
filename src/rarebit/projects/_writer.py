"""One thread that writes for everybody: what comes together is stored in one transaction."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from rarebit.projects.stores import Event, Lease, Store, Wish

_MOST = 200  # events of one transaction


@dataclass(eq=False)
class _Request:
    """Events and leases that one caller wants stored, and who waits for them."""

    events: Sequence[Event]
    wishes: Sequence[Wish]
    done: Future[tuple[list[Event], list[list[Lease]]]] = field(default_factory=Future)


class Writer(threading.Thread):
    """Stores events durably; a disk that is slow to sync is waited for once for all callers.

    Parameters
    ----------
    store : Store
        Where events go.
    follow : function
        Called after each transaction, before callers are told.
    """

    def __init__(self, store: Store, follow: Callable[[], None]) -> None:
        super().__init__(name="writer", daemon=True)
        self._store, self._follow = store, follow
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._over = False

    def write(
        self, events: Sequence[Event] = (), wishes: Sequence[Wish] = ()
    ) -> tuple[list[Event], list[list[Lease]]]:
        """Return events and leases as stored, when they are durable."""
        return self.send(events, wishes).result()

    def send(
        self, events: Sequence[Event] = (), wishes: Sequence[Wish] = ()
    ) -> Future[tuple[list[Event], list[list[Lease]]]]:
        """Have events and leases stored without waiting for it."""
        request = _Request(events, wishes)
        if not self.is_alive():  # not started, or over: whoever calls writes by itself
            self._store_all([request])
        else:
            self._requests.put(request)
        return request.done

    def end(self) -> None:
        """Store what was sent, then end."""
        if self.is_alive():
            self._requests.put(None)
            self.join()

    def run(self) -> None:
        """Store what was sent, until the end."""
        while True:
            first = self._requests.get()
            batch, over = [], first is None
            if first is not None:
                batch.append(first)
            while not over and sum(len(each.events) for each in batch) < _MOST:
                try:
                    more = self._requests.get_nowait()
                except queue.Empty:
                    break
                over = more is None
                if more is not None:
                    batch.append(more)
            if batch:
                self._store_all(batch)
            if over:
                return

    def _store_all(self, batch: list[_Request]) -> None:
        events = [event for request in batch for event in request.events]
        wishes = [wish for request in batch for wish in request.wishes]
        try:
            stored, granted = self._store.exchange(events, wishes)
            self._follow()
        except Exception as error:
            if len(batch) == 1:
                batch[0].done.set_exception(error)
                return
            # One of them is refused, and must not take the others with it.
            for request in batch:
                self._store_all([request])
            return
        kept: Any = iter(stored)
        leased: Any = iter(granted)
        for request in batch:
            own = [next(kept) for _ in request.events]
            request.done.set_result((own, [next(leased) for _ in request.wishes]))
