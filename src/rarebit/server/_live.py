"""Server-sent events: what happened, to every open page, the newest of each kind only."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

_PAUSE = 0.2  # seconds between two bundles of events, at least
_SIGN_OF_LIFE = 15.0


class Listener:
    """One open page; events of one kind replace each other until they are sent."""

    def __init__(self) -> None:
        self.waiting: dict[str, dict[str, Any]] = {}
        self.rung = asyncio.Event()

    def put(self, what: str, data: dict[str, Any]) -> None:
        """Note an event."""
        self.waiting[what] = data
        self.rung.set()


class Live:
    """All open pages of all projects."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: dict[str, set[Listener]] = {}
        self.closing = False

    def begin(self) -> None:
        """Remember the event loop, to which other threads send."""
        self._loop = asyncio.get_running_loop()

    def notify(self, project: str, what: str, data: dict[str, Any]) -> None:
        """Tell every page of a project; can be called from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens
                self._loop.call_soon_threadsafe(self._put, project, what, data)

    def _put(self, project: str, what: str, data: dict[str, Any]) -> None:
        for listener in self._listeners.get(project, ()):
            listener.put(what, data)

    def close(self) -> None:
        """Tell every page that the server ends."""
        self.closing = True
        for listeners in self._listeners.values():
            for listener in listeners:
                listener.put("closing", {})

    async def stream(
        self, project: str, fill: Callable[[str, dict[str, Any]], dict[str, Any]]
    ) -> AsyncIterator[str]:
        """Yield events of a project as text for one page.

        Parameters
        ----------
        project : str
            Which project.
        fill : function of str and dict
            Returns the data of an event as this page's person may see them.

        Yields
        ------
        str
            Events, and a comment every 15 seconds.
        """
        listener = Listener()
        self._listeners.setdefault(project, set()).add(listener)
        try:
            listener.put("status", {})
            while True:
                try:
                    async with asyncio.timeout(_SIGN_OF_LIFE):
                        await listener.rung.wait()
                except TimeoutError:
                    yield ": here\n\n"
                    continue
                listener.rung.clear()
                events, listener.waiting = listener.waiting, {}
                for what, data in events.items():
                    shown = await asyncio.to_thread(fill, what, data)
                    yield f"event: {what}\ndata: {json.dumps(shown)}\n\n"
                if "closing" in events or self.closing:
                    return
                await asyncio.sleep(_PAUSE)
        finally:
            self._listeners[project].discard(listener)
