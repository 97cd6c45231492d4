"""Learning curves: what machines score that learned the first k labels of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rarebit.active import BorderSVC
from rarebit.papers._plan import Scale
from rarebit.papers._rows import Row
from rarebit.papers._tasks import thin_rows
from rarebit.papers.border._scores import SCORES, score_blindness, score_machine
from rarebit.papers.border._tasks import (
    CURVE_TEST_ROWS,
    PoolExperiment,
    Problem,
    make_problem,
)
from rarebit.svm import KernelSVC

MEASURES = ("n_rows", "n_labels", *SCORES)
POINTS, FIRST = 25, 10
QUICK_POINTS, QUICK_ROWS = 8, 600

# Searches as the paper calls them. "auto" is where BorderSVC stops by itself, "support" and
# "margin" where the paper's two rules stop, and "batch" the machine that learned all labels.
NAMES = {
    "pool": "AL(random pool)",
    "full": "AL(full search)",
    "random": "RS",
    "auto": 'stop="auto"',
    "support": 'stop="support"',
    "margin": 'stop="margin"',
    "batch": "all labels",
}
ONE_POINT = ("auto", "support", "margin", "batch")


@dataclass(frozen=True)
class CurveExperiment(PoolExperiment):
    """One curve: labels up to ``last``, at ``points`` counts in geometric steps."""

    last: int | None = None
    points: int = POINTS


@dataclass(frozen=True)
class Panel:
    """What a figure shows of one task: rows of the pool and labels at the end, None for all."""

    rows: int | None = None
    last: int | None = None
    ratios: tuple[float | None, ...] = (None,)


def plan_curves(
    panels: Mapping[str, Panel], methods: Sequence[str], scale: Scale
) -> Iterator[CurveExperiment]:
    """Yield the curves of a figure, those of one task together."""
    for task, panel in panels.items():
        rows = QUICK_ROWS if scale.quick else panel.rows
        points = QUICK_POINTS if scale.quick else POINTS
        for ratio in panel.ratios:
            for seed in range(scale.seeds):
                for method in methods:
                    end = (None, 1) if method in ONE_POINT else (panel.last, points)
                    yield CurveExperiment(task, method, seed, rows, ratio, *end)


def label_counts(last: int, points: int) -> list[int]:
    """Return numbers of labels in geometric steps, each once."""
    first = min(FIRST, last)
    return [int(n) for n in np.unique(np.rint(np.geomspace(first, last, points)).astype(int))]


def run(experiment: CurveExperiment) -> list[Row]:
    """Measure the curve of an experiment, or its one point, on test rows."""
    problem = make_problem(experiment)
    # The same test rows for all seeds: the spread is that of the search and its pool.
    X_test, y_test = thin_rows(problem.X_test, problem.y_test, CURVE_TEST_ROWS, 0)

    def score(machine: KernelSVC | None) -> Row:
        if machine is None:
            return score_blindness(y_test)
        return score_machine(machine, X_test, y_test)

    return measure(problem, experiment, score)


def measure(
    problem: Problem, experiment: CurveExperiment, score: Callable[[KernelSVC | None], Row]
) -> list[Row]:
    """Search once, then solve exactly for the first k rows asked for, for each k.

    Parameters
    ----------
    problem : Problem
        The rows.
    experiment : CurveExperiment
        A search to follow, a stop rule whose point is sought, or ``"batch"``.
    score : callable
        Scores a machine; None is the machine that has met one class only.
    """
    X, y, n = problem.X, problem.y, len(problem.y)
    machine = KernelSVC(C=problem.C, gamma=problem.gamma)
    if experiment.method == "batch":
        return [{"n_rows": n, "n_labels": n, **score(machine.fit(X, y))}]
    search = BorderSVC(C=problem.C, gamma=problem.gamma, random_state=experiment.seed)
    if experiment.method != "auto":
        search.set_params(explore=0.0)  # as the paper searches
    if experiment.method in ONE_POINT:
        search.set_params(stop=experiment.method).fit(X, y)
        return [{"n_rows": n, "n_labels": search.n_labels_, **score(search)}]
    last = min(experiment.last or n, n)
    search.set_params(search=experiment.method, stop=None, max_labels=last).fit(X, y)
    rows = []
    for k in label_counts(last, experiment.points):
        asked = search.queried_[:k]
        one_class = len(np.unique(y[asked])) < 2
        scores = score(None if one_class else machine.fit(X[asked], y[asked]))
        rows.append({"n_rows": n, "n_labels": k, **scores})
    return rows
