"""Table 4: ranks of the five methods by PRBEP, and the paper's test, from results of Table 3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon

from rarebit.papers._rows import Results
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.border import _table3
from rarebit.papers.border._methods import METHODS
from rarebit.papers.border._published import AVERAGE_RANKS, PUBLISHED
from rarebit.papers.border._table1 import TASKS as COMPARABLE
from rarebit.papers.border._table3 import ABSENT, LEAKING, quick_note, seeds_of

# As many digits as the paper's scores have: what is equal in them is a tie.
DIGITS = 2


def rank_scores(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Rank methods within each row, 1 for the best; equal ones share the better rank.

    Parameters
    ----------
    scores : ndarray of shape (n_sets, n_methods)
        Higher is better.
    """
    return np.asarray(rankdata(-np.round(scores, DIGITS), "min", axis=1), dtype=np.float64)


def mean_scores(results: Results, tasks: list[str]) -> NDArray[np.float64]:
    """Return mean PRBEP over seeds, a row per task and a column per method."""
    return np.array(
        [
            [results.only(task=task, method=method)["prbep"].mean() for method in METHODS]
            for task in tasks
        ]
    )


def finished(results: Results) -> list[str]:
    """Return the comparable tasks of which all methods have all seeds."""
    n_seeds = seeds_of(results)
    return [
        task
        for task in results.different("task")
        if task in COMPARABLE
        and all(len(results.only(task=task, method=m)) == n_seeds for m in METHODS)
    ]


def rank_table(results: Results) -> ResultTable:
    """Show ranks by set, ours and the paper's."""
    tasks = finished(results)
    ours = dict(zip(tasks, rank_scores(mean_scores(results, tasks)), strict=True)) if tasks else {}
    paper = _published_ranks()
    lines = [
        [
            task,
            *(
                f"{ours[task][i]:.0f} ({paper[task][i]:.0f})"
                if task in ours
                else f"{ABSENT} ({paper[task][i]:.0f})"
                for i in range(len(METHODS))
            ),
        ]
        for task in PUBLISHED
    ]
    if tasks:
        same = np.mean([paper[task] for task in tasks], axis=0)
        mean = np.mean(list(ours.values()), axis=0)
        lines.append(
            [
                f"average, these {len(tasks)} sets",
                *(f"{a:.2f} ({b:.2f})" for a, b in zip(mean, same, strict=True)),
            ]
        )
    lines.append(
        [f"average, all {len(PUBLISHED)} sets", *(f"{ABSENT} ({r:.2f})" for r in AVERAGE_RANKS)]
    )
    wins = sum(int(ranks[-1] == 1) for ranks in ours.values())
    paper_wins = sum(int(paper[task][-1] == 1) for task in tasks)
    notes = [
        f"Ranks of mean PRBEP over {seeds_of(results)} seeds, in brackets the paper's. AL wins or "
        f"shares the first place on {wins} of {len(tasks)} sets; in the paper on {paper_wins} of "
        f"the same, and on {sum(int(r[-1] == 1) for r in paper.values())} of all.",
        f"{ABSENT}: CiteSeer is not to be had, and {LEAKING} is another task without its leak.",
    ]
    return ResultTable("Ranks by PRBEP (Table 4)", ["set", *METHODS.values()], lines, notes)


def test_table(results: Results) -> ResultTable:
    """Test AL against each other method over the sets, and show ranks with intervals."""
    tasks = finished(results)
    if not tasks:
        return ResultTable("AL against the others over all sets", ["method"], [])
    ours = mean_scores(results, tasks)
    same = np.array([PUBLISHED[task].prbep for task in tasks])
    whole = np.array([row.prbep for row in PUBLISHED.values()])
    by_seed = np.array([_ranks_of_seed(results, tasks, seed) for seed in range(seeds_of(results))])
    lines = []
    for i, name in enumerate(METHODS.values()):
        rank = mean_over_seeds(by_seed[:, i])
        p_values = ["", "", ""] if name == "AL" else [_wilcoxon(s, i) for s in (ours, same, whole)]
        lines.append(
            [
                name,
                f"{ours[:, i].mean():.2f}",
                f"{same[:, i].mean():.2f}",
                f"{rank.mean:.2f}",
                f"{rank.low:.2f} to {rank.high:.2f}",
                *p_values,
            ]
        )
    columns = [
        "method", "mean PRBEP", "paper's", "average rank of a seed", "95 % interval",
        "p, AL against it", "p from the paper's scores", "p, all 18 sets of the paper",
    ]  # fmt: skip
    notes = [
        f"Over the {len(tasks)} sets that can be compared. p is of the two-tailed Wilcoxon "
        "signed-rank test over sets (normal approximation with continuity correction, equal scores "
        "left out), which gives the paper's p = 0.0015 for AL against US over its 18 sets.",
        "Ranks are taken within each seed, and their average over sets is averaged over seeds.",
    ]
    return ResultTable(
        "AL against the others over all sets", columns, lines, notes + quick_note(results)
    )


def _published_ranks() -> dict[str, NDArray[np.float64]]:
    scores = np.array([row.prbep for row in PUBLISHED.values()])
    return dict(zip(PUBLISHED, rank_scores(scores), strict=True))


def _ranks_of_seed(results: Results, tasks: list[str], seed: int) -> NDArray[np.float64]:
    of_seed = Results([row for row in results if row["seed"] == seed])
    return np.asarray(rank_scores(mean_scores(of_seed, tasks)).mean(axis=0))


def _wilcoxon(scores: NDArray[np.float64], other: int) -> str:
    gaps = np.round(scores[:, -1] - scores[:, other], DIGITS)
    if np.count_nonzero(gaps) < 1:
        return "1"
    # The form that gives the paper's p from the paper's scores.
    return f"{wilcoxon(gaps, method='approx', correction=True).pvalue:.2g}"


def tables(results: Results) -> list[ResultTable]:
    """Make the two tables."""
    return [rank_table(results), test_table(results)]


PLAN = replace(
    _table3.PLAN,
    name="border.table4",
    title="Table 4: ranks by PRBEP, Wilcoxon's test, intervals (results of Table 3)",
    tables=tables,
    shares=_table3.PLAN.name,
)
