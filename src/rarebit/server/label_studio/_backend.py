"""A project of Label Studio as a project of ours: its answers come in, our order goes out."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rarebit.exceptions import RarebitError
from rarebit.projects import Desk, brief_progress
from rarebit.projects.stores import OtherDataError, move_aside, read_history
from rarebit.server.label_studio._client import LabelStudio, LabelStudioError
from rarebit.server.label_studio._config import read_config
from rarebit.server.label_studio._rows import task_table
from rarebit.tables import Table

TITLE = "rarebit"
_SAMPLING = "Uncertainty sampling"  # Label Studio's name for the order of predictions' scores
_TAB = "label-studio"
_WHO = "annotation "  # an annotator of the store is one annotation of Label Studio
_AHEAD = 3  # questions that are chosen ahead; behind them the scores decide
_FRONT = 50  # tasks whose order is pushed
_QUIET = 0.2  # seconds without news before the order is pushed
_AGAIN = 5.0  # seconds until a failed push is tried again
_RECONCILE = 60.0  # seconds between two looks at all annotations
_ATTEMPTS = 5  # to set the sampling
_UNSEEN: tuple[frozenset[int], str] = (frozenset(), "")


class Backend:
    """Keeps a desk and a project of Label Studio in step.

    Label Studio has the last word on answers: `reconcile` takes over whatever its annotations say
    now, also what came while nobody listened. Webhooks are stored before they are answered, and
    learned by the desk's thread. Each annotation is an annotator of the store, so that taking it
    back takes back its answer and no other.

    Parameters
    ----------
    studio : LabelStudio
        The project there.
    store : str
        Address of the store here.
    folder : Path
        Where images are kept.
    seed : int, default=0
        Random choices.
    say : function of str, optional
        Called with what people should know.
    """

    def __init__(
        self,
        studio: LabelStudio,
        store: str,
        folder: Path,
        *,
        seed: int = 0,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._studio, self._store, self._folder = studio, store, folder
        self._seed, self._say = seed, say
        self.desk: Desk
        self._lock = threading.RLock()
        self._news = threading.Event()
        self._ended = threading.Event()
        self._must_look = threading.Event()
        self._pushed: list[int] = []
        self._ranks: dict[int, int] = {}
        self._pushed_at = -1  # number of events that the pushed order knows of
        self.version = TITLE
        self._sampling: Any = _SAMPLING
        # Tasks and label config that the desk was made of; None before there is one.
        self._seen: tuple[frozenset[int], str] | None = None
        self._open(self._studio.tasks(), self._label_config())
        self._threads = [
            threading.Thread(target=self._push_news, daemon=True, name="pushing"),
            threading.Thread(target=self._look_again, daemon=True, name="reconciling"),
        ]

    def _open(
        self, tasks: list[dict[str, Any]], label_config: str, known: set[str] | None = None
    ) -> None:
        # All that can fail for want of Label Studio comes before the desk that works is closed.
        config = read_config(label_config)
        table = task_table(tasks, config, self._studio, self._folder)
        with self._lock:
            if self._seen is not None:
                self._seen = _UNSEEN  # should the new desk fail, the next look tries again
                self.desk.close()
            self.config = config
            self._rows = {str(task): row for row, task in enumerate(table.ids)}
            self._tasks = [int(task) for task in table.ids]
            self.desk = self._open_desk(table)
            self._seen = (frozenset(task["id"] for task in tasks), label_config)
            self._pushed, self._ranks = [], {}
        for note in self.desk.project_notes:
            self._say(note)
        self._take_all(tasks, self._known() if known is None else known)

    def _open_desk(self, table: Table) -> Desk:
        settings = {"classes": list(self.config.choices), "seed": self._seed}
        options: dict[str, Any] = {
            "store": self._store, "settings": settings,
            "notify": lambda what, data: self._news.set(),
        }  # fmt: skip
        try:
            return Desk.open(table, **options)
        except OtherDataError:
            # Its tasks are others now, and none of its labels can be kept; Label Studio has them.
            if read_history(self._store, table.source).data_name != table.source:
                raise
            aside = move_aside(self._store, table.source)
            if aside is None:
                raise
            self._say(f"The tasks have changed: the labels as they were are in {aside}.")
            return Desk.open(table, **options)

    def start(self) -> None:
        """Begin to push the order and to look for what webhooks missed."""
        for thread in self._threads:
            thread.start()
        self._news.set()

    def close(self) -> None:
        """End; answers are stored already."""
        self._ended.set()
        self._news.set()
        self._must_look.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(10.0)
        self.desk.close()

    # --- answers ------------------------------------------------------------------------

    def hear(self, event: Mapping[str, Any]) -> None:
        """Take over what a webhook says; durable when this returns."""
        action, project = str(event.get("action", "")), event.get("project")
        project = project if isinstance(project, Mapping) else {}
        if project.get("id", self._studio.project) != self._studio.project:
            return  # a webhook of the whole organisation
        if action in ("ANNOTATION_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_CREATED"):
            given = event.get("annotation")
            for annotation in given if isinstance(given, list) else [given]:
                if isinstance(annotation, Mapping):
                    self._take(annotation, annotation.get("task"))
        elif action == "ANNOTATIONS_DELETED":
            gone = event.get("annotations")
            for each in gone if isinstance(gone, list) else []:
                if isinstance(each, Mapping) and isinstance(each.get("id"), int):
                    self._forget(f"{_WHO}{each['id']}")
        elif action in ("TASKS_CREATED", "TASKS_DELETED") or (
            action == "PROJECT_UPDATED" and self._is_changed(project)
        ):
            self._must_look.set()
        self._news.set()

    def _is_changed(self, project: Mapping[str, Any]) -> bool:
        """Return whether settings are others than ours; every push changes some of them."""
        ours = {
            "label_config": (self._seen or _UNSEEN)[1],
            "model_version": self.version,
            "sampling": self._sampling,
        }
        return any(project.get(name, value) != value for name, value in ours.items())

    def _take(self, annotation: Mapping[str, Any], task: Any) -> None:
        """Bring the answer of an annotation up to date."""
        number = annotation.get("id")
        if type(number) is not int:
            return
        with self._lock:
            row = self._rows.get(str(task))
            if row is None:
                seen = isinstance(task, int) and task in (self._seen or _UNSEEN)[0]
                if not seen:  # a task that is seen and no row has no image
                    self._must_look.set()
                return
            who, desk = f"{_WHO}{number}", self.desk
            cancelled = bool(annotation.get("was_cancelled"))
            label = None if cancelled else self.config.label_of(annotation.get("result"))
            standing = desk.board.answers.of_row(row).get(who)
            if label is None:
                if standing is None or standing.what != "skip":
                    desk.skip(row, who)
            elif standing is None or standing.what == "skip":
                desk.answer(row, label, who)
            elif standing.label != label:
                desk.correct(row, label, who)

    def _forget(self, who: str) -> None:
        with self._lock:
            self.desk.undo(who, _TAB, n=1000)
            self.desk.release(who, _TAB)

    def _known(self) -> set[str]:
        with self._lock:
            answers = self.desk.board.answers.by_annotator()
            return {who for who in answers if who.startswith(_WHO)}

    def _take_all(self, tasks: list[dict[str, Any]], known: set[str]) -> None:
        """Take over all annotations; ``known`` ones that are not there any more are forgotten."""
        there: set[str] = set()
        for task in tasks:
            given = task.get("annotations")
            for annotation in given if isinstance(given, list) else []:
                if isinstance(annotation, Mapping):
                    there.add(f"{_WHO}{annotation.get('id')}")
                    self._take(annotation, task["id"])
        for who in sorted(known - there):
            self._forget(who)

    def reconcile(self) -> None:
        """Take over the annotations that Label Studio has now, and its new tasks."""
        # What webhooks bring while the export is made is not in it, and must not be forgotten.
        known = self._known()
        tasks, settings = self._studio.tasks(), self._studio.settings()
        label_config = str(settings.get("label_config"))
        self._check_order(settings)
        if (frozenset(task["id"] for task in tasks), label_config) == self._seen:
            self._take_all(tasks, known)
        else:
            self._open(tasks, label_config, known)
            self._news.set()

    def _label_config(self) -> str:
        return str(self._studio.settings().get("label_config"))

    def _check_order(self, settings: Mapping[str, Any]) -> None:
        """See to it that tasks are served by our order, which people turn off without knowing."""
        if self._pushed and settings.get("model_version", self.version) != self.version:
            self.push_again()  # to switch prelabelling off takes the version away
        sampling = settings.get("sampling", _SAMPLING)
        if sampling not in (_SAMPLING, self._sampling):
            self._say(
                f"The project's task sampling is {sampling!r}, so that tasks come in another order "
                f"than rarebit's: start with --connect, which sets {_SAMPLING!r}."
            )
        self._sampling = sampling

    def _look_again(self) -> None:
        while not self._ended.is_set():
            self._must_look.wait(_RECONCILE)
            self._must_look.clear()
            if self._ended.is_set():
                return
            try:
                self.reconcile()
            except Exception as error:  # the thread must live to look again
                self._say(_sentence(error))
            self._ended.wait(1.0)  # many tasks that come at once are looked at once

    # --- order --------------------------------------------------------------------------

    def front(self) -> list[int]:
        """Return the rows to be labelled next: what the desk asks, then by score."""
        with self._lock:
            desk = self.desk
            rows = list(desk.deal("", _TAB, _AHEAD).rows)
            answered = desk.board.answers
            others = [
                row for row in range(desk.table.n_rows)
                if row not in rows and not answered.of_row(row)
            ]  # fmt: skip
            scores = desk.insight.scores(np.array(others, dtype=np.intp)) if others else None
        if scores is not None:
            order = np.argsort(-scores, kind="stable")[: max(0, _FRONT - len(rows))]
            rows += [others[i] for i in order]
        return rows

    def push(self) -> None:
        """Push the order as predictions, and make their version that of the project."""
        n_events = self.desk.board.n_events if self.desk.n_behind <= 0 else 0
        rows = self.front()
        if not rows or rows == self._pushed:
            self._pushed_at = max(self._pushed_at, n_events)
            return
        version = f"{TITLE}-{time.time_ns() // 1_000_000}"
        guesses = self._guesses(rows)
        self._studio.push(
            [
                {
                    "task": self._tasks[row],
                    "result": self.config.result_of(guess),
                    "score": rank / len(self._tasks),
                    "model_version": version,
                }
                for rank, (row, guess) in enumerate(zip(rows, guesses, strict=True))
            ]
        )
        self.version = version  # before the webhook that tells of the change
        self._studio.change(model_version=version)
        self._pushed_at = max(self._pushed_at, n_events)
        self._pushed, self._ranks = rows, {row: rank for rank, row in enumerate(rows)}
        with contextlib.suppress(LabelStudioError):  # also of processes that were killed
            for each in self._studio.versions():
                if each.startswith(f"{TITLE}-") and each != version:
                    self._studio.drop_predictions(each)

    def _guesses(self, rows: list[int]) -> list[str | None]:
        found = self.desk.insight.opinions(rows)
        return [None if each is None else str(each["class"]) for each in found]

    def _push_news(self) -> None:
        while not self._ended.is_set():
            self._news.wait()
            while not self._ended.is_set() and self._news.is_set():
                self._news.clear()
                self._ended.wait(_QUIET)
            if self._ended.is_set():
                return
            try:
                self.push()
            except Exception as error:  # the thread must live to push again
                self._say(_sentence(error))
                self._ended.wait(_AGAIN)
                self._news.set()

    def connect(self, address: str) -> None:
        """Add the backend at an address to the project, and let it sample by our order."""
        self._studio.connect(address, TITLE)
        for _ in range(_ATTEMPTS):  # a change of somebody else at the same time undoes ours
            self._studio.change(sampling=_SAMPLING)
            if self._studio.settings().get("sampling") == _SAMPLING:
                break
            self._ended.wait(1.0)
        else:
            raise LabelStudioError(
                f"Label Studio does not keep the task sampling {_SAMPLING!r}: start again."
            )
        self.push_again()

    def push_again(self) -> None:
        """Push the order even if it has not changed: the project may have lost its version."""
        self._pushed = []
        self._news.set()

    # --- replies ------------------------------------------------------------------------

    def predict(self, tasks: list[Any]) -> list[dict[str, Any]]:
        """Return a prediction per task: the class it is held for, and its place in the order."""
        with self._lock:
            rows = [
                self._rows.get(str(task.get("id"))) if isinstance(task, Mapping) else None
                for task in tasks
            ]
            known = [row for row in rows if row is not None]
            guesses = dict(zip(known, self._guesses(known), strict=True))
            n = len(self._tasks)
        return [
            {
                "result": [] if row is None else self.config.result_of(guesses[row]),
                "score": 1.0 if row is None else self._ranks.get(row, n) / n,
                "model_version": self.version,
            }
            for row in rows
        ]

    def status(self) -> dict[str, Any]:
        """Return how far the project is, and whether its order is that of Label Studio."""
        with self._lock:
            return {
                **brief_progress(self.desk, ""),
                "behind": max(0, self.desk.n_behind),
                "pushed": self._pushed_at >= self.desk.board.n_events,
                "model_version": self.version,
            }


def _sentence(error: Exception) -> str:
    """Return what people are told of an error in a thread."""
    return str(error) if isinstance(error, RarebitError) else f"unexpected: {error!r}"
