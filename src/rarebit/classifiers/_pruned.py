"""Kernel SVMs with majority support vectors removed, one after another."""

from __future__ import annotations

import copy
from itertools import starmap
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from rarebit import _core
from rarebit._engine.arrays import Matrix, engine_rows, row_costs, take_rows
from rarebit._engine.progress import observer
from rarebit._engine.threads import engine_threads
from rarebit.classifiers._operating import OperatingPoint, check_select, choose, sweep_hull
from rarebit.classifiers._split import split_rows
from rarebit.svm import KernelMachine

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]


class PrunedSVC(KernelMachine):
    """Kernel SVM that gives way to the rare class, one majority support vector at a time.

    First the SVM of all rows is solved. Then, again and again, the majority support vector
    whose absence gives the best ratio of rare rows found to other rows misclassified is removed,
    and the SVM of the rest is solved. The result is a path of SVMs with an operating point each;
    `select` picks one, `at` any other without fitting again.

    Time grows with the square of the number of majority support vectors: hundreds take seconds,
    thousands take minutes. Memory holds kernel values of all rows with the rare rows and
    those support vectors.

    Parameters
    ----------
    select : "g_mean", int or dict, default="g_mean"
        The SVM to use: the one with the best g-mean, a number of removals, or a target such as
        ``{"sensitivity": 0.95}`` or ``{"specificity": 0.99}``, where the other rate is best.
    search : {"backward", "floating"}, default="backward"
        ``"floating"`` lets a removed row come back where that beats the best SVM with as many
        removals.
    max_removals : int or None, default=None
        Largest number of removals; None removes all but one.
    validation_fraction : float, default=0.2
        Share of the rows of each class that are set aside to judge the path; 0 judges it on the
        training rows.
    kernel : {"rbf", "linear", "poly", "sigmoid"}, default="rbf"
        Kernel function.
    C : float, default=1.0
        Cost of an error.
    gamma : {"scale", "auto"} or float, default="scale"
        Width of the rbf, poly and sigmoid kernels.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    class_weight : dict, "balanced" or None, default=None
        Factors of ``C`` by class.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is left in an SVM; 1e-6 where less
        is asked of the SVMs after the first.
    cache_size : float, default=512
        Megabytes for kernel values while the first SVM is solved.
    max_iter : int, default=-1
        Limit of the first SVM's steps; -1 for none.
    random_state : int, RandomState or None, default=None
        Draws validation rows.
    verbose : bool, default=False
        Whether to report progress on standard error.
    n_jobs : int or None, default=None
        Threads of the engine: None for one, -1 for one per processor. Results are the same to the
        bit whatever it is.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    minority_class_ : object
        The label with the fewest rows.
    path_ : list of OperatingPoint
        One operating point per SVM, from no removal upwards. With more than two classes a list of
        such lists, one per class against the rest.
    roc_points_ : ndarray of shape (n_points, 2)
        Upper hull of the ROC curves of all SVMs on the rows that judge the path: false positive
        rate and sensitivity. A list of arrays with more than two classes.
    n_removed_ : int or list of int
        Removals of the SVM in use.
    n_trials_ : int
        SVMs tried.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that the SVM in use has coefficients for.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        Support vectors.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Signed coefficients.
    intercept_ : ndarray of shape (n_machines,)
        Constant of the decision function.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    n_iter_ : ndarray of shape (n_machines,)
        Steps of the first SVM.
    n_kernel_values_ : int
        Kernel values that `fit` computed.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the input had names.

    See Also
    --------
    KernelSVC : The SVM before any removal.

    Notes
    -----
    The ratio is measured on all training rows. Where no other row is misjudged it is infinite;
    then the share of rare rows found decides, and after it the smaller mean slack.

    References
    ----------
    X. Chen, B. Gerlach and D. Casasent, "Pruning support vectors for imbalanced data
    classification", IJCNN 2005.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit import PrunedSVC
    >>> X, y = make_classification(n_samples=300, weights=[0.9], class_sep=1.0, random_state=1)
    >>> model = PrunedSVC(random_state=0).fit(X, y)
    >>> sensitive = model.at({"sensitivity": 0.9})
    >>> sensitive.n_removed_ >= 0, len(model.path_) > 1
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **KernelMachine._parameter_constraints,
        "select": "no_validation",  # check_select says what is allowed in one sentence
        "search": [StrOptions({"backward", "floating"})],
        "max_removals": [Interval(Integral, 0, None, closed="left"), None],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="left")],
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        select: Any = "g_mean",
        search: str = "backward",
        max_removals: int | None = None,
        validation_fraction: float = 0.2,
        kernel: str = "rbf",
        C: float = 1.0,
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: str | dict[Any, float] | None = None,
        tol: float = 1e-3,
        cache_size: float = 512,
        max_iter: int = -1,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.select = select
        self.search = search
        self.max_removals = max_removals
        self.validation_fraction = validation_fraction
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    # --- fitting ------------------------------------------------------------------------

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Solve the SVM of all rows and remove majority support vectors.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Training rows.
        y : array-like of shape (n_rows,)
            Class labels.

        Returns
        -------
        PrunedSVC
            The fitted SVM.
        """
        check_select(self.select)
        rows, encoded, _ = self._prepare(X, y, None)
        train = validation = np.arange(len(encoded))
        if self.validation_fraction > 0.0:
            rng = check_random_state(self.random_state)
            name = type(self).__name__
            train, validation = split_rows(
                encoded, self.validation_fraction, rng, self.classes_, name
            )
        self._rows = take_rows(rows, train)
        self._row_numbers = train
        self._row_classes = encoded[train]
        kernel = self._new_kernel(self._rows)
        self._keep_kernel(kernel, not isinstance(rows, np.ndarray))
        cost = row_costs(self.C, self.class_weight_, self._row_classes, None)
        self.n_trials_ = 0
        firsts: list[_core.Solution] = []
        self._paths = [self._search(kernel, cost, m, firsts) for m in range(self._n_machines)]
        self.n_iter_ = np.array([first.steps for first in firsts], dtype=np.int64)
        self._warn_unless_converged(firsts)
        self.n_kernel_values_ = kernel.values_computed
        self._judge(take_rows(rows, validation), encoded[validation])
        # Only rows that some machine of a path uses are needed from here on.
        self._forget_unused_rows()
        return self._use(self.select)

    def _rare_side(self, machine: int) -> float:
        """Side (±1) of the rare class in an SVM; against the rest it is the class's own."""
        rare_first = self._n_machines == 1 and self.classes_[0] == self.minority_class_
        return -1.0 if rare_first else 1.0

    def _search(
        self, kernel: _core.Kernel, cost: Floats, machine: int, firsts: list[_core.Solution]
    ) -> dict[str, Any]:
        y = self._targets(self._row_classes, machine)
        rows = engine_rows(self._rows)
        provider = _core.DirectProvider(kernel, rows)
        report = observer(self.verbose, "fit", len(y))
        threads = engine_threads(self.n_jobs)
        first = _core.solve(
            provider, None, y, cost, None, float(self.tol), int(self.max_iter),
            self._cache_bytes, report, threads,
        )  # fmt: skip
        firsts.append(first)
        most = np.iinfo(np.int32).max if self.max_removals is None else int(self.max_removals)
        path = _core.prune_path(
            provider, y, cost, first.alpha, self._rare_side(machine),
            self.search == "floating", most, float(self.tol), report, threads,
        )  # fmt: skip
        self.n_trials_ += path.trials
        # Plain arrays, because they are saved with the classifier.
        return {
            "members": path.machines[0].rows,
            "alpha": np.stack([machine.alpha for machine in path.machines]),
            "bias": np.array([machine.bias for machine in path.machines]),
            "minority_right": path.minority_right,
            "majority_wrong": path.majority_wrong,
            "removed": path.removed,
        }

    def _judge(self, rows: Matrix, encoded: Ids) -> None:
        """Set ``path_``, and keep what ``roc_points_`` is made of."""
        paths, self._judged = [], []
        for machine in range(self._n_machines):
            path = self._paths[machine]
            scores = self._rare_side(machine) * self._path_values(rows, machine)
            rare = self._targets(encoded, machine) == self._rare_side(machine)
            numbers = [
                None if r < 0 else int(self._row_numbers[r]) for r in path["removed"].tolist()
            ]
            shares = (
                (scores[rare] > 0.0).mean(axis=0),
                (scores[~rare] <= 0.0).mean(axis=0),
                path["minority_right"],
                1.0 - path["majority_wrong"],
            )
            columns = range(len(numbers)), numbers, *(share.tolist() for share in shares)
            paths.append(list(starmap(OperatingPoint, zip(*columns, strict=True))))
            self._judged.append((rare, scores))
        self.path_ = paths if self._n_machines > 1 else paths[0]

    @property
    def roc_points_(self) -> Any:
        """Upper hull of the ROC curves of all SVMs on the rows that judge the path."""
        check_is_fitted(self, "dual_coef_")
        hulls = [sweep_hull(rare, scores) for rare, scores in self._judged]
        return hulls if self._n_machines > 1 else hulls[0]

    def _path_values(self, rows: Matrix, machine: int) -> Floats:
        """Decision values of all SVMs of a path, one column per SVM."""
        path = self._paths[machine]
        kept = copy.copy(self)
        kept._keep_expansion(path["members"], take_rows(self._rows, path["members"]), path["alpha"])
        kept._shift_intercept(path["bias"])
        return kept._machine_values(rows)

    def _forget_unused_rows(self) -> None:
        used = np.unique(np.concatenate([path["members"] for path in self._paths]))
        for path in self._paths:
            path["members"] = np.searchsorted(used, path["members"]).astype(np.int32)
        self._rows = take_rows(self._rows, used)
        self._row_numbers = self._row_numbers[used]
        self._row_classes = self._row_classes[used]

    # --- choosing -----------------------------------------------------------------------

    def at(self, select: Any) -> PrunedSVC:
        """Return the classifier of another point of the path, without fitting again.

        Parameters
        ----------
        select : "g_mean", int or dict
            As the parameter of the same name.

        Returns
        -------
        PrunedSVC
            A fitted classifier that shares its rows with this one.
        """
        check_is_fitted(self, "dual_coef_")
        other = copy.copy(self)
        other.select = select
        return other._use(select)

    def _use(self, select: Any) -> Self:
        points: Any = self.path_ if self._n_machines > 1 else [self.path_]
        chosen = [choose(path, select) for path in points]
        alpha = np.zeros((self._n_machines, len(self._row_numbers)))
        bias = np.zeros(self._n_machines)
        for m, (path, point) in enumerate(zip(self._paths, chosen, strict=True)):
            alpha[m, path["members"]] = path["alpha"][point]
            bias[m] = path["bias"][point]
        used = np.flatnonzero(np.any(alpha != 0.0, axis=0))
        self._keep_expansion(
            self._row_numbers[used].astype(np.int32),
            take_rows(self._rows, used),
            np.ascontiguousarray(alpha[:, used]),
        )
        self._shift_intercept(bias)
        self._count_support(self._row_classes[used])
        self.n_removed_ = chosen if self._n_machines > 1 else chosen[0]
        return self

    def path_scores(self, X: ArrayLike) -> Floats:
        """Score of rows for the rare class by every SVM of the path, two classes only.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows to score.

        Returns
        -------
        ndarray of shape (n_rows, n_points)
            Column r is the score with r removals; positive values favour ``minority_class_``.
        """
        check_is_fitted(self, "dual_coef_")
        if self._n_machines > 1:
            raise ValueError(
                f"path_scores needs two classes, there are {len(self.classes_)}, each with a path "
                "of its own: use at(...).decision_function."
            )
        return self._rare_side(0) * self._path_values(self._check_rows(X, reset=False), 0)
