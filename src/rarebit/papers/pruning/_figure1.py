"""Figure 1: ROC curves of pruned machines and of cost ratios, averaged over draws."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import auc

from rarebit.classifiers import sweep_hull, upper_hull
from rarebit.papers._drawing import new_figure, save_figure
from rarebit.papers._folds import Floats, finished_everywhere
from rarebit.papers._plan import Experiment, Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds, wilcoxon_p
from rarebit.papers._tables import ResultTable
from rarebit.papers.pruning._machines import (
    FEW_C,
    FEW_GAMMA,
    YEAST,
    YEAST_FEW,
    fit_cost,
    prepare,
    prune,
)
from rarebit.papers.pruning._published import FULL_RECALL, NO_ERROR

TASKS = (YEAST, YEAST_FEW)
SETTINGS = {
    YEAST: "standardised columns, C and gamma by cross-validation",
    YEAST_FEW: f"columns in [0, 1], C = {FEW_C:g}, gamma = {FEW_GAMMA:g}",
}
RATIOS = tuple(float(2.0**power) for power in np.arange(-2.0, 7.5, 0.5))
# What the paper calls pruning is "backward"; "floating" is its suggestion for a better search.
METHODS = {"cost": "cost ratios", "backward": "pruned", "floating": "pruned, floating search"}
FALSE_POSITIVES = (
    0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4,
    0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
)  # fmt: skip
SHOWN = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
KINDS = {"points": "operating points", "sweeps": "with every threshold"}
HEIGHT, AREA, FULL = "sensitivity", "area", "false positive rate at full recall"
MEASURES = ("quantity", "false_positive_rate", *KINDS)


def experiments(scale: Scale) -> Iterator[Experiment]:
    """Yield the curves of every draw."""
    for task in TASKS:
        for seed in range(scale.seeds):
            for method in METHODS:
                yield Experiment(task, method, seed)


def run(experiment: Experiment) -> list[Row]:
    """Make both curves of a method on the test rows of a draw.

    A curve is the upper hull of operating points: of the machines as they are, and of all their
    thresholds, which gives the path of removals its left arm.
    """
    draw = prepare(experiment.task, experiment.seed)
    rare = draw.y_test == 1
    if experiment.method == "cost":
        machines = (fit_cost(draw, ratio) for ratio in RATIOS)
        scores = np.stack([machine.minority_score(draw.X_test) for machine in machines], axis=1)
    else:
        path = prune(experiment.task, experiment.seed, experiment.method)
        scores = path.path_scores(draw.X_test)
    hulls = {"points": point_hull(rare, scores), "sweeps": sweep_hull(rare, scores)}
    rows: list[Row] = [
        {
            "quantity": HEIGHT,
            "false_positive_rate": x,
            **{kind: height(hull, x) for kind, hull in hulls.items()},
        }
        for x in FALSE_POSITIVES
    ]
    rows.append({"quantity": AREA, **{kind: float(auc(*hull.T)) for kind, hull in hulls.items()}})
    rows.append(
        {
            "quantity": FULL,
            **{kind: float(hull[hull[:, 1] == 1.0, 0].min()) for kind, hull in hulls.items()},
        }
    )
    return rows


def point_hull(rare: NDArray[np.bool_], scores: Floats) -> Floats:
    """Return the hull of the machines' own operating points, one column per machine."""
    return upper_hull((scores[~rare] > 0).mean(axis=0), (scores[rare] > 0).mean(axis=0))


def height(hull: Floats, x: float) -> float:
    """Return the height of a curve; at 0 the top of its vertical part."""
    return float(np.interp(x, hull[:, 0], hull[:, 1]) if x > 0 else hull[hull[:, 0] == 0, 1].max())


def tables(results: Results) -> list[ResultTable]:
    """Show heights and areas of the curves, and compare them draw by draw."""
    results = finished_everywhere(results, tuple(METHODS), "task", "seed")
    if not len(results):
        return [ResultTable("ROC curves", ["method"], [], ["No draw is finished."])]
    chosen = results.only(task=YEAST)
    made = []
    if len(chosen):
        made += [*(_curve_table(chosen, kind) for kind in KINDS), _dominance_table(chosen)]
    return [*made, _full_recall_table(results)]


def _full_recall_table(results: Results) -> ResultTable:
    """Compare the price of full recall by operating points, under both settings."""
    lines = []
    for task in results.different("task"):
        full = results.only(task=task, quantity=FULL)
        cost, pruned = (full.only(method=name)["points"] for name in ("cost", "backward"))
        saved = mean_over_seeds(cost - pruned)
        lines.append(
            [
                SETTINGS[task],
                mean_over_seeds(cost).with_spread(2),
                f"{np.median(cost):.2f}",
                mean_over_seeds(pruned).with_spread(2),
                f"{np.median(pruned):.2f}",
                f"{saved.mean:+.2f} ({saved.interval(2, '+')})",
                f"{int((pruned < cost).sum())} of {len(cost)}",
            ]
        )
    lines.append(
        ["paper", f"{FULL_RECALL['cost']:.2f}", "", f"{FULL_RECALL['pruned']:.2f}", "", "", ""]
    )
    columns = [
        "setting", "cost ratios", "median", "pruned", "median", "pruned saves (95 % interval)",
        "draws in which pruned is lower",
    ]  # fmt: skip
    note = (
        "False positive rate at which the operating points of a method first find every rare test "
        "row; 1 where no machine does. Mean ± standard deviation over draws."
    )
    return ResultTable("False positive rate at full recall", columns, lines, [note])


def _heights(results: Results, method: str, kind: str, x: float) -> Floats:
    curve = results.only(method=method, quantity=HEIGHT, false_positive_rate=x)
    return np.asarray(curve[kind])


def _dominance_table(results: Results) -> ResultTable:
    """Compare the pruned curve with both curves of cost ratios, one false positive rate a line."""
    lines, ahead = [], dict.fromkeys(KINDS, 0)
    for x in SHOWN:
        pruned = _heights(results, "backward", "sweeps", x)
        line = [f"{x:g}", f"{pruned.mean():.3f}"]
        for kind in KINDS:
            cost = _heights(results, "cost", kind, x)
            gap = mean_over_seeds(pruned - cost)
            ahead[kind] += gap.mean >= 0.0
            line += [f"{cost.mean():.3f}", f"{gap.mean:+.3f} ({gap.interval(3, '+')})"]
        lines.append(line)
    columns = [
        "FPR", "pruned, with every threshold", "cost ratios, operating points",
        "pruned ahead (95 % interval)", "cost ratios, with every threshold",
        "pruned ahead (95 % interval)",
    ]  # fmt: skip
    note = (
        f"The pruned curve is not below that of the cost ratios' own points at {ahead['points']} "
        f"of {len(SHOWN)} rates, and not below that of their thresholds at {ahead['sweeps']}."
    )
    title = "Sensitivity of the pruned machines with every threshold, against cost ratios"
    return ResultTable(title, columns, lines, [note])


def _curve_table(results: Results, kind: str) -> ResultTable:
    lines = []
    areas = {method: results.only(method=method, quantity=AREA)[kind] for method in METHODS}
    for method, area in areas.items():
        heights = results.only(method=method, quantity=HEIGHT)
        line = [METHODS[method], mean_over_seeds(area).with_spread(4)]
        line += [f"{heights.only(false_positive_rate=x)[kind].mean():.3f}" for x in SHOWN]
        line.append(
            mean_over_seeds(results.only(method=method, quantity=FULL)[kind]).with_spread(2)
        )
        if method == "cost":
            line += ["", "", ""]
        else:
            ahead = mean_over_seeds(area - areas["cost"])
            line += [
                f"{ahead.mean:+.4f} ({ahead.interval(4, '+')})",
                f"{int((area > areas['cost']).sum())} of {len(area)}",
                f"{wilcoxon_p(area - areas['cost']):.3f}",
            ]
        lines.append(line)
    if kind == "points":
        for method, name in (("cost", "paper, cost ratios"), ("pruned", "paper, pruned")):
            known = [f"{NO_ERROR[method]:.2f}", *[""] * (len(SHOWN) - 1)]
            lines.append([name, "", *known, f"{FULL_RECALL[method]:.2f}", "", "", ""])
    columns = [
        "method", "area", *(f"sensitivity at FPR {x:g}" for x in SHOWN), "FPR at full recall",
        "area ahead of cost ratios (95 % interval)", "draws ahead", "Wilcoxon p",
    ]  # fmt: skip
    seeds = len(results.different("seed"))
    note = f"Means over {seeds} draws. Curves are upper hulls on the test rows" + (
        f" of the machines' own operating points; cost ratios from {RATIOS[0]:g} to "
        f"{RATIOS[-1]:g}. The paper's figures are read from a curve of one draw."
        if kind == "points"
        else " of all thresholds of all machines of a method."
    )
    return ResultTable(f"ROC curves, {KINDS[kind]}", columns, lines, [note])


def draw(results: Results, path: Path) -> None:
    """Draw the mean curves of both kinds, with C and gamma by cross-validation."""
    results = results.only(task=YEAST)
    figure, axes = new_figure(1, 2, sharey=True)
    for ax, (kind, name) in zip(axes[0], KINDS.items(), strict=True):
        for number, (method, label) in enumerate(METHODS.items()):
            curve = results.only(method=method, quantity=HEIGHT)
            samples = curve.curve("false_positive_rate", kind)
            x = np.array(list(samples))
            mean = np.array([sample.mean() for sample in samples.values()])
            low, high = (
                np.array([np.percentile(sample, q) for sample in samples.values()])
                for q in (25, 75)
            )
            ax.plot(x, mean, color=f"C{number}", label=label, linestyle="-:"[number // 2])
            ax.fill_between(x, low, high, color=f"C{number}", alpha=0.12)
        ax.set_xlim(-0.01, 0.5)
        ax.set_xlabel("false positive rate (CYT taken for ME3)")
        ax.set_title(name, fontsize=9.5)
    points = results.only(method="cost", quantity=HEIGHT).curve("false_positive_rate", "points")
    axes[0, 1].plot(
        list(points), [sample.mean() for sample in points.values()], "C0--",
        label="cost ratios, operating points",
    )  # fmt: skip
    axes[0, 1].legend(fontsize=7, loc="lower right")
    for number, method in enumerate(("cost", "pruned")):
        axes[0, 0].plot(
            [0.0, FULL_RECALL[method]], [NO_ERROR[method], 1.0], "x", color=f"C{number}",
            label=f"ends of the paper's curve, {method}",
        )  # fmt: skip
    axes[0, 0].set_ylim(0.4, 1.01)
    axes[0, 0].set_ylabel("sensitivity (ME3 found)")
    axes[0, 0].legend(fontsize=7, loc="lower right")
    seeds = len(results.different("seed"))
    save_figure(figure, path, f"Figure 1: yeast, mean of {seeds} draws with quartiles")


PLAN = Plan(
    name="pruning.figure1",
    title="Figure 1: ROC curves of pruned machines and of cost ratios",
    experiment=Experiment,
    measures=MEASURES,
    experiments=experiments,
    run=run,
    tables=tables,
    draw=draw,
    seeds=20,
)
