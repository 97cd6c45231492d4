"""A classifier that reads only the labels it asks for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from rarebit import _core
from rarebit._engine.arrays import Matrix, resolve_gamma, row_costs
from rarebit._engine.threads import engine_threads
from rarebit.active.border._history import History
from rarebit.active.border._search import BorderSearch, SearchSettings, resolve_pool_size
from rarebit.active.border._stopping import STOP_RULES, resolve_rule
from rarebit.svm import TUNED, KernelSVC, Tuned, tune_kernel

# Unlabelled rows whose predicted classes tell which class is the rare one.
_SAMPLED = 2000
# Cost of an error until there are labels enough to tune it.
_FIRST_COST = 1.0


class BorderSVC(KernelSVC):
    """Support vector classifier that asks for few labels, those close to its border.

    ``fit`` gets all labels but reads only those of the rows that it asks for, one after the
    other: the row closest to the border among a few random ones, and now and then a row far from
    all others. It stops by itself. The rows asked for are balanced even if the classes are not,
    and `KernelSVC` solved on them is the classifier. Use `BorderLearner` when the labels do not
    exist yet.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"}, default="rbf"
        Kernel function.
    C : float or "tuned", default=1.0
        Cost of an error; the limit of each row's coefficient before weights. ``"tuned"`` is 1 up
        to 20 labels, then chosen by cross-validation as in `KernelSVC`, and again whenever the
        labels have grown by half.
    gamma : {"scale", "auto", "tuned"} or float, default="scale"
        Width of the rbf, poly and sigmoid kernels, ``"scale"`` over the whole pool; ``"tuned"``
        as for `C`.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    class_weight : dict, "balanced" or None, default=None
        Factors of ``C`` by class. ``"balanced"`` counts the labels asked for, which are known
        at the end only: the search itself then goes without weights.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is left.
    cache_size : float, default=512
        Megabytes for kernel values; ``search="full"`` takes as many again.
    max_iter : int, default=-1
        Limit of the steps of the final solver; -1 for none.
    verbose : bool, default=False
        Whether to report progress on standard error.
    n_jobs : int or None, default=None
        Threads of the engine: None for one, -1 for one per processor. Results are the same to the
        bit whatever it is.
    search : {"pool", "full", "random"}, default="pool"
        Where the row closest to the border is sought: among a few random rows, among all, or
        not at all.
    pool_size : int or (float, float), default=59
        Random rows looked at for ``"pool"``. ``(p, eta)`` asks for one of the best ``p`` of all
        rows with a probability of ``1 - eta``.
    explore : float, default=0.2
        Share of queries away from the border, which find parts of a class that the border does
        not see; it rises to a half when no row inside the margin is met. 0 for the paper's pure
        border search.
    stop : {"auto", "support", "margin"}, callable or None, default="auto"
        When to stop: by our own rule, by one of the paper's two, by a function of the `History`
        that returns reasons in a dict (empty to continue), or never.
    max_labels : int or None, default=None
        Most labels to ask for.
    random_state : int, RandomState instance or None, default=None
        Random rows that are looked at.

    Attributes
    ----------
    queried_ : ndarray of shape (n_labels,)
        Rows asked for, in order.
    n_labels_ : int
        Number of labels asked for.
    stop_reasons_ : dict
        Why it stopped, in sentences by name.
    history_ : History
        A table with a row per label.
    classes_ : ndarray of shape (n_classes,)
        Labels met, sorted. A class that was never asked for is not known.
    minority_class_ : object
        The class with the fewest rows in the pool, labelled or predicted.
    support_, support_vectors_, dual_coef_, intercept_, n_support_, n_iter_, dual_objective_, \
optimality_gap_
        As in `KernelSVC`; ``support_`` counts rows of the pool.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the input had names.

    See Also
    --------
    BorderLearner : The same, asking you.
    KernelSVC : Reads all labels.

    References
    ----------
    S. Ertekin, J. Huang, L. Bottou and C. L. Giles, "Learning on the border: active learning in
    imbalanced data classification", CIKM 2007.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit import BorderSVC
    >>> X, y = make_classification(n_samples=3000, weights=[0.95], class_sep=2.0, random_state=0)
    >>> machine = BorderSVC(random_state=0).fit(X, y)
    >>> machine.n_labels_ < 1000, int(machine.minority_class_)
    (True, 1)
    >>> sorted(machine.stop_reasons_)
    ['exploration', 'margin', 'stable']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelSVC._parameter_constraints,
        "search": [StrOptions({"pool", "full", "random"})],
        "pool_size": [Interval(Integral, 1, 2**63 - 1, closed="both"), tuple],
        "explore": [Interval(Real, 0.0, 1.0, closed="both")],
        "stop": [StrOptions(set(STOP_RULES)), callable, None],
        "max_labels": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    queried_: NDArray[np.int32]
    n_labels_: int
    stop_reasons_: dict[str, str]
    history_: History

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
        super().__init__(
            kernel=kernel,
            C=C,
            gamma=gamma,
            degree=degree,
            coef0=coef0,
            class_weight=class_weight,
            tol=tol,
            cache_size=cache_size,
            max_iter=max_iter,
            verbose=verbose,
            n_jobs=n_jobs,
        )
        self.search = search
        self.pool_size = pool_size
        self.explore = explore
        self.stop = stop
        self.max_labels = max_labels
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:  # type: ignore[override]
        """Ask for labels until the stop rule is content, then solve for the rows asked for.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            The pool; the square matrix of kernel values for a precomputed kernel. A
            memory-mapped array is read in place.
        y : array-like of shape (n_rows,)
            Labels. Only those of ``queried_`` have any influence.

        Returns
        -------
        BorderSVC
            The fitted classifier.
        """
        self._validate_params()
        rows, labels = self._check_Xy(X, y, reset=True)
        classes, codes = np.unique(labels, return_inverse=True)
        search = self._open(rows)
        search.run(codes.astype(np.int32), classes)
        history = search.history()
        solutions = self._solve_search(search, history, labels[history["row"]])
        self._warn_unless_converged(solutions)
        self._warn_if_recomputing(search)
        self.queried_ = history["row"]
        self.n_labels_ = history.n_labels
        self.stop_reasons_ = dict(search.reasons)
        self.history_ = history
        return self

    # --- shared with the learner that asks people ---------------------------------------------

    def _open(self, rows: Matrix) -> BorderSearch:
        """Make a search over checked rows."""
        shares: tuple[float, ...] = self.pool_size if isinstance(self.pool_size, tuple) else ()
        if isinstance(self.pool_size, tuple) and not (
            len(shares) == 2 and all(0.0 < share < 1.0 for share in shares)
        ):
            raise ValueError(
                "pool_size must be a number of rows or a pair (p, eta) of shares between 0 and 1, "
                f"got {self.pool_size!r}: (0.05, 0.05) gives the usual 59 rows."
            )
        self._check_given_weights()
        weights = self.class_weight if isinstance(self.class_weight, dict) else {}
        self.__dict__.pop("_tuned_gamma", None)
        settings = SearchSettings(
            kernel=self._new_kernel(rows),
            search=self.search,
            pool_size=resolve_pool_size(self.pool_size),
            explore=float(self.explore),
            rule=resolve_rule(self.stop),
            max_labels=self.max_labels,
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            tol=float(self.tol),
            cache_bytes=self._cache_bytes,
            C=_FIRST_COST if self.C == TUNED else float(self.C),
            gamma=self._gamma,
            weight=lambda label: weights.get(label, 1.0),
            tune=self._tuner(rows) if self._is_tuned() else None,
            make_kernel=lambda gamma: self._kernel_of(rows, gamma),
            verbose=bool(self.verbose),
            threads=engine_threads(self.n_jobs),
        )
        return BorderSearch(rows, settings)

    def _width(self, X: Matrix) -> float:
        if self._tuned_gamma is None and self.gamma == TUNED:
            return resolve_gamma("scale", X, self.kernel)
        return super()._width(X)

    def _kernel_of(self, rows: Matrix, gamma: float) -> _core.Kernel:
        self._tuned_gamma = gamma
        return self._new_kernel(rows)

    def _tuner(self, rows: Matrix) -> Callable[..., Tuned]:
        """Return what chooses C and gamma from labelled rows of the pool."""
        usual = self._gamma

        def choose(taken: Any, codes: NDArray[Any], weights: NDArray[np.float64]) -> Tuned:
            own = rows[np.ix_(taken, taken)] if self.kernel == "precomputed" else rows[taken]
            return tune_kernel(
                own, codes.astype(np.intp), weights, kernel=self.kernel, C=self.C,
                gamma=self.gamma, degree=self.degree, coef0=self.coef0, scale=usual,
            )  # fmt: skip

        return choose

    def _solve_search(
        self, search: BorderSearch, history: History, labels: NDArray[Any]
    ) -> list[_core.Solution]:
        """Solve for the labelled rows of a search."""
        rows = history["row"]
        if len(rows) < search.pool.shape[0] and len(np.unique(labels)) < 2:
            only = labels[:1].tolist()[0]
            raise ValueError(
                f"All {len(rows):,} labels asked for are of one class ({only!r}), and "
                f"{type(self).__name__} needs two: raise max_labels, or tell BorderLearner a label "
                "of another class at the start."
            )
        encoded = self._check_classes(labels, None)
        self.class_weight_ = self._check_class_weight(labels, None)
        self.C_ = search.settings.C
        cost = row_costs(self.C_, self.class_weight_, encoded, None)
        solutions = self._solve_rows(search.pool, search.settings.kernel, rows, encoded, cost)
        self._set_rare_class(search, encoded)
        return solutions

    def _warn_if_recomputing(self, search: BorderSearch) -> None:
        if search.engine.recomputing:
            warnings.warn(
                f"search='full' needed more than cache_size={self.cache_size:g} megabytes to "
                "follow all rows, so it computed their values again after each label: raise "
                "cache_size, or use search='pool'.",
                RuntimeWarning,
                stacklevel=3,
            )

    def _set_rare_class(self, search: BorderSearch, encoded: NDArray[np.intp]) -> None:
        # Labels asked for are balanced on purpose: only the pool tells which class is rare.
        counts = np.bincount(encoded, minlength=len(self.classes_)).astype(np.float64)
        random = np.random.default_rng(search.settings.seed)
        n = search.pool.shape[0]
        if search.engine.unseen > 0:
            sample = random.choice(n, size=min(n, _SAMPLED), replace=False)
            # Rows that were checked have no names any more, which `predict` would complain of.
            values = self._machine_values(search.pool[np.sort(sample)])
            two = values.shape[1] == 1
            predicted = (values[:, 0] > 0.0).astype(np.intp) if two else values.argmax(axis=1)
            shares = np.bincount(predicted, minlength=len(self.classes_)) / len(sample)
            counts = counts + shares * search.engine.unseen
        self._set_minority(np.rint(counts).astype(np.intp))
