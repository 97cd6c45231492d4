"""Where a rule that watches the number of support vectors stops, by the length of its window."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rarebit.active import BorderSVC
from rarebit.metrics import g_mean_score
from rarebit.papers._plan import Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers._tasks import thin_rows
from rarebit.papers.border._published import PUBLISHED
from rarebit.papers.border._table1 import with_spread
from rarebit.papers.border._table3 import quick_note
from rarebit.papers.border._tasks import CURVE_TEST_ROWS, PoolExperiment, make_problem
from rarebit.svm import KernelSVC

TASK = "letter-A"
QUICK_ROWS = 1500
WINDOWS = (50, 100, 200, 400, 800, 1600)
# How much the number may grow over the window and count as stable.
GROWTHS = (0.0, 0.01)
# Shares of the rows between which a plateau shows; one is the paper's data efficiency.
PAPER = PUBLISHED[TASK].labels
SHARES = (5.0, 10.0, 15.0, 20.0, PAPER, 35.0, 100.0)


def experiments(scale: Scale) -> Iterator[PoolExperiment]:
    """Yield one search for each seed."""
    for seed in range(scale.seeds):
        yield PoolExperiment(TASK, "pool", seed, QUICK_ROWS if scale.quick else None)


def first_stop(support: NDArray[np.int64], window: int, growth: float) -> int | None:
    """Return the number of labels at which the rule stops, or None.

    Parameters
    ----------
    support : ndarray of shape (n_labels,)
        Support vectors after each label.
    window : int
        Labels over which the number is compared.
    growth : float
        Largest growth that counts as stable.
    """
    then, now = support[:-window], support[window:]
    stable = np.flatnonzero((then > 0) & (now <= then * (1.0 + growth)))
    return int(stable[0]) + window + 1 if stable.size else None


def run(experiment: PoolExperiment) -> list[Row]:
    """Search as the paper does, beyond its number of labels, and solve where each window stops."""
    problem = make_problem(experiment)
    n = len(problem.y)
    last = round(n * SHARES[-2] / 100.0)
    search = BorderSVC(
        C=problem.C, gamma=problem.gamma, explore=0.0, stop=None, max_labels=last,
        random_state=experiment.seed,
    ).fit(problem.X, problem.y)  # fmt: skip
    history = search.history_
    support = np.sum([history[name] for name in history if name.startswith("n_support_")], axis=0)
    X_test, y_test = thin_rows(problem.X_test, problem.y_test, CURVE_TEST_ROWS, 0)
    rows: list[Row] = []
    places: list[tuple[int | None, float | None, int | None]]
    places = [(w, g, first_stop(support, w, g)) for g in GROWTHS for w in WINDOWS]
    places += [(None, None, round(n * share / 100.0)) for share in SHARES]
    for window, growth, k in places:
        row: Row = {"window": window, "growth": growth, "n_rows": n, "n_labels": k}
        if k is not None:
            asked = search.queried_[:k] if k < n else np.arange(n)
            machine = KernelSVC(C=problem.C, gamma=problem.gamma)
            if len(np.unique(problem.y[asked])) == 2:
                machine.fit(problem.X[asked], problem.y[asked])
                predicted = (machine.decision_function(X_test) > 0.0).astype(np.int64)
                row["n_support"] = int(sum(machine.n_support_))
                row["g_mean"] = 100.0 * g_mean_score(y_test, predicted, labels=[0, 1])
        rows.append(row)
    return rows


def tables(results: Results) -> list[ResultTable]:
    """Show where windows stop, then what more labels bring."""
    lines = []
    runs = len(results.different("seed"))
    for growth in GROWTHS:
        for window in WINDOWS:
            stops = Results(
                [
                    row
                    for row in results
                    if row["window"] == window
                    and row["growth"] == growth
                    and row["g_mean"] is not None
                ]
            )
            name = f"{window} labels, {100 * growth:g} % growth"
            if not len(stops):
                lines.append([name, f"0 of {runs}", "", "", "", ""])
                continue
            lines.append([name, f"{len(stops)} of {runs}", *_cells(stops)])
    for share in SHARES:
        reached = Results(
            [
                row
                for row in results
                if row["window"] is None
                and row["n_labels"] == round(row["n_rows"] * share / 100.0)
                and row["g_mean"] is not None
            ]
        )
        if len(reached):
            last = " (the paper's)" if share == PAPER else ""
            lines.append([f"no rule: {share:g} % of the rows{last}", "", *_cells(reached)])
    columns = [
        "window and what counts as stable", "runs that stop", "labels, median (range)", "% of rows",
        "support vectors", "g-mean",
    ]  # fmt: skip
    notes = [
        "The paper's search, random pools of 59 and no exploration. A rule stops at the first "
        "label at which the number of support vectors has grown by no more than so much over the "
        "window. Support vectors and g-mean (mean ± standard deviation, in percent) are of the "
        f"machine solved for the labels until then, on {CURVE_TEST_ROWS:,} test rows at most.",
    ]
    title = f"{TASK}: where windows of several lengths stop"
    return [ResultTable(title, columns, lines, notes + quick_note(results))]


def _cells(rows: Results) -> list[str]:
    labels, share = rows["n_labels"], 100.0 * rows["n_labels"] / rows["n_rows"]
    support, g_mean = (mean_over_seeds(rows[name]) for name in ("n_support", "g_mean"))
    spread = f" ({labels.min():,.0f}–{labels.max():,.0f})" if labels.min() < labels.max() else ""
    return [
        f"{np.median(labels):,.1f}{spread}",
        f"{np.median(share):.1f}",
        support.with_spread(1),
        with_spread(g_mean.mean, g_mean.spread),
    ]


PLAN = Plan(
    name="border.windows",
    title="Where windows over the number of support vectors stop on letter-A",
    experiment=PoolExperiment,
    measures=("window", "growth", "n_rows", "n_labels", "n_support", "g_mean"),
    experiments=experiments,
    run=run,
    tables=tables,
)
