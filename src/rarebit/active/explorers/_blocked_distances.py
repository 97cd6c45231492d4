"""Distances to k-th neighbours by matrix products, for dense rows of many columns.

A tree opens nearly all of its leaves there. Products in single precision are an order of magnitude
faster, but round: so they only say which points can be among the k nearest, and the distances of
those are computed from the differences in double precision. What is returned is exact and does not
depend on how the products were rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

# Bytes of distances that exist at a time; more would leave the cache.
_BLOCK_BYTES = 16 << 20
# Pairs of points whose differences exist at a time, times their columns.
_MOST_DIFFERENCES = 1 << 22


def blocked_kth(points: NDArray[Any], ks: Sequence[int]) -> Reals:
    """Return squared distances to the k-th nearest point, itself included.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_columns)
        Distinct points, finite.
    ks : sequence of int
        Which neighbours, 1 for the point itself.

    Returns
    -------
    ndarray of shape (n_ks, n_points)
        Squared Euclidean distances.

    Examples
    --------
    >>> import numpy as np
    >>> blocked_kth(np.array([[0.0], [1.0], [3.0]]), [1, 2, 3])
    array([[0., 0., 0.],
           [1., 1., 4.],
           [9., 4., 9.]])
    """
    n_points, n_columns = points.shape
    centred = points - points.mean(axis=0, dtype=np.float64)
    # Squares of single precision neither overflow nor vanish.
    largest = float(np.abs(centred).max(initial=0.0)) or 1.0
    single = (centred / largest).astype(np.float32)
    norms = np.einsum("ij,ij->i", single, single, dtype=np.float64)
    # Rounding of the coordinates and of a product of so many terms, on both sides of a comparison.
    relative = 4.0 * (n_columns + 8) * float(np.finfo(np.float32).eps)
    slack = (relative * (norms + norms.max(initial=0.0))).astype(np.float32)
    most = max(ks)
    out = np.empty((len(ks), n_points))
    size = max(1, _BLOCK_BYTES // (4 * n_points))
    columns, halves = np.ascontiguousarray(single.T), norms.astype(np.float32)
    for start in range(0, n_points, size):
        block = slice(start, min(start + size, n_points))
        near = single[block] @ columns
        near *= -2.0
        near += halves
        near += halves[block, None]
        limits = np.partition(near, most - 1, axis=1)[:, most - 1] + slack[block]
        rows, others = np.divmod(np.flatnonzero(near <= limits[:, None]), n_points)
        squares = _squared(points, rows + start, others)
        order = np.lexsort((squares, rows))
        first = np.searchsorted(rows, np.arange(block.stop - start))
        for i, k in enumerate(ks):
            out[i, block] = squares[order[first + k - 1]]
    return out


def _squared(points: NDArray[Any], ones: NDArray[Any], others: NDArray[Any]) -> Reals:
    """Return the squared distances of pairs of points."""
    squares = np.empty(len(ones))
    step = max(1, _MOST_DIFFERENCES // points.shape[1])
    for start in range(0, len(ones), step):
        part = slice(start, start + step)
        differences = points[ones[part]].astype(np.float64)
        differences -= points[others[part]]
        squares[part] = np.einsum("ij,ij->i", differences, differences)
    return squares
