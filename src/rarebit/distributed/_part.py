"""The part of a pool that an explorer looks at on one computer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize

from rarebit.active import RowPool, Scout

Rows = NDArray[np.intp]


def choose_part(
    pool: RowPool, n_drawn: int, n_named: int, known: Rows, rng: np.random.Generator
) -> Rows:
    """Choose the rows of a pool that one computer looks at.

    Parameters
    ----------
    pool : RowPool
        The pool.
    n_drawn : int
        Rows drawn uniformly. They show the density of the pool. A pool of no more rows than this is
        taken whole.
    n_named : int
        Rows that the partitions name. They hold classes that are too rare for the draws.
    known : ndarray of int
        Rows with a label.
    rng : numpy.random.Generator
        Draws.

    Returns
    -------
    ndarray of int of shape (n_part,)
        Row numbers, rising.
    """
    if pool.n_rows <= n_drawn:
        return np.arange(pool.n_rows)
    drawn = rng.choice(pool.n_rows, n_drawn, replace=False)
    named = pool.candidates(n_named) if n_named else np.empty(0, dtype=np.intp)
    return np.unique(np.concatenate([drawn, named, known]).astype(np.intp))


class ScoutedPart:
    """A `Scout` on a part of a pool, which follows the labels of all rows.

    A label of a row outside of the part is told of the row of the part that is nearest to it, so
    that what the learner asked for is not asked for again.

    Parameters
    ----------
    pool : RowPool
        The pool.
    rows : ndarray of int of shape (n_part,)
        Rows of the part, rising.
    """

    def __init__(self, pool: RowPool, rows: Rows) -> None:
        self._pool, self._rows = pool, rows
        features = pool.take(rows)
        self._space = _Space(features)
        metric = "cosine" if pool.is_sparse else "euclidean"
        self._scout = Scout(metric=metric, n_jobs=-1).start(features)
        self._place_of: dict[int, int | None] = {}  # of told rows; None for those that have none
        self._lent: set[int] = set()  # places that have the label of a row outside

    def ask(self) -> int | None:
        """Return the next row of the pool to ask for; None when no row of the part is left."""
        found = self._scout.ask()
        return int(self._rows[found[0]]) if found.size else None

    def tell(self, labels: dict[int, Any]) -> None:
        """Follow new labels of rows."""
        self._find_places([row for row in labels if row not in self._place_of])
        for row, label in labels.items():
            place = self._place_of[row]
            if place is not None:
                # Its own label takes the place of one that a row nearby lent it.
                self._scout.tell(place, label, replace=True)

    def skip(self, rows: list[int]) -> None:
        """Follow skips; rows outside of the part are none of its questions."""
        labelled = self._scout.labels_
        places = [place for place in self._places(rows) if place not in labelled]
        if places:
            self._scout.skip(places)

    def follows(self, rows: list[int]) -> bool:
        """Whether answers of these rows can be taken back: those of rows outside cannot."""
        places = [self._inside(row) for row in rows]
        return not any(place is None or place in self._lent for place in places)

    def replace(self, row: int, label: Any) -> None:
        """Follow the correction of a row inside of the part."""
        self._scout.tell(self._places([row]), [label], replace=True)

    def retract(self, rows: list[int]) -> None:
        """Follow answers that are taken back, of rows inside of the part."""
        self._scout.retract(self._places(rows))
        for row in rows:
            self._place_of.pop(row, None)

    def _places(self, rows: list[int]) -> list[int]:
        """Return the positions of those rows that are inside of the part."""
        return [place for place in map(self._inside, rows) if place is not None]

    def _inside(self, row: int) -> int | None:
        place = int(np.searchsorted(self._rows, row))
        return place if place < len(self._rows) and self._rows[place] == row else None

    def _find_places(self, rows: list[int]) -> None:
        self._place_of.update({row: self._inside(row) for row in rows})
        outside = [row for row in rows if self._place_of[row] is None]
        if not outside:
            return
        taken = {*self._scout.labels_, *self._place_of.values()}
        for row, place in zip(outside, self._space.nearest(self._pool.take(outside)), strict=True):
            if place not in taken:
                self._place_of[row] = place
                self._lent.add(place)
                taken.add(place)


class _Space:
    """Distances as `Scout` takes them: of columns from 0 to 1, or between directions."""

    def __init__(self, features: Any) -> None:
        self._is_sparse = sparse.issparse(features)
        if self._is_sparse:
            self._rows = normalize(features)
            return
        self._low = features.min(axis=0)
        spread = features.max(axis=0) - self._low
        self._scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0.0)
        self._rows = (features - self._low) * self._scale

    def nearest(self, features: Any) -> list[int]:
        """Return the position of the nearest row of the part for each row given."""
        if self._is_sparse:
            return [int(np.argmax((self._rows @ row.T).toarray())) for row in normalize(features)]
        scaled = (features - self._low) * self._scale
        return [int(((self._rows - row) ** 2).sum(axis=1).argmin()) for row in scaled]
