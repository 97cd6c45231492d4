"""A project of Label Studio as a project of ours: its answers come in, our order goes out."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rarebit.projects import Desk, brief_progress
from rarebit.server.label_studio._client import LabelStudio, LabelStudioError
from rarebit.server.label_studio._config import read_config
from rarebit.server.label_studio._rows import task_table

TITLE = "rarebit"
_TAB = "label-studio"
_WHO = "annotation "  # an annotator of the store is one annotation of Label Studio
_AHEAD = 3  # questions that are chosen ahead; behind them the scores decide
_FRONT = 50  # tasks whose order is pushed
_QUIET = 0.2  # seconds without news before the order is pushed
_AGAIN = 5.0  # seconds until a failed push is tried again
_RECONCILE = 60.0  # seconds between two looks at all annotations


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
        self._lock = threading.RLock()
        self._news = threading.Event()
        self._ended = threading.Event()
        self._must_look = threading.Event()
        self._pushed: list[int] = []
        self._ranks: dict[int, int] = {}
        self._pushed_at = -1  # number of events that the pushed order knows of
        self.version = TITLE
        self._open(self._studio.tasks())
        self._threads = [
            threading.Thread(target=self._push_news, daemon=True, name="pushing"),
            threading.Thread(target=self._look_again, daemon=True, name="reconciling"),
        ]

    def _open(self, tasks: list[dict[str, Any]]) -> None:
        self.config = read_config(str(self._studio.settings()["label_config"]))
        table = task_table(tasks, self.config, self._studio, self._folder)
        self._rows = {str(task): row for row, task in enumerate(table.ids)}
        self._tasks = [int(task) for task in table.ids]
        self.desk = Desk.open(
            table,
            store=self._store,
            settings={"classes": list(self.config.choices), "seed": self._seed},
            notify=lambda what, data: self._news.set(),
        )
        self._take_all(tasks, known=self._known())

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
        action = str(event.get("action", ""))
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
        elif action in ("TASKS_CREATED", "TASKS_DELETED"):
            self._must_look.set()
        self._news.set()

    def _take(self, annotation: Mapping[str, Any], task: Any) -> bool:
        """Bring the answer of an annotation up to date; False for an unknown task."""
        number = annotation.get("id")
        with self._lock:
            row = self._rows.get(str(task))
            if row is None or not isinstance(number, int):
                self._must_look.set()
                return False
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
            return True

    def _forget(self, who: str) -> None:
        with self._lock:
            self.desk.undo(who, _TAB, n=1000)
            self.desk.release(who, _TAB)

    def _known(self) -> set[str]:
        with self._lock:
            answers = self.desk.board.answers.by_annotator()
            return {who for who in answers if who.startswith(_WHO)}

    def _take_all(self, tasks: list[dict[str, Any]], known: set[str]) -> bool:
        """Take over all annotations; ``known`` ones that are not there any more are forgotten."""
        there: set[str] = set()
        whole = True
        for task in tasks:
            for annotation in [*task.get("annotations", []), *task.get("cancelled", [])]:
                there.add(f"{_WHO}{annotation.get('id')}")
                whole &= self._take(annotation, task["id"])
        for who in sorted(known - there):
            self._forget(who)
        return whole

    def reconcile(self) -> None:
        """Take over the annotations that Label Studio has now, and its new tasks."""
        # What webhooks bring while the export is made is not in it, and must not be forgotten.
        known = self._known()
        tasks = self._studio.tasks()
        if {str(task["id"]) for task in tasks} == self._rows.keys():
            self._take_all(tasks, known)
            return
        with self._lock:
            self.desk.close()
            self._open(tasks)
            self._pushed, self._ranks = [], {}
        self._news.set()

    def _look_again(self) -> None:
        while not self._ended.is_set():
            self._must_look.wait(_RECONCILE)
            self._must_look.clear()
            if self._ended.is_set():
                return
            try:
                self.reconcile()
            except LabelStudioError as error:
                self._say(str(error))
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
        self._studio.change(model_version=version)
        self.version, self._pushed_at = version, max(self._pushed_at, n_events)
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
            except LabelStudioError as error:
                self._say(str(error))
                self._ended.wait(_AGAIN)
                self._news.set()

    def connect(self, address: str) -> None:
        """Add the backend at an address to the project, and let it sample by our order."""
        self._studio.connect(address, TITLE)
        self._studio.change(sampling="Uncertainty sampling")
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
