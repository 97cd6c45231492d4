"""``python -m benchmarks.coverage.pools``: labels that ``Hunt(goal="find", target=…)`` takes to
prove a recall on real pools, beside rules that promise nothing and a sample fixed beforehand.

Every run is written when it is done, so that a broken command continues; with ``--seconds`` it ends
by itself.
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
from numpy.typing import NDArray
from scipy.stats import binom, hypergeom
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from benchmarks.machine import describe_machine
from benchmarks.settings import ROOT
from benchmarks.tables import Column, Table
from rarebit import BorderLearner, Hunt, RandomExplorer
from rarebit.datasets import load_pool, load_task
from rarebit.statistics import impossibility_table

RECALLS = (0.8, 0.9)
NEGATIVES = 50
# Pool, rare class, rows taken at most.
POOLS: dict[str, tuple[str, Any, int]] = {
    "letter-A": ("letter", "A", 20_000),
    "satimage-4": ("satimage", 4, 4_435),
    "shuttle-3": ("shuttle", 3, 43_500),
    "mnist-8": ("mnist-8", 1, 60_000),
    "kddcup99-ipsweep": ("kddcup99", "ipsweep", 60_000),
}
# Principal components that pictures are reduced to.
COMPONENTS = 50
FIELDS = ("pool", "recall", "seed", "rows", "rare", "labels", "met", "qbcb", "qbcb_met", "buscar",
          "buscar_met", "simple", "simple_met", "seconds")  # fmt: skip


def load(name: str, seed: int) -> tuple[Any, NDArray[np.bool_]]:
    """Return rows on one scale, and which are rare."""
    source, rare, most = POOLS[name]
    if source == "mnist-8":
        task = load_task(source)
        X, is_rare = np.asarray(task.X_train, dtype=np.float64), np.asarray(task.y_train) == rare
        X = PCA(COMPONENTS, svd_solver="randomized", random_state=0).fit_transform(X)
        X /= X.std()
    else:
        X, y = load_pool(source)
        is_rare = np.array([str(label) == str(rare) for label in y])
    rows = np.random.default_rng(seed).permutation(len(is_rare))[:most]
    X = np.asarray(X, dtype=np.float64)[rows]
    return X if source == "mnist-8" else StandardScaler().fit_transform(X), is_rare[rows]


def hunt(X: Any, rare: NDArray[np.bool_], recall: float | None, seed: int, most: int) -> Hunt:
    """Run a hunt that begins with one known row."""
    named = np.where(rare, "rare", "other")
    start = int(np.random.default_rng(seed).choice(np.flatnonzero(rare)))
    asker = Hunt(
        RandomExplorer(random_state=seed),
        BorderLearner(stop=None, random_state=seed),
        goal="find",
        target=recall,
        rare="rare",
        random_state=seed,
    ).start(X, {start: "rare"})
    while not asker.done and len(asker.labels_) < most:
        rows = asker.ask()
        asker.tell(rows, named[rows])
    return asker


def n_negatives(found: NDArray[np.bool_]) -> int:
    """Return the labels after which so many negatives had come in a row."""
    run = 0
    for at, hit in enumerate(found, 1):
        run = 0 if hit else run + 1
        if run == NEGATIVES:
            return at
    return len(found)


def buscar(found: NDArray[np.bool_], n_rows: int, recall: float, risk: float = 0.05) -> int:
    """Return the labels at which the rule of buscar stops.

    The last rows are taken for a random sample of those that were left before them, whichever
    number of them gives the smallest hypergeometric tail. It is looked at after every ten labels,
    after half a per cent more from 2,000 labels on.
    """
    total = np.cumsum(found)
    at = 50
    while at <= len(found):
        most = int(total[at - 1] / recall) + 1  # so many rare rows would be too many
        before = np.arange(0, at - 1, max(1, at // 50))
        hits = total[at - 1] - np.where(before > 0, total[before - 1], 0)
        left = n_rows - before
        missing = most - np.where(before > 0, total[before - 1], 0)
        if hypergeom.cdf(hits, left, missing, at - before).min() < risk:
            return at
        at += max(10, at // 200)
    return len(found)


def qbcb(
    rare: NDArray[np.bool_], order: NDArray[np.intp], recall: float, size: int, seed: int
) -> tuple[int, float]:
    """Return labels and recall of a sample fixed beforehand (quantile binomial bound).

    ``size`` rare rows are drawn at random, which takes the random labels that show them; the search
    continues until as many of them are reached as the bound wants.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(len(rare))
    places = np.flatnonzero(rare[drawn])[:size]
    sample, spent = drawn[places], int(places[-1]) + 1
    wanted = int(binom.ppf(0.95, len(sample), recall)) + 1
    if wanted > len(sample):  # too small for this recall, whatever is reached
        return len(rare), 1.0
    rank = np.empty(len(rare), dtype=np.intp)
    rank[order] = np.arange(len(order))
    reached = np.sort(rank[sample])[wanted - 1] + 1
    seen = set(order[:reached].tolist()) | set(drawn[:spent].tolist())
    return len(seen), float(rare[list(seen)].sum() / rare.sum())


def measure(name: str, seed: int, recalls: list[float]) -> list[dict[str, Any]]:
    """Return a run per recall of one pool."""
    X, rare = load(name, seed)
    greedy = hunt(X, rare, None, seed, min(len(rare), 2 * int(rare.sum()) + 1500))
    order = np.array(list(greedy.labels_))
    full = np.concatenate([order, greedy.rank()])
    hits = rare[order]
    made = []
    for recall in recalls:
        start = time.process_time()
        proved = hunt(X, rare, recall, seed, len(rare))
        seconds = time.process_time() - start
        sizes = [qbcb(rare, full, recall, size, seed) for size in (30, 60, 100, 200)]
        cheapest, reached = min(sizes)
        simple, tail = n_negatives(hits), buscar(hits, len(rare), recall)
        found = sum(label == "rare" for label in proved.labels_.values()) / rare.sum()
        made.append(
            {
                "pool": name, "recall": recall, "seed": seed, "rows": len(rare),
                "rare": int(rare.sum()), "labels": len(proved.labels_), "met": found >= recall,
                "qbcb": cheapest, "qbcb_met": reached >= recall,
                "buscar": tail, "buscar_met": hits[:tail].sum() / rare.sum() >= recall,
                "simple": simple, "simple_met": hits[:simple].sum() / rare.sum() >= recall,
                "seconds": round(seconds, 1),
            }
        )  # fmt: skip
    return made


def read_runs(path: Path) -> list[dict[str, Any]]:
    """Return the runs that an earlier, perhaps broken, command has made."""
    if not path.exists():
        return []
    runs: list[dict[str, Any]] = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            runs.append({key: row[key] if key == "pool" else float(row[key]) for key in FIELDS})
    return runs


def write_runs(path: Path, runs: list[dict[str, Any]]) -> None:
    """Write the runs, whole or not at all."""
    partial = path.with_suffix(".part")
    with partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {key: row[key] if key == "pool" else f"{float(row[key]):g}" for key in FIELDS}
            for row in runs
        )
    partial.replace(path)


def summarise(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row of the table per pool and recall."""
    rows = []
    for name in POOLS:
        for recall in RECALLS:
            mine = [run for run in runs if run["pool"] == name and run["recall"] == recall]
            if not mine:
                continue
            n, k = int(mine[0]["rows"]), int(median(run["rare"] for run in mine))
            bound = k + impossibility_table(n, [k], [recall])[0].labels
            keys = ("labels", "qbcb", "buscar", "simple")
            row: dict[str, Any] = {
                "pool": f"{name}: {k:,} of {n:,}", "recall": recall, "runs": len(mine),
                "bound": bound,
            }  # fmt: skip
            for key in keys:
                met = "met" if key == "labels" else f"{key}_met"
                row[key] = int(median(run[key] for run in mine))
                row[met] = float(np.mean([float(run[met]) for run in mine]))
            row["ratio"] = row["labels"] / bound
            rows.append(row)
    return rows


def make_table(runs: list[dict[str, Any]]) -> Table:
    columns = [Column("pool", "pool"), Column("recall", "recall"), Column("runs", "runs")]
    for key, text in (("labels", "rarebit"), ("qbcb", "QBCB"), ("buscar", "buscar"),
                      ("simple", f"{NEGATIVES} negatives")):  # fmt: skip
        columns.append(Column(key, text, lambda value: f"{value:,}"))
        met = "met" if key == "labels" else f"{key}_met"
        columns.append(Column(met, "met", lambda value: f"{value:.0%}"))
    columns.append(Column("bound", "information bound", lambda value: f"{value:,}"))
    columns.append(Column("ratio", "ratio", lambda value: f"{value:.2f}"))
    note = (
        "Median labels of runs from one known row, and the share of runs that met the target. QBCB "
        "has the cheapest of four sample sizes in hindsight; buscar, looked at after every ten "
        f"labels, and {NEGATIVES} negatives in a row promise nothing here. The information bound "
        "is that of a ranking without a mistake. Labels are chosen by rarebit's machine throughout."
    )
    return Table("proof-pools", "Labels of a proof on real pools", columns, summarise(runs), [note])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.pools")
    parser.add_argument("--runs", type=int, default=5, help="runs per pool (5)")
    parser.add_argument("--pools", nargs="*", default=list(POOLS), choices=list(POOLS))
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no run later")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "proof-pools-runs.csv"
    runs = read_runs(path)
    start = time.monotonic()
    for seed in range(given.runs):
        for name in given.pools:
            known = {run["recall"] for run in runs if run["pool"] == name and run["seed"] == seed}
            missing = [recall for recall in RECALLS if recall not in known]
            if not missing or time.monotonic() - start > given.seconds:
                continue
            runs += measure(name, seed, missing)
            write_runs(path, runs)
            make_table(runs).write(given.out, describe_machine())
            print(f"[{time.monotonic() - start:5.0f} s] {name}, seed {seed}", file=sys.stderr)
    make_table(runs).show()
    return 0


if __name__ == "__main__":
    sys.exit(main())
