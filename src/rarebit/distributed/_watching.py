"""What a learner over many files keeps of its questions, and what stop rules make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active import STOP_RULES, ColumnTable, History, next_check

# Rows whose predictions are followed to see whether the machine still changes.
WATCHED = 5000


@dataclass(frozen=True)
class Asked:
    """What was known of a row when it was asked for.

    Attributes
    ----------
    features : array of shape (1, n_features)
        The row.
    expected : object
        The class that the machine expected; None before there was one.
    distance : float
        Its distance from the border in units of the margin.
    drawn, inside : int
        Random rows looked at, and those inside the margin.
    """

    features: Any
    expected: Any = None
    distance: float = np.inf
    drawn: int = 0
    inside: int = 0


class PredictionWatch:
    """Follows the predictions of some rows, and applies a stop rule when labels have grown.

    Parameters
    ----------
    rule : function of History, str or None
        The rule; None never stops.
    rows : ndarray or CSR array of shape (n_watched, n_features)
        Rows drawn uniformly.
    """

    def __init__(self, rule: Any, rows: Any) -> None:
        self._rule = STOP_RULES[rule] if isinstance(rule, str) else rule
        self._rows = rows
        self.looks: list[tuple[int, NDArray[Any]]] = []
        self.reasons: dict[str, str] = {}
        self._next = next_check(0)

    def look_if_due(
        self, n_labels: int, machine: Callable[[], Any], history: Callable[[], History]
    ) -> None:
        """Apply the rule when labels have grown by 8 % since the last look."""
        if n_labels < self._next or self._rule is None:
            return
        self._next = next_check(n_labels)
        self.looks.append((n_labels, np.asarray(machine().predict(self._rows))))
        self.reasons = dict(self._rule(history()))

    def begin_again(self, n_labels: int) -> None:
        """Forget looks by machines that had learned something else."""
        self.looks.clear()
        self.reasons.clear()
        self._next = next_check(n_labels)

    def checks(self) -> ColumnTable:
        """Return how far predictions have moved since each look."""
        now = self.looks[-1][1] if self.looks else np.empty(0)
        return ColumnTable(
            {
                "n_labels": np.array([n for n, _ in self.looks], dtype=np.int64),
                "changed_since": np.array([_difference(then, now) for _, then in self.looks]),
            }
        )


def _difference(then: NDArray[Any], now: NDArray[Any]) -> float:
    """How much the sets of rows predicted for each class but the largest differ, on average."""
    names, counts = np.unique(np.concatenate([then, now]), return_counts=True)
    others = [(names[i], counts[i]) for i in range(len(names)) if i != int(np.argmax(counts))]
    if not others:
        return 0.0
    shares = [np.count_nonzero((then == name) != (now == name)) / n for name, n in others]
    return float(np.mean(shares))


def make_history(
    labels: Mapping[int, Any],
    reasons: Mapping[int, str],
    asked: Mapping[int, Asked],
    support: list[dict[Any, int]],
    checks: ColumnTable,
    n_rows: int,
    n_unseen: int,
    explore: float,
) -> History:
    """Return a row per label, with the columns that stop rules and reports read.

    Parameters
    ----------
    labels : mapping of int to class
        Row to class, in the order told.
    reasons : mapping of int to str
        Row to how it was chosen.
    asked : mapping of int to Asked
        What was known of rows when they were asked for.
    support : list of dict
        Support vectors of each class after each label.
    checks : ColumnTable
        As `PredictionWatch` keeps them.
    n_rows, n_unseen : int
        Rows of the pool, and those never asked for.
    explore : float
        Share of questions that explores.
    """
    rows = list(labels)
    classes = list(dict.fromkeys(labels.values()))
    numbers = {name: i for i, name in enumerate(classes)}
    known = [asked.get(row) for row in rows]
    expected = [None if each is None else each.expected for each in known]
    drawn = np.array([0 if each is None else each.drawn for each in known], dtype=np.int64)
    inside = np.array([0 if each is None else each.inside for each in known], dtype=np.int64)
    told, guessed = np.empty(len(rows), dtype=object), np.empty(len(rows), dtype=object)
    told[:], guessed[:] = list(labels.values()), expected
    columns: dict[str, NDArray[Any]] = {
        "n_labels": np.arange(1, len(rows) + 1),
        "row": np.array(rows, dtype=np.intp),
        "label": told,
        "how": np.array([reasons[row] for row in rows], dtype=np.str_),
        "expected": guessed,
        "distance": np.array([np.inf if each is None else each.distance for each in known]),
        "drawn": drawn,
        "inside": inside,
    }
    for name in classes:
        columns[f"n_support_{name}"] = np.array([n.get(name, 0) for n in support], dtype=np.int64)
    return History(
        columns, checks, n_rows, n_unseen, explore,
        (
            np.array([numbers[label] for label in labels.values()], dtype=np.int32),
            np.array([numbers.get(name, -1) for name in expected], dtype=np.int32),
        ),
    )  # fmt: skip
