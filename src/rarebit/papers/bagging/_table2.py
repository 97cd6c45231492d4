"""Table 2: g-mean and accuracy of six methods on five sets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rarebit.papers._folds import Floats, FoldExperiment, finished_everywhere, mean_by
from rarebit.papers._plan import Plan, Scale
from rarebit.papers._rows import Results
from rarebit.papers._statistics import Mean, average_ranks, mean_over_seeds, wilcoxon_p
from rarebit.papers._tables import ResultTable
from rarebit.papers.bagging._methods import (
    BAGS,
    C_GRID,
    FOLDS,
    GAMMA_GRID,
    INNER_FOLDS,
    MEASURES,
    METHODS,
    ROUNDS,
    SEARCH_BAGS,
    STAGES,
    run,
)
from rarebit.papers.bagging._published import METHODS as PAPER_METHODS
from rarebit.papers.bagging._published import PUBLISHED

OURS = "BWBC"
QUICK_ROWS, QUICK_FOLDS = 300, 1


def experiments(scale: Scale) -> Iterator[FoldExperiment]:
    """Yield every method on every fold; methods with bags share a fold's choice of C and gamma."""
    rows, folds = (QUICK_ROWS, QUICK_FOLDS) if scale.quick else (None, FOLDS)
    for task in PUBLISHED:
        for seed in range(scale.seeds):
            for fold in range(folds):
                for method in METHODS:
                    yield FoldExperiment(task, method, seed, fold, rows)


def repeats(results: Results, task: str, method: str, metric: str) -> Floats:
    """Return a figure of each repetition, the mean over its folds."""
    return mean_by(results.only(task=task, method=method), metric, "seed")


def whole_repetitions(results: Results) -> Results:
    """Rows of the repetitions of which every method has finished every fold."""
    results = finished_everywhere(results, METHODS, "task", "seed", "fold", "rows")
    folds: dict[tuple[str, int], set[int]] = {}
    for row in results:
        folds.setdefault((row["task"], row["seed"]), set()).add(row["fold"])
    wanted = set(results.different("fold"))
    rows = [row for row in results if folds[row["task"], row["seed"]] == wanted]
    return Results(rows, results.about)


def score_table(results: Results, metric: str, name: str) -> ResultTable:
    """Compare a metric of all methods; ours above, the paper's below."""
    lines = []
    tasks = results.different("task")
    empty = [""] * (len(METHODS) - len(PAPER_METHODS))
    for task in tasks:
        ours = [mean_over_seeds(repeats(results, task, method, metric)) for method in METHODS]
        lines.append([task, *(score.with_spread(3) for score in ours)])
        lines.append(["paper", *map(_with_spread, PUBLISHED[task][metric]), *empty])
    notes = []
    if metric == "g_mean":
        means = np.array(
            [
                [repeats(results, task, method, metric).mean() for method in PAPER_METHODS]
                for task in tasks
            ]
        )
        theirs = np.array([[g for g, _ in PUBLISHED[task][metric]] for task in tasks])
        for who, table in (("mean rank of six, ours", means), ("mean rank, paper", theirs)):
            lines.append([who, *(f"{rank:.2f}" for rank in average_ranks(table)), *empty])
        tests = [
            f"{rival} {wilcoxon_p(means[:, -1] - means[:, column]):.2f}"
            for column, rival in enumerate(PAPER_METHODS[:-1])
        ]
        notes.append(f"Wilcoxon p of {OURS} against the others over the sets: {', '.join(tests)}.")
    return ResultTable(f"{name}, mean ± standard deviation", ["set", *METHODS], lines, notes)


def agreement_table(results: Results) -> ResultTable:
    """Compare the BWBC column with the paper's."""
    lines, reached, above = [], [], []
    for task in results.different("task"):
        ours = mean_over_seeds(repeats(results, task, OURS, "g_mean"))
        paper, spread = PUBLISHED[task]["g_mean"][PAPER_METHODS.index(OURS)]
        reached.append(ours.mean >= paper - spread)
        above.append(ours.mean > paper)
        lines.append(
            [
                task,
                ours.with_spread(3),
                ours.interval(3),
                _with_spread((paper, spread)),
                f"{ours.mean - paper:+.3f}",
                "yes" if reached[-1] else "NO",
                "yes" if above[-1] else "no",
                str(len(repeats(results, task, OURS, "g_mean"))),
            ]
        )
    columns = [
        "set", "BWBC, ours", "95 % interval", "paper", "ours − paper", "reached within its ±",
        "above it", "repetitions",
    ]  # fmt: skip
    cut = [rows for rows in results.different("rows") if rows is not None]
    notes = [
        f"{sum(reached)} of {len(reached)} sets reach the paper's g-mean less its ±, "
        f"{sum(above)} are above it.",
        f"Repetitions of {FOLDS}-fold cross-validation; a figure is the mean of a repetition over "
        "its folds, the spread that of the repetitions. C of "
        f"{', '.join(f'{C:g}' for C in C_GRID)}, gamma of {', '.join(f'{g:g}' for g in GAMMA_GRID)}"
        " over the number of columns, which are standardised, are chosen by "
        f"{INNER_FOLDS}-fold cross-validation of the training rows: by accuracy for SVM, by g-mean "
        f"for SMOTE and, with {SEARCH_BAGS} bags, for BWBC and BAVC; then {BAGS} bags. The paper "
        "says nothing of scaling, kernel, C and gamma. EasyEnsemble (imbalanced-learn's) and "
        f"BalanceCascade have {STAGES} sets and {ROUNDS} rounds of AdaBoost each, as their authors "
        "use them.",
    ]
    if cut:
        notes.append(f"A quick run on {cut[0]} rows of each set at most: not to be compared.")
    return ResultTable("G-mean of BWBC beside the paper's", columns, lines, notes)


def tables(results: Results) -> list[ResultTable]:
    """Make the three tables; a repetition that is not finished is left out."""
    results = whole_repetitions(results)
    if not len(results):
        return [ResultTable("G-mean", ["set"], [], ["No repetition is finished."])]
    return [
        score_table(results, "g_mean", "G-mean"),
        score_table(results, "accuracy", "Accuracy"),
        agreement_table(results),
    ]


def _with_spread(published: tuple[float, float]) -> str:
    return Mean(*published, np.nan, np.nan).with_spread(3)


PLAN = Plan(
    name="bagging.table2",
    title="Table 2: g-mean and accuracy of six methods on five sets",
    experiment=FoldExperiment,
    measures=MEASURES,
    experiments=experiments,
    run=run,
    tables=tables,
    seeds=5,
    quick_seeds=1,
)
