"""Random draws of rows: splits of given class sizes, thinned classes, given imbalance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Seed = int | np.random.Generator | np.random.RandomState | None


def as_generator(random_state: Seed) -> np.random.Generator:
    """Return the generator that a ``random_state`` stands for."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    return np.random.default_rng(random_state)


def draw_rows(
    y: NDArray[Any], counts: dict[Any, int], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw ``counts[c]`` rows of each class without replacement; row numbers in rising order."""
    drawn = []
    for label, count in counts.items():
        rows = np.flatnonzero(y == label)
        if not 0 <= count <= len(rows):
            raise ValueError(
                f"Class {label!r} has {len(rows)} rows, so between 0 and {len(rows)} can be drawn, "
                f"got {count}: ask for fewer."
            )
        drawn.append(rng.choice(rows, size=count, replace=False))
    return np.sort(np.concatenate(drawn)).astype(np.intp)


def thin_class(
    X: Any, y: ArrayLike, cls: Any, n_keep: int, random_state: Seed = None
) -> tuple[Any, NDArray[Any]]:
    """Keep ``n_keep`` random rows of one class and all rows of the others.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        Rows.
    y : array-like of shape (n,)
        Class of each row.
    cls : object
        The class to thin.
    n_keep : int
        Rows of it that stay, at most as many as it has.
    random_state : int, Generator, RandomState or None, default=None
        Makes the draw repeatable.

    Returns
    -------
    X, y
        The rows that stay, in their old order.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.datasets import thin_class
    >>> X, y = thin_class(np.arange(10).reshape(-1, 1), [0] * 5 + [1] * 5, 1, 2, random_state=0)
    >>> np.bincount(y).tolist()
    [5, 2]
    """
    labels = np.asarray(y)
    _check_rows(X, labels)
    if not np.any(labels == cls):
        raise ValueError(f"Class {cls!r} is not in y: choose one of {np.unique(labels).tolist()}.")
    keep = labels != cls
    keep[draw_rows(labels, {cls: n_keep}, as_generator(random_state))] = True
    rows = np.flatnonzero(keep)
    return X[rows], labels[rows]


def set_imbalance(
    X: Any, y: ArrayLike, positive: Any, ratio: float, random_state: Seed = None
) -> tuple[Any, NDArray[Any]]:
    """Remove random minority rows until the others are ``ratio`` times as many.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        Rows.
    y : array-like of shape (n,)
        Class of each row.
    positive : object
        The minority class.
    ratio : float
        Rows of other classes for one minority row, at least the present ratio.
    random_state : int, Generator, RandomState or None, default=None
        Makes the draw repeatable. The draws of one seed are not nested.

    Returns
    -------
    X, y
        The rows that stay, in their old order; at least one minority row stays.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.datasets import make_waveform, set_imbalance
    >>> X, y = make_waveform(3000, random_state=0)
    >>> X, y = set_imbalance(X, y == 0, True, ratio=32, random_state=0)
    >>> round(float(np.sum(~y) / np.sum(y)), 1)
    31.8
    """
    labels = np.asarray(y)
    n_positive = int(np.sum(labels == positive))
    n_negative = len(labels) - n_positive
    if not n_positive or not n_negative:
        raise ValueError(
            f"y must hold class {positive!r} and at least one other, got "
            f"{np.unique(labels).tolist()}: name a class of y that is not the only one."
        )
    n_keep = max(1, round(n_negative / ratio)) if ratio > 0 else n_positive + 1
    if n_keep > n_positive:
        raise ValueError(
            f"The ratio parameter must be at least the present {n_negative / n_positive:.4g}, got "
            f"{ratio!r}: only minority rows are removed, so raise it or thin the other classes."
        )
    return thin_class(X, labels, positive, n_keep, random_state)


def _check_rows(X: Any, y: NDArray[Any]) -> None:
    if y.ndim != 1 or X.shape[0] != len(y):
        raise ValueError(
            f"X and y must have the same number of rows, got shapes {X.shape} and {y.shape}: pass "
            "one class per row."
        )
