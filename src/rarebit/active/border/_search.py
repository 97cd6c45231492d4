"""One search over one pool: the engine's search, labels by name, looks of the stop rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit import _core
from rarebit._engine.arrays import Matrix, engine_rows
from rarebit._engine.progress import observer
from rarebit.active._columns import ColumnTable
from rarebit.active.border._history import History, make_history
from rarebit.active.border._stopping import StopRule, next_check, reasons_of
from rarebit.svm import Tuned

# Rows whose predictions are followed to see whether the machines still change.
WATCHED = 5000
# With fewer watched rows than this predicted for the rarer classes, rows inside the margin count
# as well.
FEW = 10
# Labels at which C and gamma are tuned first.
FIRST_TUNING = 20


@dataclass
class SearchSettings:
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
    C: float
    gamma: float
    weight: Callable[[Any], float]  # factor of C by class
    # Chooses C and gamma from rows, class numbers and weights; None where both are given.
    tune: Callable[..., Tuned] | None = None
    make_kernel: Callable[[float], _core.Kernel] | None = None
    verbose: bool = False
    threads: int = 1


@dataclass
class BorderSearch:
    """A search in progress."""

    pool: Matrix
    settings: SearchSettings
    classes: list[Any] = field(default_factory=list)  # in the order in which they were met
    looks: list[tuple[int, NDArray[np.int16]]] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = self.pool.shape[0]
        self.n_watched = min(n, WATCHED)
        self.engine = self._new_engine()
        self.skipped: list[int] = []
        self.next_tuning = FIRST_TUNING
        self.numbers: dict[Any, int] = {}
        self.version = 0  # changes with every label
        self.n_labels = 0
        self.next_look = next_check(0)

    def _new_engine(self) -> _core.Border:
        s = self.settings
        engine = _core.Border(
            s.kernel,
            engine_rows(self.pool),
            s.search,
            s.pool_size,
            s.explore,
            s.seed,
            s.tol,
            s.cache_bytes,
            s.threads,
        )
        random = np.random.default_rng(s.seed)
        n = self.pool.shape[0]
        watched = random.choice(n, size=self.n_watched, replace=False) if n else np.empty(0)
        if s.rule is not None:
            engine.watch(np.sort(watched).astype(np.int32))
        return engine

    # --- learning -----------------------------------------------------------------------

    def learn(self, row: int, label: Any) -> None:
        """Learn one label, asked for or not; `look_if_due` belongs after it."""
        self.engine.tell(row, self.number_of(label))
        self.version += 1
        self.n_labels += 1

    def number_of(self, label: Any) -> int:
        """Class number of a label; a new one makes the SVMs learn anew with one class more."""
        if label not in self.numbers:
            self.numbers[label] = len(self.classes)
            self.classes.append(label)
            self._set_classes(self.engine)
        return self.numbers[label]

    def _set_classes(self, engine: _core.Border) -> None:
        s = self.settings
        costs = np.array([float(s.C * s.weight(label)) for label in self.classes])
        engine.set_classes(costs, observer(s.verbose, "relearn", self.n_labels))

    def skip(self, row: int) -> None:
        """Leave a row without a label."""
        self.engine.skip(row)
        self.skipped.append(row)

    def correct(self, row: int, label: Any) -> None:
        """Learn another label for a row, and all others again."""
        report = observer(self.settings.verbose, "relearn", self.n_labels)
        number = self.number_of(label)
        self.version += 1
        # Looks were taken by machines that had learned something else.
        self.looks.clear()
        self.reasons.clear()
        self.next_look = next_check(self.n_labels)
        # Last, because it may be interrupted; the engine then continues before the next question.
        self.engine.correct(row, number, report)

    def run(self, codes: NDArray[np.int32], labels: NDArray[Any]) -> None:
        """Ask and learn until a rule stops it; ``labels[codes[row]]`` answers for a row."""
        numbers = np.full(len(labels), -1, dtype=np.int32)
        report = observer(self.settings.verbose, "labels", self.pool.shape[0])
        while not self.done:
            until = min(self.next_look, self.settings.max_labels or self.next_look)
            if self.settings.tune is not None:
                until = min(until, self.next_tuning)
            new_class_row = self.engine.run(until, codes, numbers, report)
            self.n_labels = self.engine.labels
            if new_class_row >= 0:
                code = codes[new_class_row]
                numbers[code] = self.number_of(labels[code])
                self.learn(new_class_row, labels[code])
            self.look_if_due()

    def replay(self, state: Mapping[str, Any]) -> None:
        """Learn again what a saved state holds."""
        tuned = state.get("tuned")
        if tuned is not None and self.settings.tune is not None:
            self._use(float(tuned[0]), float(tuned[1]))
            self.next_tuning = int(tuned[2])
            self.engine = self._new_engine()
        for label in state["classes"]:
            self.number_of(label)
        self.skipped = list(state["skipped"])
        self._teach(self.engine, state["log"], state["pending"], state["random_state"])
        self.looks = [(n, np.array(predicted, dtype=np.int16)) for n, predicted in state["looks"]]
        self.n_labels = self.engine.labels
        self.next_look = state["next_look"]
        self.reasons = dict(state["reasons"])

    def _teach(
        self,
        engine: _core.Border,
        log: Mapping[str, Any],
        pending: Mapping[str, Any],
        random_state: Any,
    ) -> None:
        """Bring a new engine, which knows the classes, to where another one was."""
        told = {name: np.asarray(column) for name, column in log.items()}
        # The engine takes how a row was chosen from the rows that wait for an answer.
        engine.set_pending(_query_columns(told, told["way"] != 0))
        rows, numbers = told["row"].tolist(), told["label"].tolist()
        for row, number in zip(rows, numbers, strict=True):
            engine.tell(row, number)
        for row in self.skipped:
            engine.skip(row)
        waiting = {name: np.asarray(column) for name, column in pending.items()}
        engine.set_pending(_query_columns(waiting, np.full(len(waiting["row"]), True)))
        engine.random_state = random_state

    # --- tuning -------------------------------------------------------------------------

    def _use(self, C: float, gamma: float) -> None:
        s = self.settings
        if gamma != s.gamma and s.make_kernel is not None:
            s.kernel = s.make_kernel(gamma)
        s.C, s.gamma = C, gamma

    @property
    def tuned(self) -> list[float] | None:
        """C and gamma as tuned, and the labels at which they are tuned next; None if given."""
        s = self.settings
        return None if s.tune is None else [s.C, s.gamma, self.next_tuning]

    def tune_if_due(self) -> None:
        """Choose C and gamma anew when the labels have grown by half since the last choice."""
        s = self.settings
        if s.tune is None or self.n_labels < self.next_tuning:
            return
        if len(self.classes) < 2:
            self.next_tuning = self.n_labels + 1
            return
        self.next_tuning = self.n_labels + (self.n_labels + 1) // 2
        log = {name: column for name, column in self.engine.log(0).items() if name != "support"}
        weights = np.array([float(s.weight(label)) for label in self.classes])
        found = s.tune(log["row"], log["label"], weights[log["label"]])
        if (found.C, found.gamma) == (s.C, s.gamma):
            return
        self._use(found.C, found.gamma)
        engine = self._new_engine()
        self._set_classes(engine)
        self._teach(engine, log, self.engine.pending(), self.engine.random_state)
        self.engine = engine
        self.version += 1

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
        """Tune and apply the stop rule, each when it is due."""
        self.tune_if_due()
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
        checks = ColumnTable(
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
    >>> from rarebit.active import resolve_pool_size
    >>> resolve_pool_size((0.05, 0.05)), resolve_pool_size(100)
    (59, 100)
    """
    if isinstance(pool_size, tuple):
        p, eta = pool_size
        return max(1, math.ceil(math.log(eta) / math.log(1.0 - p)))
    return int(pool_size)
