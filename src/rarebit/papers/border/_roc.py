"""Figure 7: ROC curves of AL, of random rows as many, and of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score, roc_curve

from rarebit.papers._drawing import new_figure, save_figure
from rarebit.papers._plan import Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.border._methods import shared_problem, train
from rarebit.papers.border._published import PUBLISHED
from rarebit.papers.border._table1 import with_spread
from rarebit.papers.border._table3 import quick_note
from rarebit.papers.border._tasks import PoolExperiment
from rarebit.svm import KernelSVC

TASKS = ("reuters-interest", "adult", "satimage-4")
QUICK_ROWS = 1000
METHODS = {"al": "AL", "rs": "RS, as many labels", "batch": "RS, all labels"}
COLORS = {"al": "#0b62a4", "rs": "0.45", "batch": "#d1690e"}
STYLES = {"al": "-", "rs": "-.", "batch": "--"}
# Where curves are measured; they bend near the left end.
RATES = np.round(np.concatenate([np.arange(0.0, 0.1, 0.005), np.arange(0.1, 1.01, 0.05)]), 3)
# AUC of AL, RS at the same labels and all labels on adult, from the text of the paper.
PUBLISHED_ADULT = {"al": 89.80, "rs": 87.25, "batch": 89.10}


def experiments(scale: Scale) -> Iterator[PoolExperiment]:
    """Yield AL and random rows for each seed, and all rows once."""
    rows = QUICK_ROWS if scale.quick else None
    for task in TASKS:
        for seed in range(scale.seeds):
            yield PoolExperiment(task, "al", seed, rows)
            yield PoolExperiment(task, "rs", seed, rows)
        yield PoolExperiment(task, "batch", 0, rows)


def run(experiment: PoolExperiment) -> list[Row]:
    """Score all test rows and measure the curve."""
    problem = shared_problem(experiment)
    X, y = problem.X, problem.y
    asked = np.arange(len(y))
    if experiment.method == "batch":
        machine: Any = KernelSVC(C=problem.C, gamma=problem.gamma).fit(X, y)
    else:
        al = PoolExperiment(experiment.task, "al", experiment.seed, experiment.rows)
        machine = train(al).machine
        asked = machine.queried_
    if experiment.method == "rs":
        asked = np.random.default_rng(experiment.seed).choice(len(y), len(asked), replace=False)
        if len(np.unique(y[asked])) == 2:
            machine = KernelSVC(C=problem.C, gamma=problem.gamma).fit(X[asked], y[asked])
        else:
            machine = None
    values = machine.decision_function(problem.X_test) if machine else np.zeros(len(problem.y_test))
    hits = hit_rates(problem.y_test, values)
    auc = 100.0 * float(roc_auc_score(problem.y_test, values))
    return [
        {"n_rows": len(y), "n_labels": len(asked), "auc": auc, "alarms": float(x), "hits": float(h)}
        for x, h in zip(RATES, hits, strict=True)
    ]


def hit_rates(y: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of positives found at each share of false alarms in `RATES`."""
    alarms, hits, _ = roc_curve(y, values, drop_intermediate=False)
    # At one share of false alarms the curve may rise: its upper end is what can be had.
    last = np.append(alarms[1:] != alarms[:-1], True)
    return np.asarray(np.interp(RATES, alarms[last], hits[last]))


def tables(results: Results) -> list[ResultTable]:
    """Tabulate labels and AUC."""
    lines = []
    whole = Results([row for row in results if row["alarms"] == 0.0])
    for task in whole.different("task"):
        rows = {method: whole.only(task=task, method=method) for method in METHODS}
        if not all(len(part) for part in rows.values()):
            continue
        paper = PUBLISHED_ADULT if task == "adult" else _published_auc(task)
        labels = mean_over_seeds(100.0 * rows["al"]["n_labels"] / rows["al"]["n_rows"])
        gap = mean_over_seeds(rows["al"]["auc"] - rows["rs"]["auc"])
        cells = []
        for method in METHODS:
            auc = mean_over_seeds(rows[method]["auc"])
            published = f"{paper[method]:.2f}" if method in paper else ""
            cells += [with_spread(auc.mean, auc.spread), published]
        lines.append(
            [
                task,
                with_spread(labels.mean, labels.spread),
                *cells,
                f"{gap.mean:+.2f} ({gap.low:+.2f} to {gap.high:+.2f})",
            ]
        )
    columns = ["set", "labels of AL, % of rows"]
    columns += [cell for name in METHODS.values() for cell in (f"AUC, {name}", "paper's")]
    columns += ["AL − RS as many"]
    notes = [
        f"In percent, mean ± standard deviation over {len(results.different('seed'))} seeds; in "
        "brackets the 95 % interval. All labels is one machine, KernelSVC.",
    ]
    return [ResultTable("AUC (Figure 7)", columns, lines, notes + quick_note(results))]


def _published_auc(task: str) -> dict[str, float]:
    return {"al": PUBLISHED[task].auc_al, "batch": PUBLISHED[task].auc_batch}


def draw(results: Results, path: Path) -> None:
    """Draw one panel per task."""
    tasks = results.different("task")
    figure, axes = new_figure(1, len(tasks))
    for ax, task in zip(axes[0], tasks, strict=True):
        for method, name in METHODS.items():
            rows = results.only(task=task, method=method)
            samples = rows.curve("alarms", "hits")
            if not samples:
                continue
            mean = np.array([sample.mean() for sample in samples.values()])
            ax.plot(list(samples), mean, STYLES[method], color=COLORS[method], label=name, lw=1.6)
        # Curves differ near the left end, which a square root stretches.
        ax.set_xscale("function", functions=(np.sqrt, np.square))
        ticks = (0, 0.02, 0.1, 0.25, 0.5, 1)
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()
        ax.set_xlim(0, 1)
        ax.set_xlabel("share of false alarms")
        ax.set_ylabel("share of positives found")
        ax.set_title(task, fontsize=9.5)
    axes[0, 0].legend(fontsize=8, loc="lower right")
    title = f"Figure 7: ROC curves, mean of {len(results.different('seed'))} runs"
    save_figure(figure, path, title)


PLAN = Plan(
    name="border.figure7",
    title="Figure 7: ROC curves of AL, of as many random rows, and of all rows",
    experiment=PoolExperiment,
    measures=("n_rows", "n_labels", "auc", "alarms", "hits"),
    experiments=experiments,
    run=run,
    tables=tables,
    draw=draw,
)
