"""Figures of a fitted machine recomputed in float64, the same way for every contender."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.extmath import row_norms, safe_sparse_dot

_BLOCK = 1024  # rows of the kernel matrix that exist at a time

Vector = NDArray[np.float64]


def coefficients(model: Any) -> Vector:
    """Return the signed coefficients of a binary machine."""
    values = model.dual_coef_
    values = values.toarray() if sp.issparse(values) else values
    return np.asarray(values, dtype=np.float64).ravel()


def kernel_times(left: Any, right: Any, gamma: float, weights: Vector) -> Vector:
    """Return ``K(left, right) @ weights`` for the rbf kernel."""
    right = right.astype(np.float64)
    right_norms = row_norms(right, squared=True)
    result = np.empty(left.shape[0])
    for start in range(0, left.shape[0], _BLOCK):
        rows = left[start : start + _BLOCK].astype(np.float64)
        distances = np.asarray(safe_sparse_dot(rows, right.T, dense_output=True))
        distances *= -2.0
        distances += row_norms(rows, squared=True)[:, None]
        distances += right_norms
        np.maximum(distances, 0.0, out=distances)
        distances *= -gamma
        np.exp(distances, out=distances)
        result[start : start + _BLOCK] = distances @ weights
    return result


def dual_objective(model: Any, X: Any, gamma: float) -> float:
    """Return ``sum |a| - a'Ka / 2``, which a fit maximises."""
    alpha = coefficients(model)
    rows = X[np.asarray(model.support_)]
    return float(np.abs(alpha).sum() - 0.5 * alpha @ kernel_times(rows, rows, gamma, alpha))


def decision_values(model: Any, X: Any, gamma: float) -> Vector:
    """Return the decision values of ``X``."""
    values = kernel_times(X, model.support_vectors_, gamma, coefficients(model))
    return values + float(np.ravel(model.intercept_)[0])


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean of positive numbers."""
    return float(np.exp(np.mean(np.log(values))))
