"""Draws rare-digits.svg, the picture of the README, from the run of `rarebit demo`."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from rarebit.demo import Demo, run_demo

PICTURE = Path(__file__).with_name("rare-digits.svg")
WAYS = {"rarebit": "labels that rarebit asks for", "random": "random labels"}
OURS, RANDOM, INK = "#0b62a4", "#c2410c", "#1b1f24"


def draw(found: Demo) -> Figure:
    """Draw the rows by which rare digits were found, beside the learning curves."""
    figure = Figure(figsize=(9.0, 3.5), layout="constrained", facecolor="white")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 2.3])
    summary = found.summary()
    left.suptitle("Three rare classes,\nof which nobody knew", fontsize=10)
    rows = found.first_rows()
    for ax, (digit, row) in zip(left.subplots(len(rows), 1), rows.items(), strict=True):
        own = summary["rare"][str(digit)]
        ax.imshow(found.image(row), cmap="gray_r")
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set(color=OURS, linewidth=2)
        ax.text(
            1.12,
            0.5,
            f"{own['rows']} in {summary['rows']} rows\nmet at label {own['first_seen_at']}\n"
            f"(random: {own['at_random']:.0f})",
            transform=ax.transAxes,
            va="center",
            fontsize=8.5,
        )
    draw_curves(right.subplots(), found)
    return figure


def draw_curves(ax: mpl.axes.Axes, found: Demo) -> None:
    """Draw mean, worst and best of the draws, and what all labels give."""
    end = min(run.curves["rarebit"]["n_labels"][-1] for run in found.repeats)
    labels = np.geomspace(10, end, 120)
    for name, color in (("rarebit", OURS), ("random", RANDOM)):
        scores = [
            np.interp(labels, run.curves[name]["n_labels"], run.curves[name]["score"])
            for run in found.repeats
        ]
        ax.fill_between(
            labels, np.min(scores, axis=0), np.max(scores, axis=0), color=color, alpha=0.13, lw=0
        )
        ax.plot(labels, np.mean(scores, axis=0), color=color, lw=2.4, label=WAYS[name])
    goal, rows = found.scores["all"][:, 0].mean(), found.first.n_rows
    ax.axhline(goal, color=INK, lw=1, ls="--", label=f"all {rows} labels")
    ax.set(xlabel="labels, of which none at the start", ylabel="g-mean of ten classes")
    ax.set(xscale="log", xlim=(10, end), ylim=(-0.02, 1.0))
    ticks = [10, 20, 50, 100, 200, int(end)]
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.set_title(
        f"Ten classes learned: mean and range of {len(found.repeats)} draws of the pool",
        fontsize=10,
    )
    ax.legend(loc="upper left", bbox_to_anchor=(0, 0.87), frameon=False, fontsize=9)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)


if __name__ == "__main__":
    # The same bytes for the same run: no date, no random names inside the file.
    with mpl.rc_context({"svg.hashsalt": "rarebit", "svg.fonttype": "path", "text.color": INK}):
        draw(run_demo()).savefig(PICTURE, metadata={"Date": None})
