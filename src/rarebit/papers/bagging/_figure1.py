"""Figure 1: g-mean of BWBC and SMOTE while the minority of synthetic sets gets rarer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

from rarebit.classifiers import BaggedSVC
from rarebit.datasets import make_gaussian_pair
from rarebit.papers._drawing import new_figure, save_figure
from rarebit.papers._folds import finished_everywhere, score_labels
from rarebit.papers._plan import Experiment, Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.bagging._methods import BAGS, UNTIL_BALANCED
from rarebit.rivals import OversampledClassifier
from rarebit.svm import KernelSVC

# Twelve levels as in the paper, from equal classes to one in a thousand.
RATIOS = (1.0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
QUICK_RATIOS = (1.0, 0.1, 0.01, 0.005)
ROWS, QUICK_ROWS, TEST_ROWS = 4000, 1000, 2000
DISTANCE = 2.0  # of the centres, in standard deviations
C, GAMMA = 1.0, 0.5
METHODS = ("BWBC", "SMOTE", "SVM")
MEASURES = ("n_rare", "sensitivity", "specificity", "g_mean", "accuracy")
# The best g-mean that any classifier has: half of the plane each.
LIMIT = float(norm.cdf(DISTANCE / 2.0))


@dataclass(frozen=True)
class SeriesExperiment(Experiment):
    """One draw of one synthetic set.

    Attributes
    ----------
    ratio : float
        Rare rows for one of the majority.
    rows : int
        Rows of the majority.
    """

    ratio: float = 1.0
    rows: int = ROWS


def experiments(scale: Scale) -> Iterator[SeriesExperiment]:
    """Yield every method on every draw."""
    for ratio in QUICK_RATIOS if scale.quick else RATIOS:
        for seed in range(scale.seeds):
            for method in METHODS:
                rows = QUICK_ROWS if scale.quick else ROWS
                yield SeriesExperiment("gaussians", method, seed, ratio, rows)


def run(experiment: SeriesExperiment) -> Row:
    """Fit one method and test it on balanced rows of the same distributions."""
    # All methods of a seed meet the same rows.
    rng = np.random.default_rng([experiment.seed, round(1000 * experiment.ratio)])
    n_rare = max(2, round(experiment.ratio * experiment.rows))
    X, y = make_gaussian_pair(experiment.rows, n_rare, distance=DISTANCE, random_state=rng)
    X_test, y_test = make_gaussian_pair(TEST_ROWS, TEST_ROWS, distance=DISTANCE, random_state=rng)
    machine = KernelSVC(C=C, gamma=GAMMA)
    models: dict[str, Any] = {
        "BWBC": BaggedSVC(BAGS, C=C, gamma=GAMMA, random_state=experiment.seed),
        "SMOTE": OversampledClassifier(
            machine, percent=UNTIL_BALANCED, random_state=experiment.seed
        ),
        "SVM": machine,
    }
    model = models[experiment.method].fit(X, y)
    return {"n_rare": n_rare, **score_labels(y_test, model.predict(X_test))}


def tables(results: Results) -> list[ResultTable]:
    """Show the g-mean of each level, and what is lost from the first to the last."""
    results = finished_everywhere(results, METHODS, "ratio", "seed", "rows")
    ratios = results.different("ratio")
    if not ratios:
        return [ResultTable("G-mean", ["ratio"], [], ["No draw is finished."])]
    scores = {
        (ratio, method): mean_over_seeds(results.only(ratio=ratio, method=method)["g_mean"])
        for ratio in ratios
        for method in METHODS
    }
    lines = []
    for ratio in ratios:
        line = [f"{ratio:g}", f"{results.only(ratio=ratio)['n_rare'][0]:.0f}"]
        for method in METHODS:
            score = scores[ratio, method]
            line += [score.with_spread(3), score.interval(3)]
        lines.append(line)
    losses = [
        f"{scores[ratios[0], method].mean - scores[ratios[-1], method].mean:.3f}"
        for method in METHODS
    ]
    lines.append(["lost", "", *(cell for loss in losses for cell in (loss, ""))])
    columns = ["ratio", "rare rows"]
    columns += [name for method in METHODS for name in (method, "95 % interval")]
    note = (
        f"Mean ± standard deviation over {len(results.different('seed'))} draws (the paper has "
        "1,000). The paper says no more of its sets than that their functions are of one family: "
        f"ours are two round Gaussians in the plane, {DISTANCE:g} standard deviations apart, "
        f"{results[0]['rows']:,} rows of the majority, tested on {TEST_ROWS:,} fresh rows of each "
        f"class. C is {C:g} and gamma {GAMMA:g} for all. No classifier can do better than "
        f"{LIMIT:.3f}, up to the draw of the test rows."
    )
    return [ResultTable("G-mean against the ratio of rare rows to others", columns, lines, [note])]


def draw(results: Results, path: Path) -> None:
    """Draw g-mean against the ratio, with a standard deviation around it."""
    figure, axes = new_figure(1, 1)
    ax = axes[0, 0]
    for number, method in enumerate(METHODS):
        curve = results.only(method=method).curve("ratio", "g_mean")
        x = np.array(list(curve))
        mean = np.array([sample.mean() for sample in curve.values()])
        spread = np.array([sample.std() for sample in curve.values()])
        ax.plot(x, mean, "o-", color=f"C{number}", label=method, markersize=3.5)
        ax.fill_between(x, mean - spread, mean + spread, color=f"C{number}", alpha=0.15)
    ax.axhline(LIMIT, color="0.4", linestyle="--", linewidth=1.0, label="best possible")
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set_xlabel("rare rows for one other")
    ax.set_ylabel("g-mean")
    ax.legend(fontsize=8)
    draws = len(results.different("seed"))
    save_figure(figure, path, f"Figure 1: synthetic sets, {draws} draws")


PLAN = Plan(
    name="bagging.figure1",
    title="Figure 1: g-mean of BWBC, SMOTE and a plain SVM, imbalance 1 to 1,000",
    experiment=SeriesExperiment,
    measures=MEASURES,
    experiments=experiments,
    run=run,
    tables=tables,
    draw=draw,
    seeds=5,
)
