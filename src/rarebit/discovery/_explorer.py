"""The ask/tell protocol that every explorer follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rarebit.discovery._numbers import is_whole
from rarebit.discovery._pool import Pool

Rows = NDArray[np.intp]


class ContradictionError(ValueError):
    """A row was told twice."""


class Explorer(BaseEstimator):
    """Base of the explorers: it keeps the labels, and its heirs choose the questions.

    What an explorer asks next depends on the pool, its parameters, the labels told so far, in
    their order, and the rows that wait for an answer; on nothing else. So a saved explorer goes on
    where it was, and a label that is replaced is forgotten altogether.

    An heir has ``scale`` and ``metric`` among its parameters or as class attributes. It implements
    ``_prepare`` (look at the pool, once), ``_reset`` (forget all labels), ``_learn`` (one label)
    and ``_choose`` (the next row among the open ones).

    Attributes
    ----------
    discovered_ : dict
        Class to the number of labels spent when it was first seen; 0 for classes that `start` was
        given.
    labels_ : dict
        Row to class, in the order told.
    pending_ : ndarray of int
        Rows asked for that wait for an answer.
    """

    scale: bool = True
    metric: str = "euclidean"

    discovered_: dict[Any, int]
    labels_: dict[int, Any]
    _open: NDArray[np.bool_]

    # --- protocol -----------------------------------------------------------------------

    def start(self, X: Any, labels: Mapping[int, Any] | None = None) -> Explorer:
        """Look at a pool and forget everything about any pool before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The pool: finite numbers. It is kept and not copied, so leave it as it is; numbers of
            single precision stay so, and need half of the memory.
        labels : mapping of row to class, or None, default=None
            What is known already; these labels cost nothing.

        Returns
        -------
        Explorer
            Itself.
        """
        self._check_parameters()
        self._pool = Pool(X, scale=self.scale, metric=self.metric)
        self._prepare()
        given = dict(labels) if labels is not None else {}
        rows = self._check_rows(list(given))
        self._given = {row: _plain(label) for row, label in zip(rows, given.values(), strict=True)}
        self._told: dict[int, Any] = {}
        self._skipped: set[int] = set()
        self._pending: list[int] = []
        self._replay()
        return self

    def ask(self, n: int = 1) -> Rows:
        """Choose the rows whose labels are wanted next.

        Parameters
        ----------
        n : int, default=1
            How many; one at a time needs the fewest labels in all.

        Returns
        -------
        ndarray of int
            Row numbers, none of them asked for before; fewer than ``n`` when the pool has no more,
            none when `done`.
        """
        self._check_started()
        if not is_whole(n) or not 1 <= n <= self._pool.n_rows:
            raise ValueError(
                f"ask takes a number of rows from 1 to the {self._pool.n_rows:,} of the pool, got "
                f"{n!r}: ask for fewer at a time."
            )
        if self.done:
            return np.empty(0, dtype=np.intp)
        chosen: list[int] = []
        open_before = self._open.copy()
        for row in self._pending:
            self._close_around(row)
        while len(chosen) < n:
            if not self._open.any():
                # All that is left is near a row that waits for its answer.
                self._open = open_before.copy()
                self._open[[*self._pending, *chosen]] = False
                if not self._open.any():
                    break
            row = self._choose(len(self._pending) + len(chosen))
            chosen.append(row)
            self._close_around(row)
        self._open = open_before
        self._pending += chosen
        return np.array(chosen, dtype=np.intp)

    def tell(self, rows: ArrayLike, labels: Any, *, replace: bool = False) -> None:
        """Learn the classes of rows, asked for or not.

        Parameters
        ----------
        rows : int or array-like of int
            Row numbers.
        labels : class or array-like of classes
            One class a row. Numbers, strings, anything hashable but None.
        replace : bool, default=False
            Let labels replace those that rows have; the explorer goes on as if the old ones had
            never been told. Without it, telling a row twice is an error.
        """
        self._check_started()
        numbers = self._check_rows(rows)
        named = self._check_labels(rows, labels, len(numbers))
        told = dict(zip(numbers, named, strict=True))
        if len(told) < len(numbers):
            raise ContradictionError(
                f"tell got {len(numbers)} rows, of which {len(told)} differ: tell each row once."
            )
        known = [row for row in numbers if row in self.labels_]
        if known and not replace:
            raise ContradictionError(
                f"Row {known[0]} was told class {self.labels_[known[0]]!r} before and is told "
                f"{told[known[0]]!r} now: pass replace=True to correct an earlier label."
            )
        self._skipped.difference_update(told)
        self._pending = [row for row in self._pending if row not in told]
        for row, label in told.items():
            (self._given if row in self._given else self._told)[row] = label
        if known:
            self._replay()
        else:
            for row, label in told.items():
                self._take(row, label, spent=len(self.labels_) - len(self._given) + 1)

    def skip(self, rows: ArrayLike) -> None:
        """Leave rows out that nobody can label; they are not asked for again.

        Parameters
        ----------
        rows : int or array-like of int
            Row numbers without a label.
        """
        self._check_started()
        numbers = self._check_rows(rows)
        labelled = [row for row in numbers if row in self.labels_]
        if labelled:
            raise ValueError(
                f"Row {labelled[0]} has a label, so it cannot be skipped: skip rows that were "
                "asked for and not told."
            )
        self._skipped.update(numbers)
        self._pending = [row for row in self._pending if row not in self._skipped]
        self._open[numbers] = False

    def retract(self, rows: ArrayLike) -> None:
        """Take back labels or skips: the rows wait for an answer again.

        The explorer goes on as if the answers had never been given.

        Parameters
        ----------
        rows : int or array-like of int
            Rows that were told or skipped.
        """
        self._check_started()
        numbers = self._check_rows(rows)
        for row in numbers:
            if row not in self.labels_ and row not in self._skipped:
                raise ValueError(
                    f"Row {row} was neither told nor skipped, so there is nothing to take back: "
                    "retract rows that have an answer."
                )
        for row in numbers:
            self._given.pop(row, None)
            self._told.pop(row, None)
        self._skipped.difference_update(numbers)
        self._pending += numbers
        self._replay()

    @property
    def pending_(self) -> Rows:
        """Rows asked for that wait for an answer."""
        self._check_started()
        return np.array(self._pending, dtype=np.intp)

    @property
    def done(self) -> bool:
        """Whether there is nothing left to ask."""
        self._check_started()
        return not self._open.any() or self._found_all()

    def status(self) -> str:
        """Say in words what was found and what is being done."""
        self._check_started()
        spent = len(self._told)
        parts = [f"{_counted(spent, 'label')} told of {_counted(self._pool.n_rows, 'row')}"]
        if self._given:
            parts.append(f"{len(self._given):,} known from the start")
        if self._pending:
            parts.append(f"{len(self._pending):,} waiting for an answer")
        if self._skipped:
            parts.append(f"{len(self._skipped):,} skipped")
        found = ", ".join(
            f"{label!r} ({'given' if at == 0 else f'label {at:,}'})"
            for label, at in self.discovered_.items()
        )
        number = len(self.discovered_)
        said = f"{_counted(number, 'class', 'classes')} found{': ' if found else ''}{found}"
        if self._found_all():
            doing = "Every class that was sought is found"
        elif not self._open.any():
            doing = "Every row is labelled or skipped"
        else:
            doing = self._doing()
        return f"{', '.join(parts)}; {said}. {doing}."

    # --- for heirs ----------------------------------------------------------------------

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

    def _beside(self, row: int) -> Rows:
        """Rows that need not be asked for while this one waits for its answer."""
        return np.empty(0, dtype=np.intp)

    def _found_all(self) -> bool:
        """Whether the explorer knows that no class is left to find."""
        return False

    def _doing(self) -> str:
        """Say what the next question is for, in one sentence without its full stop."""
        return "Looking for further classes"

    # --- state --------------------------------------------------------------------------

    def _replay(self) -> None:
        """Make the state anew from the labels."""
        self.labels_ = {}
        self.discovered_ = {}
        self._open = np.ones(self._pool.n_rows, dtype=np.bool_)
        self._open[list(self._skipped)] = False
        self._reset()
        for row, label in self._given.items():
            self._take(row, label, spent=0)
        for spent, (row, label) in enumerate(self._told.items(), start=1):
            self._take(row, label, spent)

    def _take(self, row: int, label: Any, spent: int) -> None:
        self.labels_[row] = label
        self.discovered_.setdefault(label, spent)
        self._open[row] = False
        self._learn(row, label)

    def _close_around(self, row: int) -> None:
        self._open[self._beside(row)] = False
        self._open[row] = False

    def _check_started(self) -> None:
        if not hasattr(self, "_open"):
            raise NotFittedError(
                f"This {type(self).__name__} has no pool yet: call start(X) before anything else."
            )

    def _check_rows(self, rows: Any) -> list[int]:
        values = np.atleast_1d(np.asarray(rows))
        if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
            raise TypeError(
                f"Rows are whole numbers, one or a list of them, got {rows!r}: pass what ask "
                "returned."
            )
        outside = values[(values < 0) | (values >= self._pool.n_rows)]
        if outside.size:
            raise ValueError(
                f"The pool has rows 0 to {self._pool.n_rows - 1}, got row {outside[0]}: pass row "
                "numbers of the pool that start was given."
            )
        return [int(row) for row in values]

    def _check_labels(self, rows: Any, labels: Any, n: int) -> list[Any]:
        one = np.ndim(rows) == 0
        named = [labels] if one and not _is_list(labels) else list(labels)
        if len(named) != n:
            raise ValueError(
                f"tell takes one label a row, got {len(named)} labels for {n} rows: pass as many "
                "labels as rows."
            )
        return [_plain(label) for label in named]


def _is_list(labels: Any) -> bool:
    if isinstance(labels, np.ndarray):
        return labels.ndim > 0
    return isinstance(labels, Iterable) and not isinstance(labels, str | bytes | tuple)


def _plain(label: Any) -> Any:
    """Return a label as a Python object that can be a key."""
    label = label.item() if isinstance(label, np.generic | np.ndarray) else label
    if label is None or label != label:
        raise ValueError(
            f"A label must name a class, got {label!r}: call skip for a row that has no label."
        )
    try:
        hash(label)
    except TypeError:
        raise TypeError(
            f"A label must be hashable, such as a number or a string, got {label!r}: name the "
            "class by one of these."
        ) from None
    return label


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
