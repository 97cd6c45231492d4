"""Many machines over the rows of one matrix, solved together by the engine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from rarebit import _core
from rarebit.svm._rows import Rows, engine_rows

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]


@dataclass(frozen=True)
class Member:
    """One machine to be solved: rows by number, their sides (±1) and the limits of their alphas.

    ``margins`` are guesses of y·f(x), ``start`` signed coefficients to start from; they save time
    and change nothing else.
    """

    ids: Ids
    y: Floats
    cost: Floats
    margins: Floats | None = None
    start: Floats | None = None


@dataclass(frozen=True)
class Machine:
    """One machine solved: coefficients of its member's rows, and what the solver says of it."""

    ids: Ids
    alpha: Floats
    bias: float
    gap: float
    objective: float
    steps: int
    converged: bool


class Family:
    """The rows, the kernel and the source of kernel values that all machines share.

    Threads share one object. A worker process gets the rows and makes its own source: kernel values
    depend on their two rows alone, so that the machines come out the same to the bit.
    """

    def __init__(
        self,
        X: Rows,
        kernel: dict[str, Any],
        tol: float,
        max_iter: int,
        cache_bytes: int,
        keep: bool = False,
    ) -> None:
        self._keep = keep
        self._X = X
        self._kernel_options = kernel
        self._tol = tol
        self._max_iter = max_iter
        self._cache_bytes = cache_bytes
        self._open()

    def _open(self) -> None:
        rows = engine_rows(self._X)
        self.kernel = _core.Kernel(**self._kernel_options, rows=rows)
        # With `keep`, values are kept if all of them fit: machines on nearly the same rows ask for
        # nearly the same values.
        block = 4 * rows.shape[0] * rows.shape[0]
        self._source: _core.Source
        if self._keep and 2 * block <= self._cache_bytes:
            self._source = _core.Gram(self.kernel, rows, block)
        else:
            self._source = _core.Direct(self.kernel, rows)

    @property
    def rows(self) -> Rows:
        """The matrix that row numbers refer to."""
        return self._X

    def __getstate__(self) -> dict[str, Any]:
        kept = ("_X", "_keep", "_kernel_options", "_tol", "_max_iter", "_cache_bytes")
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()

    def solve(
        self, members: Sequence[Member], n_jobs: int | None = None
    ) -> tuple[list[Machine], int]:
        """Solve all members; return machines and kernel values that other processes computed.

        Those computed here are counted by the kernel.
        """
        jobs = min(effective_n_jobs(n_jobs), len(members))
        if jobs <= 1:
            return self._solve_part(members)[0], 0
        cuts = np.linspace(0, len(members), jobs + 1).astype(int)
        parts = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(self._solve_part)(members[a:b]) for a, b in pairwise(cuts)
        )
        elsewhere: dict[int, int] = {}  # the largest count that each other process reported
        for _, process, count in parts:
            if process != os.getpid():
                elsewhere[process] = max(count, elsewhere.get(process, 0))
        return [m for part in parts for m in part[0]], sum(elsewhere.values())

    def _solve_part(self, members: Sequence[Member]) -> tuple[list[Machine], int, int]:
        sizes = [len(member.ids) for member in members]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        solved = _core.solve_many(
            self._source,
            np.concatenate([m.ids for m in members]),
            offsets,
            np.concatenate([m.y for m in members]),
            np.concatenate([m.cost for m in members]),
            _joined([m.margins for m in members]),
            _joined([m.start for m in members]),
            self._tol,
            self._max_iter,
            self._cache_bytes,
            None,
        )
        machines = [
            Machine(
                member.ids,
                solved["alpha"][offsets[i] : offsets[i + 1]],
                float(solved["bias"][i]),
                float(solved["gap"][i]),
                float(solved["objective"][i]),
                int(solved["steps"][i]),
                bool(solved["converged"][i]),
            )
            for i, member in enumerate(members)
        ]
        return machines, os.getpid(), self.kernel.values_computed

    def decide(self, machines: Sequence[Machine]) -> Floats:
        """Decision values of the machines for all rows of the matrix, one column a machine."""
        support, coefficients = join(machines)
        rows = engine_rows(self._X)
        values = _core.decide(self.kernel, rows, rows, support, coefficients, None)
        return values + np.array([machine.bias for machine in machines])


def _joined(parts: Sequence[Floats | None]) -> Floats | None:
    given = [part for part in parts if part is not None]
    return np.concatenate(given) if len(given) == len(parts) else None


def join(machines: Sequence[Machine]) -> tuple[Ids, Floats]:
    """Return the union of the support vectors and the coefficients, one row a machine."""
    used = [machine.ids[machine.alpha != 0.0] for machine in machines]
    support = np.unique(np.concatenate(used)).astype(np.int32)
    coefficients = np.zeros((len(machines), len(support)))
    for row, machine, ids in zip(coefficients, machines, used, strict=True):
        row[np.searchsorted(support, ids)] = machine.alpha[machine.alpha != 0.0]
    return support, coefficients
