"""The desk's end of the learner: starts its process, tells it events, and keeps what it says."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rarebit._child import Child
from rarebit.projects._errors import ProjectError
from rarebit.projects._learned import Beginning, LearnerState, Opinion
from rarebit.projects._saving import cache_folder
from rarebit.projects._sharing import Shared

if TYPE_CHECKING:
    from rarebit.projects._desk import Desk
    from rarebit.tables import Table

_LONGEST_PAUSE = 30.0  # seconds between two starts of a learner that fails each time
_TOGETHER = 0.01  # seconds in which events are collected before they are sent
_BATCH = 200  # events of one message: people's requests go between two of them
_PATIENCE = 5.0  # seconds in which a learner may end by itself
# A process serves one desk after the other: what it says carries the number of its beginning or of
# the call that it answers, which no other desk of this process has.
_NUMBERS = itertools.count(1)


class LearnerProcess:
    """A process that learns what is stored, outside of every request.

    Parameters
    ----------
    desk : Desk
        Whose store it follows.
    say : function of str and str
        Called with a state (``"starting"``, ``"working"``, ``"idle"``, ``"crashed"``) and a
        message.

    Attributes
    ----------
    learned : LearnerState or None
        What it last said it knew.
    opinion : Opinion or None
        Its last classifier.
    seen : int
        Number of events that it has learned.
    round : float
        Seconds of its last round, in which it was told nothing.
    epoch : int
        Number of times it began.
    """

    def __init__(self, desk: Desk, say: Callable[[str, str], None]) -> None:
        self._desk, self._say = desk, say
        self.learned: LearnerState | None = None
        self.opinion: Opinion | None = None
        self.seen, self.round, self.epoch = 0, 0.0, 0
        self._beginning = 0  # number of its present beginning
        self._told = 0  # that of which `learned` is
        self.verified: bool | None = None  # whether a saved learner was the right one
        self._opened = False  # whether it has learned the history since it began
        self._child: Child | None = None
        self._shared: Shared | None = None
        self._pool: Table | None = None  # what is shared
        self._over = threading.Event()
        self._wake, self._sending = threading.Event(), threading.RLock()
        self._sent, self._need = 0, (0, 0)
        self._calls: dict[int, Future[Any]] = {}
        self._threads = [
            threading.Thread(target=target, name=f"{name} of {desk.table.source}", daemon=True)
            for name, target in (("learner", self._listen), ("news", self._feed))
        ]

    @property
    def pid(self) -> int | None:
        """Number of its process."""
        return None if self._child is None else self._child.pid

    @property
    def has_begun(self) -> bool:
        """Whether its process was told to begin with features: before that it chooses nothing."""
        return self._child is not None and self._desk.is_prepared

    @property
    def is_current(self) -> bool:
        """Whether `learned` is of the present data and settings, not of an earlier beginning."""
        return self.learned is not None and self._told == self._beginning

    def start(self, child: Child) -> None:
        """Begin with a process that was started before."""
        with self._sending:
            if self._over.is_set():  # the desk was closed before
                child.rest()
                return
            self._child = child
            self.begin_again()
        for thread in self._threads:
            thread.start()

    def is_over(self, seconds: float) -> bool:
        """Whether it was ended, at once or within so many seconds."""
        return self._over.wait(seconds)

    def wake(self) -> None:
        """Say that something was stored or asked for."""
        self._wake.set()

    def begin_again(self) -> None:
        """Forget what was learned and learn it again from the store, under its settings."""
        desk, child = self._desk, self._child
        with self._sending:
            table = desk.table
            # Files are not opened in two processes: this one shows rows, and reads checksums.
            plain = replace(
                table, image=None, checksum=None, place=None, raw=None,
                written=None if table.written is None else table.written.portable(),
            )  # fmt: skip
            if self._shared is None or self._pool is not table:
                self._shared, self._pool = Shared(plain), table
            self.epoch += 1
            self._beginning = next(_NUMBERS)
            self._opened, self.seen, self._sent, self._need = False, 0, 0, (0, 0)
            self.verified = None
            beginning = Beginning(
                self._shared.ticket, desk.features.ticket, desk.settings, desk.store.address,
                desk.board.n_events, encode=not desk.is_prepared,
                images=table.image is not None, cache=cache_folder(),
            )  # fmt: skip
            if child is not None:
                with contextlib.suppress(OSError, ValueError):  # it is begun anew when it is gone
                    child.channel.send("begin", self._beginning, beginning)
        self._wake.set()

    def change_settings(self) -> None:
        """Tell the process settings that change nothing that was learned."""
        with self._sending, contextlib.suppress(OSError, ValueError):
            if self._child is not None:
                self._child.channel.send("settings", self._desk.settings)

    def end(self) -> None:
        """End the process, or let it wait for other work; can be called twice."""
        with self._sending:
            child, again = self._child, self._over.is_set()
            self._over.set()
            self._wake.set()
        if child is None or again:  # by now the process may work for another desk
            return
        try:
            if self._desk.is_encoding:  # which it cannot interrupt
                child.end()
            else:
                child.channel.send("rest")
        except (OSError, ValueError):
            child.end()
        listening = self._threads[0]
        if listening.is_alive():
            listening.join(_PATIENCE)
        if listening.is_alive():  # it is at a long step
            child.end()
            listening.join()
        self._fail_calls()

    def call(self, name: str, *arguments: Any) -> Any:
        """Have the learner do something between two of its steps, and wait for it.

        Parameters
        ----------
        name : {"model", "report", "asker"}
            What: write the model or the report to a path, or return the asker.
        *arguments : object
            Of it.

        Returns
        -------
        object
            What it returns.
        """
        future: Future[Any] = Future()
        number = next(_NUMBERS)
        with self._sending:
            child = self._child
            if not self._opened or child is None:
                raise ProjectError("The learner is starting: try again in a moment.")
            self._calls[number] = future
            try:
                child.channel.send("call", number, name, arguments)
            except (OSError, ValueError):
                self._fail_calls()
        return future.result()

    def _fail_calls(self) -> None:
        with self._sending:
            calls, self._calls = self._calls, {}
        for future in calls.values():
            future.set_exception(
                ProjectError("The learner begins again from the store: try again in a moment.")
            )

    # --- to the process -----------------------------------------------------------------

    def _feed(self) -> None:
        """Tell the process what was stored and how many questions are needed."""
        while not self._over.is_set():
            if not self._wake.wait(1.0):
                # Another server may have stored something.
                with contextlib.suppress(Exception):  # a store that is away: requests say so
                    self._desk.follow()
            self._wake.clear()
            with contextlib.suppress(OSError, ValueError):  # the other thread begins it again
                self._send_news()
            time.sleep(_TOGETHER)

    def _send_news(self) -> None:
        child = self._child
        if child is None:
            return
        while True:
            with self._sending:
                events = self._desk.board.answers.events[self._sent : self._sent + _BATCH]
                if not events:
                    break
                child.channel.send("events", events)
                self._sent += len(events)
        need = self._desk.need(self.round)
        with self._sending:
            if need != self._need:
                child.channel.send("need", *need)
                self._need = need

    # --- from the process ---------------------------------------------------------------

    def _listen(self) -> None:
        """Take what the process says; when it is gone, show that and start another."""
        pause = 0.5
        while not self._over.is_set():
            began, child, reason = time.monotonic(), self._child, ""
            assert child is not None
            while (message := child.channel.receive()) is not None:
                if message[0] == "resting" and self._over.is_set():
                    child.rest()
                    return
                if message[0] == "state" and message[1] == "crashed":
                    reason = message[2]
                else:
                    try:
                        self._take(child, message)
                    except Exception as error:  # nobody else would notice
                        reason = f"{type(error).__name__}: {error}"
                        break
            code = child.end(0.0 if reason else _PATIENCE)
            if self._over.is_set():
                return
            self._say("crashed", reason or f"Its process ended with the code {code}.")
            self._fail_calls()
            if time.monotonic() - began > 60.0:
                pause = 0.5
            self._over.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            with self._sending:
                if self._over.is_set():
                    return
                self._child = Child.take()
                self.begin_again()

    def _take(self, child: Child, message: tuple[Any, ...]) -> None:
        what, *content = message
        if what == "state":
            self._say(content[0], content[1])
        elif what == "store":
            self._store(child, content[0], content[1])
        elif what == "image":
            self._reply(child, content[0], self._desk.table.image, content[1])
        elif what == "result":
            future = self._calls.pop(content[1], None)
            if future is not None and content[3] is not None:
                future.set_exception(ProjectError(content[3]))
            elif future is not None:
                future.set_result(content[2])
        elif content and content[0] == self._beginning:
            self._keep(what, *content[1:])

    def _keep(self, what: str, *content: Any) -> None:
        """Keep what the process says of the present beginning."""
        if what == "prepared":
            self._desk.features_came(*content)
        elif what == "refused":
            self._desk.features_failed(content[0])
        elif what == "opened":
            self._desk.project_notes[:] = dict.fromkeys([*self._desk.project_notes, *content[0]])
            self._opened = True
        elif what == "seen":
            self.seen, self.round = content
            if self._desk.board.n_events > self._sent:
                self._wake.set()
        elif what == "learned":
            self.learned, self._told = content[0], self._beginning
            self._desk.status_came()
        elif what == "verified":
            self.verified = content[0]
        elif what == "opinion":
            self.opinion = content[0]
            self._desk.status_came()

    def _store(self, child: Child, number: int, events: Any) -> None:
        """Have questions stored, and tell the process when they are."""

        def stored(future: Future[Any]) -> None:
            error = future.exception()
            with contextlib.suppress(OSError, ValueError):
                child.channel.send("reply", number, None, None if error is None else str(error))
            if error is None:
                self._desk.questions_came()
                self._wake.set()

        self._desk.store_for_learner(events).add_done_callback(stored)

    def _reply(self, child: Child, number: int, function: Any, *arguments: Any) -> None:
        value, error = None, None
        try:
            value = function(*arguments)
        except Exception as problem:  # told to the process, which decides
            error = str(problem) or type(problem).__name__
        with contextlib.suppress(OSError, ValueError):
            child.channel.send("reply", number, value, error)
