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
    """A row was told another class than before."""


class Explorer(BaseEstimator):
    """Base of the explorers: it keeps the labels, and its heirs choose the questions.

    What an explorer asks next depends on the pool, its parameters and the labels told so far, in
    their order, and on nothing else. So `ask` can be repeated, a saved explorer goes on where it
    was, and a label that is replaced is forgotten altogether.

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
    """

    scale: bool = True
    metric: str = "euclidean"

    discovered_: dict[Any, int]
    labels_: dict[int, Any]

    # --- protocol -----------------------------------------------------------------------

    def start(self, X: Any, labels: Mapping[int, Any] | None = None) -> Explorer:
        """Look at a pool and forget everything about any pool before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The pool: finite numbers.
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
            Row numbers, fewer than ``n`` when the pool has no more, none when `done`. Asking again
            before the next `tell` or `skip` returns the same rows.
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
        closed: list[Rows] = []
        while len(chosen) < n and self._open.any():
            row = self._choose(len(chosen))
            chosen.append(row)
            if len(chosen) == n:
                break
            # The next rows of a batch must not repeat this one, nor its near neighbours while
            # others are left.
            around = np.append(self._beside(row), row)
            around = around[self._open[around]]
            self._open[around] = False
            closed.append(around)
            if not self._open.any():
                for rows in closed:
                    self._open[rows] = True
                closed = [np.array(chosen, dtype=np.intp)]
                self._open[closed[0]] = False
        for rows in closed:
            self._open[rows] = True
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
            Let a label replace another one of the same row. Without it, telling a row the class
            that it has changes nothing, and telling it another is an error.
        """
        self._check_started()
        numbers = self._check_rows(rows)
        named = self._check_labels(rows, labels, len(numbers))
        told: dict[int, Any] = {}
        for row, label in zip(numbers, named, strict=True):
            known = told.get(row, self.labels_.get(row, label))
            if known != label and (row in told or not replace):
                raise ContradictionError(
                    f"Row {row} was told class {known!r} and is now told {label!r}: a row has one "
                    "class; pass replace=True to correct an earlier label."
                )
            told[row] = label
        fresh = {row: label for row, label in told.items() if row not in self.labels_}
        corrected = {row: label for row, label in told.items() if self.labels_.get(row) != label}
        self._skipped.difference_update(told)
        for row, label in told.items():
            (self._given if row in self._given else self._told)[row] = label
        if len(corrected) > len(fresh):
            self._replay()
        else:
            for row, label in fresh.items():
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
        self._open[numbers] = False

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

        ``ahead`` rows of the same batch are chosen already.
        """
        raise NotImplementedError

    def _beside(self, row: int) -> Rows:
        """Rows that a batch should not hold beside this one."""
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
