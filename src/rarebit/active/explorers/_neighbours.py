"""Who is near whom: one interface over the compiled tree and over products of sparse rows.

=============  ==================================================================
point          a distinct row; rows that are equal share a point
limit          a squared radius; a point at exactly that distance is within it
count          rows within a limit of a point, the point's own rows included
=============  ==================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rarebit import _core
from rarebit.active.explorers._blocked_distances import blocked_kth
from rarebit.active.explorers._projected_trees import projected_kth
from rarebit.active.explorers._telling_columns import telling_kth

Points = NDArray[np.int32]
Counts = NDArray[np.int32]
RowNumbers = NDArray[np.int32]
Reals = NDArray[np.float64]

# Distances that differ by less than this, relative to each other, are equal but for rounding.
_TIE = 1.0 + 1e-10
# Distances to k-th neighbours only guide a search. Where all of them would take long they are not
# exact: in a large pool of few columns some leaves of the tree are looked at for each point, in one
# of many columns, where that tree leads astray, trees over random projections are taken, and in a
# sparse one the columns that tell most about each row.
_EXACT_POINTS = 50_000
_MOST_LEAVES = 12
_FEW_COLUMNS = 12
_MOST_PRODUCTS = 2e10
_MOST_SPARSE_PRODUCTS = 1e9  # they take longer each
# From so many columns and products on, matrix products are faster than the tree.
_MANY_COLUMNS = 20
_MANY_PRODUCTS = 1e9
# Bytes of distances that exist at a time.
_BLOCK_BYTES = 32 << 20


class Neighbours(Protocol):
    """What explorers ask of a pool."""

    n_points: int
    point_of_row: Points

    def within(self, point: int, limit: float) -> Points:
        """Points within the limit of a point, itself included."""

    def distances_from(self, point: int) -> Reals:
        """Squared distances of a point to all points."""

    def kth(self, ks: Sequence[int]) -> Reals:
        """Squared distances to the k-th nearest point, itself included: (n_ks, n_points)."""

    def smallest_radii(self, ks: Sequence[int]) -> tuple[Reals, Counts]:
        """For each k the smallest k-th squared distance that is not 0, and the counts within it."""

    def steepest(self, counts: Counts, limit: float, rows: RowNumbers) -> int:
        """Return the open point whose count falls most within the limit, or -1.

        ``rows`` has the row that would be asked for at each point, negative where the point is
        closed. Of points that fall alike the one with the lowest row is returned.
        """


class UnitRange:
    """Columns of dense rows brought to [0, 1]; a constant column becomes 0."""

    def __init__(self, rows: NDArray[Any]) -> None:
        low, high = rows.min(axis=0).astype(np.float64), rows.max(axis=0).astype(np.float64)
        # Halves, because the range of a column may be larger than the largest number.
        self.half_low: Reals = 0.5 * low
        half = 0.5 * high - self.half_low
        wide = half > np.finfo(np.float64).tiny
        self.factor: Reals = np.where(wide, 1.0 / np.where(wide, half, 1.0), 0.0)

    def apply(self, rows: NDArray[Any], *, in_place: bool = False) -> NDArray[Any]:
        """Scale rows as the compiled tree does, to the bit."""
        scaled = rows.astype(np.float64, copy=not in_place)
        scaled *= 0.5
        scaled -= self.half_low
        scaled *= self.factor
        return scaled.astype(rows.dtype, copy=False)


class DenseNeighbours:
    """The compiled tree: memory in proportion to the pool, exact distances of its numbers."""

    def __init__(
        self, rows: NDArray[Any], scale: UnitRange | None = None, threads: int = 1
    ) -> None:
        make = _core.SingleNeighbours if rows.dtype == np.float32 else _core.Neighbours
        self._tree = make(rows) if scale is None else make(rows, scale.half_low, scale.factor)
        self._rows, self._scale, self._threads = rows, scale, threads
        self.n_points: int = self._tree.n_points
        self.point_of_row: Points = self._tree.point_of_row

    def within(self, point: int, limit: float) -> Points:
        """Points within the limit of a point, itself included."""
        return self._tree.within(point, limit)

    def distances_from(self, point: int) -> Reals:
        """Squared distances of a point to all points."""
        return self._tree.distances_from(point)

    def kth(self, ks: Sequence[int]) -> Reals:
        """Squared distances to the k-th nearest point, itself included: (n_ks, n_points)."""
        n_columns = self._rows.shape[1]
        large = self.n_points > _EXACT_POINTS
        if n_columns <= _FEW_COLUMNS:
            return self._tree.kth_points(list(ks), _MOST_LEAVES if large else 0, self._threads)
        products = float(self.n_points) ** 2 * n_columns
        exact = not large and products <= _MOST_PRODUCTS
        if exact and (n_columns < _MANY_COLUMNS or products < _MANY_PRODUCTS):
            return self._tree.kth_points(list(ks), 0, self._threads)
        row_of_point = np.empty(self.n_points, dtype=np.intp)
        row_of_point[self.point_of_row] = np.arange(len(self.point_of_row))

        def take(points: Any) -> NDArray[Any]:
            chosen = self._rows[row_of_point[points]]
            return chosen if self._scale is None else self._scale.apply(chosen, in_place=True)

        if exact:
            return blocked_kth(take(np.arange(self.n_points)), ks)
        return projected_kth(self.n_points, n_columns, take, ks, threads=self._threads)

    def smallest_radii(self, ks: Sequence[int]) -> tuple[Reals, Counts]:
        """For each k the smallest k-th squared distance that is not 0, and the counts within it."""
        return self._tree.smallest_radii(list(ks), self._threads)

    def steepest(self, counts: Counts, limit: float, rows: RowNumbers) -> int:
        """Return the open point whose count falls most within the limit, or -1."""
        return self._tree.steepest(counts, limit, rows)[0]


class SparseNeighbours:
    """Products of CSR rows, a block at a time; every row is a point of its own."""

    def __init__(self, rows: Any, threads: int = 1) -> None:
        self._rows, self._threads = rows, threads
        self._columns = rows.T.tocsr()
        self._norms: Reals = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        self.n_points: int = rows.shape[0]
        self.point_of_row: Points = np.arange(self.n_points, dtype=np.int32)

    def _distances(self, chosen: Any) -> Reals:
        squares = np.asarray((self._rows[chosen] @ self._columns).toarray(), dtype=np.float64)
        norms = self._norms[chosen]
        squares *= -2.0
        squares += norms[:, None]
        squares += self._norms
        # The difference of equal numbers is rounding; equal rows must be at distance 0.
        squares[squares < 1e-14 * (norms[:, None] + self._norms)] = 0.0
        return squares

    def _blocks(self) -> Iterator[tuple[slice, Reals]]:
        size = max(1, _BLOCK_BYTES // (8 * self.n_points))
        for start in range(0, self.n_points, size):
            block = slice(start, min(start + size, self.n_points))
            yield block, self._distances(block)

    def within(self, point: int, limit: float) -> Points:
        """Points within the limit of a point, itself included."""
        return np.flatnonzero(self.distances_from(point) <= limit).astype(np.int32)

    def distances_from(self, point: int) -> Reals:
        """Squared distances of a point to all points."""
        distances: Reals = self._distances([point])[0]
        distances[point] = 0.0
        return distances

    def kth(self, ks: Sequence[int]) -> Reals:
        """Squared distances to the k-th nearest point, itself included: (n_ks, n_points)."""
        in_columns = np.diff(self._columns.indptr).astype(np.float64)
        if float(in_columns @ in_columns) > _MOST_SPARSE_PRODUCTS:
            return telling_kth(self._rows, self._norms, ks, threads=self._threads)
        if self.n_points > _EXACT_POINTS:
            # Few rows share a column: those that do not are all about as far away.
            return telling_kth(self._rows, self._norms, ks, whole=True, threads=self._threads)
        out = np.empty((len(ks), self.n_points))
        for block, distances in self._blocks():
            distances.partition([k - 1 for k in ks], axis=1)
            for i, k in enumerate(ks):
                out[i, block] = distances[:, k - 1]
        return out

    def smallest_radii(self, ks: Sequence[int]) -> tuple[Reals, Counts]:
        """For each k the smallest k-th squared distance that is not 0, and the counts within it."""
        limits = np.full(len(ks), np.inf)
        for _, distances in self._blocks():
            distances.partition([k - 1 for k in ks], axis=1)
            for i, k in enumerate(ks):
                positive = distances[:, k - 1][distances[:, k - 1] > 0.0]
                limits[i] = min(limits[i], positive.min(initial=np.inf))
        limits = np.where(np.isfinite(limits), limits * _TIE, 0.0)
        counts = np.empty((len(ks), self.n_points), dtype=np.int32)
        for block, distances in self._blocks():
            for i, limit in enumerate(limits):
                counts[i, block] = np.count_nonzero(distances <= limit, axis=1)
        return limits, counts

    def steepest(self, counts: Counts, limit: float, rows: RowNumbers) -> int:
        """Return the open point whose count falls most within the limit, or -1."""
        candidates = np.flatnonzero(rows >= 0)
        if not candidates.size:
            return -1
        # No score is below 0: where none is above it the lowest row is the answer.
        best, best_score = int(candidates[rows[candidates].argmin()]), 0
        lowest = int(counts.min())
        for point in candidates[np.lexsort((rows[candidates], -counts[candidates]))].tolist():
            # No point's count can fall below the lowest of all.
            most = int(counts[point]) - lowest
            if most < best_score:
                break
            if most == best_score and rows[point] > rows[best]:
                continue
            near = self.distances_from(point) <= limit
            score = int(counts[point] - counts[near].min())
            if (score, -rows[point]) > (best_score, -rows[best]):
                best, best_score = point, score
        return best
