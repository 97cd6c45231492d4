"""Asking for labels over a pool that no single machine holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active import STOP_RULES, BaseAsker, History, QueryReason, RowPool
from rarebit.distributed._array_pool import stack_rows
from rarebit.distributed._explorer import draw_rows
from rarebit.distributed._watching import WATCHED, Asked, PredictionWatch, make_history
from rarebit.svm import KernelSVC

# Rows of the highest scores that are fetched at once; they are asked for until as many labels
# are new, and then all rows are scored again.
_HARVEST = 20
_CANDIDATES = 400
# Rows of the pool that tell which class is rare.
_SAMPLE = 1000


class PoolLearner(BaseAsker):
    """Find and learn a rare class over a `PartitionedPool`.

    Each question looks at ``pool_size`` rows that are drawn uniformly over all partitions; only
    those are fetched. Some questions explore instead: in turn a row where the density of a
    partition changes, and one that is drawn uniformly. `Hunt` takes it as its learner.

    Parameters
    ----------
    goal : {"learn", "find"}, default="learn"
        ``"learn"`` asks for rows close to the border, ``"find"`` for those with the highest score,
        which takes one pass over all partitions per twenty labels.
    kernel : str, default="rbf"
        Kernel of the machine.
    C : float, default=1.0
        Cost of an error.
    gamma : float or "scale", default="scale"
        Width of the kernel; ``"scale"`` computes it from the spread of the rows drawn as a sample.
    pool_size : int, default=59
        Rows that a question looks at: one of the closest five percent with 95 % confidence.
    explore : float, default=0.1
        Share of questions that explore.
    stop : {"auto", "support", "margin"}, function of History or None, default="auto"
        When there are enough labels, as in `BorderLearner`; None never stops.
    random_state : int, default=0
        Seed of the draws. The questions are the same whatever the number of workers.

    Examples
    --------
    >>> from rarebit.distributed import PartitionedPool, PoolLearner, open_cluster
    >>> with open_cluster("local") as client:  # doctest: +SKIP
    ...     pool = PartitionedPool.open(client, "payments/", drop=["fraud"])
    ...     learner = PoolLearner().start(pool)
    ...     rows = learner.ask()
    """

    def __init__(
        self,
        goal: str = "learn",
        kernel: str = "rbf",
        C: float = 1.0,
        gamma: float | str = "scale",
        pool_size: int = 59,
        explore: float = 0.1,
        stop: Any = "auto",
        random_state: int = 0,
    ) -> None:
        self.goal = goal
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.pool_size = pool_size
        self.explore = explore
        self.stop = stop
        self.random_state = random_state

    def _open_pool(self, X: Any) -> int:
        if self.goal not in ("learn", "find"):
            raise ValueError(f"goal must be 'learn' or 'find', got {self.goal!r}.")
        if self.pool_size < 1:
            raise ValueError(f"pool_size must be 1 or more, got {self.pool_size}.")
        if not 0.0 <= self.explore <= 1.0:
            raise ValueError(f"explore must be between 0 and 1, got {self.explore}.")
        if isinstance(self.stop, str) and self.stop not in STOP_RULES:
            raise ValueError(
                f"stop must be one of {', '.join(STOP_RULES)}, a function or None, got "
                f"{self.stop!r}."
            )
        self._pool: RowPool = X
        return int(X.n_rows)

    def _begin(self, X: Any, given: Mapping[int, Any]) -> None:
        self._rng = np.random.default_rng(self.random_state)
        self._n_asked = 0
        self._asked: dict[int, Asked] = {}  # rows asked for or labelled
        self._support: list[dict[Any, int]] = []  # after each label, as of the last question
        self._n_explored = 0
        self._support_now: dict[Any, int] = {}
        self._machine: tuple[int, KernelSVC] | None = None
        self._candidates: list[int] | None = None
        self._harvest: list[int] = []
        self._sample: Any = None
        self._version = 0
        self._watch = PredictionWatch(
            self.stop, None if self.stop is None else self._drawn_rows(WATCHED)
        )
        super()._begin(X, given)

    # --- questions ----------------------------------------------------------------------

    def _next_queries(self, n: int) -> Sequence[tuple[int, QueryReason]]:
        chosen: dict[int, QueryReason] = {}
        while len(chosen) < n:
            taken = {*self._ledger.labels, *self._ledger.skipped, *self._ledger.pending, *chosen}
            if len(taken) >= self._ledger.n_rows:
                break
            row, reason = self._choose(taken)
            chosen[row] = reason
            self._n_asked += 1
        return list(chosen.items())

    def _choose(self, taken: set[int]) -> tuple[int, QueryReason]:
        known = len(self._ledger.discovered) >= 2
        period = round(1.0 / self.explore) if self.explore > 0.0 else 0
        if not known or (period and self._n_asked % period == 0):
            # Every second of these is drawn uniformly: a class that is rare and not dense shows in
            # no density.
            self._n_explored += 1
            row = self._explore(taken) if self._n_explored % 2 else None
            reason = QueryReason.RANDOM if row is None else QueryReason.EXPLORE
            row = self._draw(1, taken)[0] if row is None else row
            self._note(row, self._pool.take([row]), known=known)
            return row, reason
        if self.goal == "find":
            row = self._harvested(taken)
            self._note(row, self._pool.take([row]), known=known)
            return row, QueryReason.HARVEST
        rows = np.array(self._draw(self.pool_size, taken), dtype=np.intp)
        block = self._pool.take(rows)
        doubt = _doubt(self.classifier_, block)
        at = int(np.lexsort((rows, doubt))[0])
        inside = int(np.count_nonzero(doubt < 1.0))
        self._note(int(rows[at]), block[at : at + 1], known=known, drawn=len(rows), inside=inside)
        return int(rows[at]), QueryReason.BORDER

    def _note(
        self, row: int, features: Any, *, known: bool, drawn: int = 0, inside: int = 0
    ) -> None:
        """Keep what the machine held of a row when it was asked for."""
        if not known:
            self._asked[row] = Asked(features)
            return
        machine = self.classifier_
        names = machine.classes_.tolist()
        self._support_now = dict(zip(names, machine.n_support_.tolist(), strict=True))
        expected = machine.predict(features)[0]
        expected = expected.item() if isinstance(expected, np.generic) else expected
        distance = float(_doubt(machine, features)[0])
        self._asked[row] = Asked(features, expected, distance, drawn, inside)

    def _draw(self, n: int, taken: set[int]) -> list[int]:
        return draw_rows(self._rng, n, self._ledger.n_rows, taken)

    def _explore(self, taken: set[int]) -> int | None:
        if self._candidates is None:
            self._candidates = [int(row) for row in self._pool.candidates(_CANDIDATES)]
        while self._candidates:
            row = self._candidates.pop(0)
            if row not in taken:
                return row
        return None

    def _harvested(self, taken: set[int]) -> int:
        while True:
            self._harvest = [row for row in self._harvest if row not in taken]
            if self._harvest:
                return self._harvest.pop(0)
            out = np.fromiter(taken, dtype=np.intp, count=len(taken))
            best = self._pool.best(self.classifier_, self.rare_class_, _HARVEST, out)
            self._harvest = best.tolist()

    # --- answers ------------------------------------------------------------------------

    def _learn_labels(self, told: Mapping[int, Any]) -> None:
        new = [row for row in told if row not in self._asked]
        if new:
            features = self._pool.take(new)
            for i, row in enumerate(new):
                self._asked[row] = Asked(features[i : i + 1])
        replaces = any(row in self._ledger.labels for row in told)
        fresh = sum(row not in self._ledger.labels for row in told)
        super()._learn_labels(told)
        self._support += [self._support_now] * fresh
        self._version += 1
        if replaces:
            self._watch.begin_again(len(self._ledger.labels))
        elif len(self._ledger.discovered) >= 2:
            n_labels = len(self._ledger.labels)
            self._watch.look_if_due(n_labels, lambda: self.classifier_, lambda: self.history_)

    def _take_back(self, rows: Sequence[int]) -> None:
        super()._take_back(rows)
        del self._support[len(self._ledger.labels) :]
        self._version += 1
        self._watch.begin_again(len(self._ledger.labels))

    def _is_done(self) -> bool:
        return super()._is_done() or bool(self._watch.reasons)

    @property
    def stop_reasons_(self) -> dict[str, str]:
        """Why there is nothing more to ask, in sentences by name; empty while there is."""
        return dict(self._watch.reasons) or super().stop_reasons_

    @property
    def history_(self) -> History:
        """A table with a row per label, and what stop rules need besides."""
        self._check_started()
        ledger = self._ledger
        n_unseen = ledger.n_rows - len({*ledger.labels, *ledger.skipped, *ledger.pending})
        reasons = {row: str(ledger.reason_of(row)) for row in ledger.labels}
        return make_history(
            ledger.labels, reasons, self._asked, self._support, self._watch.checks(),
            ledger.n_rows, n_unseen, self.explore,
        )  # fmt: skip

    def _drawn_rows(self, n: int) -> Any:
        """Features of rows drawn uniformly, the same ones each time."""
        rng = np.random.default_rng(self.random_state)
        drawn = rng.choice(self._ledger.n_rows, min(n, self._ledger.n_rows), replace=False)
        return self._pool.take(np.sort(drawn))

    @property
    def rare_class_(self) -> Any:
        """The class with the fewest rows in the pool, as the classifier sees a uniform sample.

        Never the one with the fewest labels: questions seek the rare class, so that it may have
        most of them.
        """
        machine = self.classifier_
        if self._sample is None:
            self._sample = self._drawn_rows(_SAMPLE)
        names, counts = np.unique(machine.predict(self._sample), return_counts=True)
        rows = dict(zip(names.tolist(), counts.tolist(), strict=True))
        return min(machine.classes_.tolist(), key=lambda name: rows.get(name, 0))

    @property
    def classifier_(self) -> KernelSVC:
        """A `KernelSVC` fitted on the rows labelled so far."""
        self._check_started()
        if len(set(self._ledger.labels.values())) < 2:
            raise ValueError("A classifier needs labels of two classes: label more rows.")
        if self._machine is None or self._machine[0] != self._version:
            gamma = self._pool.gamma if self.gamma == "scale" else self.gamma
            machine = KernelSVC(kernel=self.kernel, C=self.C, gamma=gamma)
            rows = [self._asked[row].features for row in self._ledger.labels]
            labels = np.array(list(self._ledger.labels.values()))
            self._machine = (self._version, machine.fit(stack_rows(rows), labels))
        return self._machine[1]


def _doubt(machine: KernelSVC, rows: Any) -> NDArray[np.float64]:
    """Return the distance of rows from the border; of several classes, between the best two."""
    values = machine.decision_function(rows)
    if values.ndim == 1:
        return np.abs(values)
    best = np.sort(values, axis=1)
    return best[:, -1] - best[:, -2]
