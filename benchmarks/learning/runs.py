"""Runs: every asker, judge and budget on every draw of every pool; what is done is kept."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.learning.judges import JUDGES, PAIRS, TEXT_PAIRS, boosting_seconds
from benchmarks.learning.orders import asked_rows
from benchmarks.learning.pools import Pool, draw_pool
from rarebit.metrics import g_mean_score

Result = dict[str, Any]
ALL = "all labels"
ALL_JUDGES = ("final", "bags", "boosting", "tuned SVC")


def measure_pools(
    folder: Path,
    names: list[str],
    seeds: int,
    budgets: list[int],
    *,
    with_all: bool,
    only: list[str] | None,
    say: Callable[[str], None],
) -> list[Result]:
    """Return all results, from the folder where they are there already.

    Parameters
    ----------
    folder : path
        What was done, one JSON line per result, and the orders asked.
    names : list of str
        Pools.
    seeds : int
        Draws of each.
    budgets : list of int
        Labels; one counts only on pools at least twice as large.
    with_all : bool
        Whether to fit to all labels of the pool, too.
    only : list of str or None
        Askers, instead of all of them.
    say : function of str
        Told of every draw.
    """
    path = folder / "results.jsonl"
    done = read_results(path)
    known = {_key(result) for result in done}
    for seed in range(seeds):
        for name in names:
            start = time.process_time()
            pool = draw_pool(name, seed)
            fresh = 0
            for result in _measure(folder, pool, seed, budgets, known, with_all, only):
                fresh += 1
                known.add(_key(result))
                done.append(result)
                append_result(path, result)
            if fresh:
                say(f"{name}, draw {seed}: {fresh} fits, {time.process_time() - start:.0f} s")
    wanted = {*map(str, budgets), *([ALL] if with_all else [])}
    return [
        result
        for result in done
        if result["pool"] in names and result["seed"] < seeds and str(result["labels"]) in wanted
    ]


def read_results(path: Path) -> list[Result]:
    """Return the results that a file has; a line that is cut off is left out."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def append_result(path: Path, result: Result) -> None:
    """Write a result on a line of its own, also after a line that is cut off."""
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, 2)
            if file.read() != b"\n":
                file.write(b"\n")
        file.write(json.dumps(result).encode() + b"\n")


def _key(result: Result) -> tuple[Any, ...]:
    return tuple(result[name] for name in ("pool", "seed", "asker", "judge", "labels"))


def _measure(
    folder: Path,
    pool: Pool,
    seed: int,
    budgets: list[int],
    known: set[tuple[Any, ...]],
    with_all: bool,
    only: list[str] | None,
) -> Iterator[Result]:
    possible = [budget for budget in budgets if 2 * budget <= len(pool.y)]
    pairs = TEXT_PAIRS if sparse.issparse(pool.X) else PAIRS
    for asker, judges in pairs.items():
        wanted = [
            (judge, budget)
            for judge in judges
            for budget in possible
            if (pool.name, seed, asker, judge, budget) not in known
        ]
        if not wanted or (only and asker not in only):
            continue
        rows, reasons = asked_rows(folder, pool, asker, seed, max(possible))
        for judge, budget in wanted:
            yield _judged(pool, rows[:budget], reasons[:budget], seed, asker, judge, budget)
    everything = np.arange(len(pool.y))
    for judge in ALL_JUDGES if with_all else ():
        if (pool.name, seed, ALL, judge, ALL) not in known:
            reasons = ["random"] * len(everything)
            result = _judged(pool, everything, reasons, seed, ALL, judge, ALL)
            yield {**result, "one fit of LightGBM": boosting_seconds(pool, seed)}


def _judged(
    pool: Pool, rows: Any, reasons: list[str], seed: int, asker: str, judge: str, budget: int | str
) -> Result:
    start = time.process_time()
    n_rare = int(pool.y[rows].sum())
    if 0 < n_rare < len(rows):
        scores, predicted = JUDGES[judge](pool, rows, reasons, seed)
    else:  # one class only: nobody can rank
        scores, predicted = np.zeros(len(pool.y_test)), np.zeros(len(pool.y_test))
    return {
        "pool": pool.name,
        "texts": bool(sparse.issparse(pool.X)),
        "seed": seed,
        "asker": asker,
        "judge": judge,
        "labels": budget,
        "rare labels": n_rare,
        "AP": float(average_precision_score(pool.y_test, scores)),
        "AUC": float(roc_auc_score(pool.y_test, scores)),
        "g-mean": float(g_mean_score(pool.y_test, predicted, labels=[0, 1])),
        "seconds": time.process_time() - start,
    }
