"""Desk: a project that several people label at once, while one thread learns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Self

from rarebit._child import Child
from rarebit.projects._answer_events import answer_event, checked_label
from rarebit.projects._board import Board
from rarebit.projects._dealing import LEASE
from rarebit.projects._display import Display
from rarebit.projects._given import refuse_by_hand
from rarebit.projects._insight import Insight
from rarebit.projects._learner import LearnerProcess
from rarebit.projects._map import PoolMap
from rarebit.projects._opening import opened_store
from rarebit.projects._preparing import prepare
from rarebit.projects._rare_classes import refuse_late_naming
from rarebit.projects._readying import Readying
from rarebit.projects._row_marks import row_marks
from rarebit.projects._settings import Settings
from rarebit.projects._sources import Progress, Source, read_more, silent
from rarebit.projects._writer import Writer
from rarebit.projects.stores import Event, Store, Wish
from rarebit.tables import Table


class Desk(Readying):
    """A project that several people label: answers are stored at once and learned later.

    Nothing here waits for the learner. Its thread chooses questions ahead, and they are handed out
    from the store. An answer is durable when `answer` returns; the thread then learns it from the
    store. When the thread fails, it starts again from the store, and in the meantime people answer
    the questions that are already prepared. Make one with `open`, and end it with `close` or
    ``with``.

    Parameters
    ----------
    table : Table
        The data.
    store : Store
        Where the answers are; the desk closes it.
    settings : Settings
        What decides how it asks and learns.
    notify : function of str and dict, optional
        Called from any thread with what happened: ``"status"``, ``"questions"``, ``"learner"``,
        ``"settings"``.
    team : bool, default=False
        Whether annotators have names, so that rows are leased in the store.
    folder : Path or None, default=None
        Folder that names of pictures in the data are relative to; they never lead out of it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import polars as pl
    >>> from rarebit.projects import Desk
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name) / "numbers.csv"
    >>> pl.DataFrame({"a": [i % 7 for i in range(90)], "b": [i % 5 for i in range(90)]}).write_csv(
    ...     file
    ... )
    >>> with Desk.open(file, store=file.with_suffix(".db")) as desk:
    ...     dealt = desk.deal("", "tab", 2, patience=30.0)
    ...     event, is_new = desk.answer(dealt.rows[0], "odd", key="k-1")
    ...     again, _ = desk.answer(dealt.rows[0], "odd", key="k-1")
    >>> len(dealt.rows) >= 1, event.number == again.number, is_new
    (True, True, True)
    >>> folder.cleanup()
    """

    def __init__(
        self,
        table: Table,
        store: Store,
        settings: Settings,
        *,
        notify: Callable[[str, dict[str, Any]], None] = lambda what, data: None,
        team: bool = False,
        folder: Path | None = None,
    ) -> None:
        super().__init__(settings.seed, notify, team=team)
        self.table, self.store, self.settings = table, store, settings
        self.project_notes += table.notes
        store.save_settings(settings.to_json())
        self.board = Board(settings)
        self._writer = Writer(store, partial(self._follow, refresh=False))
        self._follow()
        if team:
            self._foreign = {lease.row: lease for lease in store.leases()}
        self.learner = LearnerProcess(self, self._say)
        self._folder = folder
        self.display, self.insight = Display(table, folder, settings.imported), Insight(self)
        self.map = PoolMap(self)

    @classmethod
    def open(
        cls,
        source: Source,
        *,
        store: str | PathLike[str] | Store | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        notify: Callable[[str, dict[str, Any]], None] = lambda what, data: None,
        team: bool = False,
        folder: Path | None = None,
        progress: Progress = silent,
        at_once: bool = False,
        join_classes: bool = False,
    ) -> Self:
        """Read the data, open the store and start the learner.

        Parameters
        ----------
        source, store, settings, progress
            As in `Project.open`.
        notify, team, folder
            As in `Desk`.
        at_once : bool, default=False
            Return when rows can be dealt and answered, before their features are known; whoever
            asks for this calls `begin_learning` next.
        join_classes : bool, default=False
            Whether classes that the settings name join those that the store has: a page has named
            some of its own.

        Returns
        -------
        Desk
            Ready for `deal` and `answer`. A store in which a column has answered is refused.
        """
        child = None if at_once else Child.take()  # it comes up while the data are read
        try:
            table, kept, given, notes = opened_store(
                source, store, settings, progress, join_classes=join_classes
            )
            try:
                refuse_by_hand(kept)  # people label here, and nobody else
                desk = cls(table, kept, given, notify=notify, team=team, folder=folder)
                desk.project_notes[:0] = notes
            except BaseException:
                kept.close()
                raise
            desk._writer.start()
            if child is not None:
                try:
                    desk.begin_learning(child)
                except BaseException:
                    desk.close()
                    raise
            return desk
        except BaseException:
            if child is not None:
                child.end()
            raise

    def close(self) -> None:
        """End the learner and let go of the store; can be called twice."""
        self.learner.end()
        self._tried.set()  # nobody will make features any more
        self._writer.end()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- answers ------------------------------------------------------------------------

    def answer(
        self, row: int, label: Any, annotator: str = "", key: str | None = None, *, note: str = ""
    ) -> tuple[Event, bool]:
        """Store a label; durable when this returns, and learned later.

        Parameters
        ----------
        row : int
            Position of the row, asked or not.
        label : str
            Its class.
        annotator : str, default=""
            Name of the annotator.
        key : str or None, default=None
            Idempotency key.
        note : str, default=""
            Free text.

        Returns
        -------
        tuple of Event and bool
            The event as stored, and whether its class is new.
        """
        label = checked_label("label", row, label, list(self.board.counts))
        before = self.board.counts[label] <= 0
        event = self._put("label", row, label, annotator, key, note)
        first = self.board.first_at.get(label)
        return event, before and first is not None and first[1] == row

    def skip(
        self, row: int, annotator: str = "", key: str | None = None, *, reason: str = ""
    ) -> Event:
        """Store that a row cannot be labelled, and why; it is not asked this person again."""
        return self._put("skip", row, None, annotator, key, reason)

    def note(self, row: int, text: str, annotator: str = "", key: str | None = None) -> Event:
        """Store a note on a row."""
        return self._put("note", row, None, annotator, key, text)

    def correct(
        self, row: int, label: Any, annotator: str = "", key: str | None = None, *, note: str = ""
    ) -> Event:
        """Replace a label; the learner forgets what it learned from the old one."""
        return self._put("correction", row, label, annotator, key, note)

    def _marks(self, row: int) -> dict[str, str]:
        return row_marks(self.table, row)

    def _put(
        self, what: Any, row: int, label: Any, annotator: str, key: str | None, note: str
    ) -> Event:
        label = checked_label(what, row, label, list(self.board.counts))
        if what in ("label", "skip") and self._is_second(row, annotator, key):
            what = "repeat"
        draft = answer_event(
            what, row, label, origin=self.board.asked.get(row), marks=self._marks,
            annotator=annotator, key=key, note=note,
        )  # fmt: skip
        event = self._writer.write([draft])[0][0]
        with self._lock:
            self._rate.note()
        self.learner.wake()
        return event

    def undo(
        self, annotator: str = "", tab: str = "", n: int = 1, key: str | None = None
    ) -> list[Event]:
        """Take back the last answers of an annotator; their rows are in front of them again.

        Parameters
        ----------
        annotator, tab
            As in `deal`.
        n : int, default=1
            Number of answers.
        key : str or None, default=None
            Idempotency key of the whole.

        Returns
        -------
        list of Event
            The answers taken back, the last one first.
        """
        taken: list[Event] = []
        for i in range(n):
            each = None if key is None else f"{key}/{i}"
            undone = self.store.undo(annotator, key=each)
            if undone is None or undone.of is None:
                break
            taken.append(undone)
        self._follow()
        with self._lock:
            asked = self.board.asked
            strange = [undone.row for undone in taken if undone.row not in asked]
            questions = self._questions_for([row for row in strange if row is not None], "given")
        if questions:
            self._writer.write(questions)
        with self._lock:
            hand = self._hands.of(annotator, tab)
            for undone in taken:
                row, answers = undone.row, self.board.answers
                answer = answers.taken_back(undone)
                second = answer is not None and answer.what == "repeat"
                if row is not None and (second or annotator not in answers.of_row(row)):
                    if second:
                        self._repeating[row] = annotator
                    self._hands.discard(row, annotator)
                    hand.rows.insert(0, row)
            held = list(hand.rows)
            events = self.board.answers.events
        if self.team and held:
            self._writer.send((), [Wish(held, annotator, LEASE, len(held))])
        self.learner.wake()
        return [events[undone.of - 1] for undone in taken if undone.of is not None]

    def taken_in(self) -> None:
        """Follow events that were stored past this desk, such as imported labels."""
        self._follow()
        self.learner.wake()

    def prefer(self, rows: Sequence[int], n: int | None = None) -> int:
        """Ask the first `n` unanswered rows of a person's choice next; return their number."""
        with self._lock:
            board = self.board
            free = [row for row in rows if not board.answers.of_row(row)][:n]
            questions = self._questions_for([r for r in free if r not in board.waiting], "given")
            self._preferred = list(dict.fromkeys([*free, *self._preferred]))
        if questions:
            self._writer.write(questions)
        self.notify("questions", {"ready": self.n_free})
        return len(free)

    # --- settings and data --------------------------------------------------------------

    def change_settings(
        self, changes: Mapping[str, Any], annotator: str = "", expected: int | None = None
    ) -> int:
        """Store changed settings; the learner begins again where they change what it learns.

        Parameters
        ----------
        changes : mapping
            Names of `Settings` to values.
        annotator : str, default=""
            Who changes them.
        expected : int or None, default=None
            Version that the change is based on.

        Returns
        -------
        int
            The new version.
        """
        if _decides(self.settings.with_changes(**changes)) != _decides(self.settings):
            self.wait_for_features()  # before the lock: nobody waits for this one
        with self._lock:
            settings = self.settings.with_changes(**changes)
            refuse_late_naming(self.settings, settings, self.board.answers.events)
            prepared = None
            if settings.imported != self.settings.imported:
                prepared = prepare(self.table, settings)
            version = self.store.save_settings(
                settings.to_json(), annotator=annotator, expected=expected
            )
            before, self.settings = self.settings, settings
            self._follow()
            if _decides(settings) != _decides(before):
                board = Board(settings)
                for event in self.board.answers.events:
                    board.take(event)
                self.board = board
                if prepared is not None:
                    self._renew(prepared)
                    self.map = PoolMap(self)
                    self.display = Display(self.table, self._folder, settings.imported)
                self.learner.begin_again()
            else:
                self.board.settings = settings
                self.learner.change_settings()
        self.notify("settings", {"version": version})
        self.learner.wake()
        return version

    def add_rows(self, file: str | PathLike[str] | Any) -> int:
        """Continue with more rows; all answers stay, and the learner looks at the longer pool.

        Parameters
        ----------
        file : path, Table, or a pandas, polars or Arrow frame
            Rows with the columns of the data and other ids.

        Returns
        -------
        int
            Number of rows added.
        """
        self.wait_for_features()
        longer = read_more(self.table, file, self.settings, silent)
        with self._lock:
            added = longer.n_rows - self.table.n_rows
            self.store.extend(longer.ids, source=longer.source, fingerprint=longer.fingerprint)
            prepared = prepare(longer, self.settings)
            self.table = longer
            self._renew(prepared)
            self.display = Display(longer, self._folder, self.settings.imported)
            self.map = PoolMap(self)
            self._follow()
            self.learner.begin_again()
        return added


_SHOWN = ("guidelines", "colours", "keys", "overlap", "opinion", "classes", "max_labels")


def _decides(settings: Settings) -> dict[str, Any]:
    """Return the settings that decide what is asked, learned and counted."""
    return {name: value for name, value in settings.to_json().items() if name not in _SHOWN}
