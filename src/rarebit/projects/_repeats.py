"""Blind repeats: some rows are asked a second time, to see how often labels are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from rarebit.active import Hunt
from rarebit.projects._questions import ChosenRow, Questions

# A row is repeated when so many others were answered since, so that nobody remembers it.
_LATER = 20


class BlindRepeats:
    """Chooses rows for a second answer, by the history alone.

    Rows called rare and rows called normal take turns, each drawn at random from those of its kind
    that were not repeated yet: the model of wrong labels in `rarebit.statistics` wants that.

    Parameters
    ----------
    questions : Questions
        In step with the history.
    share : float
        Repeats for each answer; 0 for none.
    seed : int
        Seed of the draws.
    """

    def __init__(self, questions: Questions, share: float, seed: int) -> None:
        self.questions, self.share, self.seed = questions, share, seed

    def due(self, annotator: str) -> ChosenRow | None:
        """Return the row to ask a second time now; None if none is due."""
        questions = self.questions
        if not self.share or not isinstance(questions.asker, Hunt):
            return None
        done = len(questions.repeated)
        if done + 1 > self.share * len(questions.labels):
            return None
        row = self._row(annotator, done)
        if row is None:
            return None
        known = questions.asked.get(row)
        # The reason is that of the first time: nothing tells a repeat from another question.
        return ChosenRow(row, len(questions.asked) + 1, "audit" if known is None else known.reason)

    def is_open(self, row: int, annotator: str) -> bool:
        """Whether an answer to a row is its second one."""
        asked = self.due(annotator)
        return asked is not None and asked.row == int(row)

    def _row(self, annotator: str, done: int) -> int | None:
        questions: Any = self.questions
        hunt, first = questions.asker, questions.first_labels
        settled = list(questions.labels)[:-_LATER]
        people = questions.answers.by_annotator()
        mine = people.get(annotator, {}) if annotator and len(people) > 1 else {}
        free = [row for row in settled if row in first and row not in questions.repeated]
        kinds = ([], [])  # type: tuple[list[int], list[int]]
        for row in free:
            if row not in mine:
                kinds[not hunt.is_rare(first[row])].append(row)
        chosen = kinds[done % 2] or kinds[1 - done % 2]
        if not chosen:
            return None
        words = np.random.SeedSequence(self.seed, spawn_key=(1, done))
        return chosen[int(np.random.default_rng(words).integers(len(chosen)))]
