"""Questions and answers of a project."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarebit.projects._alike import warn_alike
from rarebit.projects._errors import ProjectError
from rarebit.projects._given import refuse_by_hand, refuse_mixing
from rarebit.projects._questions import ChosenRow
from rarebit.projects._queue import Queue
from rarebit.projects._settings import Settings
from rarebit.tables import Table

SEARCH = "search"
_SECRET = ("harvest", "audit", "random", "random-start")


@dataclass(frozen=True)
class Question:
    """A row that waits for an answer.

    Attributes
    ----------
    row : int
        Position of the row.
    id : str or int
        Its id: text where a column has the ids, also whole numbers (`Table.written_ids` returns
        them as the file has them), or the number of the row.
    reason : str
        Query reason: ``"border"``, ``"explore"``, ``"harvest"``, ``"random"``, ``"start"`` or
        ``"given"``. Where something is to be proved, harvested, random and audited rows are all
        called ``"search"`` until they are answered.
    order : int
        Position in the order asked, from 1.
    key : str or int
        The id as the data have it, a whole number where the column holds such: what
        ``frame.set_index(COLUMN).loc[question.key]`` looks up.
    """

    row: int
    id: Any
    reason: str
    order: int
    key: Any = None


class Answering(ABC):
    """The part of a project that asks, and that stores each answer before it is learned.

    Attributes
    ----------
    table : Table
        The data.
    settings : Settings
        What decides how it asks and learns.
    """

    table: Table
    settings: Settings
    _queue: Queue

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._by_hand = False  # whether people may answer here is known

    @abstractmethod
    def _stop_reasons(self) -> dict[str, str]:
        """Return why asking may stop; empty while more labels should help."""

    @abstractmethod
    def _after_answer(self) -> list[str]:
        """Do what is due now and then; an answer is stored and learned.

        Returns what is new to say of classes whose names are alike.
        """

    @property
    def is_full(self) -> bool:
        """Whether the limit of labels is reached."""
        limit, questions = self.settings.max_labels, self._queue.questions
        # Labels that were known before cost nothing.
        asked = len(questions.labels) - len(questions.given & questions.labels.keys())
        return limit is not None and asked >= limit

    # --- learning behind people's backs ---------------------------------------------------

    @property
    def n_learned(self) -> int:
        """Number of events of the history that were learned."""
        return self._queue.n_learned

    @property
    def n_asked(self) -> int:
        """Number of rows that were ever asked."""
        return len(self._queue.questions.asked)

    def catch_up(self, seconds: float | None = None) -> None:
        """Learn what was stored since, for at most so long where a time is given."""
        with self._lock:
            self._queue.catch_up(seconds)

    def ask_ahead(self, n: int) -> int:
        """Choose and store further questions from what is learned so far; return their number."""
        with self._lock:
            return len(self._queue.ask_ahead(n))

    def repeat_due(self) -> int | None:
        """Return the row to ask a second time now without saying so; None if none is due."""
        with self._lock:
            return self._queue.repeat_due()

    # --- questions and answers ------------------------------------------------------------

    def question(self, annotator: str | None = None) -> Question | None:
        """Return the row to answer for, the same one until it has an answer.

        Parameters
        ----------
        annotator : str or None, default=None
            Who is asked; None where there is one person only. Two annotators never have the same
            row in front of them.

        Returns
        -------
        Question or None
            None when there is nothing left to ask, or the limit of labels is reached.
        """
        with self._lock:
            if self.is_full:
                return None
            asked = self._queue.next(annotator or "")
            if asked is None:
                return None
            key = self.table.written_ids([asked.row])[0]
            return Question(asked.row, self._id(asked.row), self._shown(asked), asked.order, key)

    def _shown(self, asked: ChosenRow) -> str:
        """Return the query reason that may be known before the answer.

        A draw that a proof rests on must look like any other row: an annotator who knows it might
        answer otherwise. Answers are stored with the true reason.
        """
        secret = asked.audit is not None or asked.reason in _SECRET
        proves = self.settings.recall is not None or self.settings.repeats > 0.0
        return SEARCH if secret and (proves or asked.reason == "audit") else asked.reason

    def answer(
        self,
        row: int,
        label: Any,
        annotator: str | None = None,
        key: str | None = None,
        *,
        source: str = "person",
    ) -> None:
        """Label a row, whether it was asked or not; durable when this returns.

        Of several answers of one annotator to a row the last one counts, as after `correct`, and
        `undo` brings the one before it back. Where several annotators differ, the setting ``rule``
        decides.

        Refused where a column has answered, unless the source is the column: what it said and what
        people say are not mixed. The same holds for `skip` and `correct`.

        Parameters
        ----------
        row : int
            Position of the row.
        label : str, int, float or bool
            Its class; blanks around a text are left out.
        annotator : str or None, default=None
            Name of the annotator.
        key : str or None, default=None
            Idempotency key: an answer sent twice with one key counts once.
        source : str, default="person"
            ``"person"``, ``"oracle"`` or ``"import"``.

        Warns
        -----
        rarebit.models.ClassNamesWarning
            The class is new and differs from a known one by capitals, blanks or its type only.
        """
        with self._lock:
            self._check_source(source)
            self._queue.put("label", row, label, annotator or "", key, source=source)
            warn_alike(self._after_answer())

    def skip(
        self,
        row: int,
        annotator: str | None = None,
        key: str | None = None,
        *,
        note: str = "",
        source: str = "person",
    ) -> None:
        """Say that a row cannot be labelled; it is not asked again.

        Parameters
        ----------
        row : int
            Position of the row.
        annotator, key, source
            As in `answer`.
        note : str, default=""
            Reason, in free text.
        """
        with self._lock:
            self._check_source(source)
            self._queue.put("skip", row, None, annotator or "", key, source=source, note=note)
            self._after_answer()

    def correct(
        self, row: int, label: Any, annotator: str | None = None, key: str | None = None
    ) -> None:
        """Replace the label of a row; what was learned from the old one is forgotten.

        A row without a label gets this one, as by `answer`; the history calls it a correction.

        Parameters
        ----------
        row : int
            Position of the row.
        label : str, int, float or bool
            Its class.
        annotator, key
            As in `answer`.
        """
        with self._lock:
            self._check_source("person")
            self._queue.put("correction", row, label, annotator or "", key)
            warn_alike(self._after_answer())

    def undo(self, annotator: str | None = None, key: str | None = None) -> int | None:
        """Take back the last standing answer of an annotator; its row is in question again.

        Parameters
        ----------
        annotator, key
            As in `answer`.

        Returns
        -------
        int or None
            Position of the row; None if there is no answer to take back.
        """
        with self._lock:
            return self._queue.undo(annotator or "", key)

    def answer_from_column(self, advance: Callable[[int], None] = lambda steps: None) -> None:
        """Let the oracle's column answer until asking may stop or the limit is reached.

        Parameters
        ----------
        advance : function of int, optional
            Called with the number of labels since the last call.
        """
        answers = self.table.target
        if self.settings.oracle is None or answers is None:
            raise ProjectError(
                "No column answers in this project: open it with the setting 'oracle', the name "
                "of the column of classes."
            )
        refuse_mixing(self._queue.store, self.settings, self.table)
        limited = self.settings.max_labels is not None
        while not self.is_full and (limited or not self._stop_reasons()):
            asked = self._queue.choose_unrecorded("")
            if asked is None:
                break
            label = str(answers[asked.row]) or None
            self._queue.put_asked(asked, label, "", "oracle")
            self._after_answer()
            advance(0 if label is None else 1)

    def _check_source(self, source: str) -> None:
        """Refuse answers of people where a column has answered; the store is asked once."""
        if source != "oracle" and not self._by_hand:
            refuse_by_hand(self._queue.store)
            self._by_hand = True

    def _id(self, row: int) -> Any:
        value = self.table.ids[row]
        return value.item() if isinstance(value, np.generic) else value
