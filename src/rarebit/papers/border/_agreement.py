"""How many cells of the paper's Tables 1 and 3 ours agree with, one-sided and two-sided."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rarebit.papers._rows import Results
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.border import _table3
from rarebit.papers.border._methods import METHODS
from rarebit.papers.border._published import PUBLISHED, Published
from rarebit.papers.border._table1 import ROUNDING, one_positive, with_spread
from rarebit.papers.border._table1 import TASKS as COMPARABLE
from rarebit.papers.border._table3 import quick_note

# How far ours may be behind the paper's, in points, if one test positive is worth less.
ALLOWED = 1.0
WANTED = 0.8
# Columns of the two tables: name, our metric and method.
CELLS = (
    ("Table 1, g-mean, Batch", "g_mean", "batch"),
    ("Table 1, g-mean, AL", "g_mean", "al"),
    ("Table 1, AUC, Batch", "auc", "batch"),
    ("Table 1, AUC, AL", "auc", "al"),
    ("Table 1, data efficiency", "labels", "al"),
    *((f"Table 3, PRBEP, {name}", "prbep", method) for method, name in METHODS.items()),
)


@dataclass(frozen=True)
class AgreementCell:
    """One cell: ours, the paper's, and by how much ours may be worse."""

    name: str
    task: str
    ours: float
    spread: float
    paper: float
    allowed: float
    lower_is_better: bool

    @property
    def gap(self) -> float:
        """Ours − the paper's."""
        return self.ours - self.paper

    @property
    def loss(self) -> float:
        """By how much ours is worse."""
        return self.gap if self.lower_is_better else -self.gap

    @property
    def met(self) -> bool:
        """Whether ours is better, or as good within what is allowed."""
        return self.loss <= self.allowed + ROUNDING

    @property
    def equal(self) -> bool:
        """Whether ours is within what is allowed, on both sides."""
        return abs(self.gap) <= self.allowed + ROUNDING


def cells(results: Results) -> Iterator[AgreementCell]:
    """Yield all cells that were measured and can be compared."""
    for name, metric, method in CELLS:
        for task in results.different("task"):
            rows = results.only(task=task, method=method)
            if task not in COMPARABLE or not len(rows):
                continue
            values = 100.0 * rows["n_labels"] / rows["n_rows"] if metric == "labels" else rows[
                metric
            ]  # fmt: skip
            ours = mean_over_seeds(values)
            yield AgreementCell(
                name,
                task,
                ours.mean,
                ours.spread,
                published_figure(PUBLISHED[task], metric, method),
                max(ALLOWED, worth_of_one_positive(metric, rows)),
                metric == "labels",
            )


def published_figure(paper: Published, metric: str, method: str) -> float:
    """Return the paper's figure of a cell."""
    if metric == "labels":
        return paper.labels
    if metric == "prbep":
        return paper.prbep[list(METHODS).index(method)]
    return float(getattr(paper, f"{metric}_{method}"))


def worth_of_one_positive(metric: str, rows: Results) -> float:
    """Return what one more missed test positive costs; nothing where that has no one answer."""
    if metric not in ("g_mean", "prbep"):
        return 0.0
    mean = {
        name: float(rows[name].mean())
        for name in ("test_positives", "sensitivity", "specificity", "g_mean")
    }
    # Of the mean sensitivity and specificity, whose g-mean the mean of g-means is not quite.
    mean["g_mean"] = math.sqrt(mean["sensitivity"] * mean["specificity"])
    return one_positive(metric, mean)


def tables(results: Results) -> list[ResultTable]:
    """Count the cells, then list those that are missed."""
    found = list(cells(results))
    met = sum(cell.met for cell in found)
    lines = []
    for name, _, _ in CELLS:
        column = [cell for cell in found if cell.name == name]
        if column:
            worst = max(column, key=lambda cell: cell.loss)
            lines.append(
                [
                    name,
                    f"{sum(cell.met for cell in column)} of {len(column)}",
                    f"{sum(cell.equal for cell in column)} of {len(column)}",
                    f"{sum(cell.gap for cell in column) / len(column):+.2f}",
                    f"{worst.gap:+.2f}, {worst.task}",
                ]
            )
    share = met / len(found) if found else 0.0
    equal = sum(cell.equal for cell in found)
    both = equal / len(found) if found else 0.0
    lines.append(
        [
            "all",
            f"{met} of {len(found)} ({100 * share:.1f} %)",
            f"{equal} of {len(found)} ({100 * both:.1f} %)",
            "",
            "",
        ]
    )
    scores = [cell for cell in found if not cell.lower_is_better]
    score_share = sum(cell.met for cell in scores) / len(scores) if scores else 0.0
    notes = [
        f"What is allowed is the larger of {ALLOWED:g} point and one test positive; AUC and data "
        f"efficiency have {ALLOWED:g} point. Our mean over seeds is not behind the paper's figure "
        f"by more in {met} of {len(found)} cells, {100 * score_share:.1f} % of the scores alone "
        f"({100 * WANTED:.0f} % are wanted), and within it on both sides in {equal} of "
        f"{len(found)}: where the two differ, ours is better by more than is allowed, which is no "
        "agreement either.",
        "Not counted: seconds, which are of another machine; SV−/SV+, which is no score; CiteSeer "
        "and abalone-7, which cannot be reproduced.",
    ]
    title = "Tables 1 and 3: not behind the paper, and within tolerance on both sides"
    columns = [
        "cells", "not behind", "within on both sides", "ours − paper's, mean", "farthest behind",
    ]  # fmt: skip
    missed = sorted((cell for cell in found if not cell.met), key=lambda cell: -cell.loss)
    missed_lines = [
        [
            cell.task,
            cell.name,
            with_spread(cell.ours, cell.spread),
            f"{cell.paper:.2f}",
            f"{cell.gap:+.2f}",
            f"{cell.allowed:.2f}",
        ]
        for cell in missed
    ]
    missed_columns = ["set", "cell", "ours", "paper's", "difference", "allowed"]
    return [
        ResultTable(title, columns, lines, notes + quick_note(results)),
        ResultTable(
            "Cells behind the paper by more than is allowed",
            missed_columns,
            missed_lines,
        ),
    ]


PLAN = replace(
    _table3.PLAN,
    name="border.agreement",
    title="Agreement with Tables 1 and 3, cell by cell (results of Table 3)",
    tables=tables,
    shares=_table3.PLAN.name,
)
