"""Bootstrap aggregation of kernel SVMs on balanced bags."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from rarebit._engine.arrays import Matrix, resolve_gamma, take_rows
from rarebit._engine.threads import engine_threads
from rarebit.classifiers._combiners import COMBINERS, answers_of, class_accuracies, vote
from rarebit.classifiers._shared_solver import SharedSolver, Solution, Subproblem, join
from rarebit.classifiers._split import split_rows
from rarebit.svm import KernelMachine

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_AUTO_BATCH = 10  # machines between two looks with n_estimators="auto"
_AUTO_MOST = 500
_AUTO_RESAMPLES = 50
_AUTO_SPREAD = 0.05  # the paper's limit of the standard deviation of g-mean


class BaggedSVC(KernelMachine):
    """Kernel SVMs on balanced bags, weighted by how well they serve every class.

    Every bag holds all rows of the rarest class and as many rows of each other class, drawn with
    replacement. An SVM's weight is the harmonic mean of its class accuracies on rows set aside,
    so that an SVM that neglects one class counts for little. All SVMs are solved on one
    set of rows and decide together: each kernel value of a new row is computed once, however many
    SVMs use it.

    Parameters
    ----------
    n_estimators : int or "auto", default=100
        Number of bags. ``"auto"`` adds bags ten at a time until the g-mean of resampled ensembles
        on the validation rows has a standard deviation below 0.05, at most 500.
    combiner : {"balanced", "weighted", "vote", "average"}, default="balanced"
        ``"balanced"`` sums labels weighted by the harmonic mean of class accuracies,
        ``"weighted"`` by overall accuracy, ``"vote"`` sums labels, ``"average"`` decision values.
        The last two need no validation rows and train on all rows.
    validation_fraction : float, default=0.2
        Share of the rows of each class that are set aside to weigh SVMs.
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
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is left in an SVM.
    cache_size : float, default=512
        Megabytes for kernel values.
    max_iter : int, default=-1
        Limit of an SVM's steps; -1 for none.
    n_jobs : int or None, default=None
        Bags solved at a time, by threads unless a joblib backend says otherwise, and threads of
        the engine for what they share and for decisions. The result is the same for any number.
    random_state : int, RandomState or None, default=None
        Draws validation rows and bags.
    verbose : bool, default=False
        Whether to report progress of long predictions on standard error.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    minority_class_ : object
        The label with the fewest rows.
    n_estimators_ : int
        Bags used.
    weights_ : ndarray of shape (n_bags,)
        Weights of the SVMs; all 1 when every SVM misses a class of the validation rows.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that any SVM uses.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        Support vectors.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Signed coefficients; a bag is one SVM for two classes, else one per class.
    intercept_ : ndarray of shape (n_machines,)
        Constants of the decision functions.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    n_iter_ : ndarray of shape (n_machines,)
        Steps taken.
    optimality_gap_ : ndarray of shape (n_machines,)
        The violation that is left in each.
    n_kernel_values_ : int
        Kernel values that `fit` computed.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the input had names.

    See Also
    --------
    KernelSVC : One SVM over all rows.
    imblearn.ensemble.BalancedBaggingClassifier : Balanced bags of any classifier.

    References
    ----------
    S. Sukhanov, A. Merentitis, C. Debes, J. Hahn and A. M. Zoubir, "Bootstrap-based SVM aggregation
    for class imbalance problems", EUSIPCO 2015.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit import BaggedSVC
    >>> X, y = make_classification(n_samples=500, weights=[0.95], class_sep=1.5, random_state=1)
    >>> model = BaggedSVC(n_estimators=20, random_state=0).fit(X, y)
    >>> model.weights_.shape, model.predict(X).shape
    ((20,), (500,))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelMachine._parameter_constraints,
        "n_estimators": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "combiner": [StrOptions(set(COMBINERS))],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    class_weight = None  # bags are balanced already

    def __init__(
        self,
        n_estimators: int | str = 100,
        combiner: str = "balanced",
        validation_fraction: float = 0.2,
        kernel: str = "rbf",
        C: float = 1.0,
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 512,
        max_iter: int = -1,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.combiner = combiner
        self.validation_fraction = validation_fraction
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # --- fitting ------------------------------------------------------------------------

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Draw the bags, solve an SVM for each and weigh them.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Training rows.
        y : array-like of shape (n_rows,)
            Class labels.

        Returns
        -------
        BaggedSVC
            The fitted ensemble.
        """
        rows, encoded, _ = self._prepare(X, y, None)
        rng = check_random_state(self.random_state)
        auto = self.n_estimators == "auto"
        if auto or COMBINERS[self.combiner].weigh is not None:
            name = type(self).__name__
            train, validation = split_rows(
                encoded, self.validation_fraction, rng, self.classes_, name
            )
        else:
            train, validation = np.arange(len(encoded)), np.empty(0, dtype=np.intp)
        self._gamma = resolve_gamma(self.gamma, rows, self.kernel)
        shared = SharedSolver(
            rows,
            self._kernel_options(),
            float(self.tol),
            int(self.max_iter),
            self._cache_bytes,
            threads=engine_threads(self.n_jobs),
        )
        self._keep_kernel(shared.kernel, not isinstance(rows, np.ndarray))
        machines: list[Solution] = []
        margins: Floats | None = None
        elsewhere = 0  # kernel values computed by other processes
        pilot_values = pilot_size = 0  # values that the first bag took, and its rows
        while True:
            if auto:
                count = _AUTO_BATCH
            else:
                count = int(self.n_estimators) - len(machines) // self._n_machines
            if margins is None and count > 2:
                count = 1  # the first bag is a pilot whose machine tells which rows will matter
            bags = [self._draw_bag(encoded, train, rng) for _ in range(count)]
            subproblems = [m for bag in bags for m in self._subproblems(bag, encoded, margins)]
            if pilot_values:
                used = train if auto else np.unique(np.concatenate([ids for ids, _ in bags]))
                rare = train[encoded[train] == self._rare_column]
                known = len(machines) // self._n_machines + count
                shared.share(
                    used.astype(np.int32), rare.astype(np.int32), known, pilot_values, pilot_size
                )
            # The pilot is solved in this process, so that what it computed decides the same
            # whatever n_jobs.
            solved, values = shared.solve(subproblems, self.n_jobs if pilot_values else None)
            machines += solved
            elsewhere += values
            done = len(machines) // self._n_machines
            if not auto and done == self.n_estimators:
                break
            if margins is None:
                pilot_values, pilot_size = shared.kernel.values_computed, len(bags[0][0])
                margins = self._margins(shared, solved, encoded)
            elif auto:
                self._keep_machines(rows, machines, encoded)
                if done >= _AUTO_MOST or self._is_steady(rows, encoded, validation, rng):
                    break
        self._keep_machines(rows, machines, encoded)
        self._weigh(rows, encoded, validation)
        self.n_kernel_values_ = shared.kernel.values_computed + elsewhere
        self._kernel_seconds = shared.kernel.seconds
        self._warn_of_late(machines)
        return self

    def _kernel_options(self) -> dict[str, Any]:
        return {
            "name": self.kernel,
            "gamma": self._gamma,
            "coef0": float(self.coef0),
            "degree": int(self.degree),
        }

    def _draw_bag(
        self, encoded: Ids, train: Ids, rng: np.random.RandomState
    ) -> tuple[Ids, NDArray[np.intp]]:
        """Return row numbers of a bag and how often each was drawn."""
        by_class = [train[encoded[train] == c] for c in range(len(self.classes_))]
        size = len(by_class[self._rare_column])
        parts = [
            of_class if c == self._rare_column else rng.choice(of_class, size)
            for c, of_class in enumerate(by_class)
        ]
        return np.unique(np.concatenate(parts), return_counts=True)

    def _subproblems(
        self, bag: tuple[Ids, NDArray[np.intp]], encoded: Ids, margins: Floats | None
    ) -> list[Subproblem]:
        """Return the SVMs of a bag; a row drawn twice has twice the cost."""
        ids, counts = bag
        cost = float(self.C) * counts.astype(np.float64)
        return [
            Subproblem(
                ids.astype(np.int32),
                self._targets(encoded[ids], machine),
                cost,
                None if margins is None else margins[ids, machine],
            )
            for machine in range(self._n_machines)
        ]

    def _margins(self, shared: SharedSolver, pilot: list[Solution], encoded: Ids) -> Floats:
        sides = np.stack([self._targets(encoded, m) for m in range(self._n_machines)], axis=1)
        return sides * shared.decide(pilot)

    def _keep_machines(self, rows: Matrix, machines: list[Solution], encoded: Ids) -> None:
        support, coefficients = join(machines)
        self._keep_expansion(support, take_rows(rows, support), coefficients)
        self._shift_intercept(np.array([machine.bias for machine in machines]))
        self._count_support(encoded[support])
        self.n_iter_ = np.array([machine.steps for machine in machines], dtype=np.int64)
        self.optimality_gap_ = np.array([machine.gap for machine in machines])
        self.n_estimators_ = len(machines) // self._n_machines
        self.weights_ = np.ones(self.n_estimators_)

    def _weigh(self, rows: Matrix, encoded: Ids, validation: Ids) -> None:
        weigh = COMBINERS[self.combiner].weigh
        if weigh is None:
            return
        answers = answers_of(self._values(take_rows(rows, validation)))
        weights = weigh(answers, encoded[validation], len(self.classes_))
        if weights.sum() > 0.0:
            self.weights_ = weights

    def _is_steady(
        self, rows: Matrix, encoded: Ids, validation: Ids, rng: np.random.RandomState
    ) -> bool:
        """Whether ensembles resampled from the SVMs so far agree in their g-mean."""
        self._weigh(rows, encoded, validation)
        values = self._values(take_rows(rows, validation))
        truth, scores = encoded[validation], []
        for _ in range(_AUTO_RESAMPLES):
            drawn = rng.randint(self.n_estimators_, size=self.n_estimators_)
            combined = self._combine(values[:, drawn], self.weights_[drawn])
            chosen = (
                (combined > 0.0).astype(np.intp) if combined.ndim == 1 else combined.argmax(axis=1)
            )
            accuracies = class_accuracies(chosen[:, None], truth, len(self.classes_))[0]
            scores.append(float(np.prod(accuracies) ** (1.0 / len(accuracies))))
        return float(np.std(scores)) < _AUTO_SPREAD

    def _warn_of_late(self, machines: list[Solution]) -> None:
        late = sum(not machine.converged for machine in machines)
        if late:
            warnings.warn(
                f"{late} of {len(machines)} SVMs stopped after max_iter={self.max_iter} steps, "
                f"short of tol={self.tol:g}: raise max_iter or tol, or scale the features with "
                "StandardScaler.",
                ConvergenceWarning,
                stacklevel=3,
            )

    # --- deciding -----------------------------------------------------------------------

    def _values(self, rows: Matrix) -> Floats:
        """Decision values of shape (n_rows, n_estimators, SVMs of a bag)."""
        values = self._machine_values(rows)
        return values.reshape(len(values), self.n_estimators_, self._n_machines)

    def _combine(self, values: Floats, weights: Floats) -> Floats:
        if not COMBINERS[self.combiner].sums_labels:
            mean = values.mean(axis=1)
            return mean[:, 0] if mean.shape[1] == 1 else mean
        shares = vote(answers_of(values), weights, len(self.classes_))
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares

    def decision_function(self, X: ArrayLike) -> Floats:
        """Balance of the SVMs' votes, or the mean of their decision values.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Two classes: from -1 (all SVMs vote for ``classes_[0]``) to 1. More: the share of
            the votes of each class. With ``combiner="average"``, mean decision values.
        """
        check_is_fitted(self, "dual_coef_")
        rows = self._check_rows(X, reset=False)
        return self._combine(self._values(rows), self.weights_)
