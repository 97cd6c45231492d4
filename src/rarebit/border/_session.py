"""One search over one pool: the engine's search, labels by name, looks of the stop rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit import _core
from rarebit.border._history import History, Table, make_history
from rarebit.border._stopping import StopRule, next_check, reasons_of
from rarebit.svm._progress import observer
from rarebit.svm._rows import Rows, engine_rows

# Rows whose predictions are followed to see whether the machines still change.
WATCHED = 5000
# With fewer watched rows than this predicted for the rarer classes, rows inside the margin count
# as well.
FEW = 10


@dataclass
class Settings:
    """What a search is made of; all checked."""

    kernel: _core.Kernel
    search: str
    pool_size: int
    explore: float
    rule: StopRule | None
    max_labels: int | None
    seed: int
    tol: float
    cache_bytes: int
    cost: Callable[[Any], float]  # limit of the coefficients of a class
    verbose: bool = False


@dataclass
class Session:
    """A search in progress."""

    pool: Rows
    settings: Settings
    classes: list[Any] = field(default_factory=list)  # in the order in which they were met
    looks: list[tuple[int, NDArray[np.int16]]] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    skipped: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        s = self.settings
        self.engine = _core.Border(
            s.kernel,
            engine_rows(self.pool),
            s.search,
            s.pool_size,
            s.explore,
            s.seed,
            s.tol,
            s.cache_bytes,
        )
        random = np.random.default_rng(s.seed)
        n = self.pool.shape[0]
        watched = random.choice(n, size=min(n, WATCHED), replace=False) if n else np.empty(0)
        if s.rule is not None:
            self.engine.watch(np.sort(watched).astype(np.int32))
        self.numbers: dict[Any, int] = {}
        self.labels: dict[int, Any] = {}  # by row, of rows told one by one
        self.version = 0  # changes with every label
        self.n_labels = 0
        self.next_look = next_check(0)

    # --- learning -----------------------------------------------------------------------

    def learn(self, row: int, label: Any) -> None:
        """Learn one label, asked for or not."""
        self.engine.tell(row, self.number_of(label))
        self.labels[row] = label
        self.version += 1
        self.n_labels += 1
        self.look_if_due()

    def number_of(self, label: Any) -> int:
        """Class number of a label; a new one makes the machines learn anew with one class more."""
        if label not in self.numbers:
            self.numbers[label] = len(self.classes)
            self.classes.append(label)
            self.engine.set_classes(
                np.array([self.settings.cost(c) for c in self.classes]),
                observer(self.settings.verbose, "relearn", self.n_labels),
            )
        return self.numbers[label]

    def correct(self, row: int, label: Any) -> None:
        """Learn another label for a row, and all others again."""
        report = observer(self.settings.verbose, "relearn", self.n_labels)
        number = self.number_of(label)
        self.labels[row] = label
        self.version += 1
        # Looks were taken by machines that had learned something else.
        self.looks.clear()
        self.reasons.clear()
        self.next_look = next_check(self.n_labels)
        # Last, because it may be interrupted; the engine then goes on before the next question.
        self.engine.correct(row, number, report)

    def run(self, codes: NDArray[np.int32], labels: NDArray[Any]) -> None:
        """Ask and learn until a rule stops it; ``labels[codes[row]]`` answers for a row."""
        numbers = np.full(len(labels), -1, dtype=np.int32)
        report = observer(self.settings.verbose, "labels", self.pool.shape[0])
        while not self.done:
            until = min(self.next_look, self.settings.max_labels or self.next_look)
            stranger = self.engine.run(until, codes, numbers, report)
            self.n_labels = self.engine.labels
            if stranger >= 0:
                code = codes[stranger]
                numbers[code] = self.number_of(labels[code])
                self.learn(stranger, labels[code])
            else:
                self.look_if_due()

    def replay(self, state: Mapping[str, Any]) -> None:
        """Learn again what a saved state holds."""
        log = {name: np.asarray(column) for name, column in state["log"].items()}
        for label in state["classes"]:
            self.number_of(label)
        # The engine takes how a row was chosen from the rows that wait for an answer.
        asked = log["way"] != 0
        self.engine.set_pending(_query_columns(log, asked))
        rows, numbers = log["row"].tolist(), log["label"].tolist()
        for row, number in zip(rows, numbers, strict=True):
            self.engine.tell(row, number)
        for row in state["skipped"]:
            self.engine.skip(row)
            self.skipped.append(row)
        pending = {name: np.asarray(column) for name, column in state["pending"].items()}
        self.engine.set_pending(_query_columns(pending, np.full(len(pending["row"]), True)))
        self.engine.random_state = state["random_state"]
        self.looks = [(n, np.array(predicted, dtype=np.int16)) for n, predicted in state["looks"]]
        self.n_labels = self.engine.labels
        self.next_look = state["next_look"]
        self.reasons = dict(state["reasons"])
        self.labels = {row: self.classes[number] for row, number in zip(rows, numbers, strict=True)}

    # --- stopping -----------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Whether asking is over."""
        if self.engine.unseen == 0 and not self.reasons:
            self.reasons["exhausted"] = "No row of the pool is left to ask for."
        limit = self.settings.max_labels
        if limit is not None and self.n_labels >= limit and not self.reasons:
            self.reasons["max_labels"] = f"The limit of {limit:,} labels is reached."
        return bool(self.reasons)

    def look_if_due(self) -> None:
        """Apply the stop rule when its next look is due."""
        if self.n_labels < self.next_look:
            return
        self.next_look = next_check(self.n_labels)
        if self.settings.rule is None or len(self.classes) < 2:
            return
        self.looks.append((self.n_labels, self._predicted()))
        self.reasons = reasons_of(self.settings.rule, self.history())

    def _predicted(self) -> NDArray[np.int16]:
        """Class number of each watched row; one of two classes is marked when close to it."""
        values = self.engine.watched()
        if values.shape[0] > 1:
            return values.argmax(axis=0).astype(np.int16)
        rare = 1 if np.count_nonzero(values[0] > 0.0) * 2 <= values.shape[1] else 0
        sided = values[0] if rare == 1 else -values[0]
        border = 0.0 if np.count_nonzero(sided > 0.0) >= FEW else -1.0
        return np.where(sided > border, rare, 1 - rare).astype(np.int16)

    def history(self) -> History:
        """Everything so far as tables."""
        now = self.looks[-1][1] if self.looks else np.empty(0, dtype=np.int16)
        checks = Table(
            {
                "n_labels": np.array([n for n, _ in self.looks], dtype=np.int64),
                "changed_since": np.array([_difference(then, now) for _, then in self.looks]),
            }
        )
        return make_history(
            self.engine.log(0),
            as_array(self.classes),
            checks,
            self.pool.shape[0],
            self.engine.unseen,
            self.settings.explore if self.settings.search != "random" else 1.0,
        )


def _query_columns(
    columns: Mapping[str, NDArray[Any]], chosen: NDArray[np.bool_]
) -> dict[str, NDArray[Any]]:
    """Columns of queries in the types that the engine takes."""
    real = ("probability", "distance")
    return {
        name: np.ascontiguousarray(column[chosen], dtype=np.float64 if name in real else np.int32)
        for name, column in columns.items()
    }


def _difference(then: NDArray[np.int16], now: NDArray[np.int16]) -> float:
    """How much the sets of rows predicted for each class but the largest differ, on average."""
    counts = np.bincount(np.concatenate([then, now]))
    classes = [c for c in np.flatnonzero(counts).tolist() if c != int(np.argmax(counts))]
    if not classes:
        return 0.0
    shares = [np.count_nonzero((then == c) != (now == c)) / counts[c] for c in classes]
    return float(np.mean(shares))


def as_array(labels: list[Any]) -> NDArray[Any]:
    """Labels as an array of one dimension, whatever they are."""
    try:
        made = np.array(labels)
    except ValueError:
        made = np.empty(0)
    if made.shape == (len(labels),):
        return made
    made = np.empty(len(labels), dtype=object)
    made[:] = labels
    return made


def resolve_pool_size(pool_size: int | tuple[float, float]) -> int:
    """Number of rows to draw; ``(p, eta)`` asks for one of the best ``p`` with chance ``1 - eta``.

    Parameters
    ----------
    pool_size : int or tuple of float
        A number of rows, or p and eta.

    Returns
    -------
    int
        ``ceil(log(eta) / log(1 - p))`` for a tuple.

    Examples
    --------
    >>> from rarebit.border import resolve_pool_size
    >>> resolve_pool_size((0.05, 0.05)), resolve_pool_size(100)
    (59, 100)
    """
    if isinstance(pool_size, tuple):
        p, eta = pool_size
        return max(1, math.ceil(math.log(eta) / math.log(1.0 - p)))
    return int(pool_size)
