"""``python -m benchmarks.coverage.probabilities``: do probabilities of final models add up?

Per seed a pool of 6,000 rows is drawn; a border learner asks for 200 labels, audits follow until
ten of them are rare. The probabilities of the rows without a label are added up and divided by the
rare rows among them. Runs that are written are not repeated.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.machine import describe_machine
from benchmarks.settings import ROOT
from benchmarks.tables import Column, Table
from rarebit import BorderLearner
from rarebit.datasets import load_pool
from rarebit.models import final_classifier

POOLS = {
    "letter-A": ("letter", "A"),
    "satimage-4": ("satimage", "4"),
    "shuttle-5": ("shuttle", "5"),
}
ROWS, BORDER, HITS = 6_000, 200, 10
FIELDS = ("pool", "seed", "labels", "audits", "shifted", "plain")


def measure(name: str, seed: int) -> dict[str, Any]:
    """Return the sum of probabilities over the truth, with and without the shift by audits."""
    source, wanted = POOLS[name]
    X, y = load_pool(source)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))[:ROWS]
    X, rare = X[rows], np.array([str(label) == wanted for label in y[rows]])
    learner = BorderLearner(stop=None, random_state=seed).start(X)
    while learner.n_labels_ < BORDER:
        asked = learner.ask()
        learner.tell(asked, rare[asked].astype(int))
    labels = {int(row): int(label) for row, label in learner.labels_.items()}
    history = dict.fromkeys(labels, "border")
    hits = n_audits = 0
    for row in rng.permutation([row for row in range(len(X)) if row not in labels]).tolist():
        labels[row], history[row] = int(rare[row]), "audit"
        hits, n_audits = hits + int(rare[row]), n_audits + 1
        if hits >= HITS:
            break
    model = final_classifier(X, labels, history=history, random_state=seed, rare=1)
    rest = np.setdiff1d(np.arange(len(X)), list(labels))
    truth = max(1, int(rare[rest].sum()))
    shifted = float(model.predict_proba(X[rest])[:, 1].sum()) / truth
    model.offset_ = np.zeros_like(model.offset_)
    plain = float(model.predict_proba(X[rest])[:, 1].sum()) / truth
    return {"pool": name, "seed": seed, "labels": len(labels), "audits": n_audits,
            "shifted": shifted, "plain": plain}  # fmt: skip


def read_runs(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {key: value if key == "pool" else float(value) for key, value in row.items()}
            for row in csv.DictReader(file)
        ]


def make_table(runs: list[dict[str, Any]]) -> Table:
    rows = []
    for name in POOLS:
        mine = [run for run in runs if run["pool"] == name]
        if mine:
            shifted = [run["shifted"] for run in mine]
            rows.append({
                "pool": name, "seeds": len(mine), "audits": int(median(r["audits"] for r in mine)),
                "shifted": median(shifted), "low": float(np.quantile(shifted, 0.1)),
                "high": float(np.quantile(shifted, 0.9)), "plain": median(r["plain"] for r in mine),
            })  # fmt: skip
    columns = [
        Column("pool", "pool"),
        Column("seeds", "seeds"),
        Column("audits", "audits, median"),
        *(
            Column(key, text, lambda value: f"{value:.2f}")
            for key, text in (
                ("shifted", "Σp / truth, median"),
                ("low", "tenth"),
                ("high", "ninetieth percentile"),
                ("plain", "without the shift"),
            )
        ),
    ]
    note = (
        f"Pools of {ROWS:,} rows (satimage: 4,435), {BORDER} labels on the border and audits until "
        f"{HITS} were rare; over the rows without a label."
    )
    return Table("proof-probabilities", "Sums of probabilities", columns, rows, [note])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.probabilities")
    parser.add_argument("--seeds", type=int, default=20, help="seeds per pool (20)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no run later")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "proof-probabilities-runs.csv"
    runs, start = read_runs(path), time.monotonic()
    for seed in range(given.seeds):
        for name in POOLS:
            done = any(run["pool"] == name and run["seed"] == seed for run in runs)
            if done or time.monotonic() - start > given.seconds:
                continue
            runs.append(measure(name, seed))
            print(runs[-1], file=sys.stderr, flush=True)
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(runs)
            make_table(runs).write(given.out, describe_machine())
    make_table(runs).show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
