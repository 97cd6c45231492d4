"""Border learning with people: ask for rows, tell labels, in any order and at any time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from rarebit.border._history import History
from rarebit.border._retraction import without_rows
from rarebit.border._session import Session, as_array
from rarebit.border._svc import BorderSVC
from rarebit.svm import KernelSVC

_STATE_VERSION = 1


class BorderLearner(BaseEstimator):
    """Asks for the labels that teach a classifier most, and says when there are enough.

    ``start`` it on a pool, then ``ask`` for rows and ``tell`` their labels until it is ``done``.
    Answers may come in any order, late, or never; a row can be skipped, and a label corrected.
    No label is needed at the start: until a second class has turned up, rows unlike the labelled
    ones are asked for, in turn with random ones.

    Parameters
    ----------
    kernel, C, gamma, degree, coef0, class_weight, tol, cache_size, max_iter, verbose
        As in `KernelSVC`.
    search, pool_size, explore, stop, max_labels, random_state
        As in `BorderSVC`.

    Attributes
    ----------
    classifier_ : KernelSVC
        Solved exactly for the rows labelled so far.
    history_ : History
        A table with a row for each label.
    stop_reasons_ : dict
        Why there is nothing more to ask, in words; empty while there is.
    pending_ : ndarray
        Rows asked for that wait for an answer.
    labels_ : dict
        Row to class, in the order told.
    n_labels_ : int
        Labels known.

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

    def __init__(
        self,
        kernel: str = "rbf",
        C: float = 1.0,
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: str | dict[Any, float] | None = None,
        tol: float = 1e-3,
        cache_size: float = 512,
        max_iter: int = -1,
        verbose: bool = False,
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
        self.search = search
        self.pool_size = pool_size
        self.explore = explore
        self.stop = stop
        self.max_labels = max_labels
        self.random_state = random_state

    # --- the protocol -------------------------------------------------------------------

    def start(self, X: ArrayLike, labels: Mapping[int, Any] | None = None) -> Self:
        """Begin on a pool.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            The pool. It is not copied, and must not change while the learner is in use.
        labels : mapping of int to object, optional
            Labels known already, by row.

        Returns
        -------
        BorderLearner
            The learner itself.
        """
        self._begin(X)
        if labels:
            rows = list(labels)
            self.tell(rows, [labels[row] for row in rows])
        return self

    def _begin(self, X: ArrayLike) -> None:
        self._template = BorderSVC(**self.get_params(deep=False))
        self._template._validate_params()
        self._session = self._template._open(self._template._check_rows(X, reset=True))
        self._solved: tuple[int, KernelSVC] | None = None

    def ask(self, n: int = 1) -> NDArray[np.int32]:
        """Choose the next rows to label.

        Several rows at once are chosen to teach different things: a row much like one that waits
        for its answer is passed over.

        Parameters
        ----------
        n : int, default=1
            How many rows.

        Returns
        -------
        ndarray of int
            Rows of the pool, none of them asked for before; fewer than ``n`` when no more are
            left.
        """
        session = self._running()
        if n < 1:
            raise ValueError(f"n must be at least 1, got {n!r}; ask for one row or more.")
        asked = [row for row in (session.engine.ask() for _ in range(n)) if row >= 0]
        return np.array(asked, dtype=np.int32)

    def tell(self, rows: ArrayLike, labels: Any, *, replace: bool = False) -> None:
        """Learn labels. Nothing is learned when any of them is not acceptable.

        Parameters
        ----------
        rows : int or array-like of int
            Rows of the pool, asked for or not.
        labels : object or array-like
            Their labels.
        replace : bool, default=False
            Whether rows labelled before get another label. The learner then learns all labels
            again, as if the new one had been told in the first place.
        """
        session = self._running()
        numbers = self._check_row_numbers(rows)
        named = _as_labels(labels, rows)
        if len(named) != len(numbers):
            raise ValueError(
                f"tell needs one label a row, got {len(numbers)} rows and {len(named)} labels."
            )
        known = [row for row in numbers if row in session.labels]
        if known and not replace:
            raise ValueError(
                f"Row {known[0]} was labelled {session.labels[known[0]]!r} before; pass "
                "replace=True to correct a label."
            )
        if len(set(numbers)) < len(numbers):
            raise ValueError("tell got a row twice in one call; tell each row once.")
        for row, label in zip(numbers, named, strict=True):
            if row not in session.labels:
                session.learn(row, label)
                session.skipped = [other for other in session.skipped if other != row]
            elif session.labels[row] != label:
                session.correct(row, label)

    def skip(self, rows: ArrayLike) -> None:
        """Leave rows unlabelled; they are not asked for again.

        Parameters
        ----------
        rows : int or array-like of int
            Rows of the pool.
        """
        session = self._running()
        numbers = self._check_row_numbers(rows)
        labelled = [row for row in numbers if row in session.labels]
        if labelled:
            raise ValueError(
                f"Row {labelled[0]} has the label {session.labels[labelled[0]]!r} and cannot be "
                "skipped; use tell with replace=True to correct it."
            )
        known = set(session.skipped)
        for row in dict.fromkeys(numbers):
            session.engine.skip(row)
            if row not in known:
                session.skipped.append(row)

    def retract(self, rows: ArrayLike) -> None:
        """Take back labels or skips, as if the answers had never been given.

        A row whose label is taken back waits for its answer again.

        Parameters
        ----------
        rows : int or array-like of int
            Rows that were told or skipped.
        """
        session = self._running()
        numbers = self._check_row_numbers(rows)
        for row in numbers:
            if row not in session.labels and row not in session.skipped:
                raise ValueError(
                    f"Row {row} was neither told nor skipped, so there is nothing to take back; "
                    "retract rows that have an answer."
                )
        self.restore(session.pool, without_rows(self.state(), numbers))

    @property
    def done(self) -> bool:
        """Whether there is nothing more to ask, by the stop rule or for want of rows."""
        return self._running().done

    def status(self) -> str:
        """Say in words what is known, what is being done and why.

        Returns
        -------
        str
            A few sentences.
        """
        session = self._running()
        counts: dict[Any, int] = {}
        for label in session.labels.values():
            counts[label] = counts.get(label, 0) + 1
        said = [f"{len(session.labels):,} of {session.pool.shape[0]:,} rows are labelled"]
        if counts:
            said[0] += ": " + ", ".join(f"{n:,} {label}" for label, n in counts.items())
        said[0] += "."
        if len(counts) < 2:
            known = f"only {next(iter(counts))!r}" if counts else "no class"
            said.append(f"So far {known} is known; rows unlike the labelled ones are asked for.")
        waiting = len(self.pending_)
        if waiting:
            said.append(f"{waiting:,} rows wait for an answer.")
        if self.done:
            said.append("Nothing more needs to be asked.")
            said.extend(session.reasons.values())
        elif len(counts) >= 2:
            said.append("The border is still moving: go on.")
        return " ".join(said)

    # --- results ------------------------------------------------------------------------

    @property
    def classifier_(self) -> KernelSVC:
        """The machine solved exactly for the rows labelled so far."""
        session = self._running()
        if len(set(session.labels.values())) < 2:
            raise NotFittedError(
                "A classifier needs labels of two classes, got "
                f"{len(set(session.labels.values()))}; tell more labels first."
            )
        if self._solved is None or self._solved[0] != session.version:
            solver = BorderSVC(**self.get_params(deep=False))
            solver._gamma = self._template._gamma
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(self._template, name):
                    setattr(solver, name, getattr(self._template, name))
            history = self.history_
            labels = as_array(history["label"].tolist())
            solver._warn_unless_converged(solver._solve_session(session, history, labels))
            solver._warn_if_recomputing(session)
            machine = KernelSVC(**{p: getattr(solver, p) for p in KernelSVC().get_params()})
            fitted = {k: v for k, v in vars(solver).items() if k not in solver.get_params()}
            machine.__dict__.update(fitted)
            self._solved = (session.version, machine)
        return self._solved[1]

    @property
    def history_(self) -> History:
        """A table with a row for each label."""
        return self._running().history()

    @property
    def stop_reasons_(self) -> dict[str, str]:
        """Why there is nothing more to ask; empty while there is."""
        return dict(self._running().reasons) if self.done else {}

    @property
    def pending_(self) -> NDArray[np.int32]:
        """Rows asked for that wait for an answer."""
        return np.asarray(self._running().engine.pending()["row"])

    @property
    def labels_(self) -> dict[int, Any]:
        """Row to class, in the order told."""
        return dict(self._running().labels)

    @property
    def n_labels_(self) -> int:
        """Labels known."""
        return self._session.n_labels if hasattr(self, "_session") else 0

    # --- saving -------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything but the pool, in plain values: enough to go on exactly.

        Returns
        -------
        dict
            Can be written as JSON when the labels can.
        """
        session = self._running()
        log, pending = session.engine.log(0), session.engine.pending()
        return {
            "version": _STATE_VERSION,
            "n_rows": int(session.pool.shape[0]),
            "seed": session.settings.seed,
            "random_state": [int(word) for word in session.engine.random_state],
            "classes": list(session.classes),
            "log": {name: column.tolist() for name, column in log.items() if name != "support"},
            "pending": {name: column.tolist() for name, column in pending.items()},
            "skipped": list(session.skipped),
            "looks": [[n, predicted.tolist()] for n, predicted in session.looks],
            "next_look": session.next_look,
            "reasons": dict(session.reasons),
        }

    def restore(self, X: ArrayLike, state: Mapping[str, Any]) -> Self:
        """Go on where `state` was taken.

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
        """
        if state.get("version") != _STATE_VERSION:
            raise ValueError(
                f"This state has version {state.get('version')!r}, but version {_STATE_VERSION} is "
                "needed; restore it with the version of rarebit that wrote it."
            )
        self._begin(X)
        if state["n_rows"] != self._session.pool.shape[0]:
            raise ValueError(
                f"The state belongs to a pool of {state['n_rows']:,} rows, got one of "
                f"{self._session.pool.shape[0]:,}; pass the pool that it was taken on."
            )
        settings = dataclasses.replace(self._session.settings, seed=int(state["seed"]))
        self._session = Session(self._session.pool, settings)
        self._session.replay(state)
        return self

    def __getstate__(self) -> dict[str, Any]:
        kept: dict[str, Any] = dict(super().__getstate__())
        session = kept.pop("_session", None)
        for name in ("_template", "_solved"):
            kept.pop(name, None)
        if session is not None:
            kept["_saved"] = (session.pool, self.state())
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("_saved", None)
        super().__setstate__(state)
        if saved is not None:
            self.restore(*saved)

    # --- checks -------------------------------------------------------------------------

    def _running(self) -> Session:
        if not hasattr(self, "_session"):
            raise NotFittedError(
                f"This {type(self).__name__} has no pool yet; call start(X) before anything else."
            )
        return self._session

    def _check_row_numbers(self, rows: ArrayLike) -> list[int]:
        numbers = np.atleast_1d(np.asarray(rows))
        if numbers.size == 0:
            return []
        if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
            raise TypeError(f"Rows are integers that count rows of the pool, got {rows!r}.")
        n = self._session.pool.shape[0]
        outside = numbers[(numbers < 0) | (numbers >= n)]
        if outside.size:
            raise ValueError(
                f"Row {outside[0]} is not in the pool, whose rows are 0 to {n - 1}; tell the row "
                "numbers that ask returned."
            )
        return [int(row) for row in numbers]


def _as_labels(labels: Any, rows: ArrayLike) -> list[Any]:
    """Return labels as a list of hashable values; one row may come with a bare label."""
    if np.ndim(rows) == 0:
        labels = [labels]
    named = [label.item() if isinstance(label, np.generic) else label for label in labels]
    for label in named:
        if label is None or (isinstance(label, float) and np.isnan(label)):
            raise ValueError("A label must not be missing; use skip(rows) for rows without one.")
    return named
