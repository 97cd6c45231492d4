"""Hunt: an explorer finds the classes, a border learner learns them, and they share the labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from rarebit.border import BorderLearner
from rarebit.discovery import Explorer, Scout
from rarebit.discovery._advice import is_dry
from rarebit.svm import KernelSVC

# Questions of the explorer in ten, while new classes turn up and when they have ceased to.
_SHARE_RISING = 5
_SHARE_DRY = 1


class Hunt(BaseEstimator):
    """Find the classes of a pool and learn to tell them apart, from no label at all.

    Until two classes are known an explorer asks; then it takes turns with a border learner. While
    new classes keep turning up every second question is the explorer's; when it has asked in vain
    for twice as long as its longest successful search, every tenth. Both learn every label.

    Parameters
    ----------
    explorer : Explorer or None, default=None
        Finds classes; a `Scout` when None.
    learner : BorderLearner or None, default=None
        Learns the border between them; a `BorderLearner` when None. It sees the pool as it is, so
        bring the features to one scale first.

    Attributes
    ----------
    discovered_ : dict
        Class to the number of labels spent when it was first seen.
    labels_ : dict
        Row to class, in the order told.
    classifier_ : KernelSVC
        Solved exactly for the rows labelled so far.
    explorer_, learner_ : Explorer, BorderLearner
        Those at work: copies of the parameters.

    Examples
    --------
    >>> from rarebit import Hunt
    >>> from rarebit.datasets import make_malice_synthetic_1
    >>> X, y = make_malice_synthetic_1(random_state=0)
    >>> hunt = Hunt().start(X)
    >>> for _ in range(40):
    ...     rows = hunt.ask()
    ...     hunt.tell(rows, y[rows])
    >>> sorted(hunt.discovered_)
    [0, 1]
    >>> hunt.classifier_.predict(X).shape
    (1010,)
    """

    explorer_: Explorer
    learner_: BorderLearner

    def __init__(
        self, explorer: Explorer | None = None, learner: BorderLearner | None = None
    ) -> None:
        self.explorer = explorer
        self.learner = learner

    # --- protocol -----------------------------------------------------------------------

    def start(self, X: Any, labels: Mapping[int, Any] | None = None) -> Self:
        """Begin on a pool.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, d)
            The pool: finite numbers.
        labels : mapping of row to class, or None, default=None
            What is known already; these labels cost nothing.

        Returns
        -------
        Hunt
            Itself.
        """
        explorer: Any = Scout() if self.explorer is None else self.explorer
        learner: Any = BorderLearner(random_state=0) if self.learner is None else self.learner
        if not isinstance(explorer, Explorer) or not isinstance(learner, BorderLearner):
            raise TypeError(
                "Hunt takes an Explorer and a BorderLearner, got "
                f"{type(explorer).__name__} and {type(learner).__name__}: pass one of each or None."
            )
        self.explorer_ = clone(explorer).start(X, labels)
        self.learner_ = clone(learner).start(X, labels)
        self._asked_by_explorer: set[int] = set()
        self._vain = 0  # answers to the explorer's questions since a class was last new
        self._longest = 0  # of the searches that found one
        self._turns = 0
        return self

    def ask(self, n: int = 1) -> NDArray[np.intp]:
        """Choose the rows whose labels are wanted next.

        Parameters
        ----------
        n : int, default=1
            How many.

        Returns
        -------
        ndarray of int
            Row numbers; fewer than ``n`` when no more are left, none when `done`.
        """
        self._check_started()
        chosen: list[int] = []
        while len(chosen) < n and not self.done:
            rows = self._ask_one()
            if rows.size == 0:
                break
            chosen.append(int(rows[0]))
        return np.array(chosen, dtype=np.intp)

    def tell(self, rows: ArrayLike, labels: Any, *, replace: bool = False) -> None:
        """Learn the classes of rows, asked for or not.

        Parameters
        ----------
        rows : int or array-like of int
            Row numbers.
        labels : class or array-like of classes
            One class a row.
        replace : bool, default=False
            Let labels replace those that rows have.
        """
        self._check_started()
        n_known = len(self.discovered_)
        self.explorer_.tell(rows, labels, replace=replace)  # checks everything before it learns
        told = [int(row) for row in np.atleast_1d(np.asarray(rows))]
        self.learner_.tell(told, [self.labels_[row] for row in told], replace=replace)
        self._vain += sum(row in self._asked_by_explorer for row in told)
        if len(self.discovered_) > n_known:
            self._longest = max(self._longest, self._vain)
            self._vain = 0

    def skip(self, rows: ArrayLike) -> None:
        """Leave rows out that nobody can label; they are not asked for again.

        Parameters
        ----------
        rows : int or array-like of int
            Row numbers without a label.
        """
        self._check_started()
        self.explorer_.skip(rows)
        self.learner_.skip(rows)

    def retract(self, rows: ArrayLike) -> None:
        """Take back labels or skips: the rows wait for an answer again.

        Parameters
        ----------
        rows : int or array-like of int
            Rows that were told or skipped.
        """
        self._check_started()
        self.explorer_.retract(rows)
        self.learner_.retract(rows)
        self._vain = self._longest = 0
        seen: set[Any] = set()
        for row, label in self.labels_.items():
            self._vain += row in self._asked_by_explorer
            if label not in seen:
                seen.add(label)
                self._longest = max(self._longest, self._vain)
                self._vain = 0

    @property
    def done(self) -> bool:
        """Whether neither the explorer nor the learner has anything worth asking."""
        self._check_started()
        if len(self.discovered_) < 2:
            return self.explorer_.done
        return self.learner_.done and (self.explorer_.done or self._is_dry())

    def status(self) -> str:
        """Say in words what was found, what is being done and why."""
        self._check_started()
        found = ", ".join(f"{name!r} (label {at:,})" for name, at in self.discovered_.items())
        said = [f"{len(self.labels_):,} labels told; classes found: {found or 'none'}."]
        if len(self.discovered_) < 2:
            said.append("Exploring: a border needs two classes.")
        elif self.done:
            said.append("Nothing more needs to be asked: the border has settled and new classes")
            said.append("have ceased to turn up.")
        elif self.explorer_.done:
            said.append("Learning the border: every class that was sought is found.")
        elif self._is_dry():
            said.append(
                f"Learning the border, exploring once in ten: the last {self._vain:,} questions "
                "of the explorer found no new class."
            )
        else:
            said.append("Exploring and learning the border in turn: new classes may still come.")
        said.append(self.learner_.status())
        return " ".join(said)

    # --- results ------------------------------------------------------------------------

    @property
    def discovered_(self) -> dict[Any, int]:
        """Class to the number of labels spent when it was first seen."""
        return self.explorer_.discovered_

    @property
    def labels_(self) -> dict[int, Any]:
        """Row to class, in the order told."""
        return self.explorer_.labels_

    @property
    def classifier_(self) -> KernelSVC:
        """The machine solved exactly for the rows labelled so far."""
        self._check_started()
        return self.learner_.classifier_

    @property
    def pending_(self) -> NDArray[np.intp]:
        """Rows asked for that wait for an answer."""
        self._check_started()
        return np.union1d(self.explorer_.pending_, self.learner_.pending_).astype(np.intp)

    # --- turns --------------------------------------------------------------------------

    def _is_dry(self) -> bool:
        return is_dry(self._vain, self._longest)

    def _ask_one(self) -> NDArray[np.intp]:
        share = _SHARE_DRY if self._is_dry() else _SHARE_RISING
        # Spread over ten turns evenly: turns 0, 2, 4, … or turn 0 alone.
        explore = len(self.discovered_) < 2 or self._turns * share % 10 < share
        explore = (explore and not self.explorer_.done) or self.learner_.done
        self._turns += 1
        waiting = set(self.pending_.tolist())
        first, second = (
            (self.explorer_, self.learner_) if explore else (self.learner_, self.explorer_)
        )
        for asker in (first, second):
            if asker.done:
                continue
            # A row that waits because the other one asked for it is passed over.
            while (rows := asker.ask()).size and int(rows[0]) in waiting:
                pass
            if rows.size:
                if asker is self.explorer_:
                    self._asked_by_explorer.add(int(rows[0]))
                return np.asarray(rows, dtype=np.intp)
        return np.empty(0, dtype=np.intp)

    def _check_started(self) -> None:
        if not hasattr(self, "explorer_"):
            raise NotFittedError("This Hunt has no pool yet: call start(X) before anything else.")
