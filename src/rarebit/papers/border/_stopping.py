"""Figure 4: support vectors and g-mean against labels in three folds, and where rules stop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from rarebit.metrics import g_mean_score
from rarebit.papers._drawing import new_figure, save_figure
from rarebit.papers._plan import Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.border._curves import (
    NAMES,
    ONE_POINT,
    POINTS,
    QUICK_POINTS,
    CurveExperiment,
    measure,
)
from rarebit.papers.border._table1 import with_spread
from rarebit.papers.border._tasks import PoolExperiment, make_problem
from rarebit.svm import KernelSVC

FOLDS = 3
# The paper's CiteSeer category is not to be had: a text category and the set with most overlap.
TASKS = ("reuters-crude", "satimage-4")
RULES = ("support", "margin", "auto")
QUICK_ROWS = 900
COLORS = {"support": "#d1690e", "margin": "0.45", "auto": "#b5172f"}


def experiments(scale: Scale) -> Iterator[CurveExperiment]:
    """Yield, for each fold, the search over all its rows, each stop rule, and all labels."""
    rows = QUICK_ROWS if scale.quick else None
    points = QUICK_POINTS if scale.quick else POINTS
    for task in TASKS:
        for fold in range(min(scale.seeds, FOLDS)):
            for method in ("pool", *RULES, "batch"):
                n_points = 1 if method in ONE_POINT else points
                yield CurveExperiment(task, method, fold, rows, None, None, n_points)


def run(experiment: CurveExperiment) -> list[Row]:
    """Learn two thirds of the training rows and score the rest; test rows are not touched."""
    # The seed names the fold, and all folds are of the same rows.
    problem = make_problem(PoolExperiment(experiment.task, "batch", 0, experiment.rows))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    inner, outer = list(folds.split(problem.y.reshape(-1, 1), problem.y))[experiment.seed]
    X_out, y_out = problem.X[outer], problem.y[outer]

    def score(machine: KernelSVC | None) -> Row:
        if machine is None:
            return {"n_support": 0, "g_mean": 0.0}
        predicted = (machine.decision_function(X_out) > 0.0).astype(np.int64)
        g_mean = 100.0 * g_mean_score(y_out, predicted, labels=[0, 1])
        return {"n_support": int(sum(machine.n_support_)), "g_mean": g_mean}

    part = replace(problem, X=problem.X[inner], y=problem.y[inner])
    return measure(part, experiment, score)


def tables(results: Results) -> list[ResultTable]:
    """Tabulate where each rule stops in each fold, and what all labels give."""
    lines = []
    for task in results.different("task"):
        of_task = results.only(task=task)
        for method in (*RULES, "batch"):
            rows = of_task.only(method=method)
            if not len(rows):
                continue
            share = mean_over_seeds(100.0 * rows["n_labels"] / rows["n_rows"])
            g_mean = mean_over_seeds(rows["g_mean"])
            lines.append(
                [
                    f"{task}, {NAMES[method]}",
                    *(f"{row['n_labels']:,} / {row['n_support']:,}" for row in rows),
                    with_spread(share.mean, share.spread),
                    with_spread(g_mean.mean, g_mean.spread),
                ]
            )
    n_folds = max((len(line) for line in lines), default=4) - 3
    columns = [
        "set and rule",
        *(f"fold {fold + 1}: labels / support vectors" for fold in range(n_folds)),
        "labels, %",
        "g-mean",
    ]
    notes = [
        "Labels when the rule stops and support vectors of the machine then; g-mean on the third "
        "of the training rows that was held out, in percent, mean ± standard deviation over folds. "
        "The paper's rules search without exploration; stop='auto' explores.",
        "The paper's Figure 4 is of CiteSeer's COMM, which is not to be had.",
    ]
    lines = [line for line in lines if len(line) == len(columns)]
    return [ResultTable("Where stop rules stop in three folds (Figure 4)", columns, lines, notes)]


def draw(results: Results, path: Path) -> None:
    """Draw support vectors above and g-mean below, a column per fold."""
    tasks, folds = results.different("task"), results.different("seed")
    figure, axes = new_figure(2 * len(tasks), len(folds), sharex="row")
    for number, task in enumerate(tasks):
        for column, fold in enumerate(folds):
            of_fold = results.only(task=task, seed=fold)
            for row, (metric, name) in enumerate(
                (("n_support", "support vectors"), ("g_mean", "g-mean, %"))
            ):
                ax = axes[2 * number + row, column]
                _draw_fold(ax, of_fold, metric)
                if column == 0:
                    ax.set_ylabel(name)
                if row == 0:
                    ax.set_title(f"{task}, fold {fold + 1}", fontsize=9.5)
                else:
                    ax.set_xlabel("labels")
    axes[0, 0].legend(fontsize=8, loc="lower right")
    save_figure(figure, path, "Figure 4: three-fold cross-validation of training rows")


def _draw_fold(ax: Any, results: Results, metric: str) -> None:
    curve = results.only(method="pool")
    ax.plot(curve["n_labels"], curve[metric], "-", color="#0b62a4", label=NAMES["pool"])
    for rule in RULES:
        stop = results.only(method=rule)
        if len(stop):
            ax.axvline(
                stop[0]["n_labels"], color=COLORS[rule], linestyle="--", label=NAMES[rule], lw=1.2
            )
    ax.set_ylim(bottom=0 if metric == "n_support" else max(0.0, curve[metric].max() - 25.0))


PLAN = Plan(
    name="border.figure4",
    title="Figure 4: support vectors and g-mean in three folds, and where stop rules stop",
    experiment=CurveExperiment,
    measures=("n_rows", "n_labels", "n_support", "g_mean"),
    experiments=experiments,
    run=run,
    tables=tables,
    draw=draw,
    seeds=FOLDS,
    quick_seeds=2,
)
