"""What the batch and the online machine share: parameters, input checks, decisions."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rarebit import _core
from rarebit.svm._progress import observer
from rarebit.svm._rows import (
    Rows,
    canonical,
    engine_rows,
    resolve_gamma,
    row_costs,
    same_layout,
)

KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")


class KernelMachine(ClassifierMixin, BaseEstimator):
    """Base of the kernel machines; use `KernelSVC` or `OnlineSVC`."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions(set(KERNELS))],
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "cache_size": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, -1, None, closed="left")],
        "verbose": ["verbose"],
    }

    kernel: str
    C: float
    gamma: str | float
    degree: int
    coef0: float
    class_weight: str | dict[Any, float] | None
    tol: float
    cache_size: float
    max_iter: int
    verbose: bool

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
        checked = validate_data(
            self,
            X,
            y,
            reset=reset,
            accept_sparse=False if precomputed else "csr",
            dtype=[np.float64, np.float32],
            order="C",
        )
        rows = canonical(checked if isinstance(y, str) else checked[0])
        if precomputed and reset and rows.shape[0] != rows.shape[1]:
            raise ValueError(
                f"A precomputed kernel must be a square matrix to fit, got shape {rows.shape}; "
                "pass the kernel values between all pairs of training rows."
            )
        return rows if isinstance(y, str) else (rows, checked[1])

    def _check_Xy(self, X: ArrayLike, y: ArrayLike, *, reset: bool) -> tuple[Rows, NDArray[Any]]:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; "
                "pass one class label a row."
            )
        rows, labels = self._check_rows(X, y, reset=reset)
        check_classification_targets(labels)
        return rows, labels

    def _prepare(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Rows, NDArray[np.intp], NDArray[np.float64]]:
        """Check everything that `fit` is given; return rows, class numbers and costs of rows."""
        self._validate_params()
        rows, labels = self._check_Xy(X, y, reset=True)
        weights = self._check_weights(sample_weight, rows)
        encoded = self._check_classes(labels, weights)
        self.class_weight_ = self._check_class_weight(labels, weights)
        return rows, encoded, row_costs(self.C, self.class_weight_, encoded, weights)

    def _check_weights(
        self, sample_weight: ArrayLike | None, X: Rows
    ) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if np.any(weights < 0.0):
            raise ValueError(
                f"sample_weight must not be negative, got {weights.min():.6g}; "
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
                f"holds one class with rows of positive weight ({seen}); add rows of another class."
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
        if isinstance(self.class_weight, dict):
            for label, weight in self.class_weight.items():
                if not weight >= 0.0:
                    raise ValueError(
                        f"class_weight must not be negative, got {weight!r} for class {label!r}."
                    )
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

    def _new_kernel(self, X: Rows) -> _core.Kernel:
        self._gamma = resolve_gamma(self.gamma, X, self.kernel)
        return _core.Kernel(
            self.kernel, self._gamma, float(self.coef0), int(self.degree), engine_rows(X)
        )

    def _keep_kernel(self, kernel: _core.Kernel, sparse: bool) -> None:
        self._centre = kernel.centre
        self._wide = kernel.wide
        self._sparse = sparse

    def _kept_kernel(self) -> _core.Kernel:
        """Build the kernel again as it was when the machine was fitted."""
        return _core.Kernel(
            self.kernel,
            self._gamma,
            float(self.coef0),
            int(self.degree),
            centre=self._centre,
            wide=self._wide,
        )

    def _keep_expansion(
        self, support: NDArray[np.int32], rows: Rows, coefficients: NDArray[np.float64]
    ) -> None:
        """Set what `decision_function` needs; ``rows`` are the support vectors."""
        self.support_ = support
        self.dual_coef_ = coefficients
        self.support_vectors_ = rows

    def _shift_intercept(self, bias: NDArray[np.float64]) -> None:
        """Set ``intercept_`` for rows as they are; the engine's bias is for centred ones."""
        if self.kernel != "linear":
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
        return max(1 << 20, int(self.cache_size * (1 << 20)))

    # --- deciding -----------------------------------------------------------------------

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the features, for ``kernel="linear"`` only."""
        check_is_fitted(self, "dual_coef_")
        if self.kernel != "linear":
            raise AttributeError(
                f"coef_ exists for kernel='linear' only, this machine has kernel={self.kernel!r}."
            )
        coef = safe_sparse_dot(self.dual_coef_, self.support_vectors_, dense_output=True)
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
        return values[:, 0] if self._n_machines == 1 else values

    def _machine_values(self, rows: Rows) -> NDArray[np.float64]:
        """Decision value of every machine for checked rows, one column a machine."""
        if self.kernel == "linear":
            values = np.asarray(safe_sparse_dot(rows, self.coef_.T, dense_output=True))
        else:
            values = self._engine_values(rows)
        return values + self.intercept_

    def _engine_values(self, X: Rows) -> NDArray[np.float64]:
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
        )

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class of each row.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels out of ``classes_``.
        """
        values = self.decision_function(X)
        chosen = (values > 0.0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[chosen]

    def minority_score(self, X: ArrayLike) -> NDArray[np.float64]:
        """Score of rows for the rare class: the higher, the more likely rare.

        Unlike `decision_function` its sign does not depend on how the labels sort.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows to score.

        Returns
        -------
        ndarray of shape (n_rows,)
            Positive values favour ``minority_class_``.
        """
        values = self.decision_function(X)
        rare = int(np.flatnonzero(self.classes_ == self.minority_class_)[0])
        if values.ndim == 1:
            return values if rare == 1 else -values
        return values[:, rare]

    def _count_support(self, support_classes: NDArray[Any]) -> None:
        counts = np.bincount(support_classes, minlength=len(self.classes_))
        self.n_support_ = counts.astype(np.int32)


def take_rows(X: Rows, rows: NDArray[Any]) -> Rows:
    """Copy some rows, keeping the layout."""
    return X[rows] if sp.issparse(X) else np.ascontiguousarray(X[rows])
