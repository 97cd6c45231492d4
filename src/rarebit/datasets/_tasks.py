"""Tasks: a rare class against the rest, split and scaled as a paper does it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarebit.datasets._features import encode, fill_missing, reuters_features, standardize
from rarebit.datasets._info import DataMismatchError
from rarebit.datasets._raw import RawSet, load_raw
from rarebit.datasets._recipes import RECIPES, Recipe
from rarebit.datasets._sampling import Seed, as_generator, draw_rows

# Sets whose values need no more than single precision.
_COMPACT = frozenset({"mnist", "usps", "a9a_train", "a9a_test"})

Labels = NDArray[np.int64]
Parts = tuple[Any, Labels, Any, Labels | None]


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """One binary task.

    Attributes
    ----------
    name : str
        Name of the task.
    X_train : ndarray or CSR matrix
        Training rows, C-contiguous or canonical; all rows when the paper cross-validates.
    y_train : ndarray of int
        1 for the rare class, 0 for the rest.
    X_test, y_test : ndarray or CSR matrix, or None
        Test rows; None when the paper cross-validates.
    positive : str
        The rare class, as the source names it.
    C, gamma : float or None
        What the paper uses; None when it does not say.
    kernel : str
        What the paper uses, ``"rbf"`` or ``"linear"``.
    note : str
        What the paper leaves open, and what was chosen here.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.datasets import Task
    >>> y = np.array([1, 0, 0])
    >>> Task("tiny", np.eye(3), y, None, None, "a", 1.0, 0.5, "rbf", "")
    Task('tiny', positive='a', train=1:2 of 3 features, test=None, kernel='rbf', C=1.0, gamma=0.5)
    """

    name: str
    X_train: Any
    y_train: Labels
    X_test: Any
    y_test: Labels | None
    positive: str
    C: float | None
    gamma: float | None
    kernel: str
    note: str

    @property
    def ratio(self) -> float:
        """Training rows of the rest for one of the rare class."""
        n_positive = int(self.y_train.sum())
        return (len(self.y_train) - n_positive) / n_positive

    def __repr__(self) -> str:
        def sizes(y: Labels | None) -> str:
            return "None" if y is None else f"{int(y.sum())}:{int(len(y) - y.sum())}"

        return (
            f"Task({self.name!r}, positive={self.positive!r}, train={sizes(self.y_train)} of "
            f"{self.X_train.shape[1]} features, test={sizes(self.y_test)}, "
            f"kernel={self.kernel!r}, C={self.C}, gamma={self.gamma})"
        )


def list_tasks() -> list[str]:
    """Names of the tasks that `load_task` makes, paper by paper.

    Returns
    -------
    list of str
        In the order of the papers.

    Examples
    --------
    >>> from rarebit.datasets import list_tasks
    >>> list_tasks()[:3]
    ['letter-A', 'satimage-4', 'usps-0']
    """
    return list(RECIPES)


def load_task(name: str, random_state: Seed = 0, *, dense: bool | None = None) -> Task:
    """Make a task of the papers, with its row counts asserted.

    Parameters
    ----------
    name : str
        One of `list_tasks`.
    random_state : int, Generator, RandomState or None, default=0
        Decides on the split of the tasks that the papers split at random.
    dense : bool or None, default=None
        True for arrays, False for CSR matrices, None for what suits the task: CSR for Reuters
        (a dense Reuters takes 630 MB), arrays for all others.

    Returns
    -------
    Task
        Its arrays are yours to change.

    Examples
    --------
    >>> from rarebit.datasets import load_task
    >>> load_task("letter-a")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: There is no task 'letter-a': choose one of letter-A, ..., yeast-MIT.
    """
    if name not in RECIPES:
        raise ValueError(f"There is no task {name!r}: choose one of {', '.join(RECIPES)}.")
    recipe = RECIPES[name]
    X_train, y_train, X_test, y_test = _SPLITS[recipe.split](recipe, random_state)
    for y, expected in ((y_train, recipe.train), (y_test, recipe.test)):
        if y is not None and (int(y.sum()), int(len(y) - y.sum())) != expected:
            raise DataMismatchError(
                f"Task {name!r} must have {expected} positive and negative rows, got "
                f"{(int(y.sum()), int(len(y) - y.sum()))}: check the files with "
                "load_raw(..., verify=True)."
            )
    return Task(
        name,
        _finish(X_train, dense),
        y_train,
        None if X_test is None else _finish(X_test, dense),
        y_test,
        recipe.positive,
        recipe.C,
        recipe.gamma,
        recipe.kernel,
        recipe.note,
    )


def _from_files(recipe: Recipe, random_state: Seed) -> Parts:
    train, test = (load_raw(source) for source in recipe.sets)
    X_train, X_test = _features(recipe, train), _features(recipe, test, train)
    if recipe.scale == "standard":
        X_train, X_test = standardize(X_train, X_test)
    return X_train, _labels(recipe, train), X_test, _labels(recipe, test)


def _from_column(recipe: Recipe, random_state: Seed) -> Parts:
    raw = load_raw(recipe.sets[0])
    assert raw.train is not None
    y = _labels(recipe, raw)
    if raw.X.ndim == 1:
        X_train, X_test = reuters_features()
        return X_train, y[raw.train], X_test, y[~raw.train]
    train, test = np.flatnonzero(raw.train), np.flatnonzero(~raw.train)
    X_train, X_test = (_scaled(recipe, raw, raw.X[rows]) for rows in (train, test))
    return X_train, y[train], X_test, y[test]


def _from_draw(recipe: Recipe, random_state: Seed) -> Parts:
    X, y = _rows(recipe)
    drawn = draw_rows(y, {1: recipe.train[0], 0: recipe.train[1]}, as_generator(random_state))
    rest = np.setdiff1d(np.arange(len(y)), drawn)
    return X[drawn], y[drawn], X[rest], y[rest]


def _unsplit(recipe: Recipe, random_state: Seed) -> Parts:
    X, y = _rows(recipe)
    return X, y, None, None


_SPLITS = {
    "files": _from_files,
    "column": _from_column,
    "draw": _from_draw,
    "none": _unsplit,
}


def _rows(recipe: Recipe) -> tuple[Any, Labels]:
    raw = load_raw(recipe.sets[0])
    X, y = _features(recipe, raw), _labels(recipe, raw)
    if recipe.against is None:
        return X, y
    rows = np.isin(raw.y, (recipe.positive, recipe.against))
    return X[rows], y[rows]


def _features(recipe: Recipe, raw: RawSet, train: RawSet | None = None) -> Any:
    X = encode(raw, None if train is None else train.categories)
    return _scaled(recipe, raw, fill_missing(X))


def _scaled(recipe: Recipe, raw: RawSet, X: Any) -> Any:
    X = X.astype(np.float32 if raw.name in _COMPACT else np.float64)
    if isinstance(recipe.scale, float):
        X /= X.dtype.type(recipe.scale)
    return X


def _labels(recipe: Recipe, raw: RawSet) -> Labels:
    if raw.X.ndim == 1:
        topics = (label.split("|") for label in raw.y.tolist())
        return np.array([recipe.positive in names for names in topics], dtype=np.int64)
    return np.asarray(raw.y == recipe.positive, dtype=np.int64)


def _finish(X: Any, dense: bool | None) -> Any:
    """Return rows of the asked form that no cache holds."""
    if sparse.issparse(X):
        return X.toarray() if dense else X.copy()
    return sparse.csr_matrix(X) if dense is False else np.ascontiguousarray(X)
