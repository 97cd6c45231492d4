"""Getting ready: rows are dealt at once, their features and the learner come behind them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from rarebit._child import Child
from rarebit.projects._dealing import Dealing
from rarebit.projects._errors import ProjectError
from rarebit.projects._preparing import Prepared, prepare


class Readying(Dealing):
    """The part of a desk that makes features of the data and starts what learns from them."""

    def __init__(
        self, seed: int, notify: Callable[[str, dict[str, Any]], None], *, team: bool
    ) -> None:
        super().__init__(seed, notify, team=team)
        self.project_notes: list[str] = []
        self._prepared: Prepared | None = None
        self._tried, self._failure = threading.Event(), ""

    def begin_learning(self, child: Child | None = None) -> None:
        """Make features of the data and start the learner; rows are dealt at random meanwhile.

        Parameters
        ----------
        child : Child or None, default=None
            Process that learns; None to take one.
        """
        try:
            prepared = self._prepared = prepare(self.table, self.settings)
        except BaseException as error:
            self._failure = str(error)
            raise
        finally:
            self._tried.set()
        self.project_notes += prepared.notes
        self.learner.start(child or Child.take())

    @property
    def is_prepared(self) -> bool:
        """Whether the features of the data are known."""
        return self._prepared is not None

    @property
    def prepared(self) -> Prepared:
        """The features of the data; waits until they are known."""
        self._tried.wait()
        if self._prepared is None:
            raise ProjectError(self._failure)
        return self._prepared
