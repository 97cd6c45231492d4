"""What random drawing spends on Shuttle: single runs, means of ten, and the paper's row."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rarebit.papers._tables import ResultTable
from rarebit.papers.discovery._published import PUBLISHED

# Rows of the paper's set: the majority, then the six rare classes.
MAJORITY, RARE = 3410, (37, 132, 674, 245, 6, 11)
RUNS, TEN = 5000, 10


@lru_cache(maxsize=1)
def draw_runs(seed: int = 0) -> NDArray[np.int64]:
    """Labels until the k-th rare class in random orders of the rows.

    Parameters
    ----------
    seed : int, default=0
        Seed of the orders.

    Returns
    -------
    ndarray of shape (n_runs, n_rare_classes)
        In rising order within a run.
    """
    rng = np.random.default_rng(seed)
    n = MAJORITY + sum(RARE)
    ends = np.cumsum(RARE)
    runs = np.empty((RUNS, len(RARE)), dtype=np.int64)
    for run in runs:
        # Places of the rare rows in a random order: any such set of places is as likely.
        places = rng.choice(n, ends[-1], replace=False)
        first = [part.min() for part in np.split(places, ends[:-1])]
        run[:] = np.sort(first) + 1
    return runs


def random_row_table() -> ResultTable:
    """Set the paper's random row beside single runs and beside means of ten runs."""
    runs = draw_runs()
    means = runs[: RUNS // TEN * TEN].reshape(-1, TEN, runs.shape[1]).mean(axis=1)
    paper = PUBLISHED["shuttle-4515"]["random"]
    lines = []
    for k, published in enumerate(paper):
        single, ten = (np.percentile(sample[:, k], (2.5, 97.5)) for sample in (runs, means))
        below = 100.0 * np.mean(means[:, k] <= published)
        lines.append(
            [
                f"{k + 1}",
                str(published),
                f"{runs[:, k].mean():.1f}",
                f"{single[0]:.0f} to {single[1]:.0f}",
                f"{ten[0]:.1f} to {ten[1]:.1f}",
                f"{below:.1f} %",
                "yes" if single[0] <= published <= single[1] else "NO",
                "yes" if ten[0] <= published <= ten[1] else "NO",
            ]
        )
    columns = [
        "k", "paper's random row", "mean", "95 % of single runs", "95 % of means of ten runs",
        "means of ten at or below the paper's", "fits a single run", "fits a mean of ten",
    ]  # fmt: skip
    note = (
        f"{RUNS:,} random orders of the paper's numbers of rows; no data is needed for it, and "
        "rows are drawn without replacement."
    )
    title = "shuttle-4515: random drawing, what the paper's row can be"
    return ResultTable(title, columns, lines, [note])
