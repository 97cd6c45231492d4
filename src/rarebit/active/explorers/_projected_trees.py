"""Distances of rows to their neighbours, by trees over random projections.

All distances among n rows take time in proportion to n squared. Here rows are projected on random
directions and halved at the median of one direction after another until few are left together;
only rows of such a leaf are compared. What a leaf gives is an upper limit of the distance to the
k-th neighbour, and the smallest limit of several trees counts. Rows of a small dense place, which
a search for rare classes needs most, lie on the same side of nearly every median; trees that split
by single columns tear such places apart when there are many columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from rarebit._engine.threads import working_threads

Reals = NDArray[np.float64]
Rows = NDArray[np.intp]

_N_TREES = 3
_LEAF = 256  # rows at most that are compared with each other
_SEED = 0  # the same pool has the same trees
_CHUNK = 8192  # rows that are projected at a time
_LEAVES_AT_ONCE = 64  # leaves that a thread compares before it takes the next ones


def projected_kth(
    n_points: int,
    n_columns: int,
    take: Callable[[Any], NDArray[Any]],
    ks: Sequence[int],
    n_trees: int = _N_TREES,
    leaf_size: int = _LEAF,
    threads: int = 1,
) -> Reals:
    """Upper limits of the squared distances to the k-th nearest points.

    Parameters
    ----------
    n_points, n_columns : int
        Shape of the pool.
    take : callable
        Points by their numbers (an array or a slice), as an array: the pool is never copied as a
        whole.
    ks : sequence of int
        Ranks of neighbours, the point itself being the first.
    n_trees : int, default=3
        Number of trees: more are nearer to the truth and take longer.
    leaf_size : int, default=256
        Number of points that are compared with each other, at most.
    threads : int, default=1
        Number of threads; results are the same to the bit.

    Returns
    -------
    ndarray of shape (n_ks, n_points)
        Squared distances.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> projected_kth(3, 1, lambda chosen: points[chosen], [2]).round(3)
    array([[1., 1., 4.]])
    """
    n_levels = max(0, int(np.ceil(np.log2(n_points / leaf_size))))
    limits = np.full((len(ks), n_points), np.inf)

    def compare(order: Rows, leaves: Sequence[slice]) -> None:
        for leaf in leaves:
            points = order[leaf]
            squares = _squared_distances(take(points))
            # A leaf with fewer points tells of the farthest only.
            ranks = [min(k, len(points)) - 1 for k in ks]
            # Sorting short rows takes a fraction of the time of finding several ranks.
            squares.sort(axis=1)
            limits[:, points] = np.minimum(limits[:, points], squares[:, ranks].T)

    # BLAS has one thread: its results must not depend on how many there are, and leaves are small.
    with threadpool_limits(1, user_api="blas"), working_threads(threads) as each:
        projected = _projections(n_points, n_columns, take, n_trees, n_levels, each)
        for order, bounds in each(_leaves, projected):
            # Leaves of one tree have no point in common.
            leaves = list(_slices(bounds))
            parts = range(0, len(leaves), _LEAVES_AT_ONCE)
            for _ in each(
                partial(compare, order), [leaves[at : at + _LEAVES_AT_ONCE] for at in parts]
            ):
                pass
    return limits


def _projections(
    n_points: int,
    n_columns: int,
    take: Callable[[Any], NDArray[Any]],
    n_trees: int,
    n_levels: int,
    each: Any = map,
) -> list[Reals]:
    """Each tree's projections, shape (n_levels, n_points); the pool is read once."""
    rng = np.random.default_rng(_SEED)
    directions = [
        rng.standard_normal((n_columns, n_levels), dtype=np.float32) for _ in range(n_trees)
    ]
    projected = [np.empty((n_levels, n_points)) for _ in directions]

    def project(at: int) -> None:
        rows = take(slice(at, at + _CHUNK))
        for tree, out in zip(directions, projected, strict=True):
            out[:, at : at + _CHUNK] = (rows @ tree).T

    for _ in each(project, range(0, n_points, _CHUNK)):
        pass
    return projected


def _leaves(projected: Reals) -> tuple[Rows, Rows]:
    """Points so ordered that those of a leaf follow each other, and where leaves begin and end."""
    n = projected.shape[1]
    order = np.arange(n)
    bounds = np.array([0, n])
    for values in projected:
        for leaf in _slices(bounds):
            order[leaf] = order[leaf][_rising(values[order[leaf]])]
        bounds = np.sort(np.concatenate([bounds, (bounds[:-1] + bounds[1:]) // 2]))
    return order, bounds


def _rising(values: Reals) -> Rows:
    """Sort values, equal ones in their order, and return where they were."""
    # The quick sort keeps no order among equal values; there are hardly ever any.
    order = np.argsort(values)
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():
        return np.argsort(values, kind="stable")
    return order


def _slices(bounds: Rows) -> Iterator[slice]:
    for start, end in pairwise(bounds.tolist()):
        if end > start:
            yield slice(start, end)


def _squared_distances(points: NDArray[Any]) -> NDArray[np.float32]:
    """Squared distances among some points, shape (n_points, n_points)."""
    # Points near each other lose no digits to where they are.
    near = (points - points.mean(axis=0)).astype(np.float32)
    norms = np.einsum("ij,ij->i", near, near)
    squares: NDArray[np.float32] = near @ near.T
    squares *= -2.0
    squares += norms[:, None]
    squares += norms
    np.maximum(squares, 0.0, out=squares)
    np.fill_diagonal(squares, 0.0)
    return squares
