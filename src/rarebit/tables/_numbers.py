"""Numeric columns become features: centred, scaled, missing cells at the mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler

from rarebit.tables._matrix import LET_GO, let_go

# Numbers that are looked at together, so that what is computed on the way stays small.
_BLOCK = 1 << 20


def blocks(numbers: Any, width: int = 1) -> Iterator[slice]:
    """Cut rows into pieces of about a million cells.

    Parameters
    ----------
    numbers : array of shape (n_rows, n_columns)
        What will be read; a mapped file does not stay in memory meanwhile.
    width : int, default=1
        Cells that a row becomes, where these are more.

    Yields
    ------
    slice
        Rows.
    """
    n_rows, n_columns = numbers.shape
    step = max(1, _BLOCK // max(n_columns, width))
    held = 0
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
        held += step * n_columns * numbers.dtype.itemsize
        if held > LET_GO:
            let_go(numbers)
            held = 0


class NumberScaler(BaseEstimator):
    """Scales columns of numbers, block by block, and says what it saw.

    Attributes
    ----------
    kept_ : ndarray of int
        Columns that differ between rows; the others carry nothing.
    n_missing_ : ndarray of int
        Missing or infinite cells of every column.
    scaler_ : StandardScaler or None
        Mean and spread of the kept columns; None for pixels.
    """

    kept_: NDArray[np.intp]
    n_missing_: NDArray[np.intp]
    scaler_: StandardScaler | None

    def fit(self, numbers: Any, *, pixels: bool = False) -> NumberScaler:
        """Look at all rows."""
        width = numbers.shape[1]
        if sparse.issparse(numbers):
            numbers, lost = finite_rows(numbers)
            scaler = StandardScaler(with_mean=False).fit(numbers)
            self.kept_ = np.flatnonzero(scaler.var_ > 0)
            self.n_missing_ = np.bincount(lost, minlength=width).astype(np.intp)
            self.scaler_ = None
            if len(self.kept_):
                self.scaler_ = StandardScaler(with_mean=False).fit(numbers[:, self.kept_])
            return self
        low, high = np.full(width, np.inf), np.full(width, -np.inf)
        self.n_missing_ = np.zeros(width, dtype=np.intp)
        scaler = StandardScaler()
        for part in blocks(numbers):
            block = finite(numbers[part])
            low, high = np.fmin(low, np.fmin.reduce(block)), np.fmax(high, np.fmax.reduce(block))
            self.n_missing_ += np.isnan(block).sum(axis=0)
            if width and not pixels:
                with np.errstate(invalid="ignore"):  # columns without a value are left out below
                    scaler.partial_fit(block)
        self.kept_ = np.flatnonzero(high > low)
        self.scaler_ = None
        if not pixels and len(self.kept_):
            for name in ("mean_", "var_", "scale_", "n_samples_seen_"):
                value = getattr(scaler, name)
                if np.ndim(value):
                    setattr(scaler, name, value[self.kept_])
            scaler.n_features_in_ = len(self.kept_)
            self.scaler_ = scaler
        return self

    def leave_out(self, columns: NDArray[np.intp]) -> None:
        """Leave out columns that carry nothing for another reason."""
        stay = ~np.isin(self.kept_, columns)
        self.kept_ = self.kept_[stay]
        if self.scaler_ is not None:
            for name in ("mean_", "var_", "scale_", "n_samples_seen_"):
                value = getattr(self.scaler_, name)
                if np.ndim(value):
                    setattr(self.scaler_, name, value[stay])
            self.scaler_.n_features_in_ = len(self.kept_)
        if not len(self.kept_):
            self.scaler_ = None

    def transform_block(self, block: NDArray[Any]) -> NDArray[Any]:
        """Return the features of some rows in an array of their own."""
        values = finite(block)[:, self.kept_]
        if self.scaler_ is None:  # pixels, or no column at all
            return values / 255.0
        values = self.scaler_.transform(values)
        np.nan_to_num(values, copy=False, nan=0.0)
        return values

    def transform_sparse(self, numbers: Any) -> Any:
        """Return the features of sparse rows."""
        assert self.scaler_ is not None
        return self.scaler_.transform(finite_rows(numbers[:, self.kept_])[0])

    def transform_in_place(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """Write the features over the numbers and return them: no second matrix is needed.

        Columns that are left out make rows shorter, so that the new rows lie before the old ones.
        """
        n_rows = len(numbers)
        kept = len(self.kept_)
        flat = numbers.reshape(-1)
        for part in blocks(numbers):
            flat[part.start * kept : part.stop * kept] = self.transform_block(
                numbers[part]
            ).reshape(-1)
        return flat[: n_rows * kept].reshape(n_rows, kept)


def finite(block: NDArray[Any]) -> NDArray[Any]:
    """Return a copy in floating point where an infinite cell is a missing one."""
    values = np.array(block, dtype=np.float32 if block.dtype == np.float32 else np.float64)
    values[np.isinf(values)] = np.nan
    return values


def finite_rows(rows: Any) -> tuple[Any, NDArray[Any]]:
    """Return sparse rows where cells that are no finite number are 0, and the columns of these."""
    lost = ~np.isfinite(rows.data)
    if not lost.any():
        return rows, rows.indices[:0]
    values = np.where(lost, 0, rows.data)
    return sparse.csr_array((values, rows.indices, rows.indptr), rows.shape), rows.indices[lost]
