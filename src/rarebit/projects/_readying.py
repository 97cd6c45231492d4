"""Getting ready: rows are dealt at once, their features and the learner come behind them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rarebit._child import Child
from rarebit.projects._dealing import Dealing
from rarebit.projects._errors import ProjectError
from rarebit.projects._preparing import Prepared, RowsElsewhere, prepare
from rarebit.projects._sharing import Shared, Ticket, load_shared

_QUIET = 2.0  # answers per second


class Readying(Dealing):
    """The part of a desk that has features made of the data, and what learns from them started.

    The learner's process makes the features: in this one people are answering already.

    Attributes
    ----------
    features : Shared
        The features for other processes; empty until they are known.
    """

    def __init__(
        self, seed: int, notify: Callable[[str, dict[str, Any]], None], *, team: bool
    ) -> None:
        super().__init__(seed, notify, team=team)
        self.project_notes: list[str] = []
        self.features = Shared()
        self._known = False  # whether the features are there
        self._prepared: Prepared | None = None  # they are loaded when somebody needs them
        self._loading = threading.Lock()
        self._tried, self._failure = threading.Event(), ""

    def begin_learning(self, child: Child | None = None) -> None:
        """Start the learner, and wait until it has made features of the data.

        Rows are dealt at random meanwhile.

        Parameters
        ----------
        child : Child or None, default=None
            Process that learns; None to take one.
        """
        if isinstance(self.table, RowsElsewhere):  # this process knows how to reach them
            try:
                prepared = prepare(self.table, self.settings)
            except BaseException as error:
                self.features_failed(str(error))
                raise
            self._renew(prepared)
            self.project_notes += prepared.notes
            self._tried.set()
        self.learner.start(child or Child.take())
        self.wait_for_features()
        if self._failure:
            self.learner.end()
            raise ProjectError(self._failure)
        self._load_when_quiet()

    def _load_when_quiet(self) -> None:
        """Load what explains rows, so that nobody waits for it later.

        It brings libraries, whose import slows down those who answer: where many do, whoever
        first looks at the progress waits a moment for it instead.
        """
        while self._known and self._prepared is None and not self.learner.is_over(0.0):
            if self.answers_per_second <= _QUIET:
                _ = self.prepared
            else:
                self.learner.is_over(1.0)

    def _renew(self, prepared: Prepared) -> None:
        """Continue with other features."""
        shared = Shared(prepared)
        with self._loading:
            self._prepared, self.features, self._known = prepared, shared, True

    def features_came(self, ticket: Ticket, notes: list[str]) -> None:
        """Take note of features that the learner has made."""
        self.features.ticket, self._known = ticket, True
        self.project_notes += notes
        self._tried.set()

    def features_failed(self, reason: str) -> None:
        """Take note that there are no features, and why."""
        self._failure = reason
        self._tried.set()

    def wait_for_features(self) -> None:
        """Wait until the features are known, or it is known that there are none."""
        self._tried.wait()

    @property
    def is_encoding(self) -> bool:
        """Whether features are being made."""
        return not self._tried.is_set()

    @property
    def is_prepared(self) -> bool:
        """Whether the features of the data are known."""
        return self._known

    @property
    def prepared(self) -> Prepared:
        """The features of the data; waits until they are known."""
        self.wait_for_features()
        with self._loading:
            if self._prepared is None and self._known:
                self._prepared = load_shared(self.features.ticket)
            if self._prepared is None:
                raise ProjectError(self._failure or "The project was closed: open it again.")
            return self._prepared
