"""``python -m benchmarks.coverage``: count runs in which a bound ever missed, write the table."""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.coverage.policies import POLICIES
from benchmarks.coverage.simulation import ever_missed, simulate
from benchmarks.machine import describe_machine
from benchmarks.settings import ROOT
from benchmarks.tables import Column, Table

RISK = 0.05
# Rows, rare rows, labels; then rows and bad rows of the strata of a frozen classifier.
POOLS = {
    "50 rows, 5 rare": ((50, 5, 50), (20, 6, 30, 4)),
    "60 rows, 30 rare": ((60, 30, 50), (30, 15, 30, 15)),
    "200 rows, 40 rare": ((200, 40, 50), (60, 20, 140, 20)),
    "2,000 rows, 400 rare": ((2000, 400, 50), (600, 200, 1400, 200)),
}
COLUMNS = [
    Column("pool", "pool"),
    Column("policy", "policy"),
    Column("runs", "runs", lambda value: f"{value:,}"),
    *(
        Column(name, f"{name} missed", lambda value: f"{value:.2%}")
        for name in ("total", "recall", "precision")
    ),
    Column("allowed", "allowed", lambda value: f"{value:.2%}"),
    Column("holds", "holds"),
]


def measure(pool: str, policy: str, n_runs: int) -> dict[str, Any]:
    """Return the shares of runs in which each bound ever missed."""
    (size, bad, steps), (n_high, alarms, n_low, misses) = POOLS[pool]
    seed = [list(POOLS).index(pool), list(POLICIES).index(policy)]
    rng = np.random.default_rng([2026, *seed])
    rule = POLICIES[policy]
    whole = simulate(size, bad, steps, n_runs, rule, rng)
    missed = ever_missed([whole], rule[1], RISK)
    # Which stratum is asked next is a coin, so that both paths interleave.
    high = rng.random((n_runs, steps)) < 0.4
    strata = [
        simulate(n_high, alarms, steps, n_runs, rule, rng, high),
        simulate(n_low, misses, steps, n_runs, rule, rng, ~high),
    ]
    missed |= ever_missed(strata, rule[1], RISK)
    shares = {name: float(values.mean()) for name, values in missed.items()}
    allowed = RISK + 3 * float(np.sqrt(RISK * (1 - RISK) / n_runs))
    holds = "yes" if max(shares.values()) <= allowed else "NO"
    return {"pool": pool, "policy": policy, "runs": n_runs, **shares, "allowed": allowed,
            "holds": holds}  # fmt: skip


def read_cells(path: Path, n_runs: int) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the cells that an earlier, perhaps broken, command has measured."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    kept = {}
    for row in rows:
        if row.get("holds") and int(row["runs"]) == n_runs:
            figures = {key: float(row[key]) for key in ("total", "recall", "precision", "allowed")}
            kept[row["pool"], row["policy"]] = {**row, "runs": n_runs, **figures}
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.coverage",
        description="Count runs in which a bound of rarebit.statistics was ever wrong.",
    )
    parser.add_argument("--runs", type=int, default=2000, help="runs per policy and pool (2000)")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--again", action="store_true", help="measure cells that are there already")
    given = parser.parse_args()
    machine = describe_machine()
    cells = {} if given.again else read_cells(given.out / "coverage.csv", given.runs)
    start = time.perf_counter()
    for pool in POOLS:
        for policy in POLICIES:
            if (pool, policy) in cells:
                continue
            cells[pool, policy] = measure(pool, policy, given.runs)
            table = make_table(list(cells.values()))
            table.write(given.out, machine)  # after every cell, so that a broken run continues
            seconds = time.perf_counter() - start
            print(f"[{seconds:5.0f} s] {pool}, {policy}", file=sys.stderr, flush=True)
    make_table(list(cells.values())).show()
    return 0 if all(cell["holds"] == "yes" for cell in cells.values()) else 1


def make_table(rows: list[dict[str, Any]]) -> Table:
    note = (
        "Runs in which a bound at 95 % confidence was wrong at any time, looking after every "
        "label: the ceiling of the total, and the recall and the precision of a frozen classifier. "
        "Allowed are 5 % and three standard errors."
    )
    return Table("coverage", "Bounds that were ever wrong", COLUMNS, rows, [note])


if __name__ == "__main__":
    sys.exit(main())
