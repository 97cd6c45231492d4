"""Checked input on its way to the engine: matrices, kernels, costs of rows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rarebit import _core
from rarebit._engine.sparse import index_arrays

# A C-contiguous float32 or float64 array, or a CSR matrix of them; SciPy has no types to say so.
Matrix: TypeAlias = Any

# Rows looked at together when a statistic of a large matrix is wanted without a copy of it.
_CHUNK = 8192


def engine_rows(X: Matrix) -> _core.Rows:
    """View a validated dense or CSR matrix as the engine's rows, without copying it."""
    if max(X.shape) > np.iinfo(np.int32).max:
        raise ValueError(
            f"An SVM takes at most {np.iinfo(np.int32).max:,} rows and columns, got a matrix of "
            f"shape {X.shape}: take a sample of the rows, or hash the columns to fewer."
        )
    if not sp.issparse(X):
        return _core.Rows.dense(X)
    # SciPy may pair int32 indices with int64 row starts; the engine wants one type for both.
    indices, offsets = index_arrays(X)
    return _core.Rows.csr(X.data, indices, offsets, X.shape[1])


def same_layout(X: Matrix, sparse: bool) -> Matrix:
    """Convert ``X`` to the layout (CSR or dense) that a machine was fitted on."""
    if sp.issparse(X) == sparse:
        return X
    if sparse:
        return sp.csr_matrix(X)
    return np.ascontiguousarray(X.toarray())


def empty_like(X: Matrix) -> Matrix:
    """Return a matrix without rows, of the same width, layout and number type."""
    if sp.issparse(X):
        return sp.csr_matrix((0, X.shape[1]), dtype=X.dtype)
    return np.empty((0, X.shape[1]), dtype=X.dtype)


def take_rows(X: Matrix, rows: NDArray[Any]) -> Matrix:
    """Copy some rows, keeping the layout."""
    return X[rows] if sp.issparse(X) else np.ascontiguousarray(X[rows])


def overall_variance(X: Matrix) -> float:
    """Variance over all entries of ``X`` in float64, in chunks so that ``X`` is not copied."""
    entries = X.shape[0] * X.shape[1]
    if entries == 0:
        return 0.0
    values = X.data if sp.issparse(X) else X
    mean = (
        sum(
            float(np.sum(values[at : at + _CHUNK], dtype=np.float64))
            for at in range(0, values.shape[0], _CHUNK)
        )
        / entries
    )
    squares = sum(
        float(np.sum(np.square(values[at : at + _CHUNK] - mean, dtype=np.float64)))
        for at in range(0, values.shape[0], _CHUNK)
    )
    absent = entries - values.size  # the zeros that CSR does not store
    return (squares + absent * mean * mean) / entries


def resolve_gamma(gamma: str | float, X: Matrix, kernel: str) -> float:
    """Turn ``"scale"`` or ``"auto"`` into the number that scikit-learn would use."""
    if kernel in ("linear", "precomputed"):
        return 1.0
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma == "scale":
        variance = overall_variance(X)
        return 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0
    return float(gamma)


def row_costs(
    C: float,
    class_weights: NDArray[np.float64],
    encoded: NDArray[np.intp],
    sample_weight: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Upper limit of each row's coefficient: C times the weights of its class and of itself."""
    cost = C * class_weights[encoded]
    if sample_weight is not None:
        cost = cost * sample_weight
    return np.ascontiguousarray(cost, dtype=np.float64)
