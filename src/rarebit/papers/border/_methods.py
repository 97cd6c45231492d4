"""The methods that Table 3 compares, each trained with the clock running."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from imblearn.over_sampling import SMOTE
from sklearn.svm import SVC

from rarebit.active import BorderSVC
from rarebit.papers.border._tasks import PoolExperiment, Problem, make_problem
from rarebit.svm import OnlineSVC

# As the paper calls them, in its order.
METHODS = {"batch": "Batch", "us": "US", "smote": "SMOTE", "dc": "DC", "al": "AL"}
# What users run today: the same oversampling before scikit-learn's machine.
CUSTOMARY = "smote-svc"


@dataclass(frozen=True, eq=False)
class Trained:
    """A machine, the rows that it was trained on, the labels that this took, and the time.

    ``processor_seconds`` is the time that the processor worked for it, which other programs on
    the same machine do not lengthen.
    """

    machine: Any
    n_trained: int
    n_labels: int
    seconds: float
    processor_seconds: float


def shared_problem(experiment: PoolExperiment) -> Problem:
    """Return the rows that all methods and seeds of a task have in common."""
    return make_problem(PoolExperiment(experiment.task, "batch", 0, experiment.rows))


def train(experiment: PoolExperiment) -> Trained:
    """Train the method of an experiment; resampling counts as training."""
    problem, seed = shared_problem(experiment), experiment.seed
    if experiment.method == "al":
        return _active(experiment.task, experiment.rows, seed)
    if experiment.method == "us":
        # As in the paper: as many majority rows for one of the minority as AL has support vectors.
        majority, minority = _active(experiment.task, experiment.rows, seed).machine.n_support_
        return _timed(problem, lambda: _undersampled(problem, majority / minority, seed))
    fits: dict[str, Callable[[], tuple[Any, int]]] = {
        "batch": lambda: (_online(problem, seed).fit(problem.X, problem.y), len(problem.y)),
        "dc": lambda: _different_costs(problem, seed),
        "smote": lambda: _oversampled(problem, _online(problem, seed), seed),
        CUSTOMARY: lambda: _oversampled(problem, SVC(C=problem.C, gamma=problem.gamma), seed),
    }
    return _timed(problem, fits[experiment.method])


@lru_cache(maxsize=1)  # US asks for what AL of the same seed, the experiment before it, has found
def _active(task: str, rows: int | None, seed: int) -> Trained:
    problem = shared_problem(PoolExperiment(task, "al", seed, rows))

    def fit() -> tuple[BorderSVC, int]:
        machine = BorderSVC(C=problem.C, gamma=problem.gamma, random_state=seed)
        return machine.fit(problem.X, problem.y), machine.n_labels_

    return _timed(problem, fit, reads_all=False)


def _timed(
    problem: Problem, fit: Callable[[], tuple[Any, int]], *, reads_all: bool = True
) -> Trained:
    clock, processor = time.perf_counter(), time.process_time()
    machine, n_trained = fit()
    seconds, worked = time.perf_counter() - clock, time.process_time() - processor
    return Trained(machine, n_trained, len(problem.y) if reads_all else n_trained, seconds, worked)


def _online(problem: Problem, seed: int, weights: dict[int, float] | None = None) -> OnlineSVC:
    """Return the machine of the paper's other methods: one pass in random order."""
    return OnlineSVC(C=problem.C, gamma=problem.gamma, class_weight=weights, random_state=seed)


def _different_costs(problem: Problem, seed: int) -> tuple[OnlineSVC, int]:
    n_minority = int(problem.y.sum())
    weights = {0: 1.0, 1: (len(problem.y) - n_minority) / n_minority}
    return _online(problem, seed, weights).fit(problem.X, problem.y), len(problem.y)


def _oversampled(problem: Problem, machine: Any, seed: int) -> tuple[Any, int]:
    X, y = SMOTE(random_state=seed).fit_resample(problem.X, problem.y)
    return machine.fit(X, y), len(y)


def _undersampled(problem: Problem, ratio: float, seed: int) -> tuple[OnlineSVC, int]:
    minority, majority = (np.flatnonzero(problem.y == label) for label in (1, 0))
    n_kept = min(len(majority), max(1, round(ratio * len(minority))))
    kept = np.random.default_rng(seed).choice(majority, n_kept, replace=False)
    rows = np.sort(np.concatenate([minority, kept]))
    return _online(problem, seed).fit(problem.X[rows], problem.y[rows]), len(rows)
