"""What the automatic stop rule does not see when it stops."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rarebit.active import BorderSVC, excluded_share
from rarebit.papers._plan import Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.border._table3 import quick_note
from rarebit.papers.border._tasks import PoolExperiment, make_problem

TASKS = ("letter-A", "satimage-4", "reuters-crude", "usps-0")
QUICK_ROWS = 600
MEASURES = (
    "n_rows", "n_labels", "explored", "quiet", "excluded", "test_positives", "blind", "missed",
)  # fmt: skip


def experiments(scale: Scale) -> Iterator[PoolExperiment]:
    """Yield one run of the rule for each task and seed."""
    rows = QUICK_ROWS if scale.quick else None
    for task in TASKS:
        for seed in range(scale.seeds):
            yield PoolExperiment(task, "auto", seed, rows)


def run(experiment: PoolExperiment) -> Row:
    """Stop by the automatic rule; count exploration, and rare test rows deep on the other side."""
    problem = make_problem(PoolExperiment(experiment.task, "auto", 0, experiment.rows))
    search = BorderSVC(C=problem.C, gamma=problem.gamma, random_state=experiment.seed)
    history = search.fit(problem.X, problem.y).history_
    explored = np.flatnonzero(history.exploratory)
    surprises = np.flatnonzero(history.surprises)
    last = int(surprises[-1]) if surprises.size else -1
    quiet = int(np.count_nonzero(explored > last))
    values = search.decision_function(problem.X_test)[problem.y_test == 1]
    return {
        "n_rows": len(problem.y),
        "n_labels": search.n_labels_,
        "explored": len(explored),
        "quiet": quiet,
        "excluded": excluded_share(quiet),
        "test_positives": len(values),
        "blind": int(np.count_nonzero(values <= -1.0)),
        "missed": int(np.count_nonzero(values <= 0.0)),
    }


def tables(results: Results) -> list[ResultTable]:
    """Show what was explored, what that excludes, and what stayed unseen."""
    lines = []
    for task in results.different("task"):
        rows = results.only(task=task)
        figures = [
            (100.0 * rows["n_labels"] / rows["n_rows"], 1),
            (100.0 * rows["explored"] / rows["n_labels"], 1),
            (rows["quiet"], 1),
            (100.0 * rows["excluded"], 2),
            (100.0 * rows["missed"] / rows["test_positives"], 2),
            (100.0 * rows["blind"] / rows["test_positives"], 2),
        ]
        lines.append([task, *(mean_over_seeds(sample).with_spread(d) for sample, d in figures)])
    columns = [
        "set", "labels, % of rows", "of them explored, %", "explored since the last surprise",
        "hidden part excluded from, % of rows", "rare test rows missed, %",
        "deep on the other side, %",
    ]  # fmt: skip
    notes = [
        f"BorderSVC(stop='auto'), mean ± standard deviation over {len(results.different('seed'))} "
        "seeds. *Explored* rows are chosen without regard to the border. A hidden part of the rare "
        "class smaller than the fourth figure may stay unseen, with 95 % confidence, if exploring "
        "finds no less than chance does. *Deep on the other side* are rare test rows beyond the "
        "margin of the other class: what no search along the border would ask for.",
    ]
    title = "What the automatic rule does not see when it stops"
    return [ResultTable(title, columns, lines, notes + quick_note(results))]


PLAN = Plan(
    name="border.blind",
    title="What stop='auto' leaves unseen: exploration, hidden parts, rare rows on the other side",
    experiment=PoolExperiment,
    measures=MEASURES,
    experiments=experiments,
    run=run,
    tables=tables,
)
