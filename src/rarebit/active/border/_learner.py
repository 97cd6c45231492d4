"""Border learning with people: ask for rows, tell labels, in any order and at any time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError

from rarebit._engine.arrays import Matrix
from rarebit._turns import in_turn
from rarebit.active._base import BaseAsker
from rarebit.active._queries import QueryReason
from rarebit.active.border._history import ENGINE_REASONS, History
from rarebit.active.border._retraction import pool_record_of, without_rows
from rarebit.active.border._saved_state import STATE_VERSION, check_state
from rarebit.active.border._search import BorderSearch, as_array
from rarebit.active.border._svc import BorderSVC
from rarebit.svm import KernelSVC

# What `restore` replaces.
_PARTS = ("_template", "_search", "_solved", "_ledger")


class BorderLearner(BaseAsker):
    """Asks for the labels that teach a classifier most, and says when there are enough.

    ``start`` it on a pool, then ``ask`` for rows and ``tell`` their labels until it is ``done``.
    Answers may come in any order, late, or never; a row can be skipped, and a label corrected.
    No label is needed at the start: until a second class has turned up, rows unlike the labelled
    ones are asked for, in turn with random ones.

    Parameters
    ----------
    kernel, C, gamma, degree, coef0, class_weight, tol, cache_size, max_iter, verbose, \
n_jobs
        As in `KernelSVC`.
    search, pool_size, explore, stop, max_labels, random_state
        As in `BorderSVC`.

    Attributes
    ----------
    classifier_ : KernelSVC
        Solved exactly for the rows labelled so far.
    history_ : History
        A table with a row per label.
    stop_reasons_ : dict
        Why there is nothing more to ask, in sentences by name; empty while there is.
    discovered_ : dict
        Class to the number of labels spent when it was first seen; 0 for classes given.
    labels_ : dict
        Row to class, in the order told.
    pending_ : ndarray of int of shape (n_pending,)
        Rows that wait for an answer, in the order asked.
    queries_ : list of Query
        Every row ever asked for, in the order asked, with the reason.
    n_labels_ : int
        Number of labels known.

    See Also
    --------
    BorderSVC : The same when all labels exist, for measuring and for comparing.

    Notes
    -----
    Pickling keeps the pool. `state` and `restore` keep everything else, in a dict of plain
    values that can be written as JSON; the next questions are the same to the bit.

    References
    ----------
    S. Ertekin, J. Huang, L. Bottou and C. L. Giles, "Learning on the border: active learning in
    imbalanced data classification", CIKM 2007.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit import BorderLearner
    >>> X, y = make_classification(n_samples=3000, weights=[0.95], class_sep=2.0, random_state=0)
    >>> learner = BorderLearner(random_state=0).start(X)
    >>> while not learner.done:
    ...     rows = learner.ask(4)
    ...     learner.tell(rows, y[rows])
    >>> learner.n_labels_ < 1000
    True
    >>> learner.classifier_.predict(X).shape
    (3000,)
    """

    n_jobs: int | None = None  # also of learners saved before there were threads

    def __init__(
        self,
        kernel: str = "rbf",
        C: float | str = 1.0,
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: str | dict[Any, float] | None = None,
        tol: float = 1e-3,
        cache_size: float = 512,
        max_iter: int = -1,
        verbose: bool = False,
        n_jobs: int | None = None,
        search: str = "pool",
        pool_size: int | tuple[float, float] = 59,
        explore: float = 0.2,
        stop: str | Callable[[History], Any] | None = "auto",
        max_labels: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.search = search
        self.pool_size = pool_size
        self.explore = explore
        self.stop = stop
        self.max_labels = max_labels
        self.random_state = random_state

    # --- the asker ----------------------------------------------------------------------

    def _open_pool(self, X: Any) -> int:
        self._template = BorderSVC(**self.get_params(deep=False))
        self._template._validate_params()
        self._search = self._template._open(self._template._check_rows(X, reset=True))
        self._solved: tuple[int, KernelSVC] | None = None
        return int(self._search.pool.shape[0])

    def _next_queries(self, n: int) -> Sequence[tuple[int, QueryReason]]:
        engine = self._search.engine
        chosen: list[tuple[int, QueryReason]] = []
        while len(chosen) < n and (row := engine.ask()) >= 0:
            chosen.append((row, ENGINE_REASONS[engine.last_way]))
        return chosen

    def _learn_labels(self, told: Mapping[int, Any]) -> None:
        search, known = self._search, self._ledger.labels
        for row, label in told.items():
            if row not in known:
                search.learn(row, label)
                self._ledger.record(row, label)
                search.look_if_due()
            elif known[row] != label:
                self._ledger.record(row, label)
                search.correct(row, label)

    def _leave_out(self, rows: Iterable[int]) -> None:
        for row in rows:
            self._search.skip(row)

    def _take_back(self, rows: Sequence[int]) -> None:
        reasons = {row: ENGINE_REASONS.index(self._ledger.reason_of(row)) for row in rows}
        state = without_rows(self.state(), reasons)
        super()._take_back(rows)
        self._replay(self._search.pool, state)

    def _is_done(self) -> bool:
        return self._search.done

    def _activity(self) -> str:
        known = list(self._ledger.discovered)
        if self.done:
            return "Nothing more needs to be asked"
        if len(known) < 2:
            names = f"only class {known[0]!r}" if known else "no class"
            return f"So far {names} is known; rows unlike the labelled ones are asked for"
        return "The border is still moving; more labels should help"

    # --- results ------------------------------------------------------------------------

    @property
    @in_turn
    def classifier_(self) -> KernelSVC:
        """The SVM solved exactly for the rows labelled so far."""
        self._check_started()
        search, n_classes = self._search, len(self._ledger.discovered)
        if n_classes < 2:
            raise NotFittedError(
                f"A classifier needs labels of two classes, got {n_classes}: tell more labels "
                "first."
            )
        if self._solved is None or self._solved[0] != search.version:
            solver = BorderSVC(**self.get_params(deep=False))
            solver._gamma = self._template._gamma
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(self._template, name):
                    setattr(solver, name, getattr(self._template, name))
            history = self.history_
            labels = as_array(history["label"].tolist())
            solver._warn_unless_converged(solver._solve_search(search, history, labels))
            solver._warn_if_recomputing(search)
            machine = KernelSVC(**{p: getattr(solver, p) for p in KernelSVC().get_params()})
            fitted = {k: v for k, v in vars(solver).items() if k not in solver.get_params()}
            machine.__dict__.update(fitted)
            self._solved = (search.version, machine)
        return self._solved[1]

    @property
    @in_turn
    def history_(self) -> History:
        """A table with a row per label, and what stop rules need besides."""
        self._check_started()
        return self._search.history()

    @property
    @in_turn
    def stop_reasons_(self) -> dict[str, str]:
        """Why there is nothing more to ask, in sentences by name; empty while there is."""
        return dict(self._search.reasons) if self.done else {}

    # --- saving -------------------------------------------------------------------------

    @in_turn
    def state(self) -> dict[str, Any]:
        """Everything but the pool, in plain values: enough to continue exactly.

        Returns
        -------
        dict
            Can be written as JSON when the labels can.
        """
        self._check_started()
        search, ledger = self._search, self._ledger
        log, pending = search.engine.log(0), search.engine.pending()
        return {
            "version": STATE_VERSION,
            "n_rows": int(search.pool.shape[0]),
            "seed": search.settings.seed,
            "random_state": [int(word) for word in search.engine.random_state],
            "classes": list(search.classes),
            "log": {name: column.tolist() for name, column in log.items() if name != "support"},
            "pending": {name: column.tolist() for name, column in pending.items()},
            "skipped": list(ledger.skipped),
            "given": sorted(ledger.given),
            "queries": [[query.row, str(query.reason)] for query in ledger.queries],
            "looks": [[n, predicted.tolist()] for n, predicted in search.looks],
            "next_look": search.next_look,
            "reasons": dict(search.reasons),
            "tuned": search.tuned,
        }

    @in_turn
    def restore(self, X: ArrayLike, state: Mapping[str, Any]) -> Self:
        """Continue where `state` was taken.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            The same pool.
        state : mapping
            What `state` returned; the learner must have the same parameters.

        Returns
        -------
        BorderLearner
            The learner itself.

        Raises
        ------
        StateError
            When the state is damaged or belongs to another pool; the learner stays as it was.
        """
        before = {name: vars(self).get(name) for name in _PARTS}
        try:
            n_rows = self._open_pool(X)
            check_state(state, n_rows, self._search.n_watched)
            self._replay(self._search.pool, state)
            self._ledger = pool_record_of(state)
        except BaseException:
            # A state that is refused leaves the learner as it was.
            for name, value in before.items():
                if value is None:
                    self.__dict__.pop(name, None)
                else:
                    setattr(self, name, value)
            raise
        return self

    def _replay(self, pool: Matrix, state: Mapping[str, Any]) -> None:
        """Learn again what a state holds."""
        settings = dataclasses.replace(self._search.settings, seed=int(state["seed"]))
        self._search = BorderSearch(pool, settings)
        self._search.replay(state)
        self._solved = None

    @in_turn
    def __getstate__(self) -> dict[str, Any]:
        kept: dict[str, Any] = dict(super().__getstate__())
        search = kept.pop("_search", None)
        for name in ("_template", "_solved", "_ledger"):
            kept.pop(name, None)
        if search is not None:
            kept["_saved"] = (search.pool, self.state())
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("_saved", None)
        super().__setstate__(state)
        if saved is not None:
            self.restore(*saved)
