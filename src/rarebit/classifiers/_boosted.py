"""Boosting of kernel SVMs with asymmetric costs."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from rarebit._engine.arrays import Matrix, resolve_gamma, take_rows
from rarebit._engine.threads import engine_threads
from rarebit.classifiers._rounds import ballot, round_kept, vote_g_mean
from rarebit.classifiers._shared_solver import SharedSolver, Solution, Subproblem, join
from rarebit.classifiers._split import split_rows
from rarebit.svm import MOST_LINEAR_FEATURES, KernelMachine, solve_linear

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_LINEAR_GAP = 1e-8  # duality gap of a linear machine, as a share of the objective


@dataclass
class Rounds:
    """One run of boosting: a class against the rest."""

    machines: list[Solution]
    weights: list[float]  # a_m
    errors: list[float]  # ε_m
    scores: list[float]  # validation g-mean of the ensemble of rounds 1 … m
    kept: int = 0
    reason: str = ""


class BoostedSVC(KernelMachine):
    """Kernel SVMs boosted with asymmetric costs; validation rows say when to stop.

    Each round solves an SVM whose errors in the rare class are costlier, in proportion to how
    much rarer it is, and whose rows cost in proportion to their boosting weights. Weights of
    rows that it gets wrong grow. The ensemble of the first m rounds votes; the m with the best
    g-mean on rows set aside is kept, and the first round alone where no other is better beyond
    chance.

    Rounds share kernel values and start from the SVM before. Linear SVMs of dense rows
    with at most 256 features are solved by an interior-point method instead, whose time does not
    grow with the weights.

    Parameters
    ----------
    n_estimators : int, default=40
        Largest number of rounds.
    learning_rate : float, default=0.1
        Factor λ of a round's weight ``a = λ·log((1 − ε)/ε)``, ε its weighted error.
    validation_fraction : float, default=0.2
        Share of the rows of each class that are set aside to choose the round.
    kernel : {"linear", "rbf", "poly", "sigmoid"}, default="linear"
        Kernel function.
    C : float, default=1.0
        Cost of an error in the larger class before weights.
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
    random_state : int, RandomState or None, default=None
        Draws validation rows.
    verbose : bool, default=False
        Whether to report progress of long predictions on standard error.
    n_jobs : int or None, default=None
        Threads of the engine: None for one, -1 for one per processor. Results are the same to the
        bit whatever it is.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    minority_class_ : object
        The label with the fewest rows.
    n_estimators_ : int or list of int
        Rounds kept; with more than two classes, those of each class against the rest.
    scores_ : ndarray or list of ndarray
        Validation g-mean of the ensemble after each round made.
    errors_ : ndarray or list of ndarray
        Weighted training error of each round made.
    estimator_weights_ : ndarray or list of ndarray
        Weights of the rounds kept.
    stop_reason_ : str or list of str
        Why no further round was made.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that any SVM uses.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        Support vectors.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        Signed coefficients of the rounds kept.
    intercept_ : ndarray of shape (n_machines,)
        Constants of their decision functions.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    n_iter_ : ndarray of shape (n_rounds,)
        Steps of the SVM of each round made.
    n_kernel_values_ : int
        Kernel values that `fit` computed.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the input had names.

    See Also
    --------
    BaggedSVC : SVMs on balanced bags.

    Notes
    -----
    Weights start at 1 and are brought back to mean 1 after each round. A round without error is
    kept and is the last; a round whose error reaches ½ is dropped and ends the run, unless it is
    the first.

    References
    ----------
    B. X. Wang and N. Japkowicz, "Boosting support vector machines for imbalanced data sets",
    Knowledge and Information Systems 25, 2010.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit import BoostedSVC
    >>> X, y = make_classification(n_samples=500, weights=[0.95], class_sep=1.5, random_state=1)
    >>> model = BoostedSVC(n_estimators=10, random_state=0).fit(X, y)
    >>> model.n_estimators_ <= len(model.scores_) <= 10
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelMachine._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0.0, 1e100, closed="neither")],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid"})],
        "random_state": ["random_state"],
    }

    class_weight = None  # costs are asymmetric by construction

    def __init__(
        self,
        n_estimators: int = 40,
        learning_rate: float = 0.1,
        validation_fraction: float = 0.2,
        kernel: str = "linear",
        C: float = 1.0,
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 512,
        max_iter: int = -1,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.validation_fraction = validation_fraction
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    # --- fitting ------------------------------------------------------------------------

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Boost, and keep the rounds that serve the validation rows best.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Training rows.
        y : array-like of shape (n_rows,)
            Class labels.

        Returns
        -------
        BoostedSVC
            The fitted ensemble.
        """
        rows, encoded, _ = self._prepare(X, y, None)
        rng = check_random_state(self.random_state)
        train, validation = split_rows(
            encoded, self.validation_fraction, rng, self.classes_, type(self).__name__
        )
        self._gamma = resolve_gamma(self.gamma, rows, self.kernel)
        shared = SharedSolver(
            take_rows(rows, train),
            {
                "name": self.kernel,
                "gamma": self._gamma,
                "coef0": float(self.coef0),
                "degree": int(self.degree),
            },
            float(self.tol),
            int(self.max_iter),
            self._cache_bytes,
            keep=True,
            threads=engine_threads(self.n_jobs),
        )
        self._keep_kernel(shared.kernel, not isinstance(rows, np.ndarray))
        self.n_kernel_values_ = 0
        runs = [
            self._boost(shared, rows, encoded, train, validation, machine)
            for machine in range(self._n_machines)
        ]
        kept = [machine for run in runs for machine in run.machines[: run.kept]]
        self._keep_machines(rows, kept, train)
        self._count_support(encoded[self.support_])
        self.n_iter_ = np.array([m.steps for run in runs for m in run.machines], dtype=np.int64)
        per_run: dict[str, list[Any]] = {
            "n_estimators_": [run.kept for run in runs],
            "scores_": [np.array(run.scores) for run in runs],
            "errors_": [np.array(run.errors) for run in runs],
            "estimator_weights_": [np.array(run.weights[: run.kept]) for run in runs],
            "stop_reason_": [run.reason for run in runs],
        }
        for name, values in per_run.items():
            setattr(self, name, values if self._n_machines > 1 else values[0])
        return self

    def _keep_machines(self, rows: Matrix, machines: list[Solution], train: Ids) -> None:
        support, coefficients = join(machines)
        support = train[support].astype(np.int32)
        self._keep_expansion(support, take_rows(rows, support), coefficients)
        self._shift_intercept(np.array([machine.bias for machine in machines]))

    def _boost(
        self,
        shared: SharedSolver,
        rows: Matrix,
        encoded: Ids,
        train: Ids,
        validation: Ids,
        machine: int,
    ) -> Rounds:
        """Boost one class against the rest. Letters as in the paper: ε, a, w."""
        y = self._targets(encoded[train], machine)
        y_validation = self._targets(encoded[validation], machine)
        ratio = np.count_nonzero(y < 0) / np.count_nonzero(y > 0)
        # C₊/C₋ = n₋/n₊: the smaller side is the dearer one.
        base = float(self.C) * np.where(y > 0, max(ratio, 1.0), max(1.0 / ratio, 1.0))
        w = np.ones(len(y))
        votes = np.zeros(len(validation))
        run = Rounds([], [], [], [])
        solver = _RoundSolver(shared, self._interior_rows(shared, y), y)
        X_validation = take_rows(rows, validation)
        for _ in range(int(self.n_estimators)):
            solved, f, values = solver.solve(base * w)
            self.n_kernel_values_ += values
            wrong = np.where(f > 0.0, 1.0, -1.0) != y
            error = float(w[wrong].sum() / w.sum())
            if error >= 0.5 and run.machines:
                run.reason = "the weighted error reached one half"
                break
            # A machine without error weighs as if half a row were wrong.
            floor = 0.5 / len(y)
            bounded = min(max(error, floor), 1.0 - floor)
            a = float(self.learning_rate) * float(np.log((1.0 - bounded) / bounded))
            run.machines.append(solved)
            run.weights.append(max(a, 1e-12))
            run.errors.append(error)
            self._keep_machines(rows, [solved], train)
            own = self._machine_values(X_validation)[:, 0]
            votes += run.weights[-1] * np.where(own > 0.0, 1.0, -1.0)
            run.scores.append(vote_g_mean(votes, y_validation))
            if error == 0.0:
                run.reason = "a round made no error"
                break
            if error >= 0.5:
                run.reason = "the weighted error of the first round reached one half"
                break
            w = w * np.exp(a * wrong)
            w /= w.mean()
        else:
            run.reason = "n_estimators rounds were made"
        run.kept = round_kept(run.scores, y_validation)
        return run

    def _interior_rows(self, shared: SharedSolver, y: Floats) -> Floats | None:
        """Centred rows where the interior-point method is to be used, else None."""
        X = shared.rows
        if self.kernel != "linear" or self._sparse or X.shape[1] > MOST_LINEAR_FEATURES:
            return None
        return np.asarray(X, dtype=np.float64) - self._full_centre()

    # --- deciding -----------------------------------------------------------------------

    def decision_function(self, X: ArrayLike) -> Floats:
        """Balance of the rounds' weighted votes; of equal votes, by decision values.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            From -1 to 1. Positive values favour ``classes_[1]``; with more than two classes,
            column k is the balance of class k against the rest.
        """
        check_is_fitted(self, "dual_coef_")
        values = self._machine_values(self._check_rows(X, reset=False))
        if self._n_machines == 1:
            return ballot(values, np.asarray(self.estimator_weights_))
        ends = np.cumsum(self.n_estimators_)
        return np.stack(
            [
                ballot(values[:, end - len(a) : end], a)
                for end, a in zip(ends, self.estimator_weights_, strict=True)
            ],
            axis=1,
        )


class _RoundSolver:
    """Solves one round after another, from where the last one ended."""

    def __init__(self, shared: SharedSolver, interior: Floats | None, y: Floats) -> None:
        self._shared = shared
        self._interior = interior
        self._y = y
        self._ids = np.arange(len(y), dtype=np.int32)
        self._last: tuple[Floats, Floats, Floats] | None = None  # cost, alpha, margins

    def solve(self, cost: Floats) -> tuple[Solution, Floats, int]:
        """Return the SVM, its values for the training rows, and kernel values computed."""
        if self._interior is not None:
            solved = solve_linear(self._interior, self._y, cost, _LINEAR_GAP)
            values = self._interior @ (solved.alpha @ self._interior) + solved.bias
            machine = Solution(
                self._ids,
                solved.alpha,
                solved.bias,
                solved.gap,
                solved.objective,
                solved.steps,
                solved.converged,
            )
            return machine, values, 0
        margins = start = None
        if self._last is not None:
            margins = self._last[2]
            start = carry_over(self._y, cost, *self._last)
        before = self._shared.kernel.values_computed
        subproblem = Subproblem(self._ids, self._y, cost, margins, start)
        machine = self._shared.solve([subproblem])[0][0]
        values = self._shared.decide([machine])[:, 0]
        self._last = (cost, machine.alpha, self._y * values)
        return machine, values, self._shared.kernel.values_computed - before


def carry_over(
    y: Floats, cost: Floats, old_cost: Floats, old_alpha: Floats, margins: Floats
) -> Floats:
    """Move coefficients into new boxes so that they still sum to 0.

    Those at their limit stay at it. What is too much on one side is taken from the rows with the
    largest margins, which are the next to leave anyway.
    """
    size = np.abs(old_alpha)
    size = np.where(size >= old_cost * (1.0 - 1e-12), cost, np.minimum(size, cost))
    surplus = float(size[y > 0].sum() - size[y < 0].sum())
    heavy = np.flatnonzero((y > 0) == (surplus > 0.0))
    heavy = heavy[np.argsort(-margins[heavy], kind="stable")]
    left = abs(surplus) - (np.cumsum(size[heavy]) - size[heavy])
    size[heavy] -= np.clip(left, 0.0, size[heavy])
    return y * size
