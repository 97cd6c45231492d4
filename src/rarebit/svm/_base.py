"""What the batch and the online SVM share: parameters, input checks, decisions."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rarebit import _core
from rarebit._decisions import RareClassMixin
from rarebit._engine.arrays import (
    Matrix,
    engine_rows,
    resolve_gamma,
    row_costs,
    same_layout,
)
from rarebit._engine.progress import observer
from rarebit._engine.sparse import canonical_rows, checked_sparse
from rarebit._engine.threads import engine_threads
from rarebit._missing_classes import refuse_missing_classes
from rarebit.svm._fitted_fields import KERNELS, check_fitted_fields
from rarebit.svm._huge_values import refuse_huge_values
from rarebit.svm._words import words_explained


class KernelMachine(RareClassMixin, BaseEstimator):
    """Base of the kernel SVMs; use `KernelSVC` or `OnlineSVC`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(KERNELS))],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "degree": [Interval(Integral, 0, 2**31 - 1, closed="both")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "cache_size": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, -1, 2**63 - 1, closed="both")],
        "verbose": ["verbose"],
        "n_jobs": [Integral, None],
    }

    kernel: str
    C: Any
    gamma: str | float
    degree: int
    coef0: float
    class_weight: str | dict[Any, float] | None
    tol: float
    cache_size: float
    max_iter: int
    verbose: bool
    # Also what machines have that were saved before there were threads.
    n_jobs: int | None = None

    classes_: NDArray[Any]
    class_weight_: NDArray[np.float64]
    minority_class_: Any
    support_: NDArray[np.int32]
    support_vectors_: Any
    dual_coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]
    n_support_: NDArray[np.int32]
    n_features_in_: int

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # --- fitting ------------------------------------------------------------------------

    def _check_rows(self, X: ArrayLike, y: Any = "no_validation", *, reset: bool) -> Any:
        """Check rows, and labels if given; rows come back C-contiguous float32/float64 or CSR."""
        precomputed = self.kernel == "precomputed"
        with words_explained():
            checked = validate_data(
                self,
                checked_sparse(X),
                y,
                reset=reset,
                accept_sparse=False if precomputed else "csr",
                dtype=[np.float64, np.float32],
                order="C",
            )
        rows = canonical_rows(checked if isinstance(y, str) else checked[0])
        refuse_huge_values(rows)
        if precomputed and reset and rows.shape[0] != rows.shape[1]:
            raise ValueError(
                f"A precomputed kernel must be a square matrix to fit, got shape {rows.shape}: "
                "pass the kernel values between all pairs of training rows."
            )
        return rows if isinstance(y, str) else (rows, checked[1])

    def _check_Xy(self, X: ArrayLike, y: ArrayLike, *, reset: bool) -> tuple[Matrix, NDArray[Any]]:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: "
                "pass one class label per row."
            )
        refuse_missing_classes(y)
        rows, labels = self._check_rows(X, y, reset=reset)
        check_classification_targets(labels)
        return rows, labels

    def _prepare(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Matrix, NDArray[np.intp], NDArray[np.float64]]:
        """Check everything that `fit` is given; return rows, class numbers and costs of rows."""
        self._validate_params()
        rows, labels = self._check_Xy(X, y, reset=True)
        weights = self._check_weights(sample_weight, rows)
        encoded = self._check_classes(labels, weights)
        self.class_weight_ = self._check_class_weight(labels, weights)
        C = self._choose_cost(rows, encoded, row_costs(1.0, self.class_weight_, encoded, weights))
        return rows, encoded, row_costs(C, self.class_weight_, encoded, weights)

    def _choose_cost(
        self, rows: Matrix, encoded: NDArray[np.intp], weights: NDArray[np.float64]
    ) -> float:
        """Return the cost of an error; SVMs that tune it have a choice."""
        return float(self.C)

    def _check_weights(
        self, sample_weight: ArrayLike | None, X: Matrix
    ) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if np.any(weights < 0.0):
            raise ValueError(
                f"sample_weight must not be negative, got {weights.min():.6g}: "
                "use 0 to leave a row out."
            )
        return weights

    def _check_classes(
        self, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> NDArray[np.intp]:
        """Set ``classes_`` and ``minority_class_``; return the class number of each row."""
        self.classes_, encoded = np.unique(y, return_inverse=True)
        counts = np.bincount(
            encoded if weights is None else encoded[weights > 0.0], minlength=len(self.classes_)
        )
        if np.count_nonzero(counts) < 2:
            seen = ", ".join(repr(c) for c in self.classes_[counts > 0].tolist()) or "none"
            raise ValueError(
                f"{type(self).__name__} needs rows of at least two classes to fit, but the data "
                f"holds one class with rows of positive weight ({seen}): add rows of another class."
            )
        self._set_minority(counts)
        return encoded

    def _set_minority(self, counts: NDArray[np.intp]) -> None:
        # A class without rows says nothing yet. Of classes with equally few rows the last one, as
        # scikit-learn takes classes_[1] for the positive class.
        present = np.flatnonzero(counts)
        rarest = present[len(present) - 1 - int(np.argmin(counts[present][::-1]))]
        self.minority_class_ = self.classes_[rarest]

    def _check_class_weight(
        self, y: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        self._check_given_weights()
        if isinstance(self.class_weight, str) and weights is not None:
            # A row of weight 2 counts as two rows, one of weight 0 as none.
            totals = np.array([weights[y == c].sum() for c in self.classes_])
            present = totals > 0.0
            balanced = np.zeros(len(totals))
            balanced[present] = totals.sum() / (np.count_nonzero(present) * totals[present])
            return balanced
        return np.asarray(
            compute_class_weight(self.class_weight, classes=self.classes_, y=y), dtype=np.float64
        )

    def _check_given_weights(self) -> None:
        given: dict[Any, Any] = self.class_weight if isinstance(self.class_weight, dict) else {}
        for label, weight in given.items():
            if not (isinstance(weight, Real) and 0.0 <= float(weight) < np.inf):
                raise ValueError(
                    "The weights in class_weight must be finite numbers and not negative, got "
                    f"{weight!r} for class {label!r}: use 0 to leave a class out."
                )

    def _new_kernel(self, X: Matrix) -> _core.Kernel:
        self._gamma = self._width(X)
        return _core.Kernel(
            self.kernel, self._gamma, float(self.coef0), int(self.degree), engine_rows(X)
        )

    def _width(self, X: Matrix) -> float:
        return resolve_gamma(self.gamma, X, self.kernel)

    def _keep_kernel(self, kernel: _core.Kernel, sparse: bool) -> None:
        self._centre = kernel.centre
        self._wide = kernel.wide
        self._sparse = sparse

    def _kept_kernel(self) -> _core.Kernel:
        """Build the kernel again as it was when the SVM was fitted."""
        return _core.Kernel(
            self.kernel,
            self._gamma,
            float(self.coef0),
            int(self.degree),
            centre=self._centre,
            wide=self._wide,
        )

    def _keep_expansion(
        self, support: NDArray[np.int32], rows: Matrix, coefficients: NDArray[np.float64]
    ) -> None:
        """Set what `decision_function` needs; ``rows`` are the support vectors."""
        self.support_ = support
        self.dual_coef_ = coefficients
        self.support_vectors_ = rows

    def _shift_intercept(self, bias: NDArray[np.float64]) -> None:
        """Set ``intercept_`` for rows as they are; the engine's bias is for centred ones."""
        if self.kernel != "linear" or not self._centre.size:
            self.intercept_ = bias
        else:
            self.intercept_ = bias - np.asarray(self.coef_) @ self._full_centre()

    def _full_centre(self) -> NDArray[np.float64]:
        return self._centre if self._centre.size else np.zeros(self.n_features_in_)

    @property
    def _n_machines(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _targets(self, encoded: NDArray[np.intp], machine: int) -> NDArray[np.float64]:
        positive = 1 if self._n_machines == 1 else machine
        return np.where(encoded == positive, 1.0, -1.0)

    @property
    def _cache_bytes(self) -> int:
        # The engine counts bytes with 64 bits; nobody has 2^60 of them.
        return max(1 << 20, min(1 << 60, int(min(self.cache_size, 1e12) * (1 << 20))))

    # --- deciding -----------------------------------------------------------------------

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the features, for ``kernel="linear"`` only."""
        check_is_fitted(self, "dual_coef_")
        if self.kernel != "linear":
            raise AttributeError(
                f"coef_ exists for kernel='linear' only, this SVM has kernel={self.kernel!r}."
            )
        vectors = checked_sparse(self.support_vectors_)
        coef = safe_sparse_dot(self.dual_coef_, vectors, dense_output=True)
        return np.asarray(coef, dtype=np.float64)

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Signed distance of rows to the border, in units of the margin.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows; for a precomputed kernel, kernel values between them and all training rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Positive values favour ``classes_[1]``; with more than two classes, column k is the
            value of class k against the rest.
        """
        check_is_fitted(self, "dual_coef_")
        values = self._machine_values(self._check_rows(X, reset=False))
        if values.shape[1] != self._n_machines:
            raise ValueError(
                f"This SVM must have an intercept_ of shape ({self._n_machines},) for its "
                f"{len(self.classes_)} classes, got shape {self.intercept_.shape}: fit it "
                "again, or load it again."
            )
        return values[:, 0] if self._n_machines == 1 else values

    def _machine_values(self, rows: Matrix) -> NDArray[np.float64]:
        """Decision value of every SVM for checked rows, one column per SVM."""
        check_fitted_fields(self)
        if self.kernel == "linear":
            values = np.asarray(safe_sparse_dot(rows, self.coef_.T, dense_output=True))
        else:
            values = self._engine_values(rows)
        return values + self.intercept_

    def _engine_values(self, X: Matrix) -> NDArray[np.float64]:
        kernel = self._kept_kernel()
        if self.kernel == "precomputed":
            columns, right = self.support_, X  # values are looked up by training row
        else:
            X = same_layout(X, self._sparse)
            columns = np.arange(self.support_vectors_.shape[0], dtype=np.int32)
            right = self.support_vectors_
        return _core.decide(
            kernel,
            engine_rows(X),
            engine_rows(right),
            columns,
            np.ascontiguousarray(self.dual_coef_),
            observer(self.verbose, "predict", X.shape[0]),
            engine_threads(self.n_jobs),
        )

    def _count_support(self, support_classes: NDArray[Any]) -> None:
        counts = np.bincount(support_classes, minlength=len(self.classes_))
        self.n_support_ = counts.astype(np.int32)

    def _warn_unfinished(self, gap: float, among: str = "") -> None:
        """Warn of an SVM that is not as exact as was asked for."""
        if self.max_iter >= 0:
            cause, remedy = f"after max_iter={self.max_iter} steps", "raise max_iter or tol"
        else:
            cause, remedy = "where rounding hides what steps gain", "lower C or raise tol"
        warnings.warn(
            f"{type(self).__name__} stopped {cause} with an optimality gap of {gap:.3g}{among}, "
            f"above tol={self.tol:g}: {remedy}, or scale the features with StandardScaler.",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _warn_unless_converged(self, solutions: list[_core.Solution]) -> None:
        if not all(s.converged for s in solutions):
            self._warn_unfinished(max(s.gap for s in solutions), " among the rows in work")
