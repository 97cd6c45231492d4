"""The online kernel SVM."""

from __future__ import annotations

from copy import copy
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import _check_partial_fit_first_call

from rarebit import _core
from rarebit._engine.arrays import Matrix, empty_like, engine_rows, row_costs, same_layout
from rarebit._engine.progress import observer
from rarebit._engine.threads import engine_threads
from rarebit._turns import LOCK, in_turn, turn_of
from rarebit.svm._base import KernelMachine
from rarebit.svm._online_rows import check_kept_rows, seeds_first


class OnlineSVC(KernelMachine):
    """Support vector classifier that meets the rows one by one (LASVM).

    One pass gives nearly the accuracy of `KernelSVC` in a fraction of the time, and rows can be
    added at any time with `partial_fit`. Only rows near the border are kept.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"}, default="rbf"
        Kernel function.
    C : float, default=1.0
        Cost of an error; the limit of each row's coefficient before weights.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the rbf, poly and sigmoid kernels. `partial_fit` takes ``"scale"`` from the
        first rows it gets.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    class_weight : dict, "balanced" or None, default=None
        Factors of ``C`` by class.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is left among the rows kept.
    cache_size : float, default=512
        Megabytes for kernel values.
    max_iter : int, default=-1
        Limit of the steps that finish a pass; -1 for none.
    verbose : bool, default=False
        Whether to report progress on standard error.
    n_jobs : int or None, default=None
        Threads of the engine: None for one, -1 for one per processor. Results are the same to the
        bit whatever it is.
    n_epochs : int, default=1
        Passes of `fit` over the rows.
    finish : bool, default=True
        Whether to optimise the rows kept after the last pass, and after each `partial_fit`.
    random_state : int, RandomState instance or None, default=None
        Order in which `fit` meets the rows. `partial_fit` takes them as they come.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    minority_class_ : object
        The label with the fewest rows so far.
    support_ : ndarray of shape (n_support,)
        Numbers of the rows with a coefficient, as `fit` counted them; rows of later
        `partial_fit` calls count on.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        Support vectors.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Signed coefficients. One SVM for two classes, else one per class against the rest.
    intercept_ : ndarray of shape (n_machines,)
        Constant of the decision function.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    n_iter_ : ndarray of shape (n_machines,)
        Steps taken.
    dual_objective_ : float or ndarray of shape (n_machines,)
        The dual objective reached.
    n_samples_seen_ : int
        Rows met so far.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the input had names.

    See Also
    --------
    KernelSVC : The exact solution over all rows.

    References
    ----------
    A. Bordes, S. Ertekin, J. Weston and L. Bottou, "Fast kernel classifiers with online and
    active learning", JMLR 6, 2005.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit import OnlineSVC
    >>> X, y = make_classification(n_samples=400, weights=[0.9], class_sep=2.0, random_state=0)
    >>> machine = OnlineSVC(random_state=0).fit(X[:300], y[:300])
    >>> machine.partial_fit(X[300:], y[300:]).n_samples_seen_
    400
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelMachine._parameter_constraints,
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "finish": ["boolean"],
        "random_state": ["random_state"],
    }

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
        n_jobs: int | None = None,
        n_epochs: int = 1,
        finish: bool = True,
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
        self.n_epochs = n_epochs
        self.finish = finish
        self.random_state = random_state

    @in_turn
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Meet all rows in random order, ``n_epochs`` times, starting anew.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Training rows; the square matrix of kernel values for a precomputed kernel.
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,), optional
            Factors of ``C`` by row.

        Returns
        -------
        OnlineSVC
            The fitted SVM.
        """
        rows, encoded, cost = self._prepare(X, y, sample_weight)
        self._start(rows)
        random = check_random_state(self.random_state)
        tags = np.arange(rows.shape[0], dtype=np.int32)
        for epoch in range(self.n_epochs):
            order = random.permutation(rows.shape[0]).astype(np.int32)
            if epoch == 0:
                order = seeds_first(order, encoded)
            self._process(rows, order, tags, encoded, cost)
        self.n_samples_seen_ = rows.shape[0]
        self._class_counts = np.bincount(encoded, minlength=len(self.classes_))
        self._kept_tags, self._kept_classes = tags, encoded
        self._end()
        return self

    @in_turn
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Meet more rows, in the order given.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            New rows.
        y : array-like of shape (n_rows,)
            Their labels.
        classes : array-like of shape (n_classes,), optional
            All labels that may ever come. The first call takes the labels of its own rows
            when this is not given.
        sample_weight : array-like of shape (n_rows,), optional
            Factors of ``C`` by row.

        Returns
        -------
        OnlineSVC
            The fitted SVM.
        """
        self._validate_params()
        if self.kernel == "precomputed":
            raise ValueError(
                "partial_fit does not work with kernel='precomputed', because later rows have no "
                "values with earlier ones: use fit, or one of the other kernels."
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all rows at once and does not work with "
                "partial_fit: pass a dict, e.g. from sklearn's compute_class_weight."
            )
        first = not hasattr(self, "classes_")
        rows, labels = self._check_Xy(X, y, reset=first)
        weights = self._check_weights(sample_weight, rows)
        if first and classes is None:
            classes = np.unique(labels)
            if len(classes) < 2:
                raise ValueError(
                    "The first call of partial_fit saw one class only: pass classes=, the list "
                    "of all class labels that may come."
                )
        if _check_partial_fit_first_call(self, classes):
            self.n_samples_seen_ = 0
            self._class_counts = np.zeros(len(self.classes_), dtype=np.intp)
            self._kept_tags = np.empty(0, dtype=np.int32)
            self._kept_classes = np.empty(0, dtype=np.intp)
            self._start(rows)
        unknown = np.setdiff1d(labels, self.classes_)
        if unknown.size:
            raise ValueError(
                f"partial_fit got the labels {unknown.tolist()}, which are not among the classes "
                f"{self.classes_.tolist()} of the first call: fit again with all classes."
            )
        encoded = np.searchsorted(self.classes_, labels)
        self.class_weight_ = self._check_class_weight(self.classes_, None)
        cost = row_costs(self.C, self.class_weight_, encoded, weights)
        rows = same_layout(rows, self._sparse)
        self._resume(rows)
        if self.n_samples_seen_ + rows.shape[0] > np.iinfo(np.int32).max:
            raise ValueError(
                f"An OnlineSVC counts at most {np.iinfo(np.int32).max:,} rows and has seen "
                f"{self.n_samples_seen_:,}: fit a new one on its support_vectors_."
            )
        order = np.arange(rows.shape[0], dtype=np.int32)
        tags = order + np.int32(self.n_samples_seen_)
        try:
            self._process(rows, order, tags, encoded, cost)
        except BaseException:
            # Half a piece was met. The next call starts from the last whole one.
            del self._machines
            raise
        self.n_samples_seen_ += rows.shape[0]
        self._class_counts += np.bincount(encoded, minlength=len(self.classes_))
        self._set_minority(self._class_counts)
        self._kept_tags = np.concatenate([self._kept_tags, tags])
        self._kept_classes = np.concatenate([self._kept_classes, encoded])
        self._end()
        return self

    def _machine_values(self, rows: Matrix) -> NDArray[np.float64]:
        # Fields that belong together; other threads may fit on while values are computed.
        with turn_of(self):
            frozen = copy(self)
        return super(OnlineSVC, frozen)._machine_values(rows)

    # --- machines -----------------------------------------------------------------------

    def _start(self, X: Matrix) -> None:
        kernel = self._new_kernel(X)
        self._keep_kernel(kernel, bool(sp.issparse(X)))
        self._dtype = X.dtype.name
        self._machines: list[_core.OnlineMachine] = self._new_machines(kernel, X)

    def _new_machines(self, kernel: _core.Kernel, like: Matrix) -> list[_core.OnlineMachine]:
        # A machine that keeps its own rows must not hold on to the caller's.
        like = like if self.kernel == "precomputed" else empty_like(like)
        share = self._cache_bytes // self._n_machines
        return [
            _core.OnlineMachine(kernel, engine_rows(like), float(self.tol), share)
            for _ in range(self._n_machines)
        ]

    def _process(
        self,
        X: Matrix,
        order: NDArray[np.int32],
        tags: NDArray[np.int32],
        encoded: NDArray[np.intp],
        cost: NDArray[np.float64],
    ) -> None:
        rows = engine_rows(X)
        report = observer(self.verbose, "fit", X.shape[0])
        threads = engine_threads(self.n_jobs)
        for number, machine in enumerate(self._machines):
            y = self._targets(encoded, number)
            machine.process(rows, order, tags[order], y[order], cost[order], report, threads)

    def _end(self) -> None:
        """Finish the SVMs and set the fitted attributes from the rows that they keep."""
        report = observer(self.verbose, "finish", self.n_samples_seen_)
        limit = int(self.max_iter)
        threads = engine_threads(self.n_jobs)
        finished = [
            m.finish(limit, report, threads) if self.finish else True for m in self._machines
        ]
        self._states = [m.state() for m in self._machines]
        tags = np.unique(np.concatenate([s["tags"][s["alpha"] != 0.0] for s in self._states]))
        coefficients = np.zeros((self._n_machines, len(tags)))
        for number, state in enumerate(self._states):
            kept = state["alpha"] != 0.0
            at = np.searchsorted(tags, state["tags"][kept])
            coefficients[number, at] = state["alpha"][kept]
        self._keep_expansion(tags.astype(np.int32), self._rows_of(tags), coefficients)
        self._shift_intercept(np.array([m.bias for m in self._machines]))
        self.n_iter_ = np.array([m.steps for m in self._machines], dtype=np.int64)
        objective = np.array([m.objective for m in self._machines])
        self.dual_objective_ = float(objective[0]) if len(objective) == 1 else objective
        # Rows that no machine keeps are forgotten, so that a stream need not end.
        kept = np.isin(self._kept_tags, np.concatenate([s["tags"] for s in self._states]))
        self._kept_tags, self._kept_classes = self._kept_tags[kept], self._kept_classes[kept]
        self._count_support(self._kept_classes[np.searchsorted(self._kept_tags, tags)])
        if not all(finished):
            self._warn_unfinished(max(m.gap for m in self._machines))

    def _rows_of(self, tags: NDArray[np.int32]) -> Any:
        """Rows of these numbers, collected from the SVMs that keep them."""
        if self.kernel == "precomputed":
            return np.empty((0, 0))
        order = np.concatenate([s["tags"] for s in self._states])
        rows = [self._state_rows(s) for s in self._states]
        stacked = sp.vstack(rows, format="csr") if self._sparse else np.concatenate(rows)
        _, first = np.unique(order, return_index=True)
        at = first[np.searchsorted(order[first], tags)]
        return stacked[at] if self._sparse else np.ascontiguousarray(stacked[at])

    def _state_rows(self, state: dict[str, Any]) -> Matrix:
        """Rows that an SVM keeps, in the number type of the first rows it got."""
        if "rows" in state:
            return state["rows"].astype(self._dtype, copy=False)
        parts = (state["values"].astype(self._dtype), state["indices"], state["offsets"])
        return sp.csr_matrix(parts, shape=(len(state["tags"]), self.n_features_in_))

    def _resume(self, X: Matrix) -> None:
        """Have live SVMs: build them from the saved state after unpickling, or when the
        new rows need wider numbers, or when dropped rows take too much memory."""
        live = getattr(self, "_machines", None)
        needs_wide = self._kept_kernel().needs_wide(engine_rows(X))  # refuses values too large
        wider = needs_wide and not self._wide
        if live and not wider and all(m.garbage <= 1000 + 2 * m.size for m in live):
            return
        self._wide = self._wide or wider
        self._machines = self._new_machines(self._kept_kernel(), empty_like(X))
        try:
            self._restore_machines()
        except BaseException as error:
            del self._machines
            if isinstance(error, (KeyError, IndexError, TypeError, AttributeError, ValueError)):
                raise ValueError(
                    f"The saved state of this OnlineSVC is damaged ({error}): fit it again, or "
                    "load it again from its source."
                ) from error
            raise

    def _restore_machines(self) -> None:
        states = getattr(self, "_states", [])
        if not isinstance(getattr(self, "n_samples_seen_", None), Integral):
            raise ValueError("the number of rows seen is missing")
        tags = check_kept_rows(
            self._kept_tags,
            self._kept_classes,
            self._class_counts,
            len(self.classes_),
            self.n_samples_seen_,
        )
        if not states:
            return
        if len(states) != len(self._machines):
            raise ValueError(f"{len(self._machines)} machines but {len(states)} states")
        for machine, state in zip(self._machines, states, strict=True):
            if not np.isin(state["tags"], tags).all():
                raise ValueError("a row is kept whose class is not known")
            rows = self._state_rows(state)
            if rows.shape[1] != self.n_features_in_:
                raise ValueError(f"{rows.shape[1]} columns instead of {self.n_features_in_}")
            machine.restore(engine_rows(rows), state)

    def __getstate__(self) -> dict[str, Any]:
        # Machines live in the engine; their state, kept beside them, is plain arrays.
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_machines", LOCK)}
