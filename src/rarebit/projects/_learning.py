"""The process that learns: it is told events, chooses questions ahead, and says what it knows."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

from rarebit._child import SPARE_SECONDS, Channel, parent_channel
from rarebit.active import Hunt
from rarebit.exceptions import RarebitError
from rarebit.projects._learned import Beginning, Opinion, learned_of
from rarebit.projects._preparing import Prepared, prepare
from rarebit.projects._project import Project
from rarebit.projects._saving import SavedLearner
from rarebit.projects._settings import Settings
from rarebit.projects._sharing import fill_shared, load_shared
from rarebit.projects.stores import Event, MirrorStore, StoreError
from rarebit.tables import Table

_SLICE = 0.25  # seconds of learning and of asking, in turns
_LOT = 8  # questions that are stored together: the first of them need not wait for the last
_MODEL_SHARE = 0.2  # of the time that may go into models whose opinion is shown
_MODEL_AGE = 10.0  # seconds after which a model is solved again while there is more to learn
_SAVE_IDLE, _SAVE_BUSY = 1.0, 10.0  # seconds of work that are lost at most when it is killed
_GENTLE = 10  # people's requests have precedence over learning


class Learning:
    """Learns what it is told, one project after the other.

    Parameters
    ----------
    channel : Channel
        To the process of the desk.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._changed = threading.Condition()
        self._beginning: tuple[int, Beginning] | None = None  # not begun yet
        self._rests = False
        self._events: list[Event] = []
        self._need = (0, 0)  # questions missing, when so many had been asked
        self._calls: queue.SimpleQueue[tuple[int, str, tuple[Any, ...]]] = queue.SimpleQueue()
        self._replies: dict[int, Future[Any]] = {}
        self._n_requests = 0
        self._said = ("", "")
        self._settings: Settings | None = None  # new ones that change nothing that is learned

    # --- messages -----------------------------------------------------------------------

    def listen(self) -> None:
        """Take messages until the desk's process ends, and end with it."""
        while (message := self._channel.receive()) is not None:
            what, *content = message
            with self._changed:
                if what == "begin":
                    self._beginning, self._events = (content[0], content[1]), []
                    self._need, self._settings = (0, 0), None
                elif what == "events":
                    self._events += content[0]
                elif what == "need":
                    self._need = (content[0], content[1])
                elif what == "settings":
                    self._settings = content[0]
                elif what == "call":
                    self._calls.put((content[0], content[1], content[2]))
                elif what == "rest":
                    self._rests = True
                self._changed.notify_all()
            if what == "reply":
                number, value, error = content
                future = self._replies.pop(number)
                if error is None:
                    future.set_result(value)
                else:
                    future.set_exception(StoreError(error))
        os._exit(0)  # whatever it is at: nobody is there to be told

    def _request(self, what: str, content: Any) -> Any:
        """Ask the desk's process for something and wait for it."""
        self._n_requests += 1
        future: Future[Any] = Future()
        self._replies[self._n_requests] = future
        self._channel.send(what, self._n_requests, content)
        return future.result()

    def _say(self, state: str, message: str = "") -> None:
        if self._said != (state, message):
            self._said = (state, message)
            self._channel.send("state", state, message)

    def _is_over(self) -> bool:
        return self._rests or self._beginning is not None

    # --- one project --------------------------------------------------------------------

    def run(self) -> None:
        """Learn until nothing is to be learned any more."""
        while True:
            with self._changed:
                if self._rests:
                    self._rests, self._events, self._said = False, [], ("", "")
                    self._calls = queue.SimpleQueue()  # nobody waits for them any more
                    self._channel.send("resting")
                if not self._changed.wait_for(self._is_over, SPARE_SECONDS):
                    return
                if self._beginning is None:
                    continue
                (number, beginning), self._beginning = self._beginning, None
            self._say("starting")
            table = load_shared(beginning.ticket)
            prepared = self._features(number, beginning, table)
            if prepared is None:
                continue
            if beginning.images:
                table = replace(table, image=lambda row: self._request("image", int(row)))
            store = MirrorStore(
                table.ids, beginning.address, lambda events: self._request("store", events)
            )
            while store.n_events < beginning.n_events and not self._is_over():
                self._take_events(store, 1.0)
            if not self._is_over():
                began = time.monotonic()
                saved = SavedLearner(
                    prepared.features, beginning.settings, beginning.address, beginning.cache
                )
                project = Project(table, store, beginning.settings, prepared=prepared, saved=saved)
                work = _Round(self, project, store, number, saved, time.monotonic() - began)
                if project.n_restored:
                    threading.Thread(target=work.verify, args=(prepared,), daemon=True).start()
                work.work()

    def _features(self, number: int, beginning: Beginning, table: Table) -> Prepared | None:
        """Return the features of the data, made if nobody has; None if there are none."""
        ticket = beginning.features
        if beginning.encode:
            try:
                made = prepare(table, beginning.settings)
            except Exception as error:  # whatever it was: trying again would not help
                self._channel.send("refused", number, str(error) or type(error).__name__)
                return None
            ticket = fill_shared(ticket, made)
            self._channel.send("prepared", number, ticket, made.notes)
        features: Prepared = load_shared(ticket)
        return features

    def _take_events(self, store: MirrorStore, seconds: float = 0.0) -> None:
        """Take over events that were told, after waiting for some."""
        with self._changed:
            if seconds and not self._events and not self._is_over():
                self._changed.wait(seconds)
            if self._is_over():
                return  # what comes now belongs to another beginning
            events, self._events = self._events, []
        store.take(events)


class _Round:
    """The work on one project, from its beginning until another one or the end.

    Parameters
    ----------
    learning : Learning
        With the messages.
    project : Project
        On a mirror of the store.
    store : MirrorStore
        The mirror.
    number : int
        Number of the beginning, which goes with everything that is said of it.
    saved : SavedLearner
        Where what was learned is kept for the next start.
    seconds : float
        Time that it took to open the project.
    """

    def __init__(
        self,
        learning: Learning,
        project: Project,
        store: MirrorStore,
        number: int,
        saved: SavedLearner,
        seconds: float,
    ) -> None:
        self._learning, self._project, self._store, self._number = learning, project, store, number
        self._saved, self._unsaved = saved, seconds
        self._saved_version = project.n_restored
        self._restored = list(project.asker.queries_)
        self._distrust = ""
        self._opinion_version: int | None = None
        self._opinion_cost, self._opinion_at = 0.0, 0.0
        self._status_version = -1
        self._status_cost, self._status_at = 0.0, 0.0

    def _tell(self, what: str, *content: Any) -> None:
        self._learning._channel.send(what, self._number, *content)

    def work(self) -> None:
        """Learn, ask ahead, say what is known."""
        learning, project, store = self._learning, self._project, self._store
        self._tell("opened", list(project.notes))
        while not learning._is_over():
            if self._distrust:
                raise RuntimeError(self._distrust)
            began = time.monotonic()
            learning._take_events(store)
            if learning._settings is not None:
                project.settings, learning._settings = learning._settings, None
            if store.n_events > project.n_learned:
                learning._say("working")
            project.catch_up(_SLICE)
            self._ask_ahead()
            self._publish()
            seconds = time.monotonic() - began
            self._unsaved += seconds
            self._tell("seen", project.n_learned, seconds)
            self._answer_calls()
            learning._take_events(store)
            busy = store.n_events > project.n_learned
            self._refresh_opinion(busy=busy)
            self._save(_SAVE_BUSY if busy else _SAVE_IDLE)
            if not busy and not self._missing():
                self._publish(final=True)
                learning._say("idle")
                learning._take_events(store, 1.0)
        self._save(_SAVE_IDLE)

    # --- the next start -----------------------------------------------------------------

    def _save(self, seconds: float) -> None:
        """Keep what was learned if it took so long that repeating it would be felt."""
        if self._unsaved > seconds and self._project.n_learned != self._saved_version:
            self._project.save(self._saved)
            self._unsaved, self._saved_version = 0.0, self._project.n_learned

    def verify(self, prepared: Prepared) -> None:
        """Repeat the history behind the work, and begin again if it leads elsewhere."""
        project = self._project
        again = MirrorStore(self._store.ids, self._store.address, lambda events: None)
        again.take(self._store.events()[: project.n_restored])
        try:
            asker = Project(project.table, again, project.settings, prepared=prepared).asker
            # The saved one may have asked ahead already.
            agrees = asker.queries_ == self._restored[: len(asker.queries_)]
        except RarebitError:
            agrees = False
        if not agrees:
            self._saved.forget()
            self._distrust = "what was saved is not what the history leads to; it is repeated"
        self._tell("verified", not self._distrust)

    # --- questions ----------------------------------------------------------------------

    def _missing(self) -> int:
        """Return how many questions people need beyond those that were chosen since they said."""
        missing, n_asked = self._learning._need
        if missing <= 0 or self._project.asker.done:
            return 0
        return max(0, missing - max(0, self._project.n_asked - n_asked))

    def _ask_ahead(self) -> None:
        """Choose questions that people need, for some time: then it is learning's turn again."""
        limit = time.monotonic() + _SLICE
        while (missing := self._missing()) and not self._learning._is_over():
            if not self._project.ask_ahead(min(missing, _LOT)) or time.monotonic() > limit:
                return

    # --- what is known ------------------------------------------------------------------

    def _publish(self, *, final: bool = False) -> None:
        """Renew the status, at most for a fifth of the time unless there is nothing else to do."""
        now, version = time.monotonic(), self._project.n_learned
        early = now - self._status_at < 4.0 * self._status_cost
        if version == self._status_version or (early and not final):
            return
        self._tell("learned", learned_of(self._project))
        self._status_version, self._status_at = version, time.monotonic()
        self._status_cost = self._status_at - now

    def _refresh_opinion(self, *, busy: bool) -> None:
        """Solve the classifier again, for opinions and scores, unless that costs too much."""
        asker, version, now = self._project.asker, self._project.n_learned, time.monotonic()
        least = max(self._opinion_cost / _MODEL_SHARE, _MODEL_AGE if busy else 0.0)
        if not isinstance(asker, Hunt) or version == self._opinion_version:
            return
        if self._opinion_version is not None and now - self._opinion_at < least:
            return
        known = len(asker.discovered_) >= 2
        self._tell("opinion", Opinion.of(asker.classifier_, version) if known else None)
        self._opinion_version, self._opinion_at = version, time.monotonic()
        self._opinion_cost = self._opinion_at - now

    def _answer_calls(self) -> None:
        """Do what requests want of the learner itself, such as a model."""
        learning = self._learning
        while True:
            try:
                number, name, arguments = learning._calls.get_nowait()
            except queue.Empty:
                return
            try:
                value = _CALLS[name](self._project, *arguments)
            except RarebitError as error:
                self._tell("result", number, None, str(error))
            else:
                self._tell("result", number, value, None)


def _write_model(project: Project, path: str) -> None:
    from rarebit.models import save_model

    save_model(project.finish(), path)


def _write_report(project: Project, path: str) -> None:
    project.report().write(Path(path))


_CALLS: dict[str, Callable[..., Any]] = {
    "asker": lambda project: project.asker,
    "model": _write_model,
    "report": _write_report,
}


def main() -> None:
    """Learn for the process that started this one, until either ends."""
    channel = parent_channel()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(_GENTLE)
    learning = Learning(channel)
    threading.Thread(target=learning.listen, daemon=True).start()
    try:
        learning.run()
    except Exception as error:  # whatever it was: people must see it, and it must heal
        with contextlib.suppress(OSError, ValueError):
            channel.send("state", "crashed", f"{type(error).__name__}: {error}")
        sys.exit(1)
