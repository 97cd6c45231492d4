"""Figure 3 as a measurement: imbalance inside the margin against that of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rarebit.papers._drawing import new_figure, save_figure
from rarebit.papers._plan import Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.border._methods import shared_problem, train
from rarebit.papers.border._table1 import with_spread
from rarebit.papers.border._table3 import TASKS as TABLE_TASKS
from rarebit.papers.border._table3 import quick_note
from rarebit.papers.border._tasks import PoolExperiment
from rarebit.svm import KernelSVC

TASKS = ("waveform", *TABLE_TASKS, "adult")
QUICK_ROWS = 1000
# Free support vectors lie on the edge of the margin up to the tolerance of the solver: inside.
EDGE = 1.001
BINS: tuple[float, ...] = (
    -np.inf, -3, -2.5, -2, -1.5, -EDGE, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, EDGE, 1.5, 2, 2.5,
    3, np.inf,
)  # fmt: skip
COARSE_BINS = (-np.inf, -EDGE, EDGE, np.inf)
SHOWN = ("satimage-4", "reuters-grain", "waveform")


def experiments(scale: Scale) -> Iterator[PoolExperiment]:
    """Yield the machine of all labels once, and that of active learning for each seed."""
    rows = QUICK_ROWS if scale.quick else None
    for task in TASKS:
        yield PoolExperiment(task, "batch", 0, rows)
        for seed in range(scale.seeds):
            yield PoolExperiment(task, "al", seed, rows)


def run(experiment: PoolExperiment) -> list[Row]:
    """Count the training rows of each class by their decision value."""
    problem = shared_problem(experiment)
    if experiment.method == "batch":
        machine: Any = KernelSVC(C=problem.C, gamma=problem.gamma).fit(problem.X, problem.y)
        bins, asked = BINS, problem.y
    else:
        machine = train(experiment).machine
        bins, asked = COARSE_BINS, problem.y[machine.queried_]
    values = machine.decision_function(problem.X)
    counts = [np.histogram(values[problem.y == label], bins)[0] for label in (0, 1)]
    whole = {
        "asked_majority": int((asked == 0).sum()),
        "asked_minority": int((asked == 1).sum()),
        "support_majority": int(machine.n_support_[0]),
        "support_minority": int(machine.n_support_[1]),
    }
    return [
        {"low": low, "high": high, "majority": int(a), "minority": int(b), **whole}
        for low, high, a, b in zip(bins[:-1], bins[1:], *counts, strict=True)
    ]


def imbalance(results: Results, part: str = "") -> np.ndarray[Any, Any]:
    """Return rows of the majority for one of the minority, one figure per run.

    ``part`` is ``"inside"`` for rows inside the margin, ``"asked"`` and ``"support"`` for rows
    labelled and support vectors, and empty for all rows.
    """
    ratios = []
    for seed in results.different("seed"):
        bins = results.only(seed=seed)
        if part in ("asked", "support"):
            ratios.append(bins[0][f"{part}_majority"] / max(bins[0][f"{part}_minority"], 1))
            continue
        kept = [row for row in bins if not part or (row["low"] >= -EDGE and row["high"] <= EDGE)]
        majority, minority = (sum(row[name] for row in kept) for name in ("majority", "minority"))
        ratios.append(majority / max(minority, 1))
    return np.array(ratios, dtype=np.float64)


def share_inside(results: Results) -> float:
    """Return the share of all rows that lie inside the margin, in percent."""
    inside = sum(
        row["majority"] + row["minority"]
        for row in results
        if row["low"] >= -EDGE and row["high"] <= EDGE
    )
    return float(100.0 * inside / (results["majority"] + results["minority"]).sum())


def tables(results: Results) -> list[ResultTable]:
    """Tabulate the imbalances of each task."""
    lines, lower = [], []
    for task in results.different("task"):
        batch, al = (results.only(task=task, method=method) for method in ("batch", "al"))
        if not len(batch) or not len(al):
            continue
        whole, inside = imbalance(batch)[0], imbalance(batch, "inside")[0]
        lower.append(inside < whole)
        measured = [mean_over_seeds(imbalance(al, part)) for part in ("asked", "inside", "support")]
        lines.append(
            [
                task,
                f"{whole:.2f}",
                f"{inside:.2f}",
                f"{whole / inside:.1f}",
                f"{share_inside(batch):.1f}",
                *(with_spread(mean.mean, mean.spread) for mean in measured),
            ]
        )
    columns = [
        "set", "all rows", "inside the margin", "times lower", "% of rows inside",
        "asked for by AL", "inside AL's margin", "support vectors of AL",
    ]  # fmt: skip
    notes = [
        "Rows of the majority for one of the minority, among training rows. The margin of columns "
        "3 to 5 is that of KernelSVC with all labels; AL is BorderSVC(stop='auto'), mean ± "
        f"standard deviation over {len(results.only(method='al').different('seed'))} seeds.",
        f"Inside is |f| ≤ {EDGE}: the edge up to the solver's tolerance. It is less imbalanced "
        f"there than among all rows on {sum(lower)} of {len(lower)} sets.",
    ]
    return [ResultTable("Imbalance (Figure 3)", columns, lines, notes + quick_note(results))]


def draw(results: Results, path: Path) -> None:
    """Draw imbalances of all sets, and for a few how classes lie across the margin."""
    tasks = [
        task for task in results.different("task") if len(results.only(task=task, method="al"))
    ]
    shown = [task for task in SHOWN if task in tasks]
    figure, axes = new_figure(
        1, 1 + len(shown), gridspec_kw={"width_ratios": [1.5, *[1] * len(shown)]}
    )
    _draw_imbalances(axes[0, 0], results, tasks)
    for ax, task in zip(axes[0, 1:], shown, strict=True):
        _draw_classes(ax, results.only(task=task, method="batch"))
        ax.set_title(task, fontsize=9.5)
    title = "Figure 3, measured: rows inside the margin are less imbalanced than all rows"
    save_figure(figure, path, title)


def _draw_imbalances(ax: Any, results: Results, tasks: list[str]) -> None:
    marks = (
        ("all rows", "batch", "", "o", "0.45"),
        ("inside the margin", "batch", "inside", "o", "#0b62a4"),
        ("asked for by AL", "al", "asked", "D", "#b5172f"),
    )
    for label, method, part, marker, color in marks:
        values = [imbalance(results.only(task=task, method=method), part).mean() for task in tasks]
        ax.plot(values, range(len(tasks)), marker, color=color, label=label, markersize=5)
    ax.set_yticks(range(len(tasks)), tasks, fontsize=7.5)
    ax.invert_yaxis()
    ax.set_xscale("log")
    ticks = (0.5, 1, 2, 5, 10, 20, 40)
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_xlabel("majority rows for one of the minority")
    ax.legend(fontsize=8)


def _draw_classes(ax: Any, batch: Results) -> None:
    low, high = batch["low"].clip(-3.5, 3.5), batch["high"].clip(-3.5, 3.5)
    ax.axvspan(-1, 1, color="0.9", zorder=0)
    for name, color in (("majority", "0.45"), ("minority", "#b5172f")):
        # By width, because bins differ; the outermost hold all that is beyond them.
        density = np.maximum(batch[name] / (high - low), 0.5)
        ax.stairs(density, [*low, high[-1]], color=color, label=name, linewidth=1.6, baseline=0.5)
    ax.set_yscale("log")
    ax.set_xlabel("decision value f")
    ax.set_ylabel("rows for one unit of f")
    ax.legend(fontsize=8, title="margin shaded", title_fontsize=8)


PLAN = Plan(
    name="border.figure3",
    title="Figure 3: imbalance inside the margin against that of all rows, measured",
    experiment=PoolExperiment,
    measures=(
        "low", "high", "majority", "minority", "asked_majority", "asked_minority",
        "support_majority", "support_minority",
    ),
    experiments=experiments,
    run=run,
    tables=tables,
    draw=draw,
)  # fmt: skip
