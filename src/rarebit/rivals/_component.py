"""The component that all rivals get when none is given: a linear SVM."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from rarebit._decisions import DecisionMixin
from rarebit.svm import MOST_LINEAR_FEATURES, KernelSVC, solve_linear

Floats = NDArray[np.float64]

_GAP = 1e-8


class LinearComponent(DecisionMixin, BaseEstimator):
    """Linear support vector machine of two classes that takes weights of rows.

    Dense rows of at most 256 features are solved by an interior-point method, all others as by
    ``KernelSVC(kernel="linear")``: the same SVM either way.

    Parameters
    ----------
    C : float, default=1.0
        Cost of an error.
    class_weight : dict, "balanced" or None, default=None
        Factors of ``C`` by class.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels, sorted.
    coef_ : ndarray of shape (1, n_features)
        Weights of the features.
    intercept_ : ndarray of shape (1,)
        Constant of the decision function.

    Examples
    --------
    >>> from rarebit.rivals import LinearComponent
    >>> LinearComponent().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.2], [2.8]])
    array([0, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(self, C: float = 1.0, class_weight: str | dict[Any, float] | None = None) -> None:
        self.C = C
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Solve for the rows given.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training rows.
        y : array-like of shape (n_rows,)
            Class labels, two of them.
        sample_weight : array-like of shape (n_rows,), optional
            Factors of ``C`` by row.

        Returns
        -------
        LinearComponent
            The fitted SVM.
        """
        self._validate_params()
        rows, labels = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        check_classification_targets(labels)
        kind = type_of_target(labels, input_name="y", raise_unknown=True)
        if kind != "binary":
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}: use "
                "OneVsRestClassifier or KernelSVC."
            )
        self.classes_ = np.unique(labels)
        weights = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        used = weights > 0.0
        if len(np.unique(labels[used])) < 2:
            raise ValueError(
                "LinearComponent needs rows of two classes with positive weight to fit, but the "
                f"data holds one class ({self.classes_.tolist()[0]!r}): add rows of another class."
            )
        balance = compute_class_weight(self.class_weight, classes=self.classes_, y=labels)
        side = np.where(labels == self.classes_[1], 1.0, -1.0)
        cost = float(self.C) * weights * balance[(side > 0).astype(int)]
        if sp.issparse(rows) or rows.shape[1] > MOST_LINEAR_FEATURES:
            machine = KernelSVC("linear").fit(rows, side, sample_weight=cost)
            self.coef_, self.intercept_ = machine.coef_, machine.intercept_
            return self
        centre = rows[used].mean(axis=0, dtype=np.float64)
        centred = rows[used] - centre
        solved = solve_linear(centred, side[used], cost[used], _GAP)
        self.coef_ = (solved.alpha @ centred)[None]
        self.intercept_ = solved.bias - self.coef_ @ centre
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Signed distance of rows to the border, in units of the margin.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Positive values favour ``classes_[1]``.
        """
        check_is_fitted(self, "coef_")
        rows = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        values = safe_sparse_dot(rows, self.coef_[0], dense_output=True)
        return np.asarray(values + self.intercept_[0], dtype=np.float64)
