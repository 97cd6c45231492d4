"""Project: data, features, an asker and a store of answers, in step."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from rarebit.active import Hunt
from rarebit.models import Model
from rarebit.projects._advice import Ways
from rarebit.projects._alike import tell_names
from rarebit.projects._assembly import likeness, make_asker, rows_to_hold_out
from rarebit.projects._errors import ProjectError
from rarebit.projects._findings import first_seen, found_classes, why_search_may_end
from rarebit.projects._opening import opened_store
from rarebit.projects._outcome import Outcome, learn_outcome, need_two_classes, why_no_model
from rarebit.projects._preparing import Prepared, RowsElsewhere, prepare
from rarebit.projects._questions import Questions
from rarebit.projects._queue import Queue
from rarebit.projects._row_marks import row_marks
from rarebit.projects._saving import Keeping, SavedLearner, learner_to_keep
from rarebit.projects._sentences import draws_before_naming, passed_over
from rarebit.projects._settings import Settings
from rarebit.projects._sources import Progress, Source, read_more, silent
from rarebit.projects._status import ProjectStatus
from rarebit.projects._trading import LabelTransfer
from rarebit.projects.stores import Store, StoreError
from rarebit.tables import Shown, Table

if TYPE_CHECKING:
    from rarebit.active import Explorer
    from rarebit.report import Report


class Project(LabelTransfer):
    """One pool of rows that people, or a column, label with as few answers as possible.

    The terminal, the page and your own programs all label through this class: it reads the
    data, chooses the next question, stores each answer before it learns it, says how far it is,
    and ends in a model and a report. Make one with `open`. Methods can be called from several
    threads.

    Attributes
    ----------
    table : Table
        The data.
    settings : Settings
        What decides how it asks and learns.
    store : Store
        Where the answers are.
    held_out : ndarray of shape (n_held_out,)
        Rows that are never asked and measure the classifier.
    notes : list of str
        What was guessed, left out or passed over on opening, for people.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np, polars as pl
    >>> from rarebit import Project
    >>> rng = np.random.default_rng(0)
    >>> fraud = rng.random(300) < 0.05
    >>> amount = rng.normal(size=300) + 6 * fraud
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name) / "payments.csv"
    >>> pl.DataFrame({"amount": amount, "age": rng.normal(size=300)}).write_csv(file)
    >>> with Project.open(file, store=file.with_suffix(".db")) as project:
    ...     for _ in range(60):
    ...         question = project.question()
    ...         project.answer(question.row, "fraud" if fraud[question.row] else "ok")
    ...     model = project.finish()
    >>> model.rare_class
    'fraud'
    >>> folder.cleanup()
    """

    def __init__(
        self,
        table: Table,
        store: Store,
        settings: Settings,
        progress: Progress = silent,
        *,
        prepared: Prepared | None = None,
        saved: SavedLearner | None = None,
    ) -> None:
        super().__init__()
        self.table, self.store, self.settings = table, store, settings
        self._progress = progress
        self.store.save_settings(settings.to_json())
        self._n_told = 0  # classes whose names were compared
        self._keeps: Keeping | None = None  # where what was learned is left
        self._begin(prepared or prepare(table, settings), saved)

    def _begin(self, prepared: Prepared, saved: SavedLearner | None = None) -> None:
        """Make features, start the asker, and bring it in step with the history."""
        settings, table = self.settings, self.table
        self.notes = [*table.notes, *prepared.notes]
        self._outcome: tuple[int, Outcome] | None = None
        self.encoder, self.features = prepared.encoder, prepared.features
        sparse = self.encoder.sparse_
        self.held_out, unmeasured = rows_to_hold_out(table, settings, self.store)
        self.notes += unmeasured
        found = None if saved is None else saved.load(self.store.events())
        self.n_restored = 0 if found is None else found[1]
        if found is not None:
            questions = found[0]
        else:
            with self._progress("Looking at all rows", None):
                questions = self._first_questions(sparse=sparse)
        self.asker = cast("Explorer | Hunt", questions.asker)
        with self._progress("Continuing with earlier answers", len(self.store.events())) as advance:
            marks = partial(row_marks, table)
            self._queue = Queue(
                questions, self.store, advance, marks, repeats=settings.repeats,
                seed=settings.seed, n_learned=self.n_restored,
            )  # fmt: skip
        self.notes += [passed_over(event) for event in questions.refused]
        self._tell_alike()
        if questions.n_discounted and settings.recall is not None:
            self.notes.append(draws_before_naming(questions.n_discounted))

    def _first_questions(self, *, sparse: bool) -> Questions:
        """Return an asker that has looked at the pool and knows nothing of the history."""
        settings = self.settings
        asker: Explorer | Hunt
        if isinstance(self.table, RowsElsewhere):
            asker = self.table.make_asker(settings)
        else:
            first = likeness(self.table, settings.like) if settings.like else None
            if first is not None and not first.any():
                self.notes.append(
                    f"No row has the words of --like, {settings.like!r}, and they are ignored: "
                    "give words that the texts have."
                )
                first = None
            asker = make_asker(settings, sparse=sparse, first=first)
        asker.start(self.features)
        if isinstance(asker, Hunt):
            # Skipped rows would count against every bound; these belong to no pool.
            asker.exclude(self.held_out)
        elif len(self.held_out):
            asker.skip(self.held_out)
        key = settings.question_key(sparse=sparse)
        return Questions(asker, key, settings.rule, settings.owner)

    def save(self, saved: SavedLearner) -> None:
        """Keep what was learned, so that a later start need not repeat it."""
        with self._lock:
            saved.save(self._queue.questions, self.n_learned, self.store.events())

    def _after_answer(self) -> list[str]:
        alike = self._tell_alike() if len(self.asker.discovered_) != self._n_told else []
        if self._keeps is not None and self._keeps.is_due():
            self._keep()
        return alike

    def _tell_alike(self) -> list[str]:
        """Note classes whose names differ by capitals, blanks or types only; return what is new."""
        self._n_told = len(self.asker.discovered_)
        said = [note for note in tell_names(self.labels.values()) if note not in self.notes]
        self.notes += said
        return said

    def _keep(self) -> None:
        if self._keeps is not None:
            with self._lock, suppress(StoreError):  # labels are safe as they are
                self._keeps.save(self._queue.questions, self.n_learned, self.store.events())

    @classmethod
    def open(
        cls,
        source: Source,
        *,
        store: str | PathLike[str] | Store | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        progress: Progress = silent,
    ) -> Self:
        """Begin a project, or continue one where it was.

        Where there are many rows, what was computed about them and learned is left in the user's
        cache now and then and by `close`, so that continuing does not begin with the first answer.

        Parameters
        ----------
        source : path, sequence of paths, Table, or a pandas, polars or Arrow frame
            The rows; those of several files come below each other. The answers of a frame are kept
            in ``frame.labels.db`` unless `store` says otherwise; its column of ids is named by
            ``settings={"reading": {"id": …}}``.
        store : address, Store or None, default=None
            Where the answers are kept: ``NAME.db`` or ``sqlite:///…``, ``NAME.jsonl``, or
            ``postgresql://…``. None for ``NAME.labels.db`` in the current folder, or
            ``NAME.labels.jsonl`` where that exists.
        settings : Settings, mapping or None, default=None
            What decides how it asks and learns; None for the defaults.
        progress : function of str and int or None, optional
            Returns a context manager that shows the progress of a step, and yields a function
            that is called with the number of parts done.

        Returns
        -------
        Project
            Ready for `question`.
        """
        table, kept, given, notes = opened_store(source, store, settings, progress)
        try:
            with progress("Making features", None):
                prepared = prepare(table, given)
            saved = learner_to_keep(table, prepared, given, kept.address)
            project = cls(table, kept, given, progress, prepared=prepared, saved=saved)
            project.notes[:0] = notes
            project._keeps = None if saved is None else Keeping(saved, project.n_restored)
            return project
        except BaseException:
            kept.close()
            raise

    def close(self) -> None:
        """Let go of the store; can be called twice."""
        with self._lock:
            self._keep()
            self._keeps = None
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- what is known ------------------------------------------------------------------

    @property
    def labels(self) -> dict[int, Any]:
        """Row to the label that counts, in the order learned."""
        return dict(self._queue.questions.labels)

    @property
    def discovered(self) -> dict[Any, int]:
        """Class to the number of labels asked for when it was first seen, 0 for given ones."""
        return first_seen(self.labels, self._queue.questions.given)

    def show(self, row: int) -> Shown:
        """Return one row for a person to look at, its cells as they are written in the file.

        Parameters
        ----------
        row : int
            Position of the row.

        Returns
        -------
        Shown
            Its cells, its text or its image.
        """
        return self.table.show(row, as_written=True)

    def status(self) -> ProjectStatus:
        """Return how far the project is, as data; ``str`` of it is the sentences.

        Returns
        -------
        ProjectStatus
            Counts, classes found, reasons to stop.
        """
        with self._lock:
            self._queue.catch_up()
            return self.current_status()

    def current_status(self) -> ProjectStatus:
        """Return how far the project is with the events learned so far."""
        labels, questions = self.labels, self._queue.questions
        return ProjectStatus(
            source=self.table.source,
            task=self.settings.task,
            n_rows=self.table.n_rows,
            n_labels=len(labels),
            n_skipped=questions.n_skipped,
            n_waiting=len(questions.waiting),
            n_held_out=len(self.held_out),
            classes=found_classes(self.table, labels, self.discovered),
            labels_by_annotator=questions.answers.counts(),
            disagreements=len(questions.answers.disagreements()),
            done=bool(self.asker.done) and not questions.waiting,
            stop_reasons=self._stop_reasons(),
            max_labels=self.settings.max_labels,
            store=self.store.address,
            n_given=len(questions.given & set(labels)),
            settings_version=self.store.settings[0],
            asker=self.asker.status().to_dict(),
            proof=self._proof(),
            search=self._search(),
            path=self._path(),
            unmet=self.asker.unmet() if isinstance(self.asker, Hunt) else "",
            goal=self.settings.goal,
        )

    def _stop_reasons(self) -> dict[str, str]:
        if isinstance(self.asker, Hunt):
            return self.asker.stop_reasons_
        reasons = why_search_may_end(self.labels, self._queue.questions.given)
        if self.asker.done:
            reasons["done"] = str(self.asker.status())
        return reasons

    # --- results ------------------------------------------------------------------------

    def finish(self) -> Model:
        """Return the model that the labels at hand make.

        Returns
        -------
        Model
            Can be saved with `rarebit.models.save_model`; has metrics where rows are held out.
        """
        with self._lock:
            return self._learned().model

    def report(self, ways: Ways | None = None) -> Report:
        """Return a report of what was found, or of what was learned.

        Parameters
        ----------
        ways : Ways or None, default=None
            How its readers do what the advice to stop names.

        Returns
        -------
        Report
            ``report.write(path)`` writes it.
        """
        with self._lock:
            return self._report(ways or Ways())

    def _report(self, ways: Ways) -> Report:
        # Charts and what draws them: most who label never ask for them.
        from rarebit.projects._reports import discovery_report, learning_report

        status = self.status()
        asker, given = self.asker, self._queue.questions.given
        if not isinstance(asker, Hunt) or why_no_model(asker.discovered_, self.settings):
            # A column of some labels does not tell how often a class is there.
            table = self.table if self.settings.oracle else replace(self.table, target=None)
            search = (asker, self._found()) if isinstance(asker, Hunt) else None
            return discovery_report(table, self.labels, given, status, ways, search)
        return learning_report(
            self.table, asker, self._learned().model, self.features, self.held_out,
            status, self.settings.seed, self._found(), ways, given,
        )  # fmt: skip

    def _learned(self) -> Outcome:
        self._queue.catch_up()
        if not isinstance(self.asker, Hunt):
            raise ProjectError(
                "This project looks for classes only and makes no model: open it with the setting "
                "task='learn'."
            )
        need_two_classes(self.asker.discovered_, len(self.labels), self.settings.oracle)
        n_events = len(self._queue.questions.answers.events)
        if self._outcome is None or self._outcome[0] != n_events:
            outcome = learn_outcome(
                self.table, self.encoder, self.asker, self.features, self.labels, self.held_out,
                self.settings, self._stop_reasons(),
            )  # fmt: skip
            self._outcome = (n_events, outcome)
        return self._outcome[1]

    def add_rows(self, file: str | PathLike[str] | Any) -> int:
        """Continue with more rows; all answers stay.

        Open the project with both files from then on: ``Project.open([first, file])``, or with one
        frame that has the rows of both.

        Parameters
        ----------
        file : path, Table, or a pandas, polars or Arrow frame
            Rows with the columns of the data and other ids.

        Returns
        -------
        int
            Number of rows added.
        """
        with self._lock:
            longer = read_more(self.table, file, self.settings, self._progress)
            self.store.extend(longer.ids, source=longer.source, fingerprint=longer.fingerprint)
            added = longer.n_rows - self.table.n_rows
            self.table, self._keeps = longer, None
            self._begin(prepare(longer, self.settings))
            return added
