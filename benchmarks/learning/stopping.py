"""``python -m benchmarks.learning.stopping``: where the stop rule ends, and what that costs.

A hunt as `rarebit learn` sets it up asks until it advises to stop. A balanced SVM is then fitted
to the rows asked for and, beside it, to all rows of the pool; both judge the rows held out.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.learning.pools import DEVELOPMENT, REPORT, Pool, draw_pool
from benchmarks.learning.runs import append_result, read_results
from benchmarks.machine import describe_machine
from benchmarks.settings import ROOT
from benchmarks.tables import Column, Table, number
from rarebit import KernelSVC
from rarebit.active import BorderLearner, Hunt, Scout
from rarebit.metrics import g_mean_score

_FEWEST_ROWS = 3000  # smaller pools are not what a stop rule is for


def balanced_g_mean(pool: Pool, rows: Any) -> float:
    """Return the g-mean, on rows held out, of a balanced SVM fitted to rows of the pool."""
    kernel = "linear" if sparse.issparse(pool.X) else "rbf"
    model = KernelSVC(kernel=kernel, class_weight="balanced").fit(pool.X[rows], pool.y[rows])
    return float(g_mean_score(pool.y_test, model.predict(pool.X_test), labels=[0, 1]))


def measure(pool: Pool, seed: int) -> dict[str, Any]:
    """Return the labels at which a hunt stops, and both g-means."""
    texts = sparse.issparse(pool.X)
    asker = Hunt(
        explorer=Scout(metric="cosine" if texts else "euclidean"),
        learner=BorderLearner(kernel="linear" if texts else "rbf", random_state=seed),
        random_state=seed,
    ).start(pool.X)
    start = time.process_time()
    while not asker.done and (rows := asker.ask()).size:
        asker.tell(rows, pool.y[rows])
    asked = np.array(list(asker.labels_))
    everything = np.arange(len(pool.y))
    one_class = len(np.unique(pool.y[asked])) < 2
    return {
        "pool": pool.name,
        "seed": seed,
        "rows": len(pool.y),
        "labels": len(asked),
        "share": len(asked) / len(pool.y),
        "at the stop": 0.0 if one_class else balanced_g_mean(pool, asked),
        "all labels": balanced_g_mean(pool, everything),
        "seconds": time.process_time() - start,
    }


def make_table(results: list[dict[str, Any]]) -> Table:
    """Return one row per pool, means over its draws, and their mean."""
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(result["pool"] for result in results):
        own = [result for result in results if result["pool"] == name]
        means = {
            key: float(np.mean([result[key] for result in own]))
            for key in ("rows", "labels", "share", "at the stop", "all labels")
        }
        rows.append({"pool": name, "runs": len(own), **means})
    for row in rows:
        row["drop"] = 100 * (row["all labels"] - row["at the stop"])
    drops = [row["drop"] for row in rows]
    error = float(np.std(drops, ddof=1) / np.sqrt(len(drops))) if len(drops) > 1 else float("nan")
    total = {
        key: float(np.mean([row[key] for row in rows]))
        for key in ("share", "at the stop", "all labels", "drop")
    }
    rows.append({"pool": "mean", "runs": len(results), **total})
    columns = [
        Column("pool", "pool"), Column("runs", "runs", number(0)),
        Column("rows", "rows", number(0)), Column("labels", "labels", number(0)),
        Column("share", "share of the pool", lambda value: f"{value:.1%}"),
        Column("at the stop", "g-mean at the stop", number(4)),
        Column("all labels", "with all labels", number(4)),
        Column("drop", "points lost", number(2)),
    ]  # fmt: skip
    share = median(result["share"] for result in results)
    note = (
        f"Median share of the pool {share:.1%}; standard error of the points lost over pools "
        f"{error:.2f}. g-mean of a balanced SVM on rows held out."
    )
    return Table("stopping", "Where the stop rule ends", columns, rows, [note])


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, print the table and write it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learning.stopping",
        description="Labels at which the stop rule ends on pools of at least "
        f"{_FEWEST_ROWS:,} rows, and g-mean there. An interrupted run continues.",
    )
    parser.add_argument(
        "--sets", default="report", help="development, report, or names with commas (report)"
    )
    parser.add_argument("--seeds", type=int, default=1, help="draws of each pool (1)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "learning")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    given = parser.parse_args(arguments)
    groups = {"development": tuple(DEVELOPMENT), "report": tuple(REPORT)}
    names = groups.get(given.sets, tuple(given.sets.split(",")))
    given.work.mkdir(parents=True, exist_ok=True)
    path = given.work / "stopping.jsonl"
    done = read_results(path)
    known = {(result["pool"], result["seed"]) for result in done}
    for seed in range(given.seeds):
        for name in names:
            if (name, seed) in known:
                continue
            pool = draw_pool(name, seed)
            if len(pool.y) < _FEWEST_ROWS:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                done.append(measure(pool, seed))
            append_result(path, done[-1])
            print(done[-1], file=sys.stderr, flush=True)
    own = [result for result in done if result["pool"] in names and result["seed"] < given.seeds]
    if not own:
        parser.error(f"none of the pools has {_FEWEST_ROWS:,} rows or more")
    table = make_table(own)
    table.show()
    table.write(given.out, describe_machine())
    return 0


if __name__ == "__main__":
    sys.exit(main())
