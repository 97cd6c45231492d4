"""``python -m benchmarks.coverage.costs``: labels that a proof takes, beside the information bound.

Scores do not change while labels come in, so that the figures are about the policy and the bound.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.coverage.pools import buscar, n_negatives, qbcb
from benchmarks.machine import describe_machine
from benchmarks.settings import ROOT
from benchmarks.tables import Column, Table
from rarebit.statistics import impossibility_table, next_step, proves_recall

N_ROWS, RARE = 100_000, 1_000
RECALLS = (0.8, 0.9, 0.95)
SAMPLES = (30, 60, 100, 200)  # rare rows that QBCB draws beforehand
RULES = {"qbcb": "QBCB", "buscar": "buscar", "simple": "50 negatives in a row"}
# Distance of the two classes in standard deviations, and the share of rare rows the model misses.
RANKINGS = {"AUC 0.9999": (5.26, 0.0), "AUC 0.999": (4.37, 0.0), "10 % invisible": (5.26, 0.1)}


def search(rng: np.random.Generator, distance: float, invisible: float, recall: float) -> Any:
    """Return labels asked for, and the true recall, when ``recall`` is proved."""
    rare = np.zeros(N_ROWS, dtype=bool)
    rare[:RARE] = True
    seen = np.arange(N_ROWS) < RARE * (1 - invisible)
    order = np.argsort(-(rng.standard_normal(N_ROWS) + distance * seen)).tolist()
    free = np.ones(N_ROWS, dtype=bool)
    harvest: list[int] = []
    draws, drawn = np.empty((N_ROWS, 4)), 0
    found = asked = place = 0
    while not proves_recall(draws[:drawn], N_ROWS, found, recall, known_negatives=asked - found):
        step = next_step(harvest, draws[:drawn], found, N_ROWS - asked, recall)
        if step.action == "harvest":
            for _ in range(step.rows):
                while not free[order[place]]:
                    place += 1
                row = order[place]
                free[row] = False
                harvest.append(int(rare[row]))
                found, asked = found + int(rare[row]), asked + 1
            continue
        for row in rng.choice(np.flatnonzero(free), step.rows, replace=False).tolist():
            draws[drawn] = N_ROWS - asked, found, recall, int(rare[row])
            drawn += 1
            free[row] = False
            found, asked = found + int(rare[row]), asked + 1
            if rare[row]:
                harvest.append(1)  # as a hunt does: the ranking may have learned from it
                break
    return asked, found / RARE


def search_otherwise(
    rng: np.random.Generator, distance: float, invisible: float, recall: float
) -> dict[str, tuple[int, float]]:
    """Return labels and true recall of rules that read in the order of a ranking like it."""
    rare = np.arange(N_ROWS) < RARE
    seen = np.arange(N_ROWS) < RARE * (1 - invisible)
    order = np.argsort(-(rng.standard_normal(N_ROWS) + distance * seen))
    hits = rare[order]
    seed = int(rng.integers(2**31))
    ended = {"simple": n_negatives(hits), "buscar": buscar(hits, N_ROWS, recall)}
    return {
        "qbcb": min(qbcb(rare, order, recall, size, seed) for size in SAMPLES),
        **{name: (at, float(hits[:at].sum() / RARE)) for name, at in ended.items()},
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.costs")
    parser.add_argument("--runs", type=int, default=11, help="runs per cell (11)")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    given = parser.parse_args()
    rows = []
    for name, (distance, invisible) in RANKINGS.items():
        for recall in RECALLS:
            rng = np.random.default_rng([2026, int(recall * 100)])
            runs = [search(rng, distance, invisible, recall) for _ in range(given.runs)]
            others = [search_otherwise(rng, distance, invisible, recall) for _ in range(given.runs)]
            bound = RARE + impossibility_table(N_ROWS, [RARE], [recall])[0].labels
            labels = int(median(asked for asked, _ in runs))
            rows.append(
                {
                    "ranking": name,
                    "recall": recall,
                    "labels": labels,
                    "met": sum(reached >= recall for _, reached in runs) / given.runs,
                    "bound": bound,
                    "ratio": labels / bound,
                }
            )
            for rule in RULES:
                made = [other[rule] for other in others]
                met = sum(reached >= recall for _, reached in made) / given.runs
                rows[-1] |= {rule: int(median(at for at, _ in made)), f"{rule}_met": met}
            print(rows[-1], file=sys.stderr, flush=True)
    columns = [
        Column("ranking", "ranking"),
        Column("recall", "recall to prove"),
        Column("labels", "labels, median", lambda value: f"{value:,}"),
        Column("met", "runs that met it", lambda value: f"{value:.0%}"),
        Column("bound", "information bound", lambda value: f"{value:,}"),
        Column("ratio", "ratio", lambda value: f"{value:.2f}"),
    ]
    for rule, title in RULES.items():
        columns.append(Column(rule, title, lambda value: f"{value:,}"))
        columns.append(Column(f"{rule}_met", "met", lambda value: f"{value:.0%}"))
    note = (
        f"{N_ROWS:,} rows, {RARE:,} of them rare; {given.runs} runs per line, 95 % confidence. "
        "QBCB has the cheapest of four sample sizes in hindsight; buscar, looked at after every "
        "ten labels and after half a per cent more from 2,000 on, and 50 negatives in a row "
        "promise nothing here."
    )
    table = Table("proof-costs", "Labels that a proof takes", columns, rows, [note])
    table.write(given.out, describe_machine())
    table.show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
