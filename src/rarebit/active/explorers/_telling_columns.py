"""Distances of sparse rows to their neighbours, by the columns that tell most about each row.

All products of n sparse rows take time in proportion to n squared, nearly all of it for columns
that most rows have and that tell little. Here each row keeps the few columns with the greatest
weight, its value times the logarithm of how rare the column is, and columns that are still common
are left out. What is left gives products that are nearly whole between rows that are near each
other, and 0 between most others, which cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from rarebit._engine.threads import working_threads

Reals = NDArray[np.float64]

_KEPT = 16  # columns of a row
_MOST_PRODUCTS = 2e7  # of all pairs of rows that share a column
_BLOCK = 2048  # rows at most whose products exist at a time
_BLOCK_PRODUCTS = 2e6  # and about so many of them
_AT_ONCE = 64  # rows whose distances are sorted at a time


def telling_kth(
    rows: Any, norms: Reals, ks: Sequence[int], *, whole: bool = False, threads: int = 1
) -> Reals:
    """Estimates of the squared distances to the k-th nearest rows.

    Parameters
    ----------
    rows : CSR matrix of shape (n_rows, n_columns)
        The pool.
    norms : ndarray of shape (n_rows,)
        Squared lengths of the rows.
    ks : sequence of int
        Ranks of neighbours, the row itself being the first.
    whole : bool, default=False
        Keep all columns: for pools in which rows share few of them.
    threads : int, default=1
        Number of threads; results are the same to the bit.

    Returns
    -------
    ndarray of shape (n_ks, n_rows)
        Squared distances; where fewer rows share a column with a row, the distance to a row of
        ordinary length that shares none.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> rows = sp.csr_matrix(np.array([[3.0, 0.0], [2.0, 0.0], [0.0, 1.0]]))
    >>> telling_kth(rows, np.array([9.0, 4.0, 1.0]), [1, 2]).round(2)
    array([[0.  , 0.  , 0.  ],
           [1.  , 1.  , 5.67]])
    """
    kept = rows if whole else _without_common_columns(_heaviest_entries(rows))
    columns = kept.T.tocsr()
    n = rows.shape[0]
    far = float(norms.mean())
    out = np.empty((len(ks), n))
    ranks = np.array(ks) - 1
    in_columns = np.diff(columns.indptr).astype(np.float64)
    per_row = float(in_columns @ in_columns) / max(n, 1)
    size = int(np.clip(_BLOCK_PRODUCTS / max(per_row, 1.0), 1, _BLOCK))

    def estimate(start: int) -> None:
        products = (kept[start : start + size] @ columns).tocsr()
        others, values = products.indices, products.data
        here = np.repeat(np.arange(start, start + products.shape[0]), np.diff(products.indptr))
        squares = norms[here] + norms[others] - 2.0 * values
        np.maximum(squares, 0.0, out=squares)
        squares[others == here] = 0.0
        block = slice(start, start + products.shape[0])
        smallest = _smallest(squares, products.indptr, ranks)
        out[:, block] = np.where(np.isinf(smallest), norms[block] + far, smallest)

    with working_threads(threads) as each:
        for _ in each(estimate, range(0, n, size)):
            pass
    # A row whose columns were all left out is at distance 0 of itself as every other is.
    out[ranks == 0] = 0.0
    return out


def _smallest(values: Reals, bounds: NDArray[Any], ranks: NDArray[np.intp]) -> Reals:
    """The values of some ranks in each segment; infinite where it is shorter."""
    lengths = np.diff(bounds)
    out = np.full((len(ranks), len(lengths)), np.inf)
    # Segments of about one length fill a table, and a table is sorted at once.
    by_length = np.argsort(lengths, kind="stable")
    for at in range(0, len(lengths), _AT_ONCE):
        chosen = by_length[at : at + _AT_ONCE]
        width = int(lengths[chosen[-1]])
        filled = np.arange(width) < lengths[chosen][:, None]
        table = np.full(filled.shape, np.inf)
        table[filled] = values[(bounds[chosen][:, None] + np.arange(width))[filled]]
        reached = ranks < width
        needed = int(ranks[reached].max(initial=0)) + 1
        if width > 4 * needed:
            table.partition(needed - 1, axis=1)
            table = table[:, :needed]
        table.sort(axis=1)
        out[np.ix_(reached, chosen)] = table[:, ranks[reached]].T
    return out


def _heaviest_entries(rows: Any) -> Any:
    """Keep the columns of each row that weigh most in it."""
    n, n_columns = rows.shape
    lengths = np.diff(rows.indptr)
    in_row = np.repeat(np.arange(n), lengths)
    with_column = np.bincount(rows.indices, minlength=n_columns)
    rarity = np.log((n + 1.0) / np.maximum(with_column, 1))
    weight = np.abs(rows.data) * rarity[rows.indices]
    # One sort by row and falling weight: the weight is the part after the point.
    falling = in_row + 0.5 * (1.0 - weight / max(float(weight.max(initial=0.0)), 1e-300))
    order = np.argsort(falling, kind="stable")
    rank = np.arange(len(in_row)) - np.repeat(rows.indptr[:-1], lengths)
    kept = np.sort(order[rank < _KEPT])
    return sp.csr_matrix(
        (rows.data[kept], (in_row[kept], rows.indices[kept])), shape=rows.shape, dtype=np.float64
    )


def _without_common_columns(rows: Any) -> Any:
    """Leave out the columns that most rows have, until the products of all pairs are few."""
    with_column = np.bincount(rows.indices, minlength=rows.shape[1]).astype(np.float64)
    rising = np.sort(with_column)
    affordable = int(np.searchsorted(np.cumsum(rising**2), _MOST_PRODUCTS, side="right"))
    if affordable == len(rising):
        return rows
    entries = rows.tocoo()
    rare = with_column[entries.col] < rising[affordable]
    return sp.csr_matrix(
        (entries.data[rare], (entries.row[rare], entries.col[rare])), shape=rows.shape
    )
