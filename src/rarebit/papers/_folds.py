"""Cross-validated experiments: which rows of a task train, and which test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from rarebit.metrics import g_mean
from rarebit.papers._plan import Experiment
from rarebit.papers._rows import Results, Row
from rarebit.papers._tasks import thin_rows, whole_task

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FoldExperiment(Experiment):
    """An experiment on one fold; the seed is that of a repetition of all folds.

    Attributes
    ----------
    fold : int
        Number of the fold that tests.
    rows : int or None
        Random rows, with the classes' shares kept, that are divided into folds; None for all.
    """

    fold: int = 0
    rows: int | None = None


@dataclass(frozen=True, eq=False)
class Fold:
    """Training and test rows of a fold, 1 for the rare class."""

    X: Floats
    y: NDArray[np.int64]
    X_test: Floats
    y_test: NDArray[np.int64]


def make_fold(experiment: FoldExperiment, n_folds: int) -> Fold:
    """Cut the rows of an experiment.

    Parameters
    ----------
    experiment : FoldExperiment
        Its seed shuffles the rows; all methods of a seed have the same folds.
    n_folds : int
        Number of folds.

    Returns
    -------
    Fold
        Stratified rows.
    """
    task = whole_task(experiment.task)
    X, y = task.X_train, task.y_train
    if experiment.rows is not None:
        X, y = thin_rows(X, y, experiment.rows, experiment.seed)
    splits = StratifiedKFold(n_folds, shuffle=True, random_state=experiment.seed).split(X, y)
    train, test = next(split for i, split in enumerate(splits) if i == experiment.fold)
    return Fold(X[train], y[train], X[test], y[test])


def mean_by(results: Results, metric: str, *columns: str) -> Floats:
    """Average a metric over the rows that agree in some columns, in the order of their values."""
    groups: dict[Any, list[float]] = {}
    for row in results:
        groups.setdefault(tuple(row[name] for name in columns), []).append(row[metric])
    return np.array([np.mean(groups[key]) for key in sorted(groups)])


def finished_everywhere(results: Results, methods: Sequence[str], *columns: str) -> Results:
    """Rows of those places, told apart by some columns, that every method has finished."""
    met: dict[Any, set[str]] = {}
    for row in results:
        met.setdefault(tuple(row[name] for name in columns), set()).add(row["method"])
    whole = {place for place, found in met.items() if found >= set(methods)}
    rows = [row for row in results if tuple(row[name] for name in columns) in whole]
    return Results(rows, results.about)


def score_labels(y: NDArray[Any], predicted: NDArray[Any]) -> Row:
    """Sensitivity, specificity, g-mean and accuracy of predicted classes 0 and 1, as shares."""
    rare = y == 1
    sensitivity = float(np.mean(predicted[rare] == 1))
    specificity = float(np.mean(predicted[~rare] == 0))
    return {
        "sensitivity": sensitivity,
        "specificity": specificity,
        "g_mean": g_mean(sensitivity, specificity),
        "accuracy": float(np.mean(predicted == y)),
    }
