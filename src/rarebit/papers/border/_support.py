"""Figure 8: support vectors of the majority for one of the minority, AL against RS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rarebit.papers._drawing import count_labels_on_x, draw_band, new_figure, save_figure
from rarebit.papers._plan import Plan, Scale
from rarebit.papers._rows import Results
from rarebit.papers._tables import ResultTable
from rarebit.papers.border._curves import (
    MEASURES,
    NAMES,
    CurveExperiment,
    Panel,
    plan_curves,
    run,
)
from rarebit.papers.border._published import PUBLISHED
from rarebit.papers.border._searches import COLORS, STYLES, mean_curve, seeds_of, title_of

METHODS = ("pool", "random", "batch")
FIGURE_8 = {"reuters-crude": Panel(rows=2000), "reuters-grain": Panel(rows=2000)}
SHARES = (0.05, 0.1, 0.25, 1.0)


def experiments(scale: Scale) -> Iterator[CurveExperiment]:
    """Yield the curves."""
    return plan_curves(FIGURE_8, METHODS, scale)


def draw(results: Results, path: Path) -> None:
    """Draw one panel per task."""
    tasks = results.different("task")
    figure, axes = new_figure(1, len(tasks))
    for ax, task in zip(axes[0], tasks, strict=True):
        of_task = results.only(task=task)
        for method in ("pool", "random"):
            draw_band(
                ax,
                of_task.only(method=method),
                "sv_ratio",
                label=NAMES[method],
                color=COLORS[method],
                style=STYLES[method],
            )
        level = float(of_task.only(method="batch")["sv_ratio"].mean())
        ax.axhline(level, color="black", linewidth=0.9, linestyle=":", label=NAMES["batch"])
        count_labels_on_x(ax)
        ax.set_ylim(bottom=0)
        ax.set_ylabel("SV− / SV+")
        ax.set_title(title_of(of_task), fontsize=9.5)
    axes[0, 0].legend(fontsize=8)
    title = f"Figure 8: {seeds_of(results)} runs, mean and standard deviation"
    save_figure(figure, path, title)


def tables(results: Results) -> list[ResultTable]:
    """Tabulate the ratio where a share of the pool is labelled."""
    lines = []
    for task in results.different("task"):
        of_task = results.only(task=task)
        n_rows = float(of_task["n_rows"].mean())
        cells = []
        for method in ("pool", "random"):
            counts, means = mean_curve(of_task.only(method=method), "sv_ratio")
            nearest = [
                int(np.argmin(np.abs(np.array(counts) - share * n_rows))) for share in SHARES
            ]
            cells += [f"{means[i]:.2f}" for i in nearest]
        batch = float(of_task.only(method="batch")["sv_ratio"].mean())
        lines.append([task, *cells, f"{batch:.2f}", f"{PUBLISHED[task].sv_ratio:.2f}"])
    columns = [
        "set",
        *(f"{name}, {share:.0%}" for name in ("AL", "RS") for share in SHARES),
        "all labels",
        "paper, all rows",
    ]
    note = "SV−/SV+ after labelling that share of the pool, mean over seeds."
    return [ResultTable("Support-vector ratio", columns, lines, [note])]


PLAN = Plan(
    name="border.figure8",
    title="Figure 8: support-vector ratio of AL and RS against labels",
    experiment=CurveExperiment,
    measures=MEASURES,
    experiments=experiments,
    run=run,
    tables=tables,
    draw=draw,
)
