"""Figures 2 and 9: scores against labels for the pool, full and random searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rarebit.metrics import label_efficiency
from rarebit.papers._drawing import (
    count_labels_on_x,
    draw_band,
    frame_upper_part,
    new_figure,
    save_figure,
)
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

SEARCHES = ("pool", "full", "random")
METHODS = (*SEARCHES, "auto", "batch")
COLORS = {"pool": "#0b62a4", "full": "#d1690e", "random": "0.45", "auto": "#0b62a4"}
STYLES = {"pool": "-", "full": "--", "random": "-."}
SCORE_NAMES = {"g_mean": "g-mean", "prbep": "PRBEP"}
# A curve has arrived where it is this close to the machine that learned all labels, in points.
CLOSE = 0.5

FIGURE_2 = {
    "reuters-grain": Panel(rows=4000, last=1200),
    "reuters-ship": Panel(rows=4000, last=1200),
    "usps-0": Panel(last=1200),
}
FIGURE_9 = {
    "reuters-crude": Panel(rows=4000, last=1200),
    "letter-A": Panel(last=3000),
    "satimage-4": Panel(),
    "adult": Panel(rows=4000),
}


def draw(metrics: tuple[str, ...], name: str) -> Callable[[Results, Path], None]:
    """Return what draws one row of panels for each metric, or a block of them for one metric."""

    def draw_all(results: Results, path: Path) -> None:
        tasks = results.different("task")
        panels = [(metric, task) for metric in metrics for task in tasks]
        n_columns = len(tasks) if len(metrics) > 1 else min(len(tasks), 2)
        figure, axes = new_figure(-(-len(panels) // n_columns), n_columns)
        for ax, (metric, task) in zip(axes.flat, panels, strict=False):
            of_task = results.only(task=task)
            draw_panel(ax, of_task, metric)
            ax.set_ylabel(f"{SCORE_NAMES[metric]}, %")
            if metric == metrics[0]:
                ax.set_title(title_of(of_task), fontsize=9.5)
        for ax in axes.flat[len(panels) :]:
            ax.remove()
        axes[0, 0].legend(fontsize=8, loc="lower right")
        save_figure(figure, path, f"{name}: {seeds_of(results)} runs, mean and standard deviation")

    return draw_all


def draw_panel(axes: Any, results: Results, metric: str) -> None:
    """Draw the curves of one task, the level of all labels, and where we stop."""
    for method in SEARCHES:
        curve = results.only(method=method)
        if len(curve):
            draw_band(
                axes, curve, metric, label=NAMES[method], color=COLORS[method], style=STYLES[method]
            )
    _mark_levels(axes, results, metric)
    frame_upper_part(axes, results, metric)
    count_labels_on_x(axes)


def _mark_levels(axes: Any, results: Results, metric: str) -> None:
    batch, stops = results.only(method="batch"), results.only(method="auto")
    if len(batch):
        level = float(batch[metric].mean())
        axes.axhline(level, color="black", linewidth=0.9, linestyle=":", label=NAMES["batch"])
    if len(stops):
        axes.errorbar(
            float(stops["n_labels"].mean()),
            float(stops[metric].mean()),
            xerr=float(stops["n_labels"].std()),
            yerr=float(stops[metric].std()),
            fmt="D",
            markersize=5,
            color="#b5172f",
            capsize=2,
            zorder=5,
            label=NAMES["auto"],
        )


def title_of(results: Results) -> str:
    """Name a task, and say if its pool is a part of the training rows."""
    task, rows = results[0]["task"], results[0]["rows"]
    return f"{task}, {rows:,} random training rows" if rows else f"{task}"


def seeds_of(results: Results) -> int:
    """Count the runs."""
    return len(results.different("seed"))


def mean_curve(results: Results, metric: str) -> tuple[list[int], list[float]]:
    """Return label counts and the mean over seeds at each."""
    samples = results.curve("n_labels", metric)
    return list(samples), [float(sample.mean()) for sample in samples.values()]


def tables(results: Results) -> list[ResultTable]:
    """Say for each task how many labels bring a search close to the machine of all labels."""
    lines = []
    for task in results.different("task"):
        of_task = results.only(task=task)
        batch, stops = of_task.only(method="batch"), of_task.only(method="auto")
        if not len(batch) or not len(stops):
            continue
        level = float(batch["g_mean"].mean())
        cells = [_labels_to(of_task.only(method=search), level - CLOSE) for search in SEARCHES]
        lines.append(
            [
                task,
                f"{batch['n_rows'].mean():,.0f}",
                f"{level:.2f}",
                *cells,
                f"{stops['n_labels'].mean():,.0f}",
                f"{stops['g_mean'].mean():.2f}",
            ]
        )
    columns = [
        "set",
        "rows",
        "g-mean, all labels",
        *(f"labels, {NAMES[search]}" for search in SEARCHES),
        f"labels, {NAMES['auto']}",
        "its g-mean",
    ]
    note = (
        f"Labels after which the mean curve stays within {CLOSE} points of the g-mean with all "
        "labels, at the measured counts; > when it does not within the curve."
    )
    return [ResultTable("Labels that each search takes", columns, lines, [note])]


def _labels_to(curve: Results, target: float) -> str:
    if not len(curve):
        return ""
    counts, means = mean_curve(curve, "g_mean")
    reached = label_efficiency(counts, means, target, stay=True)
    return f"> {counts[-1]:,}" if reached is None else f"{reached:,}"


def _experiments(panels: Mapping[str, Panel]) -> Callable[[Scale], Iterator[CurveExperiment]]:
    return lambda scale: plan_curves(panels, METHODS, scale)


PLANS = (
    Plan(
        name="border.figure2",
        title="Figure 2: PRBEP and g-mean against labels for AL(full), AL(pool) and RS",
        experiment=CurveExperiment,
        measures=MEASURES,
        experiments=_experiments(FIGURE_2),
        run=run,
        tables=tables,
        draw=draw(("prbep", "g_mean"), "Figure 2"),
    ),
    Plan(
        name="border.figure9",
        title="Figure 9: g-mean against labels, and where BorderSVC stops by itself",
        experiment=CurveExperiment,
        measures=MEASURES,
        experiments=_experiments(FIGURE_9),
        run=run,
        tables=tables,
        draw=draw(("g_mean",), "Figure 9"),
    ),
)
