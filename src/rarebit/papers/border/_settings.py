"""C and gamma of the sets that the paper's Table 2 leaves out, by inner cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from sklearn.model_selection import StratifiedKFold

from rarebit.papers._plan import Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.border._scores import score_machine
from rarebit.papers.border._tasks import PoolExperiment, make_problem
from rarebit.svm import KernelSVC

FOLDS = 5
COSTS = (1.0, 2.0, 10.0)
TEXT_WIDTHS = (0.1, 0.5, 1.0)
# Columns of unit spread, a hundred of them or twenty: the widths that suit unit vectors are none
# for them.
TABLE_WIDTHS = (0.003, 0.01, 0.03, 0.1)
# Rows that are enough to choose by; None is all.
GRIDS: dict[str, tuple[int | None, tuple[float, ...]]] = {
    "waveform": (None, TABLE_WIDTHS),
    "reuters-corn": (None, TEXT_WIDTHS),
    "reuters-trade": (None, TEXT_WIDTHS),
    "adult": (5000, TABLE_WIDTHS),
}
QUICK_ROWS = 1000


@dataclass(frozen=True)
class GridExperiment(PoolExperiment):
    """One fold for one C and gamma; ``seed`` is the number of the fold."""

    C: float = 1.0
    gamma: float = 1.0


def experiments(scale: Scale) -> Iterator[GridExperiment]:
    """Yield each fold of each point of the grids."""
    for task, (rows, widths) in GRIDS.items():
        limit = QUICK_ROWS if scale.quick else rows
        for C, gamma, fold in product(COSTS, widths, range(min(scale.seeds, FOLDS))):
            yield GridExperiment(task, "batch", fold, limit, None, C, gamma)


def run(experiment: GridExperiment) -> Row:
    """Fit on four folds and score the fifth; test rows are not touched."""
    # The seed names the fold here, and all folds are of the same rows.
    problem = make_problem(PoolExperiment(experiment.task, "batch", 0, experiment.rows))
    X, y = problem.X, problem.y
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y.reshape(-1, 1), y)
    inner, outer = list(folds)[experiment.seed]
    machine = KernelSVC(C=experiment.C, gamma=experiment.gamma).fit(X[inner], y[inner])
    scores = score_machine(machine, X[outer], y[outer])
    return {name: scores[name] for name in ("g_mean", "prbep")}


def choose(results: Results) -> dict[str, tuple[float, float]]:
    """Return the best C and gamma of each task by the mean of g-mean and PRBEP.

    Of equally good ones the smallest C and gamma win, which come first.
    """
    chosen = {}
    for task in results.different("task"):
        of_task = results.only(task=task)
        grid = dict.fromkeys((row["C"], row["gamma"]) for row in of_task)
        points = {point: of_task.only(C=point[0], gamma=point[1]) for point in grid}
        means = {point: (rows["g_mean"] + rows["prbep"]).mean() for point, rows in points.items()}
        best = max(means, key=lambda point: means[point])
        chosen[task] = (float(best[0]), float(best[1]))
    return chosen


def tables(results: Results) -> list[ResultTable]:
    """Make a table of the grid of each task."""
    chosen = choose(results)
    lines = []
    for task in results.different("task"):
        of_task = results.only(task=task)
        for C, gamma in dict.fromkeys((row["C"], row["gamma"]) for row in of_task):
            rows = of_task.only(C=C, gamma=gamma)
            g_mean, prbep = (mean_over_seeds(rows[name]).mean for name in ("g_mean", "prbep"))
            mark = "chosen" if (C, gamma) == chosen[task] else ""
            lines.append([task, f"{C:g}", f"{gamma:g}", f"{g_mean:.2f}", f"{prbep:.2f}", mark])
    title = "C and gamma that Table 2 of the paper does not give"
    note = (
        f"Means of {FOLDS}-fold cross-validation of the training rows, in percent. The best mean "
        "of the two is chosen."
    )
    return [ResultTable(title, ["set", "C", "gamma", "g-mean", "PRBEP", ""], lines, [note])]


PLAN = Plan(
    name="border.settings",
    title="C and gamma where the paper gives none, by inner cross-validation",
    experiment=GridExperiment,
    measures=("g_mean", "prbep"),
    experiments=experiments,
    run=run,
    tables=tables,
    seeds=FOLDS,
    quick_seeds=2,
)
