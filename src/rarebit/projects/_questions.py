"""An asker kept in step with the history of a project.

The asker's state depends on the pool, its parameters and the order of questions and answers.
Questions are events of the history like answers, so replaying it leads to the same state to the
bit, whatever was unanswered when the process ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np

from rarebit.active import Asker, Draw, Hunt
from rarebit.projects.stores import Answers, Audit, Event

_MISSING = object()


@dataclass(frozen=True)
class ChosenRow:
    """A row that the asker chose.

    Attributes
    ----------
    row : int
        Position of the row.
    order : int
        Position of the question in the order asked, from 1.
    reason : str
        Query reason, such as ``"border"`` or ``"explore"``.
    stored : bool
        Whether the question is in the store.
    audit : Audit or None
        Circumstances of a uniform draw.
    """

    row: int
    order: int
    reason: str
    stored: bool = True
    audit: Audit | None = None


class Questions:
    """Questions that wait for an answer, and an asker that has learned all answers.

    Parameters
    ----------
    asker : Asker
        Started, and told nothing of the history yet.
    by : str
        Settings that decide the questions; questions asked under other settings are not repeated.
    rule : {"first", "majority", "owner"}
        Which label counts where annotators disagree.
    owner : str or None
        Annotator who decides under the rule ``"owner"``.
    """

    def __init__(self, asker: Asker, by: str, rule: str, owner: str | None) -> None:
        self.asker = asker
        self.by = by
        self.rule, self.owner = rule, owner
        self.answers = Answers()
        self.waiting: dict[int, ChosenRow] = {}  # by row, in the order asked
        self.asked: dict[int, ChosenRow] = {}  # all that was ever asked
        self.refused: list[Event] = []  # answers of the history that the asker cannot learn
        self.reopened: list[tuple[str, int]] = []  # annotator and row of answers taken back
        self.given: set[int] = set()  # rows whose label was known and not asked for
        self.first_labels: dict[int, Any] = {}  # what rows were called first, corrections aside
        self.n_discounted = 0  # random rows drawn before the rare classes were named as they are
        self._named: tuple[tuple[str, ...], ...] | None = None
        self._told: dict[int, Any] = {}
        self._skipped: set[int] = set()

    @property
    def labels(self) -> dict[int, Any]:
        """Row to the label that counts, in the order learned."""
        return self._told

    @property
    def repeated(self) -> dict[int, Event]:
        """Row to its blind second answer."""
        return self.answers.repeats

    @property
    def n_skipped(self) -> int:
        """Number of rows that were skipped and have no label."""
        return len(self._skipped)

    # --- asking -------------------------------------------------------------------------

    def ask(self) -> ChosenRow | None:
        """Let the asker choose a row; None if it has nothing left to ask."""
        if self.asker.done:
            return None
        rows = self.asker.ask()
        if not len(rows):
            return None
        asked = self._last_query(stored=False)
        self._note(asked)
        return asked

    def _last_query(self, *, stored: bool) -> ChosenRow:
        """Return the last query of the asker as a question."""
        query = self.asker.queries_[-1]
        audit = None if query.draw is None else Audit(*query.draw)
        return ChosenRow(query.row, len(self.asked) + 1, str(query.reason), stored, audit)

    def next_free(self, taken: Iterable[int]) -> ChosenRow | None:
        """Return the first question that waits and that nobody else has in front of them."""
        busy = set(taken)
        return next((asked for row, asked in self.waiting.items() if row not in busy), None)

    # --- learning -----------------------------------------------------------------------

    def learn(self, event: Event, *, repeat: bool = True) -> None:
        """Bring the asker in step with one event of the history.

        Parameters
        ----------
        event : Event
            The next one.
        repeat : bool, default=True
            Whether questions are asked again, which leads to the same state as before.
        """
        if event.what == "ask":
            self._ask_again(event, repeat)
        elif event.what == "certify":
            self._certify(event, repeat)
        elif event.what == "settings":
            self._follow_naming(event)
        elif repeat and self._implies_question(event):
            self.ask()
        taken = self.answers.taken_back(event)
        self.answers.take(event)
        if taken is not None and taken.what == "repeat":
            return  # the label stays, and the row is asked a second time again
        if event.what == "label" and event.row is not None:
            self.first_labels.setdefault(event.row, event.label)
        if event.is_answer or (event.what == "undo" and event.row is not None):
            assert event.row is not None
            (self.given.add if event.source == "import" else self.given.discard)(event.row)
            if event.what == "undo":
                self.reopened.append((event.annotator, event.row))
            else:
                self.reopened = [pair for pair in self.reopened if pair[1] != event.row]
            try:
                self._bring_in_step(event.row)
            except (ValueError, TypeError):
                # Written by an earlier version that did not check: it must not end every later
                # session over the file.
                self.refused.append(event)

    def _implies_question(self, event: Event) -> bool:
        """Whether an answer stands for its question, which earlier versions did not store."""
        is_old = event.is_answer and event.by == self.by and event.order is None
        return is_old and not self.waiting and not self.asker.done

    def _ask_again(self, event: Event, repeat: bool) -> None:
        assert event.row is not None
        own = self.asked.get(event.row)
        if own is not None and not own.stored:  # asked here; its event comes back
            stored = replace(own, stored=True)
            self.asked[event.row] = stored
            if event.row in self.waiting:
                self.waiting[event.row] = stored
            return
        if repeat and event.by == self.by and not self.asker.done:
            rows = self.asker.ask()
            if len(rows) and int(rows[0]) != event.row:
                # Another version of the engine chose another row: both wait for an answer.
                self._note(self._last_query(stored=True))
        if isinstance(self.asker, Hunt):
            # Nothing happens to a row that the hunt has just asked for itself. Draws from before
            # rows were added were made from another pool, and prove nothing about this one.
            draw = None if event.audit is None or not repeat else Draw(*astuple(event.audit))
            self.asker.adopt(event.row, event.reason, draw)
        if event.row not in self.asked:
            order = event.order or len(self.asked) + 1
            self._note(ChosenRow(event.row, order, event.reason, audit=event.audit))

    def _certify(self, event: Event, repeat: bool) -> None:
        """Freeze what the store remembers of a classifier, or end its judging."""
        if not isinstance(self.asker, Hunt) or event.data is None:
            return
        if not repeat or event.data.get("release"):
            self.asker.release()
        else:
            classes = event.data.get("classes")
            # Classes that are named under later settings were not when the draws were made.
            if event.data.get("named") != list(self.asker.rare or ()):
                classes = None
            self.asker.freeze(
                event.data["high"],
                event.data["targets"],
                classes,
                each=bool(event.data.get("each", False)),
            )

    def _follow_naming(self, event: Event) -> None:
        """Let draws count from here where the rare classes are named otherwise than before.

        A proof must not choose its classes after it has seen its draws.
        """
        data = event.data or {}
        named = tuple(tuple(data.get(key) or ()) for key in ("rare", "normal"))
        if self._named not in (None, named) and isinstance(self.asker, Hunt):
            drawn = sum(one.audit is not None for one in self.asked.values())
            self.n_discounted = drawn
            self.asker.restart_proof()
        self._named = named

    def _note(self, asked: ChosenRow) -> None:
        self.asked[asked.row] = asked
        if asked.row not in self._told and asked.row not in self._skipped:
            self.waiting[asked.row] = asked

    def _bring_in_step(self, row: int) -> None:
        """Tell the asker what the answers to a row amount to now."""
        label = self.answers.label_of(row, self.rule, self.owner, default=_MISSING)
        if label is not _MISSING:
            known = self._told.get(row, _MISSING)
            if known is _MISSING or known != label or type(known) is not type(label):
                self.asker.tell(np.array([row]), [label], replace=True)
            self._told[row] = label
            self._skipped.discard(row)
            self.waiting.pop(row, None)
            return
        if self.answers.of_row(row):  # skipped, or undecided between annotators
            if row in self._told:
                self.asker.retract(np.array([row]))
                del self._told[row]
            if row not in self._skipped:
                self.asker.skip(np.array([row]))
                self._skipped.add(row)
            self.waiting.pop(row, None)
            return
        if row in self._told or row in self._skipped:
            self.asker.retract(np.array([row]))
            self._told.pop(row, None)
            self._skipped.discard(row)
            self.waiting[row] = self.asked.get(row, ChosenRow(row, len(self.asked) + 1, "given"))
