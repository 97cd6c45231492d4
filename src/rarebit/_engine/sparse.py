"""Sparse matrices from outside: their structure is checked before anything reads them.

SciPy's constructors do not look at column numbers, and its conversions and ours follow them: a
column beyond the width, or a row start beyond the entries, reads and writes memory of others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rarebit import _core


def checked_sparse(X: Any) -> Any:
    """Return ``X`` as it is, after checking the structure of a sparse matrix.

    Parameters
    ----------
    X : object
        Anything; what is not sparse passes.

    Returns
    -------
    object
        ``X``; a CSR copy of formats made of lists, and a copy with index arrays of the machine's
        own integers where it has others.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from rarebit._engine.sparse import checked_sparse
    >>> X = sp.csr_matrix([[1.0, 0.0], [0.0, 2.0]])
    >>> checked_sparse(X) is X
    True
    >>> X.indices[1] = 7
    >>> checked_sparse(X)
    Traceback (most recent call last):
    ...
    ValueError: The columns of a CSR matrix of 2 columns must be from 0 to 1, got 7 in row 1: ...
    """
    if not sp.issparse(X) or X.ndim != 2:
        return X
    if X.format == "coo":
        return _checked_pairs(X)
    if X.format not in ("csr", "csc", "bsr"):
        return checked_sparse(X.tocsr())  # made of Python's lists, which SciPy follows safely
    height, width = X.shape if X.format != "csc" else X.shape[::-1]
    if X.format == "bsr":
        height, width = height // X.blocksize[0], width // X.blocksize[1]
    indices, offsets = index_arrays(X)
    if len(offsets) != height + 1:
        raise ValueError(
            f"The row starts (indptr) of a CSR matrix of {height:,} rows must have {height + 1:,} "
            f"entries, got {len(offsets):,}: rebuild the matrix from its rows, for example "
            "with scipy.sparse.csr_matrix."
        )
    _core.check_csr(indices, offsets, width, min(len(X.data), len(indices)))
    # Native integers of another width are converted where they are read, others here.
    if X.indices.dtype.isnative and X.indptr.dtype.isnative:
        return X
    return type(X)((X.data, indices, offsets), shape=X.shape)


def canonical_rows(X: Any) -> Any:
    """Sort and merge the entries of CSR rows, in a copy if that is needed at all.

    Entries of one cell written twice would count as two columns in a row's length, and entries
    behind the last row in statistics over all values. The engine looks itself: the flag that SciPy
    keeps is not changed when somebody writes into the arrays.

    Parameters
    ----------
    X : array or CSR matrix
        Rows; an array passes.

    Returns
    -------
    array or CSR matrix
        ``X`` or a copy.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from rarebit._engine.sparse import canonical_rows
    >>> twice = sp.csr_matrix(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 3))
    >>> canonical_rows(twice).data
    array([3.])
    """
    if not sp.issparse(X):
        return X
    indices, offsets = index_arrays(X)
    ordered = _core.check_csr(indices, offsets, X.shape[1], min(len(X.data), len(indices)))
    used = int(offsets[-1])
    if not ordered:
        X = type(X)((X.data[:used].copy(), indices[:used].copy(), offsets.copy()), shape=X.shape)
        X.sum_duplicates()
    elif used < len(X.data):
        X = type(X)((X.data[:used], indices[:used], offsets), shape=X.shape)
    return X


def index_arrays(X: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Column numbers and row starts of a compressed matrix, in one type that the engine reads.

    Parameters
    ----------
    X : CSR, CSC or BSR matrix
        The matrix; it is not changed.

    Returns
    -------
    tuple of ndarray
        ``indices`` and ``indptr``, both int32 or both int64.
    """
    arrays = np.asarray(X.indices), np.asarray(X.indptr)
    for array in arrays:
        if array.dtype.kind not in "iu" or array.ndim != 1:
            raise ValueError(
                "The index arrays of a sparse matrix must hold integers in one dimension, got "
                f"{array.dtype.name} in {array.ndim}: rebuild the matrix from its rows, for "
                "example with scipy.sparse.csr_matrix."
            )
    narrow = all(array.dtype.itemsize <= 4 and array.dtype != np.uint32 for array in arrays)
    kind = np.int32 if narrow else np.int64
    return arrays[0].astype(kind, copy=False), arrays[1].astype(kind, copy=False)


def _checked_pairs(X: Any) -> Any:
    for name, numbers, size in zip(("row", "column"), X.coords, X.shape, strict=True):
        if len(numbers) != len(X.data):
            raise ValueError(
                f"A COO matrix must have a {name} number for each of its {len(X.data):,} entries, "
                f"got {len(numbers):,}: rebuild the matrix."
            )
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < size):
            wrong = numbers.min() if numbers.min() < 0 else numbers.max()
            raise ValueError(
                f"The {name} numbers of a COO matrix of shape {X.shape} must be from 0 to "
                f"{size - 1}, got {wrong}: rebuild the matrix."
            )
    return X
