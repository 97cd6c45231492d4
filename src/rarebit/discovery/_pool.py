"""The pool that an explorer looks at: checked rows on one scale, and who is near whom."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_array

from rarebit.discovery._neighbours import DenseNeighbours, Neighbours, SparseNeighbours

METRICS = ("euclidean", "cosine")


class Pool:
    """Rows in the space in which distances are taken.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        As the user gave it.
    scale : bool
        Bring every column of a dense ``X`` to [0, 1] first.
    metric : {"euclidean", "cosine"}
        Cosine distance orders rows as the Euclidean distance of rows of length 1 does.
    """

    def __init__(self, X: Any, *, scale: bool = True, metric: str = "euclidean") -> None:
        if metric not in METRICS:
            raise ValueError(
                f"The metric parameter must be one of {', '.join(map(repr, METRICS))}, got "
                f"{metric!r}: choose one of these, or transform the rows yourself."
            )
        if not isinstance(scale, bool | np.bool_):
            raise TypeError(f"The scale parameter must be True or False, got {scale!r}: pass one.")
        rows = check_array(
            X,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=1,
            estimator="An explorer",
        )
        _check_finite(rows)
        self.n_rows, self.n_features = rows.shape
        self.sparse = sp.issparse(rows)
        if metric == "cosine":
            rows = normalize(rows)
        elif scale and not self.sparse:
            rows = _to_unit_range(rows)
        self.rows: Any = rows
        self._neighbours: Neighbours | None = None

    @property
    def neighbours(self) -> Neighbours:
        """The index over the rows, made when it is first wanted."""
        if self._neighbours is None:
            make = SparseNeighbours if self.sparse else DenseNeighbours
            self._neighbours = make(self.rows)
        return self._neighbours

    def dense_rows(self, rows: NDArray[np.intp] | slice) -> NDArray[np.float64]:
        """Some rows as an array."""
        chosen = self.rows[rows]
        return np.asarray(chosen.toarray() if self.sparse else chosen)

    def __getstate__(self) -> dict[str, Any]:
        # The index is made again from the rows, and is the same to the bit.
        return {**self.__dict__, "_neighbours": None}


def _check_finite(rows: Any) -> None:
    values = rows.data if sp.issparse(rows) else rows
    if np.isfinite(values).all():
        return
    if sp.issparse(rows):
        at = int(np.flatnonzero(~np.isfinite(rows.data))[0])
        row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
        column, value = int(rows.indices[at]), rows.data[at]
    else:
        row, column = (int(i) for i in np.argwhere(~np.isfinite(rows))[0])
        value = rows[row, column]
    raise ValueError(
        f"The pool must hold finite numbers only, got {value} in row {row}, column {column}: fill "
        "or drop missing values first, for example with sklearn.impute.SimpleImputer."
    )


def _to_unit_range(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale columns to [0, 1] in a new array; a constant column becomes 0."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    # Halves, because the range of a column may be larger than the largest number.
    half = 0.5 * high - 0.5 * low
    factor = np.where(half > 0.0, 0.5 / np.where(half > 0.0, half, 1.0), 0.0)
    scaled = rows - low if np.isfinite(high - low).all() else 2.0 * (0.5 * rows - 0.5 * low)
    scaled *= factor
    return np.ascontiguousarray(scaled)
