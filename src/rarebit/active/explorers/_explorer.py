"""Explorers: askers that find classes, and know distances between all rows of the pool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._turns import in_turn
from rarebit.active._base import BaseAsker
from rarebit.active._queries import QueryReason
from rarebit.active.explorers._pool import Pool

Indices = NDArray[np.intp]


class Explorer(BaseAsker):
    """Base of the explorers: it keeps the labels, and subclasses choose the next query.

    What an explorer asks next depends on the pool, its parameters, the labels told so far, in
    their order, and the rows that wait for an answer; on nothing else. So a saved explorer
    continues where it was, and a label that is replaced is forgotten altogether.

    A subclass has ``scale`` and ``metric`` among its parameters or as class attributes. It
    implements ``_choose`` (the next row among the open ones) and, where it needs them,
    ``_prepare`` (look at the pool, once), ``_learn`` (one label) and ``_reset`` (forget all
    labels).

    Attributes
    ----------
    discovered_ : dict
        Class to the number of labels spent when it was first seen; 0 for classes that `start` was
        given.
    labels_ : dict
        Row to class, in the order told.
    pending_ : ndarray of int of shape (n_pending,)
        Rows that wait for an answer, in the order asked.
    queries_ : list of Query
        Every row ever asked for, in the order asked, with the reason.
    """

    scale: bool = True
    metric: str = "euclidean"
    n_jobs: int | None = None

    _reason = QueryReason.EXPLORE
    _open: NDArray[np.bool_]  # rows that are neither labelled nor skipped

    # --- for subclasses -----------------------------------------------------------------

    def _check_parameters(self) -> None:
        """Check the parameters that do not depend on the pool."""

    def _prepare(self) -> None:
        """Look at ``self._pool``, before any label."""

    def _reset(self) -> None:
        """Forget all labels."""

    def _learn(self, row: int, label: Any) -> None:
        """Take in one label; ``labels_`` and ``discovered_`` hold it already."""

    def _choose(self, ahead: int) -> int:
        """Return the next row among ``self._open``, which holds at least one.

        ``ahead`` rows wait for an answer already, and are not open.
        """
        raise NotImplementedError

    def _beside(self, row: int) -> Indices:
        """Rows that need not be asked for while this one waits for its answer."""
        return np.empty(0, dtype=np.intp)

    def _found_all(self) -> bool:
        """Whether the explorer knows that no class is left to find."""
        return False

    def _doing(self) -> str:
        """Describe what the next question is for, in a sentence without its full stop."""
        return "Further classes are sought"

    # --- the asker ----------------------------------------------------------------------

    def _open_pool(self, X: Any) -> int:
        self._check_parameters()
        self._pool = Pool(X, scale=self.scale, metric=self.metric, n_jobs=self.n_jobs)
        self._prepare()
        return self._pool.n_rows

    def _begin(self, X: Any, given: Mapping[int, Any]) -> None:
        self._replay()
        super()._begin(X, given)

    def _next_queries(self, n: int) -> Sequence[tuple[int, QueryReason]]:
        chosen: list[int] = []
        waiting = list(self._ledger.pending)
        open_before = self._open.copy()
        for row in waiting:
            self._close_around(row)
        while len(chosen) < n:
            if not self._open.any():
                # All that is left is near a row that waits for its answer.
                self._open = open_before.copy()
                self._open[[*waiting, *chosen]] = False
                if not self._open.any():
                    break
            row = self._choose(len(waiting) + len(chosen))
            chosen.append(row)
            self._close_around(row)
        self._open = open_before
        return [(row, self._reason) for row in chosen]

    def _learn_labels(self, told: Mapping[int, Any]) -> None:
        if any(row in self._ledger.labels for row in told):
            super()._learn_labels(told)
            self._replay()
            return
        for row, label in told.items():
            self._ledger.record(row, label)
            self._open[row] = False
            self._learn(row, label)

    def _leave_out(self, rows: Iterable[int]) -> None:
        self._open[list(rows)] = False

    def _take_back(self, rows: Sequence[int]) -> None:
        super()._take_back(rows)
        self._replay()

    def _is_done(self) -> bool:
        return not self._open.any() or self._found_all()

    def _phase(self) -> str:
        return "explore"

    def _activity(self) -> str:
        return "" if self.done else self._doing()

    @property
    @in_turn
    def stop_reasons_(self) -> dict[str, str]:
        """Why there is nothing more to ask, in sentences by name; empty while there is."""
        self._check_started()
        if self._found_all():
            return {"found": "Every class that was sought is found."}
        return super().stop_reasons_

    def _replay(self) -> None:
        """Make the state anew from the labels."""
        self._open = np.ones(self._pool.n_rows, dtype=np.bool_)
        self._open[list(self._ledger.skipped)] = False
        self._reset()
        for row, label in self._ledger.replay():
            self._open[row] = False
            self._learn(row, label)

    def _close_around(self, row: int) -> None:
        self._open[self._beside(row)] = False
        self._open[row] = False
