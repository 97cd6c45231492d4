"""Generated pools of many shapes, each with a class of about 4 % of the rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification

Draw = tuple[NDArray[np.float64], NDArray[np.int64]]
Random = np.random.Generator

_ROWS = 5_000
_SHARE = 0.04


def _rare(rng: Random, share: float = _SHARE) -> NDArray[np.int64]:
    return (rng.random(_ROWS) < share).astype(np.int64)


def blobs(rng: Random) -> Draw:
    """Three compact groups of rare rows inside a broad cloud."""
    y = _rare(rng)
    X = rng.normal(size=(_ROWS, 6))
    centres = rng.normal(size=(3, 6)) * 1.6
    rows = np.flatnonzero(y)
    X[rows] = centres[rng.integers(3, size=len(rows))] + 0.35 * rng.normal(size=(len(rows), 6))
    return X, y


def ring(rng: Random) -> Draw:
    """Rare rows on a shell around the others, with a few columns of noise."""
    y = _rare(rng)
    X = rng.normal(size=(_ROWS, 4))
    rows = np.flatnonzero(y)
    shell = rng.normal(size=(len(rows), 4))
    X[rows] = shell / np.linalg.norm(shell, axis=1)[:, None] * rng.normal(3.2, 0.4, (len(rows), 1))
    return np.hstack([X, rng.normal(size=(_ROWS, 3))]), y


def boxes(rng: Random) -> Draw:
    """Rare inside two boxes that few columns bound; 3 % of the labels are wrong there."""
    X = rng.random((_ROWS, 10))
    first = (X[:, 0] > 0.8) & (X[:, 1] < 0.15)
    second = (X[:, 2] > 0.9) & (X[:, 3] > 0.5) & (X[:, 4] < 0.3)
    inside = (first | second) & (rng.random(_ROWS) < 0.97)
    return X, (inside | (rng.random(_ROWS) < 0.003)).astype(np.int64)


def overlap(rng: Random) -> Draw:
    """Two clouds in twenty columns, of which five tell them apart, and not fully."""
    y = _rare(rng)
    X = rng.normal(size=(_ROWS, 20))
    X[:, :5] += 1.1 * y[:, None]
    return X, y


def clusters(rng: Random) -> Draw:
    """Several clusters of each class in a subspace, with repeated and noisy columns."""
    X, y = make_classification(
        _ROWS, 25, n_informative=8, n_redundant=4, n_clusters_per_class=4, weights=[1 - _SHARE],
        flip_y=0.005, class_sep=1.3, random_state=int(rng.integers(2**31)),
    )  # fmt: skip
    return X, y.astype(np.int64)


def tails(rng: Random) -> Draw:
    """Heavy tails: rare where a product of columns is large, scales far apart."""
    X = rng.standard_t(2.5, size=(_ROWS, 8))
    risk = X[:, 0] * X[:, 1] + 0.8 * X[:, 2] + 0.5 * rng.normal(size=_ROWS)
    y = (risk > np.quantile(risk, 1 - _SHARE)).astype(np.int64)
    return X * np.array([1, 10, 100, 1, 1, 5, 0.1, 1]), y


def parity(rng: Random) -> Draw:
    """Rare where the signs of two columns agree and a third is high: no column tells alone."""
    X = rng.normal(size=(_ROWS, 9))
    inside = (X[:, 0] * X[:, 1] > 0.25) & (X[:, 2] > 1.0)
    return X, (inside ^ (rng.random(_ROWS) < 0.004)).astype(np.int64)


def kinds(rng: Random) -> Draw:
    """Columns of kinds, one column per kind: rare combinations of two of them, and an amount."""
    codes = [rng.integers(size, size=_ROWS) for size in (4, 6, 8, 12)]
    amount = rng.lognormal(size=_ROWS)
    risk = 2.5 * (codes[0] == 1) * (codes[2] < 2) + 1.5 * (codes[3] == 3) + np.log(amount)
    risk += rng.logistic(scale=0.5, size=_ROWS)
    y = (risk > np.quantile(risk, 1 - _SHARE)).astype(np.int64)
    columns = [np.eye(size)[code] for size, code in zip((4, 6, 8, 12), codes, strict=True)]
    return np.hstack([*columns, amount[:, None], rng.normal(size=(_ROWS, 3))]), y


def curved(rng: Random) -> Draw:
    """A smooth border of products and waves in twelve columns."""
    X = rng.normal(size=(_ROWS, 12))
    risk = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.7 * X[:, 3] ** 2 + 0.4 * X[:, 4]
    risk += 0.3 * rng.normal(size=_ROWS)
    return X, (risk > np.quantile(risk, 1 - _SHARE)).astype(np.int64)


SHAPES: dict[str, Callable[[Random], Draw]] = {
    shape.__name__: shape
    for shape in (blobs, ring, boxes, overlap, clusters, tails, parity, kinds, curved)
}
