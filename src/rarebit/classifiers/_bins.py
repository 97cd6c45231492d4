"""Columns in few bins; scikit-learn's cuts of weighted rows take longer than the trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def column_edges(X: NDArray[np.floating], n_bins: int) -> list[Floats]:
    """Return where each column is cut, rising.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Finite rows.
    n_bins : int
        Bins of a column, at most.

    Returns
    -------
    list of ndarray
        Half way between its values where a column has few; else the values below which equal
        shares of the rows lie.

    Examples
    --------
    >>> [edges.tolist() for edges in column_edges(np.array([[0.0], [1.0], [1.0]]), 4)]
    [[0.5]]
    """
    found = []
    for column in X.T:
        values = np.unique(column.astype(np.float64))
        if len(values) <= n_bins:
            cuts = values[:-1] + 0.5 * np.diff(values)
        else:
            shares = np.arange(1, n_bins) / n_bins
            cuts = np.unique(np.quantile(column.astype(np.float64), shares))
            cuts = cuts[cuts < values[-1]]
        found.append(cuts)
    return found


def bin_numbers(X: NDArray[np.floating], edges: list[Floats]) -> Floats:
    """Return the bin of every value: the number of edges below it."""
    return np.column_stack(
        [np.searchsorted(own, column, side="left") for own, column in zip(edges, X.T, strict=True)]
    ).astype(np.float64)


def edges_of_bins(feature: NDArray[np.integer], bins: Floats, edges: list[Floats]) -> Floats:
    """Return thresholds between values for thresholds between bin numbers.

    Parameters
    ----------
    feature : ndarray of int of shape (n_nodes,)
        Column that a node decides by.
    bins : ndarray of shape (n_nodes,)
        Bin number up to which it goes left, and a fraction; not finite for a leaf.
    edges : list of ndarray
        As in `column_edges`.
    """
    found = bins.copy()
    for at in np.flatnonzero(np.isfinite(bins)):
        found[at] = edges[feature[at]][int(bins[at])]
    return found
