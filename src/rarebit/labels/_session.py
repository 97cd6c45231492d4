"""A session: what asks, and the file that keeps the answers, in step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rarebit._journal.line import ANSWERS, Line, check_label

if TYPE_CHECKING:
    from rarebit.active import Asker
from rarebit._journal.file import LabelFile


class LabelSession:
    """Questions of an explorer, a learner or a hunt, and answers that are never lost.

    Every answer is checked, then in the file, then learned. A session over a file that has answers
    continues where the last one ended: what this asker asked is asked and answered again, so that
    it is in the same state; labels that came from elsewhere are told. Answers of the file that the
    asker refuses are passed over.

    Parameters
    ----------
    asker : Explorer, BorderLearner or Hunt
        Started, and told nothing yet.
    store : LabelFile
        The file.
    by : str
        Names the asker, its parameters and its seed in the file.
    on_replay : callable, optional
        Called with 1 after each answer that is learned again.

    Attributes
    ----------
    passed_over : dict of int to str
        Number of the answers of the file that the asker refused to learn again, and why.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarebit import Scout
    >>> from rarebit.datasets import load_rare_digits
    >>> from rarebit.labels import LabelSession, LabelStore
    >>> X, y, *_ = load_rare_digits()
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = LabelStore(pathlib.Path(folder.name) / "digits.labels.jsonl", ids=range(len(y)))
    >>> session = LabelSession(Scout().start(X), store, by="scout")
    >>> row = session.question()
    >>> session.answer(int(y[row]))
    >>> store.labels == {row: int(y[row])}
    True
    >>> session.undo() == row
    True
    >>> store.close(), folder.cleanup()
    (None, None)
    """

    def __init__(
        self,
        asker: Asker,
        store: LabelFile,
        by: str,
        *,
        on_replay: Callable[[int], None] | None = None,
    ) -> None:
        self.asker = asker
        self.store = store
        self.by = by
        self._current: int | None = None
        self._undone: list[int] = []  # rows whose answers were taken back, the last at the end
        self.passed_over: dict[int, str] = {}
        for event in store.events:
            self._learn_again(event)
            if on_replay is not None:
                on_replay(1)

    def question(self) -> int | None:
        """Return the row to answer for, the same one until it has an answer.

        Returns
        -------
        int or None
            Its position; None when there is nothing left to ask.
        """
        if self._current is None and self._undone:
            self._current = self._undone[-1]
        if self._current is None:
            waiting = self.asker.pending_
            rows = waiting if len(waiting) or self.asker.done else self.asker.ask()
            self._current = int(rows[0]) if len(rows) else None
        return self._current

    def answer(self, label: Any, *, how: str = "person") -> None:
        """Label the row in question.

        Parameters
        ----------
        label : str, int, float or bool
            Its class; not NaN.
        how : str, default="person"
            Who says so.
        """
        row = self._answered()
        self.store.add(row, label, how=how, by=self.by)
        try:
            self.asker.tell(row, label)
        except (TypeError, ValueError):
            self.store.undo()  # an answer that cannot be learned must not stand in the file
            raise
        self._close(row)

    def skip(self, *, how: str = "person") -> None:
        """Leave out the row in question.

        Parameters
        ----------
        how : str, default="person"
            Who cannot say.
        """
        row = self._answered()
        self.store.skip(row, how=how, by=self.by)
        self.asker.skip(row)
        self._close(row)

    def undo(self) -> int | None:
        """Take back the last answer; its row is in question again.

        Returns
        -------
        int or None
            The row; None when there is no answer to take back.
        """
        event = self.store.undo()
        if event is None:
            return None
        self._take_back(event.row, event.number)
        return event.row

    def _answered(self) -> int:
        row = self.question()
        if row is None:
            raise ValueError("There is no question to answer: the session has nothing to ask.")
        return row

    def _close(self, row: int) -> None:
        self._current = None
        self._undone = [other for other in self._undone if other != row]

    def _take_back(self, row: int, number: int | None) -> None:
        self._close(row)
        if number not in self.passed_over:
            self.asker.retract(row)
        self._undone.append(row)

    def _learn_again(self, event: Line) -> None:
        try:
            self._repeat(event)
        except (TypeError, ValueError) as error:
            self.passed_over[event.number] = str(error)

    def _repeat(self, event: Line) -> None:
        if event.what == "undo":
            if event.of:
                self._take_back(event.row, event.of)
            return
        if event.what not in ANSWERS:
            return
        # Its own question is asked again, so that what is random comes out the same.
        waiting = np.asarray(self.asker.pending_)
        if event.by == self.by and not len(waiting) and not self.asker.done:
            waiting = self.asker.ask()
        if event.what == "skip":
            self.asker.skip(event.row)
        else:
            check_label(event.label)
            self.asker.tell(event.row, event.label, replace=True)
        self._close(event.row)
