"""Asking for labels over a pool that no single machine holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active import BaseAsker, QueryReason
from rarebit.distributed._pool import PoolRows, stack_rows
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
    those are fetched. Every tenth question is a row where the density of a partition changes, so
    that classes that nobody has met are found; until two classes are known all are.

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
        Width of the kernel; ``"scale"`` by the spread of the sample.
    pool_size : int, default=59
        Rows that a question looks at: one of the closest five percent with 95 % confidence.
    explore : float, default=0.1
        Share of questions that explore.
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
        random_state: int = 0,
    ) -> None:
        self.goal = goal
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.pool_size = pool_size
        self.explore = explore
        self.random_state = random_state

    def _open_pool(self, X: Any) -> int:
        if self.goal not in ("learn", "find"):
            raise ValueError(f"goal must be 'learn' or 'find', got {self.goal!r}.")
        if self.pool_size < 1:
            raise ValueError(f"pool_size must be 1 or more, got {self.pool_size}.")
        if not 0.0 <= self.explore <= 1.0:
            raise ValueError(f"explore must be between 0 and 1, got {self.explore}.")
        self._pool: PoolRows = X
        return int(X.n_rows)

    def _begin(self, X: Any, given: Mapping[int, Any]) -> None:
        self._rng = np.random.default_rng(self.random_state)
        self._n_asked = 0
        self._rows: dict[int, Any] = {}  # features of labelled rows
        self._machine: tuple[int, KernelSVC] | None = None
        self._candidates: list[int] | None = None
        self._harvest: list[int] = []
        self._sample: Any = None
        self._version = 0
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
            # While one class is known, every second question is drawn uniformly: a class that is
            # rare and not dense shows in no density.
            row = None if not known and self._n_asked % 2 else self._explore(taken)
            return (self._draw(1, taken)[0], QueryReason.RANDOM) if row is None else (
                row, QueryReason.EXPLORE)  # fmt: skip
        if self.goal == "find":
            return self._harvested(taken), QueryReason.HARVEST
        rows = np.array(self._draw(self.pool_size, taken), dtype=np.intp)
        doubt = _doubt(self.classifier_, self._pool.take(rows))
        return int(rows[np.lexsort((rows, doubt))[0]]), QueryReason.BORDER

    def _draw(self, n: int, taken: set[int]) -> list[int]:
        """Draw rows uniformly from those that nobody was asked for, without listing them."""
        n_rows = self._ledger.n_rows
        n = min(n, n_rows - len(taken))
        if 2 * (len(taken) + n) >= n_rows:
            left = np.setdiff1d(np.arange(n_rows), np.fromiter(taken, dtype=np.intp))
            return [int(row) for row in self._rng.choice(left, n, replace=False)]
        drawn: dict[int, None] = {}
        while len(drawn) < n:
            row = int(self._rng.integers(n_rows))
            if row not in taken:
                drawn[row] = None
        return list(drawn)

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
        new = [row for row in told if row not in self._rows]
        if new:
            features = self._pool.take(new)
            for i, row in enumerate(new):
                self._rows[row] = features[i : i + 1]
        super()._learn_labels(told)
        self._version += 1

    def _take_back(self, rows: Sequence[int]) -> None:
        super()._take_back(rows)
        self._version += 1

    @property
    def rare_class_(self) -> Any:
        """The class with the fewest rows in the pool, as the classifier sees a uniform sample.

        Never the one with the fewest labels: questions seek the rare class, so that it may have
        most of them.
        """
        machine = self.classifier_
        if self._sample is None:
            rng = np.random.default_rng(self.random_state)
            n_rows = self._ledger.n_rows
            drawn = rng.choice(n_rows, min(_SAMPLE, n_rows), replace=False)
            self._sample = self._pool.take(np.sort(drawn))
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
            rows = [self._rows[row] for row in self._ledger.labels]
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
