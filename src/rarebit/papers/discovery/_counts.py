"""Synthetic sets 1 and 2 and Table 1: labels until all rare classes are met."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rarebit.papers._drawing import count_labels_on_x, new_figure, save_figure
from rarebit.papers._folds import Floats, finished_everywhere
from rarebit.papers._plan import Experiment, Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.discovery._published import NOT_TO_BE_HAD, PUBLISHED
from rarebit.papers.discovery._random_row import random_row_table
from rarebit.papers.discovery._runs import (
    EXPLORERS,
    POOLS,
    SHUFFLED,
    explore,
    majority_class,
    make_explorer,
    shuffled_rows,
)

MEASURES = ("n_found", "rare_class", "row", "n_labels")
DRAWS, QUICK_DRAWS = 20, 3
KNOWS = {
    "Alice": "the sizes of the rare classes",
    "Malice": "the sizes of the rare classes",
    SHUFFLED: "the sizes of the rare classes",
    "Interleave": "the number of classes",
    "random": "nothing",
    "Scout": "nothing",
}


def experiments(task: str) -> Callable[[Scale], Iterator[Experiment]]:
    """Return what yields every explorer on every draw of a pool."""

    def make(scale: Scale) -> Iterator[Experiment]:
        for seed in range(scale.seeds):
            for method in EXPLORERS:
                yield Experiment(task, method, seed)

    return make


def run(experiment: Experiment) -> list[Row]:
    """Explore one draw; a row tells when a rare class was met, and in which row of the pool."""
    X, y = POOLS[experiment.task](experiment.seed)
    order = np.arange(len(y))
    if experiment.method == SHUFFLED:
        order = shuffled_rows(len(y), experiment.seed)
    found = explore(X[order], y[order], make_explorer(experiment.method, y, experiment.seed))
    common = majority_class(y)
    met = sorted((n, name) for name, n in found.discovered.items() if name != common)
    rows: list[Row] = [
        {
            "n_found": k,
            "rare_class": name,
            "row": int(order[found.queries[spent - 1]]),
            "n_labels": spent,
        }
        for k, (spent, name) in enumerate(met, 1)
    ]
    # What an explorer that believes itself done has not met costs the whole pool.
    n_rare = len(np.unique(y)) - 1
    rows += [{"n_found": k, "n_labels": len(y)} for k in range(len(met) + 1, n_rare + 1)]
    return rows


def labels_of(results: Results, method: str, n_found: int) -> Floats:
    """Return the labels until the k-th rare class, one number a draw."""
    return np.asarray(results.only(method=method, n_found=n_found)["n_labels"])


def whole_draws(results: Results) -> Results:
    """Rows of the draws that every explorer has finished; all rows if there is no such draw."""
    whole = finished_everywhere(results, EXPLORERS, "seed")
    return whole if len(whole) else results


def tables(results: Results) -> list[ResultTable]:
    """Show labels until each rare class, and how sure the last number is."""
    results = whole_draws(results)
    task = results[0]["task"]
    published = PUBLISHED[task]
    counts = sorted(results.different("n_found"))
    explorers = [name for name in EXPLORERS if len(results.only(method=name))]
    lines = []
    for name in explorers:
        cells = []
        for k in counts:
            lower, median, upper = np.percentile(labels_of(results, name, k), (25, 50, 75))
            cells.append(f"{median:.1f} ({lower:.1f}–{upper:.1f})")
        lines.append([name, *cells])
        if name in published and name != "Malice":
            known = [str(n) for n in published[name]]
            lines.append(["paper", *[""] * (len(counts) - len(known)), *known])
        # Both editions of Malice stand above the paper's one run.
        if name == SHUFFLED or (name == "Malice" and SHUFFLED not in explorers):
            known = [str(n) for n in published["Malice"]]
            lines.append(["paper, MALICE", *[""] * (len(counts) - len(known)), *known])
    seeds = len(results.different("seed"))
    first = ResultTable(
        f"{task}: labels until the k-th rare class, median and quartiles of {seeds} draws",
        ["explorer", *(f"k = {k}" for k in counts)],
        lines,
    )
    lines = []
    for name in explorers:
        last = labels_of(results, name, counts[-1])
        mean = mean_over_seeds(last)
        paper = published.get("Malice" if name == SHUFFLED else name, (None,))[-1]
        # The paper's MALICE is one run, the others are means.
        typical = float(np.median(last)) if name in ("Malice", SHUFFLED) else mean.mean
        lines.append(
            [
                name,
                KNOWS[name],
                f"{mean.mean:.1f}",
                mean._replace(low=max(mean.low, 1.0)).interval(1),
                f"{np.median(last):.1f}",
                f"{last.min():.0f}–{last.max():.0f}",
                "" if paper is None else str(paper),
                "" if paper is None else f"{typical - paper:+.1f}",
                f"{int((last <= min(n[-1] for n in published.values())).sum())} of {len(last)}",
            ]
        )
    columns = [
        "explorer", "knows", "mean", "95 % interval", "median", "range", "paper", "ours − paper",
        "draws within the paper's MALICE",
    ]  # fmt: skip
    notes = [
        "The pool is drawn anew for each seed. The paper shows one run of MALICE on one draw, and "
        "means of ten runs of the others: *ours* is the median of Malice and the mean of others. "
        "Alice and Scout are not in its tables. Rows that score alike are asked for in the "
        "order of the file.",
    ]
    if SHUFFLED in explorers:
        notes.append(f"In *{SHUFFLED}* the order of the file is random, anew for each draw.")
    if task == "shuttle-4515":
        notes.append(NOT_TO_BE_HAD)
    second = ResultTable(f"{task}: labels until all rare classes are met", columns, lines, notes)
    return [first, second, random_row_table()] if task == "shuttle-4515" else [first, second]


def draw(results: Results, path: Path) -> None:
    """Draw labels against rare classes met; of the sets in the plane also where Malice asked."""
    results = whole_draws(results)
    task = results[0]["task"]
    plane = task.startswith("synthetic")
    figure, axes = new_figure(1, 1 + plane)
    ax = axes[0, -1]
    for number, name in enumerate(EXPLORERS):
        samples = results.only(method=name).curve("n_found", "n_labels")
        if not samples:
            continue
        k = np.array(list(samples))
        lower, median, upper = (
            np.array([np.percentile(sample, q) for sample in samples.values()])
            for q in (25, 50, 75)
        )
        place = k + 0.06 * (number - 2)
        ax.errorbar(
            median, place, xerr=np.stack([median - lower, upper - median]), fmt="o-", markersize=4,
            linewidth=1.2, color=f"C{number}", label=name,
        )  # fmt: skip
        paper = PUBLISHED[task].get(name, ())
        ax.plot(paper, place[len(k) - len(paper) :], "x", color=f"C{number}", markersize=7)
    count_labels_on_x(ax)
    ax.set_ylabel("rare classes met")
    ax.set_yticks(sorted(results.different("n_found")))
    ax.legend(fontsize=8, title="crosses: paper", title_fontsize=8)
    if plane:
        _draw_plane(axes[0, 0], results, task)
    seeds = len(results.different("seed"))
    save_figure(figure, path, f"{task}: median and quartiles of {seeds} draws")


def _draw_plane(ax: Any, results: Results, task: str) -> None:
    """Draw the first draw of a set and the rows in which Malice met its rare classes."""
    seed = results[0]["seed"]
    X, y = POOLS[task](seed)
    common = majority_class(y)
    ax.plot(*X[y == common].T, ".", color="0.75", markersize=2)
    ax.plot(*X[y != common].T, ".", color="C3", markersize=3)
    met = results.only(method="Malice", seed=seed)
    rows = [int(row) for row in met["row"] if not np.isnan(row)] if len(met) else []
    ax.plot(*X[rows].T, "kx", markersize=9, markeredgewidth=2)
    ax.set_title(f"draw {seed}: rare classes red, where Malice met them crossed", fontsize=8.5)


def _plan(name: str, task: str, title: str) -> Plan:
    return Plan(
        name=f"discovery.{name}",
        title=title,
        experiment=Experiment,
        measures=MEASURES,
        experiments=experiments(task),
        run=run,
        tables=tables,
        draw=draw,
        seeds=DRAWS,
        quick_seeds=QUICK_DRAWS,
    )


PLANS = (
    _plan("synthetic1", "synthetic-1", "Synthetic set 1: labels until its rare class is met"),
    _plan("synthetic2", "synthetic-2", "Synthetic set 2: labels until its four rare classes are"),
    _plan(
        "table1", "shuttle-4515", "Table 1: labels until the six rare classes of Shuttle are met"
    ),
)
