"""Figures 5 and 6: how curves of AL and RS suffer when the minority is thinned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rarebit._extras import naming_extras
from rarebit.papers._drawing import (
    count_labels_on_x,
    draw_band,
    frame_upper_part,
    new_figure,
    save_figure,
)
from rarebit.papers._plan import Plan
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
from rarebit.papers.border._searches import SCORE_NAMES, mean_curve, seeds_of

METHODS = ("pool", "random")
# The thinnest waveform set has 3,400 rows or so: all curves end where each of them has labels.
FIGURE_5 = {"waveform": Panel(last=3000, ratios=(2, 4, 8, 16, 32))}
FIGURE_6 = {"adult": Panel(rows=4000, ratios=(3, 10, 20, 30))}
# Labels at which the table compares, as near as a curve has been measured.
SHOWN = (100, 300, 1000)


def draw(metric: str, name: str) -> Callable[[Results, Path], None]:
    """Return what draws AL beside RS, a curve for each ratio."""

    def draw_all(results: Results, path: Path) -> None:
        with naming_extras("Figures need", "papers"):
            from matplotlib import colormaps

        ratios = results.different("ratio")
        figure, axes = new_figure(1, len(METHODS), sharey=True)
        for ax, method in zip(axes[0], METHODS, strict=True):
            for number, ratio in enumerate(ratios):
                draw_band(
                    ax,
                    results.only(method=method, ratio=ratio),
                    metric,
                    label=f"{ratio:g} : 1",
                    color=colormaps["viridis"](0.9 * number / max(len(ratios) - 1, 1)),
                )
            count_labels_on_x(ax)
            ax.set_title(NAMES[method], fontsize=9.5)
        frame_upper_part(axes[0, 0], results, metric, share=0.3)
        axes[0, 0].set_ylabel(f"{SCORE_NAMES[metric]}, %")
        axes[0, 1].legend(title="imbalance", fontsize=8, title_fontsize=8, loc="lower right")
        task, rows = results[0]["task"], results[0]["rows"]
        part = f", {rows:,} random training rows" if rows else ""
        save_figure(
            figure,
            path,
            f"{name}: {task}{part}; {seeds_of(results)} runs, mean and standard deviation",
            ["Minority rows are removed from the training rows only."],
        )

    return draw_all


def tables(metric: str) -> Callable[[Results], list[ResultTable]]:
    """Return what tabulates AL and RS for each ratio at a few numbers of labels."""

    def make(results: Results) -> list[ResultTable]:
        curves = {
            (ratio, method): mean_curve(results.only(ratio=ratio, method=method), metric)
            for ratio in results.different("ratio")
            for method in METHODS
        }
        lines = [
            [
                f"{ratio:g} : 1",
                *(
                    f"{_near(curves[ratio, method], count):.2f}"
                    for count in SHOWN
                    for method in METHODS
                ),
            ]
            for ratio in results.different("ratio")
        ]
        first, last = results.different("ratio")[0], results.different("ratio")[-1]
        losses = [
            _near(curves[first, method], count) - _near(curves[last, method], count)
            for count in SHOWN
            for method in METHODS
        ]
        lines.append(["lost by thinning", *(f"{loss:.2f}" for loss in losses)])
        short = {"pool": "AL", "random": "RS"}
        columns = [
            "imbalance",
            *(f"{short[method]}, {count:,} labels" for count in SHOWN for method in METHODS),
        ]
        title = f"{SCORE_NAMES[metric]} on {results[0]['task']} in percent, mean over seeds"
        note = (
            "At the measured number of labels that is nearest. The last line is the difference "
            "between the least and the most imbalanced set."
        )
        return [ResultTable(title, columns, lines, [note])]

    return make


def _near(curve: tuple[list[int], list[float]], count: int) -> float:
    counts, means = curve
    nearest = min(range(len(counts)), key=lambda i: abs(counts[i] - count))
    return means[nearest]


PLANS = (
    Plan(
        name="border.figure5",
        title="Figure 5: g-mean of AL and RS on waveform, imbalance 2 to 32",
        experiment=CurveExperiment,
        measures=MEASURES,
        experiments=lambda scale: plan_curves(FIGURE_5, METHODS, scale),
        run=run,
        tables=tables("g_mean"),
        draw=draw("g_mean", "Figure 5"),
    ),
    Plan(
        name="border.figure6",
        title="Figure 6: PRBEP of AL and RS on adult, imbalance 3 to 30",
        experiment=CurveExperiment,
        measures=MEASURES,
        experiments=lambda scale: plan_curves(FIGURE_6, METHODS, scale),
        run=run,
        tables=tables("prbep"),
        draw=draw("prbep", "Figure 6"),
    ),
)
