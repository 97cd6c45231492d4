"""Simulated hunts on data whose labels exist, compared with random and with all labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from rarebit._engine.arrays import take_rows
from rarebit.active._columns import ColumnTable
from rarebit.active.border import learning_curve
from rarebit.active.hunt._hunt import Hunt
from rarebit.metrics import g_mean_score
from rarebit.svm import KernelSVC


@dataclass(frozen=True, eq=False)
class Simulation:
    """A hunt whose answers were known, and what it is compared with.

    Attributes
    ----------
    hunt : Hunt
        As it ended, with ``classifier_``, ``discovered_`` and ``labels_``.
    n_rows : int
        Number of rows of the pool.
    classes : list
        Classes of the pool, sorted.
    at_random : dict
        Class to the labels that random labelling takes on average until it is first seen.
    curves : dict of str to ColumnTable
        Learning curves named ``"rarebit"`` and ``"random"``: g-mean on the test rows.
    predicted : dict of str to ndarray
        What the test rows are taken for with the labels of the hunt (``"rarebit"``), with as many
        random ones (``"random"``) and with all labels of the pool (``"all"``).
    """

    hunt: Hunt
    n_rows: int
    classes: list[Any]
    at_random: dict[Any, float]
    curves: dict[str, ColumnTable]
    predicted: dict[str, NDArray[Any]]

    @property
    def queried(self) -> NDArray[np.intp]:
        """Rows in the order in which they were labelled."""
        return np.fromiter(self.hunt.labels_, dtype=np.intp, count=len(self.hunt.labels_))


def simulate(
    X: Any,
    y: ArrayLike,
    X_test: Any,
    y_test: ArrayLike,
    hunt: Hunt | None = None,
    *,
    max_labels: int | None = None,
    points: int = 20,
    random_state: int = 0,
    on_label: Callable[[int], None] | None = None,
) -> Simulation:
    """Simulate a hunt on data whose labels exist, and measure what it brings.

    Parameters
    ----------
    X, y : array-like
        The pool and its labels. The hunt sees only the labels that it asks for.
    X_test, y_test : array-like
        Rows to measure on.
    hunt : Hunt or None, default=None
        The asker, `Hunt()` when None; a copy of it is started.
    max_labels : int or None, default=None
        Largest number of labels; None continues until the hunt has nothing more to ask.
    points : int, default=20
        Number of points of each learning curve.
    random_state : int, default=0
        Seed of the rows that random labelling takes.
    on_label : callable, optional
        Called with the number of labels after each one.

    Returns
    -------
    Simulation
        With the hunt, learning curves and predictions.

    Examples
    --------
    >>> from rarebit.datasets import load_rare_digits
    >>> from rarebit.active import simulate
    >>> pool = load_rare_digits(random_state=0)
    >>> tried = simulate(*pool, max_labels=60, points=4)
    >>> len(tried.queried), list(tried.predicted)
    (60, ['rarebit', 'random', 'all'])
    """
    labels = np.asarray(y)
    started = (Hunt() if hunt is None else clone(hunt)).start(X)
    while not started.done and (max_labels is None or len(started.labels_) < max_labels):
        rows = started.ask()
        if rows.size == 0:
            break
        started.tell(rows, labels[rows])
        if on_label is not None:
            on_label(len(started.labels_))
    asked = list(started.labels_)
    every = np.arange(len(labels))
    drawn = random_rows(every, len(asked), random_state)
    machine = _machine_of(started)
    classes, counts = np.unique(labels, return_counts=True)
    curves = curves_beside_random(
        started, X, labels, every, X_test, y_test, points=points, random_state=random_state
    )
    predicted = {
        name: _predict(machine, X, labels, rows, X_test)
        for name, rows in (("rarebit", asked), ("random", drawn), ("all", slice(None)))
    }
    return Simulation(
        hunt=started,
        n_rows=len(labels),
        classes=classes.tolist(),
        # The first of k rows among n, in random order, stands on average at (n + 1) / (k + 1).
        at_random={
            name: (len(labels) + 1) / (count + 1)
            for name, count in zip(classes.tolist(), counts.tolist(), strict=True)
        },
        curves={name: tables[0] for name, tables in curves.items()},
        predicted=predicted,
    )


def curves_beside_random(
    hunt: Hunt,
    X: Any,
    y: ArrayLike,
    pool: ArrayLike,
    X_test: Any,
    y_test: ArrayLike,
    *,
    points: int = 20,
    repeats: int = 1,
    random_state: int = 0,
) -> dict[str, list[ColumnTable]]:
    """Measure the labels of a hunt, and as many random ones, on test rows.

    Parameters
    ----------
    hunt : Hunt
        As it ended.
    X, y : array-like
        Rows that the hunt was started on, and their labels; those of ``pool`` are read.
    pool : array-like of int
        Rows that random labelling may take.
    X_test, y_test : array-like
        Rows to measure on.
    points : int, default=20
        Points of the curves.
    repeats : int, default=1
        Number of random draws.
    random_state : int, default=0
        Seed of the first draw; the following draws have the following seeds.

    Returns
    -------
    dict of str to list of ColumnTable
        One learning curve of ``"rarebit"``, and the repeats of ``"random"``: g-mean of all classes
        of the pool.
    """
    labels, rows = np.asarray(y), np.asarray(pool)
    asked = list(hunt.labels_)
    machine = _machine_of(hunt)
    metric = _over(np.unique(np.concatenate([labels[rows], np.asarray(y_test)])))

    def measured(chosen: Any) -> ColumnTable:
        return learning_curve(
            machine, X, labels, chosen, X_test, y_test, points=points, metric=metric
        )

    draws = (random_rows(rows, len(asked), random_state + n) for n in range(repeats))
    return {"rarebit": [measured(asked)], "random": [measured(drawn) for drawn in draws]}


def random_rows(rows: NDArray[Any], n: int, random_state: int) -> NDArray[Any]:
    """Draw rows for random labelling."""
    return np.random.default_rng(random_state).permutation(rows)[:n]


def _machine_of(hunt: Hunt) -> Any:
    """A classifier with the parameters of the hunt's learner, not fitted."""
    learner: Any = hunt.learner_
    own, wanted = learner.get_params(deep=False), KernelSVC().get_params(deep=False)
    if wanted.keys() <= own.keys():
        return KernelSVC(**{name: own[name] for name in wanted})
    return clone(hunt.classifier_)


def _over(classes: NDArray[Any]) -> Callable[[NDArray[Any], NDArray[Any]], float]:
    return lambda true, guess: g_mean_score(true, guess, labels=classes)


def _predict(machine: Any, X: Any, y: NDArray[Any], rows: Any, X_test: Any) -> NDArray[Any]:
    known = y[rows]
    if len(np.unique(known)) < 2:  # nothing to tell apart: the one class that is known
        return np.full(X_test.shape[0], known[0])
    chosen = X if isinstance(rows, slice) else take_rows(X, np.asarray(rows))
    return np.asarray(clone(machine).fit(chosen, known).predict(X_test))
