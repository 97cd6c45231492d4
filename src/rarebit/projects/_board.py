"""What was asked, what waits and which labels count: a view of the history, quick to keep."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from typing import Any

from rarebit.projects._answer_events import Origin
from rarebit.projects._given import expected_classes
from rarebit.projects._settings import Settings
from rarebit.projects.stores import Answers, Event

_MISSING = object()
OVERLAP_PEOPLE = 2  # annotators who answer a row of the overlap


class Board:
    """The state of a project that requests need, without an asker.

    Parameters
    ----------
    settings : Settings
        With ``rule``, ``owner``, ``overlap`` and ``seed``.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.answers = Answers()
        self.asked: dict[int, Origin] = {}
        self.touched: set[int] = set()  # rows ever asked or answered: no draw can be one of them
        self.waiting: dict[int, Origin] = {}  # asked and without any answer, in the order asked
        self.second: dict[int, str] = {}  # overlap rows with one answer, and whose it is
        self.labels: dict[int, Any] = {}  # row → label that counts, in the order first labelled
        self.counts: Counter[Any] = Counter()
        self.first_at: dict[Any, tuple[int, int]] = {}  # class → labels when first seen, and row
        self.skipped: set[int] = set()
        self.notes: dict[int, tuple[str, str]] = {}  # who wrote the last one, and what
        self._first_said: dict[int, dict[str, Event]] = {}  # row → annotator → first label

    @property
    def repeated(self) -> set[int]:
        """Rows with a blind second answer."""
        return set(self.answers.repeats)

    @property
    def n_events(self) -> int:
        """Number of events taken so far."""
        return len(self.answers.events)

    def take(self, event: Event) -> None:
        """Continue by one event of the history."""
        self.answers.take(event)
        row = event.row
        if row is None:
            return
        if event.what == "ask":
            origin = Origin(event.reason, event.order or len(self.asked) + 1, event.by, event.audit)
            self.asked[row] = origin
            self.touched.add(row)
            if not self.answers.of_row(row):
                self.waiting[row] = origin
        elif event.what == "note":
            self.notes[row] = (event.annotator, event.note)
        elif event.is_answer or event.what == "undo":
            self.touched.add(row)
            taken = self.answers.taken_back(event)
            said = self._first_said.setdefault(row, {})
            own = event.what == "label" and event.source != "import"
            if own and self.answers.of_row(row).get(event.annotator) is event:
                said.setdefault(event.annotator, event)
            elif taken is not None and said.get(taken.annotator) is taken:
                del said[taken.annotator]
            if taken is None or taken.what != "repeat":
                self._settle(row)

    def _settle(self, row: int) -> None:
        """Bring everything about one row in step with its standing answers."""
        given = self.answers.of_row(row)
        label = self.answers.label_of(
            row, self.settings.rule, self.settings.owner, default=_MISSING
        )
        before = self.labels.pop(row, _MISSING)
        if before is not _MISSING:
            self.counts[before] -= 1
        if label is not _MISSING:
            self.labels[row] = label
            self.counts[label] += 1
            self.first_at.setdefault(label, (len(self.labels), row))
        self.skipped.discard(row)
        if given and all(event.what == "skip" for event in given.values()):
            self.skipped.add(row)
        if given:
            self.waiting.pop(row, None)
        elif row in self.asked:
            self.waiting[row] = self.asked[row]
        self.second.pop(row, None)
        if len(given) == 1 and self.is_overlap(row):
            self.second[row] = next(iter(given))

    def is_overlap(self, row: int) -> bool:
        """Whether two annotators are to answer a row; decided before anybody sees it."""
        if not self.settings.overlap or row not in self.asked:
            return False
        drawn = zlib.crc32(f"{self.settings.seed} {row}".encode()) / 2**32
        return drawn < self.settings.overlap

    def is_blind(self, row: int, annotator: str) -> bool:
        """Whether an annotator must not see what is known of a row, because they may be asked it.

        That is so for every question without an answer and for rows of the overlap that await a
        second one, unless the annotator has answered.
        """
        given = self.answers.of_row(row)
        if annotator in given:
            return False
        return row in self.waiting or (self.is_overlap(row) and len(given) < OVERLAP_PEOPLE)

    def overlap_labels(self) -> dict[int, dict[str, Any]]:
        """Return row → annotator → first label for rows of the overlap with two or more.

        Corrections change nothing here, nor does an owner who settles a row: they came after
        people had talked.
        """
        found: dict[int, dict[str, Any]] = {}
        if not self.settings.overlap:
            return found
        for row in self.asked:
            if self.is_overlap(row):
                said = self._first_said.get(row, {})
                if len(said) > 1:
                    found[row] = {who: event.label for who, event in said.items()}
        return found

    def disagreements(self) -> list[int]:
        """Return rows with different labels of several annotators that no owner has settled."""
        found = []
        owner = self.settings.owner
        for row, given in self.answers.disagreements().items():
            standing = self.answers.of_row(row)
            settled = owner in given and standing[owner or ""].what == "correction"
            if not settled and len({json.dumps(label) for label in given.values()}) > 1:
                found.append(row)
        return found

    def class_names(self) -> list[str]:
        """Return the expected classes and those met, in the order of their keys."""
        names = expected_classes(self.settings)
        met = [name for name in self.first_at if self.counts[name] > 0]
        names += [str(name) for name in met if str(name) not in names]
        return names
