"""Pools for discovery: all classes of a set, for explorers that know none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.datasets._features import encode, fill_missing, scale_unit
from rarebit.datasets._info import DataMismatchError
from rarebit.datasets._raw import load_raw
from rarebit.datasets._sampling import Seed, as_generator, draw_rows


@dataclass(frozen=True)
class PoolRecipe:
    """How one pool is made from a raw set: rows kept a class, columns left out, classes merged.

    ``merge`` holds the lowest and the highest label; labels beyond them join them.
    """

    source: str
    n_rows: int
    draw: dict[str, int] | None = None
    without: tuple[int, ...] = ()
    merge: tuple[int, int] | None = None


POOLS: dict[str, PoolRecipe] = {
    "abalone": PoolRecipe("abalone", 4177),
    # He & Carbonell (2007): 4,177 rows, 7 features, 20 classes of 16.50 % down to 0.34 %.
    "abalone-20": PoolRecipe("abalone", 4177, without=(0,), merge=(3, 22)),
    "ecoli": PoolRecipe("ecoli", 336),
    "glass": PoolRecipe("glass", 214),
    "kddcup99": PoolRecipe("kddcup99_10pct", 494021),
    "letter": PoolRecipe("letter", 20000),
    "satimage": PoolRecipe("satimage_train", 4435),
    "shuttle": PoolRecipe("shuttle_train", 43500),
    # The rare-class paper: 4,515 rows, 75.53 % majority, 0.13 % smallest; one tenth of the three
    # large classes.
    "shuttle-4515": PoolRecipe(
        "shuttle_train",
        4515,
        draw={"1": 3410, "2": 37, "3": 132, "4": 674, "5": 245, "6": 6, "7": 11},
    ),
    "yeast": PoolRecipe("yeast", 1484),
}


def list_pools() -> list[str]:
    """Names of the pools that `load_pool` makes.

    Returns
    -------
    list of str
        In alphabetical order.

    Examples
    --------
    >>> from rarebit.datasets import list_pools
    >>> "shuttle-4515" in list_pools()
    True
    """
    return sorted(POOLS)


def load_pool(
    name: str, random_state: Seed = 0, *, scale: bool = True
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Make a pool of rows of all classes.

    Parameters
    ----------
    name : str
        One of `list_pools`.
    random_state : int, Generator, RandomState or None, default=0
        Decides on the rows of ``shuttle-4515``, which the paper drew at random; the other pools
        do not depend on it.
    scale : bool, default=True
        Scale every column to [0, 1], as discovery by density wants it. Columns of names are 0/1
        columns either way.

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
        Classes: integers where the source numbers them, else strings.

    Examples
    --------
    >>> from rarebit.datasets import load_pool
    >>> load_pool("iris")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: There is no pool 'iris': choose one of abalone, ..., yeast.
    """
    if name not in POOLS:
        raise ValueError(f"There is no pool {name!r}: choose one of {', '.join(list_pools())}.")
    pool = POOLS[name]
    raw = load_raw(pool.source)
    X, y = fill_missing(encode(raw, without=pool.without)), raw.y
    if pool.draw is not None:
        rows = draw_rows(y, pool.draw, as_generator(random_state))
        X, y = X[rows], y[rows]
    if len(y) != pool.n_rows:
        raise DataMismatchError(
            f"Pool {name!r} must have {pool.n_rows} rows, got {len(y)}: check the file with "
            "load_raw(..., verify=True)."
        )
    labels = _numbered(y)
    if pool.merge is not None:
        labels = np.clip(labels, *pool.merge)
    return scale_unit(X) if scale else np.array(X, dtype=np.float64, order="C"), labels


def _numbered(y: NDArray[np.str_]) -> NDArray[Any]:
    """Labels as integers when all of them are, else a copy as they are."""
    try:
        return y.astype(np.int64)
    except ValueError:
        return y.copy()
