"""The pool in two dimensions: a sample of its rows, the labelled ones, and the border."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rarebit._later import is_sparse

if TYPE_CHECKING:
    from rarebit.projects._desk import Desk

_MOST_POINTS = 5_000
_SIDE = 40  # cells of the grid on which the border is drawn
_NEAR = 8  # points that decide a cell


class PoolMap:
    """A projection of the rows of a project, made once, and what is known of them.

    Parameters
    ----------
    desk : Desk
        The project.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = threading.Lock()
        self._projection: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self._base: NDArray[np.intp] | None = None
        self._scored: tuple[Hashable, NDArray[np.float64]] | None = None

    def points(self, *, scores: bool, hidden: Any) -> dict[str, Any]:
        """Return at most 5,000 points as columns.

        Parameters
        ----------
        scores : bool
            Whether the model's scores and the border are wanted.
        hidden : function of int
            Whether the label of a row must not be told.

        Returns
        -------
        dict
            Values that JSON has; ``state`` is ``"starting"`` before the features are known.
        """
        desk = self._desk
        n_rows = desk.table.n_rows
        empty = {
            "state": "starting", "n_rows": n_rows, "sampled": n_rows > _MOST_POINTS, "row": [],
            "x": [], "y": [], "label": [], "score": None, "grid": None, "rare": None, "version": 0,
        }  # fmt: skip
        if not desk.is_prepared:
            return empty
        X = desk.prepared.features
        if X.shape[0] != n_rows:  # rows are being added
            return empty
        with self._lock:
            rows = self._rows(n_rows)
            places = self._places(X, rows)
            labels = desk.board.labels
            shown = [
                None if row not in labels or hidden(row) else str(labels[row])
                for row in rows.tolist()
            ]
            found = {
                **empty, "state": "ready", "row": rows.tolist(),
                "x": np.round(places[:, 0], 4).tolist(), "y": np.round(places[:, 1], 4).tolist(),
                "label": shown, "version": desk.insight.version or 0,
            }  # fmt: skip
            if scores and desk.insight.version is not None:
                values = self._scores(rows)
                if values is not None:
                    found |= {
                        "score": np.round(values, 4).tolist(),
                        "rare": desk.insight.rare.called(desk.board.class_names()) or None,
                        "grid": _grid(places, values),
                    }
            return found

    def _rows(self, n_rows: int) -> NDArray[np.intp]:
        """Return the same sample each time, with labelled rows in the place of some."""
        if n_rows <= _MOST_POINTS:
            return np.arange(n_rows)
        if self._base is None:
            draw = np.random.default_rng(self._desk.settings.seed)
            self._base = np.sort(draw.choice(n_rows, _MOST_POINTS, replace=False))
        labelled = np.array(list(self._desk.board.labels)[-_MOST_POINTS // 2 :], dtype=np.intp)
        if not len(labelled):
            return self._base
        rest = self._base[~np.isin(self._base, labelled)]
        room = _MOST_POINTS - len(labelled)
        step = max(1, int(np.ceil(len(rest) / max(room, 1))))
        kept = rest if len(rest) <= room else rest[::step]
        return np.sort(np.concatenate([labelled, kept[:room]]))

    def _places(self, X: Any, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        if self._projection is None:
            base = self._base if self._base is not None else rows
            self._projection = _principal(X[base])
        mean, axes = self._projection
        block = X[rows]
        if is_sparse(block):
            return np.asarray(block @ axes.T - mean @ axes.T)
        return np.asarray((np.asarray(block, dtype=np.float64) - mean) @ axes.T)

    def _scores(self, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
        insight = self._desk.insight
        key = (insight.version or 0, hash(rows.tobytes()), insight.rare)
        if self._scored is None or self._scored[0] != key:
            values = insight.scores(rows)
            if values is None:
                return None
            self._scored = (key, values)
        return self._scored[1]


def _principal(block: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the two directions of largest variance, with fixed signs."""
    from sklearn.decomposition import PCA, TruncatedSVD

    width = block.shape[1]
    if is_sparse(block):
        wanted = min(2, max(1, width - 1))
        axes = TruncatedSVD(wanted, random_state=0).fit(block).components_
        mean = np.zeros(width)
    else:
        dense = np.asarray(block, dtype=np.float64)
        fitted = PCA(min(2, *dense.shape), svd_solver="randomized", random_state=0).fit(dense)
        axes, mean = fitted.components_, fitted.mean_
    axes = np.nan_to_num(axes)
    if len(axes) < 2:
        axes = np.vstack([axes, np.zeros((2 - len(axes), width))])
    signs = np.sign(axes[np.arange(2), np.abs(axes).argmax(axis=1)])
    return mean, axes * np.where(signs == 0, 1.0, signs)[:, None]


def _grid(places: NDArray[np.float64], values: NDArray[np.float64]) -> dict[str, Any]:
    """Return the scores of nearby points on a grid; where they cross 0 is the border."""
    from scipy.spatial import cKDTree

    low, high = places.min(axis=0), places.max(axis=0)
    xs, ys = (np.linspace(low[i], high[i], _SIDE) for i in range(2))
    cells = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    near = min(_NEAR, len(places))
    _, nearest = cKDTree(places).query(cells, k=near)
    means = np.clip(values, -2.0, 2.0)[nearest.reshape(len(cells), near)].mean(axis=1)
    return {
        "x0": float(low[0]), "x1": float(high[0]), "y0": float(low[1]), "y1": float(high[1]),
        "nx": _SIDE, "ny": _SIDE, "score": np.round(means, 3).tolist(),
    }  # fmt: skip
