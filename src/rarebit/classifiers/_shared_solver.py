"""Many SVMs over the rows of one matrix, solved together by the engine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from rarebit import _core
from rarebit._engine.arrays import Matrix, engine_rows, take_rows

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]

# A gram of this size stays in the processor's caches. From a larger one, the corner that a machine
# needs is fetched more slowly than computed.
_CACHED_BYTES = 8 << 20
_MOST_COLUMN_ROWS = 4096


@dataclass(frozen=True)
class Subproblem:
    """One SVM to be solved: rows by number, their sides (±1) and the limits of their alphas.

    ``margins`` are guesses of y·f(x), ``start`` signed coefficients to start from; they save time
    and change nothing else.
    """

    ids: Ids
    y: Floats
    cost: Floats
    margins: Floats | None = None
    start: Floats | None = None


@dataclass(frozen=True)
class Solution:
    """One SVM solved: coefficients of its subproblem's rows, and what the solver says of it."""

    ids: Ids
    alpha: Floats
    bias: float
    gap: float
    objective: float
    steps: int
    converged: bool


class SharedSolver:
    """The rows, the kernel and the provider of kernel values that all SVMs share.

    Threads share one object. A worker process gets the rows and makes its own provider: kernel
    values depend on their two rows alone, so that the SVMs come out the same to the bit.
    """

    def __init__(
        self,
        X: Matrix,
        kernel: dict[str, Any],
        tol: float,
        max_iter: int,
        cache_bytes: int,
        keep: bool = False,
        threads: int = 1,
    ) -> None:
        self._keep = keep
        self._threads = threads
        self._X = X
        self._kernel_options = kernel
        self._tol = tol
        self._max_iter = max_iter
        self._cache_bytes = cache_bytes
        self._shared: Ids | None = None  # rows whose values are shared
        self._columns: Ids | None = None  # positions among them of those in every machine
        self._open()

    def _open(self) -> None:
        rows = engine_rows(self._X)
        self.kernel = _core.Kernel(**self._kernel_options, rows=rows)
        self._reported = 0  # kernel values told to the process that gave out the work
        # With `keep`, values are kept if all of them fit: machines on nearly the same rows ask for
        # nearly the same values.
        self._provider: _core.KernelProvider
        if self._keep and self._gram_fits(rows.shape[0]):
            self._provider = _core.Gram(self.kernel, rows, _gram_bytes(rows.shape[0]))
        else:
            self._provider = _core.DirectProvider(self.kernel, rows)
        self._filled = self._shared is None
        self._filling = Lock()

    def _gram_fits(self, rows: int) -> bool:
        return 2 * _gram_bytes(rows) <= self._cache_bytes

    def share(self, ids: Ids, common: Ids, machines: int, values: int, size: int) -> None:
        """Let the SVMs to come share kernel values, if that saves computing any.

        Parameters
        ----------
        ids : ndarray of int32
            All rows that they may have, rising.
        common : ndarray of int32
            Those that every one of them has.
        machines : int
            How many there will be.
        values, size : int
            Kernel values that one takes alone, and the rows that it has.
        """
        n, p = len(ids), len(common)
        alone = machines * values
        # A gram is symmetric: half of it has to be computed.
        if self._shared is not None or 2 * alone <= n * n:
            return
        # Larger machines ask for a few values at a time, which shared columns do not serve well.
        columns_fit = size <= _MOST_COLUMN_ROWS and 8 * n * p <= self._cache_bytes
        with_columns = n * p + alone * (1.0 - p / size) ** 2
        small_gram = _gram_bytes(n) <= _CACHED_BYTES
        if columns_fit and not small_gram and (with_columns <= n * n or not self._gram_fits(n)):
            self._columns = np.searchsorted(ids, common).astype(np.int32)
        elif not self._gram_fits(n):
            return
        self._shared = ids
        self._filled = False

    def _shared_provider(self) -> _core.KernelProvider:
        """Compute what is shared when the first SVM asks: in this process, or in a worker."""
        with self._filling:
            if not self._filled:
                self._fill()
                self._filled = True
        return self._provider

    def _fill(self) -> None:
        assert self._shared is not None
        rows = engine_rows(take_rows(self._X, self._shared))
        if self._columns is not None:
            self._provider = _core.SharedColumnsProvider(
                self.kernel, rows, self._columns, self._threads
            )
        else:
            gram = _core.Gram(self.kernel, rows, _gram_bytes(len(self._shared)))
            gram.fill(self._threads)
            self._provider = gram

    @property
    def rows(self) -> Matrix:
        """The matrix that row numbers refer to."""
        return self._X

    def __getstate__(self) -> dict[str, Any]:
        kept = (
            "_X", "_keep", "_threads", "_kernel_options", "_tol", "_max_iter", "_cache_bytes",
            "_shared", "_columns",
        )  # fmt: skip
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()

    def solve(
        self, subproblems: Sequence[Subproblem], n_jobs: int | None = None
    ) -> tuple[list[Solution], int]:
        """Solve all subproblems; return SVMs and kernel values that other processes computed.

        Those computed here are counted by the kernel.
        """
        jobs = min(effective_n_jobs(n_jobs), len(subproblems))
        if jobs <= 1:
            return self._solve_part(subproblems, self._threads)[0], 0
        cuts = np.linspace(0, len(subproblems), jobs + 1).astype(int)
        parts = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(self._solve_part)(subproblems[a:b]) for a, b in pairwise(cuts)
        )
        elsewhere = sum(count for _, process, count in parts if process != os.getpid())
        return [m for part in parts for m in part[0]], elsewhere

    def _solve_part(
        self, subproblems: Sequence[Subproblem], threads: int = 1
    ) -> tuple[list[Solution], int, int]:
        sizes = [len(sub.ids) for sub in subproblems]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        ids = np.concatenate([sub.ids for sub in subproblems])
        if self._shared is not None:
            ids = np.searchsorted(self._shared, ids).astype(np.int32)
        solved = _core.solve_many(
            self._shared_provider(),
            ids,
            offsets,
            np.concatenate([sub.y for sub in subproblems]),
            np.concatenate([sub.cost for sub in subproblems]),
            _joined([sub.margins for sub in subproblems]),
            _joined([sub.start for sub in subproblems]),
            self._tol,
            self._max_iter,
            self._cache_bytes,
            None,
            threads,
        )
        machines = [
            Solution(sub.ids, one.alpha, one.bias, one.gap, one.objective, one.steps, one.converged)
            for sub, one in zip(subproblems, solved, strict=True)
        ]
        # A worker process solves one part after another, some of them with the same copy.
        computed = self.kernel.values_computed - self._reported
        self._reported += computed
        return machines, os.getpid(), computed

    def decide(self, machines: Sequence[Solution]) -> Floats:
        """Decision values of the SVMs for all rows of the matrix, one column per SVM."""
        support, coefficients = join(machines)
        rows = engine_rows(self._X)
        values = _core.decide(self.kernel, rows, rows, support, coefficients, None, self._threads)
        return values + np.array([machine.bias for machine in machines])


def _gram_bytes(rows: int) -> int:
    return 4 * rows * rows


def _joined(parts: Sequence[Floats | None]) -> Floats | None:
    given = [part for part in parts if part is not None]
    return np.concatenate(given) if len(given) == len(parts) else None


def join(machines: Sequence[Solution]) -> tuple[Ids, Floats]:
    """Return the union of the support vectors and the coefficients, one row per SVM."""
    used = [machine.ids[machine.alpha != 0.0] for machine in machines]
    support = np.unique(np.concatenate(used)).astype(np.int32)
    coefficients = np.zeros((len(machines), len(support)))
    for row, machine, ids in zip(coefficients, machines, used, strict=True):
        row[np.searchsorted(support, ids)] = machine.alpha[machine.alpha != 0.0]
    return support, coefficients
