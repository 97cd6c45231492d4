"""The data of the paper's experiments, and C and gamma where the paper does not give them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.datasets import Task, make_waveform, set_imbalance
from rarebit.papers._plan import Experiment
from rarebit.papers._tasks import thin_rows, whole_task

# C and gamma that Table 2 lacks: the best mean of g-mean and PRBEP in five-fold cross-validation
# of the training rows, found by ``python -m rarebit.papers border.settings``.
CHOSEN: dict[str, tuple[float, float]] = {
    "reuters-corn": (10.0, 0.1),
    "reuters-trade": (10.0, 0.1),
    "adult": (10.0, 0.03),
    "waveform": (2.0, 0.003),
}

WAVEFORM_ROWS = 5000
# The test rows that a curve is scored on, at most: it is scored many times.
CURVE_TEST_ROWS = 4000


@dataclass(frozen=True)
class PoolExperiment(Experiment):
    """An experiment on a part of a task.

    Attributes
    ----------
    rows : int or None
        Random training rows, with the classes' shares kept; None for all.
    ratio : float or None
        Rows of the majority for one of the minority after removing random minority rows; None to
        leave the classes as they are.
    """

    rows: int | None = None
    ratio: float | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """The rows of an experiment, 1 for the rare class, with the C and gamma to use."""

    X: Any
    y: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]
    C: float
    gamma: float


def _waveform(seed: int) -> Task:
    """Draw Breiman's waveforms, class 0 against the others: 2 to 1, where Figure 5 begins."""
    X, classes = make_waveform(2 * WAVEFORM_ROWS, random_state=seed)
    y = (classes == 0).astype(np.int64)
    n = WAVEFORM_ROWS
    return Task("waveform", X[:n], y[:n], X[n:], y[n:], "0", None, None, "rbf", "")


def make_problem(experiment: PoolExperiment) -> Problem:
    """Load, thin and cut the data of an experiment.

    Parameters
    ----------
    experiment : PoolExperiment
        Its seed decides on the rows.

    Returns
    -------
    Problem
        All test rows, and the training rows asked for.
    """
    name, seed = experiment.task, experiment.seed
    task = _waveform(seed) if name == "waveform" else whole_task(name)
    X, y = task.X_train, task.y_train
    if experiment.ratio is not None:
        # Random classes may miss the lowest ratio by a little, and rows are only removed.
        X, y = set_imbalance(X, y, 1, max(experiment.ratio, (y == 0).sum() / y.sum()), seed)
    if experiment.rows is not None:
        X, y = thin_rows(X, y, experiment.rows, seed)
    C, gamma = CHOSEN[name] if task.C is None or task.gamma is None else (task.C, task.gamma)
    assert task.y_test is not None
    return Problem(X, y, task.X_test, task.y_test, C, gamma)
