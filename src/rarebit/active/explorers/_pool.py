"""The pool that an explorer looks at: checked rows on one scale, and who is near whom."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_array

from rarebit._engine.sparse import canonical_rows, checked_sparse
from rarebit._engine.threads import engine_threads
from rarebit.active.explorers._neighbours import (
    DenseNeighbours,
    Neighbours,
    SparseNeighbours,
    UnitRange,
)
from rarebit.exceptions import InputError, InputTypeError
from rarebit.svm import words_explained

METRICS = ("euclidean", "cosine")


class Pool:
    """Rows in the space in which distances are taken.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        As the user gave it.
    scale : bool
        Bring every column of a dense ``X`` to [0, 1]. That is done where numbers are read: a large
        pool is kept once, as it was given.
    metric : {"euclidean", "cosine"}
        Cosine distance orders rows as the Euclidean distance of rows of length 1 does.
    n_jobs : int or None, default=None
        Number of threads that look for neighbours.
    """

    def __init__(
        self,
        X: Any,
        *,
        scale: bool = True,
        metric: str = "euclidean",
        n_jobs: int | None = None,
    ) -> None:
        self._threads = engine_threads(n_jobs)
        if metric not in METRICS:
            raise InputError(
                f"The metric parameter must be one of {', '.join(map(repr, METRICS))}, got "
                f"{metric!r}: choose one of these, or transform the rows yourself."
            )
        if not isinstance(scale, bool | np.bool_):
            raise InputTypeError(
                f"The scale parameter must be True or False, got {scale!r}: pass one."
            )
        with words_explained():
            rows = check_array(
                checked_sparse(X),
                accept_sparse="csr",
                dtype=(np.float64, np.float32),
                order="C",
                ensure_all_finite=False,
                ensure_min_samples=1,
                estimator="Explorer",
            )
        rows = canonical_rows(rows)
        _check_finite(rows)
        self.n_rows, self.n_features = rows.shape
        self.sparse = sp.issparse(rows)
        if self.sparse:
            # Distances of sparse rows are differences of products, which need all digits.
            rows = rows.astype(np.float64, copy=False)
        self._scale: UnitRange | None = None
        if metric == "cosine":
            rows = normalize(rows)
        elif scale and not self.sparse:
            self._scale = UnitRange(rows)
        self.rows: Any = rows
        self._neighbours: Neighbours | None = None

    @property
    def neighbours(self) -> Neighbours:
        """The index over the rows, made when it is first wanted."""
        if self._neighbours is None:
            self._neighbours = (
                SparseNeighbours(self.rows, self._threads)
                if self.sparse
                else DenseNeighbours(self.rows, self._scale, self._threads)
            )
        return self._neighbours

    def dense_rows(self, rows: NDArray[np.intp] | slice) -> NDArray[np.float64]:
        """Some rows on the scale of the distances, as an array of their own or of the pool."""
        chosen = self.rows[rows]
        if self.sparse:
            chosen = chosen.toarray()
        elif self._scale is not None:
            chosen = self._scale.apply(chosen)
        return np.asarray(chosen, dtype=np.float64)

    def __getstate__(self) -> dict[str, Any]:
        # The index is made again from the rows, and is the same to the bit.
        return {**self.__dict__, "_neighbours": None}


def _check_finite(rows: Any) -> None:
    values = rows.data if sp.issparse(rows) else rows
    # Extremes show what is not finite without an array of answers as long as the pool.
    if not values.size or (np.isfinite(values.min()) and np.isfinite(values.max())):
        return
    if sp.issparse(rows):
        at = int(np.flatnonzero(~np.isfinite(rows.data))[0])
        row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
        column, value = int(rows.indices[at]), rows.data[at]
    else:
        row, column = (int(i) for i in np.argwhere(~np.isfinite(rows))[0])
        value = rows[row, column]
    raise InputError(
        f"The pool must hold finite numbers only, got {value} in row {row}, column {column}: fill "
        "or drop missing values first, for example with sklearn.impute.SimpleImputer."
    )
