"""What all askers share: labels, rows that wait, checks, and the order asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rarebit._turns import LOCK, in_turn
from rarebit.active._checks import (
    ContradictionError,
    check_known,
    check_label,
    check_labels,
    check_number_of_rows,
    check_rows,
)
from rarebit.active._columns import ColumnTable
from rarebit.active._pool_record import PoolRecord
from rarebit.active._queries import Draw, Query, QueryReason
from rarebit.active._status import FoundClass, Status
from rarebit.exceptions import InputError

# A row with the reason for asking for it and, for uniform draws from the whole pool, their
# circumstances.
Choice = tuple[int, QueryReason] | tuple[int, QueryReason, Draw | None]


class BaseAsker(BaseEstimator):
    """Base of all askers: it keeps the labels, and subclasses choose the next query.

    A subclass implements ``_open_pool`` (look at the pool, return its number of rows) and
    ``_next_queries`` (choose rows). It may extend ``_learn_labels``, ``_leave_out`` and
    ``_take_back`` to follow the answers, ``_is_done`` to stop by itself, and ``_phase`` and
    ``_activity``, which describe what it does. With ``classifier_`` it is a learner that `Hunt`
    accepts. `rarebit.testing.check_asker` checks the result. Threads that share an asker take one
    call after the other.
    """

    _ledger: PoolRecord

    # --- the protocol -------------------------------------------------------------------

    @in_turn
    def start(self, X: Any, labels: Mapping[int, Any] | None = None) -> Self:
        """Begin on a pool, and forget everything about any pool before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The pool: finite numbers. It is kept and not copied, so it must not change while it is
            in use; numbers of single precision stay so, and need half of the memory.
        labels : mapping of int to object, or None, default=None
            Labels known already, by row; they cost nothing.

        Returns
        -------
        BaseAsker
            The asker itself.
        """
        n_rows = self._open_pool(X)
        known = check_known(labels)
        rows = check_rows(list(known), n_rows)
        given = {row: check_label(label) for row, label in zip(rows, known.values(), strict=True)}
        self._ledger = PoolRecord(n_rows, given)
        try:
            self._begin(X, given)
        except BaseException:
            del self._ledger  # what did not start has no pool
            raise
        return self

    @in_turn
    def ask(self, n: int = 1) -> NDArray[np.intp]:
        """Choose the rows whose labels are wanted next.

        Several rows at once are chosen to teach different things; asking for one at a time needs
        the fewest labels in all.

        Parameters
        ----------
        n : int, default=1
            Number of rows.

        Returns
        -------
        ndarray of int of shape (n_chosen,)
            Rows of the pool, none of them asked for before; fewer than ``n`` when no more are
            left, none when `done`.
        """
        self._check_started()
        number = check_number_of_rows(n, self._ledger.n_rows)
        chosen = [] if self._is_done() else self._next_queries(number)
        for choice in chosen:
            self._ledger.ask(*choice)
        return np.array([choice[0] for choice in chosen], dtype=np.intp)

    @in_turn
    def tell(self, rows: ArrayLike, labels: Any, *, replace: bool = False) -> None:
        """Learn the labels of rows. Nothing is learned when any of them is not acceptable.

        Parameters
        ----------
        rows : int or array-like of int of shape (n,)
            Rows of the pool, asked for or not.
        labels : object or array-like of shape (n,)
            One class per row: numbers, strings, anything hashable but None and NaN.
        replace : bool, default=False
            Whether labels replace those that rows have. All is then learned again as if the old
            ones had never been told. Without it, telling a row twice is an error.
        """
        self._check_started()
        numbers = check_rows(rows, self._ledger.n_rows)
        told = dict(zip(numbers, check_labels(rows, labels, len(numbers)), strict=True))
        if len(told) < len(numbers):
            raise ContradictionError(
                f"tell got {len(numbers)} rows, of which {len(told)} differ: tell each row once."
            )
        known = next((row for row in told if row in self._ledger.labels), None)
        if known is not None and not replace:
            raise ContradictionError(
                f"Row {known} was told class {self._ledger.labels[known]!r} before and now gets "
                f"{told[known]!r}: pass replace=True to correct an earlier label."
            )
        self._learn_labels(told)

    @in_turn
    def skip(self, rows: ArrayLike) -> None:
        """Leave rows unlabelled that nobody can label; they are not asked for again.

        Parameters
        ----------
        rows : int or array-like of int
            Rows of the pool without a label.
        """
        self._check_started()
        numbers = list(dict.fromkeys(check_rows(rows, self._ledger.n_rows)))
        labelled = next((row for row in numbers if row in self._ledger.labels), None)
        if labelled is not None:
            raise InputError(
                f"Row {labelled} has a label, {self._ledger.labels[labelled]!r}, so it cannot be "
                "skipped: use tell with replace=True to correct the label, or retract it first."
            )
        self._leave_out(numbers)
        self._ledger.skip(numbers)

    @in_turn
    def retract(self, rows: ArrayLike) -> None:
        """Take back labels or skips, as if the answers had never been given.

        The rows wait for an answer again and keep their place in the order asked.

        Parameters
        ----------
        rows : int or array-like of int
            Rows that were told or skipped.
        """
        self._check_started()
        numbers = list(dict.fromkeys(check_rows(rows, self._ledger.n_rows)))
        for row in numbers:
            if row not in self._ledger.labels and row not in self._ledger.skipped:
                raise InputError(
                    f"Row {row} was neither told nor skipped, so there is nothing to take back: "
                    "retract rows that have an answer."
                )
        self._take_back(numbers)

    @property
    @in_turn
    def done(self) -> bool:
        """Whether there is nothing left to ask."""
        self._check_started()
        return self._is_done()

    @in_turn
    def status(self) -> Status:
        """Counts, classes found, and what comes next; ``str`` turns it into sentences.

        Returns
        -------
        Status
            A frozen dataclass with ``to_dict``.
        """
        self._check_started()
        ledger, done = self._ledger, self.done
        counts = Counter(ledger.labels.values())
        return Status(
            asker=type(self).__name__,
            n_rows=ledger.n_rows,
            n_labels=len(ledger.labels),
            n_given=len(ledger.given),
            n_pending=len(ledger.pending),
            n_skipped=len(ledger.skipped),
            classes=tuple(
                FoundClass(name, counts[name], at) for name, at in ledger.discovered.items()
            ),
            phase="done" if done else self._phase(),
            activity=self._activity(),
            done=done,
            reasons=self.stop_reasons_,
        )

    # --- results ------------------------------------------------------------------------

    @property
    @in_turn
    def pending_(self) -> NDArray[np.intp]:
        """Rows that wait for an answer, in the order asked."""
        self._check_started()
        return np.array(list(self._ledger.pending), dtype=np.intp)

    @property
    @in_turn
    def labels_(self) -> dict[int, Any]:
        """Row to class, in the order told."""
        self._check_started()
        return dict(self._ledger.labels)

    @property
    @in_turn
    def n_labels_(self) -> int:
        """Number of labels known; 0 before `start`."""
        return len(self._ledger.labels) if hasattr(self, "_ledger") else 0

    @property
    @in_turn
    def discovered_(self) -> dict[Any, int]:
        """Class to the number of labels spent when it was first seen; 0 for classes given."""
        self._check_started()
        return dict(self._ledger.discovered)

    @property
    @in_turn
    def queries_(self) -> list[Query]:
        """Every row ever asked for, in the order asked, with the reason."""
        self._check_started()
        return list(self._ledger.queries)

    @property
    @in_turn
    def history_(self) -> ColumnTable:
        """A table with a row per label: ``n_labels``, ``row``, ``label``, and ``how`` it came."""
        self._check_started()
        labels = np.empty(len(self._ledger.labels), dtype=object)
        labels[:] = list(self._ledger.labels.values())
        rows = list(self._ledger.labels)
        return ColumnTable(
            {
                "n_labels": np.arange(1, len(rows) + 1),
                "row": np.array(rows, dtype=np.intp),
                "label": labels,
                "how": np.array([str(self._ledger.reason_of(row)) for row in rows], dtype=np.str_),
            }
        )

    @property
    @in_turn
    def stop_reasons_(self) -> dict[str, str]:
        """Why there is nothing more to ask, in sentences by name; empty while there is."""
        if self.done and len(self._ledger.labels) + len(self._ledger.skipped) >= self.n_rows_:
            return {"exhausted": "Every row is labelled or skipped."}
        return {}

    @property
    @in_turn
    def n_rows_(self) -> int:
        """Number of rows of the pool."""
        self._check_started()
        return self._ledger.n_rows

    def __getstate__(self) -> dict[str, Any]:
        kept: dict[str, Any] = dict(super().__getstate__())
        kept.pop(LOCK, None)
        return kept

    # --- for subclasses -----------------------------------------------------------------

    def _open_pool(self, X: Any) -> int:
        """Check the parameters, look at the pool, and return its number of rows."""
        raise NotImplementedError

    def _begin(self, X: Any, given: Mapping[int, Any]) -> None:
        """Learn the labels known from the start, when the ledger is empty."""
        self._learn_labels(given)

    def _next_queries(self, n: int) -> Sequence[Choice]:
        """Choose up to ``n`` rows that were never asked for, with the reasons."""
        raise NotImplementedError

    def _learn_labels(self, told: Mapping[int, Any]) -> None:
        """Learn checked labels, in their order; some may replace those that rows have."""
        for row, label in told.items():
            self._ledger.record(row, label)

    def _leave_out(self, rows: Iterable[int]) -> None:
        """Follow the skipping of rows, before the ledger notes it."""

    def _take_back(self, rows: Sequence[int]) -> None:
        """Forget the answers of rows."""
        self._ledger.retract(rows)

    def _is_done(self) -> bool:
        """Whether there is nothing left to ask."""
        return len(self._ledger.labels) + len(self._ledger.skipped) >= self._ledger.n_rows

    def _phase(self) -> str:
        """``"explore"``, ``"border"`` or ``"both"``, while there is something to ask."""
        return "explore" if len(self._ledger.discovered) < 2 else "border"

    def _activity(self) -> str:
        """Describe what the next question is for, in a sentence without its full stop."""
        return ""

    def _open_rows(self) -> NDArray[np.intp]:
        """Rows that were neither told, nor skipped, nor asked for, in rising order."""
        is_open = np.ones(self._ledger.n_rows, dtype=np.bool_)
        for rows in (self._ledger.labels, self._ledger.skipped, self._ledger.pending):
            is_open[list(rows)] = False
        return np.flatnonzero(is_open)

    def _check_started(self) -> None:
        if not hasattr(self, "_ledger"):
            raise NotFittedError(
                f"This {type(self).__name__} has no pool yet: call start(X) before anything else."
            )
