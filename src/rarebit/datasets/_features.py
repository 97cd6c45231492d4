"""From raw cells to the numbers that a kernel sees."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from rarebit.datasets._raw import RawSet, load_raw

# The rule behind the Reuters features, in one place: lower case, runs of two letters or more,
# terms found in at least three training documents.
TERM = r"[a-z]{2,}"
MIN_DOCUMENTS = 3


def encode(
    raw: RawSet,
    categories: dict[int, tuple[str, ...]] | None = None,
    without: tuple[int, ...] = (),
) -> NDArray[Any]:
    """Return numbers: a column of names becomes one 0/1 column a name, in its place.

    Parameters
    ----------
    raw : RawSet
        A table.
    categories : dict or None
        Names of each column, None for those of `raw`; pass the training set's for a test set. A
        name that is not among them gives zeros.
    without : tuple of int
        Columns to leave out.
    """
    if not raw.categories and not without:
        return raw.X
    known = raw.categories if categories is None else categories
    wanted = [j for j in range(raw.X.shape[1]) if j not in without]
    widths = [len(known[j]) if j in known else 1 for j in wanted]
    X = np.zeros((len(raw.X), sum(widths)), dtype=raw.X.dtype)
    for j, end, width in zip(wanted, np.cumsum(widths), widths, strict=True):
        if j not in known:
            X[:, end - 1] = raw.X[:, j]
            continue
        place = {name: end - width + k for k, name in enumerate(known[j])}
        column = np.array([place.get(name, -1) for name in raw.categories[j]])
        target = column[raw.X[:, j].astype(np.intp)]
        rows = np.flatnonzero(target >= 0)
        X[rows, target[rows]] = 1
    return X


def fill_missing(X: NDArray[Any]) -> NDArray[Any]:
    """Replace NaN by the median of its column; labels are not looked at."""
    if not np.isnan(X.sum()):
        return X
    return np.where(np.isnan(X), np.nanmedian(X, axis=0), X)


def standardize(
    X_train: NDArray[np.float64], X_test: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give every column that is not 0/1 mean 0 and variance 1 over the training rows."""
    numeric = ~np.all((X_train == 0) | (X_train == 1), axis=0)
    mean = np.where(numeric, X_train.mean(axis=0), 0.0)
    spread = np.where(numeric, X_train.std(axis=0), 1.0)
    return (X_train - mean) / spread, (X_test - mean) / spread


def scale_unit(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale every column to [0, 1]; a constant column becomes 0."""
    low = X.min(axis=0)
    width = X.max(axis=0) - low
    scaled: NDArray[np.float64] = np.subtract(X, low, order="C")
    # In place: the largest pool takes half a gigabyte.
    scaled /= np.where(width > 0, width, 1.0)
    return scaled


@lru_cache(maxsize=1)
def reuters_features() -> tuple[Any, Any]:
    """TF-IDF of the Reuters documents as CSR matrices (training, test), rows of unit norm."""
    raw = load_raw("reuters")
    assert raw.train is not None
    vectorizer = TfidfVectorizer(token_pattern=TERM, min_df=MIN_DOCUMENTS)
    X_train = vectorizer.fit_transform(raw.X[raw.train])
    X_test = vectorizer.transform(raw.X[~raw.train])
    for X in (X_train, X_test):
        X.sum_duplicates()
    return X_train, X_test
