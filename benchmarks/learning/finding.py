"""``python -m benchmarks.learning.finding``: how soon the rare rows of a pool are found."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.learning.askers import asreview_model
from benchmarks.learning.pools import DEVELOPMENT, REPORT, Pool, draw_pool
from benchmarks.learning.runs import append_result, read_results
from benchmarks.machine import describe_machine
from benchmarks.settings import ROOT
from benchmarks.tables import Column, Table, number
from rarebit.active import BorderLearner, Hunt, Scout

Rows = NDArray[np.intp]
Find = Callable[[Pool, int, "int | None"], list[int]]

TEXTS = tuple(name for name in (*DEVELOPMENT, *REPORT) if name[:4] in ("reut", "sms_"))
TABLES = tuple(name for name in REPORT if name not in TEXTS)
_ENOUGH = 0.95  # share of the rare rows at which a run ends
_AT = 200  # labels at which the share found is compared on tables
_GROWTH = 0.02  # rivals learn anew when labels have grown by this share, as `Hunt` does


def hunt(pool: Pool, seed: int, known: int | None) -> list[int]:
    """`Hunt` with ``goal="find"``."""
    texts = sparse.issparse(pool.X)
    asker = Hunt(
        explorer=Scout(metric="cosine" if texts else "euclidean"),
        learner=BorderLearner(kernel="linear" if texts else "rbf", stop=None, random_state=seed),
        goal="find",
        rare=1,
        random_state=seed,
    ).start(pool.X, {} if known is None else {known: 1})
    asked: list[int] = []
    while not _over(pool, asked, known) and (rows := asker.ask()).size:
        asker.tell(rows, pool.y[rows])
        asked += [int(row) for row in rows]
    return asked


def _greedy(fit: Callable[[Any, Any, int], Any]) -> Find:
    """The highest score of a model first; rows at random until both classes are known."""

    def find(pool: Pool, seed: int, known: int | None) -> list[int]:
        order = np.random.default_rng(seed).permutation(len(pool.y)).tolist()
        asked: list[int] = []
        model: Any = None
        learned = 0
        while not _over(pool, asked, known):
            rows = np.array(([] if known is None else [known]) + asked, dtype=np.intp)
            if len(np.unique(pool.y[rows])) < 2:
                taken = {*asked, known}
                asked.append(next(row for row in order if row not in taken))
                continue
            if model is None or len(rows) - learned >= max(1, int(_GROWTH * len(rows))):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = fit(pool.X[rows], pool.y[rows], seed)
                    scores = model(pool.X)
                learned = len(rows)
            scores[rows] = -np.inf
            asked.append(int(np.argmax(scores)))
        return asked

    return find


def _lightgbm(X: Any, y: Any, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(random_state=seed, verbose=-1, n_jobs=1, class_weight="balanced")
    model.fit(X, y)
    return lambda rows: model.predict_proba(rows)[:, 1]


CONTENDERS: dict[bool, dict[str, Find]] = {
    True: {"rarebit": hunt, "ASReview's model": _greedy(asreview_model)},
    False: {"rarebit": hunt, "greedy LightGBM": _greedy(_lightgbm)},
}


def _over(pool: Pool, asked: list[int], known: int | None) -> bool:
    if not sparse.issparse(pool.X):
        return len(asked) >= min(_AT, len(pool.y))
    others = pool.y.sum() - (known is not None)
    found = pool.y[np.array(asked, dtype=np.intp)].sum()
    return bool(found >= np.ceil(_ENOUGH * others)) or len(asked) >= len(pool.y) - 1


def measure(pool: Pool, seed: int, who: str, start: str) -> dict[str, Any]:
    """Return what one run found, by share of the pool asked for."""
    rare = np.flatnonzero(pool.y)
    known = int(rare[seed % len(rare)]) if start == "one known row" else None
    begin = time.process_time()
    texts = bool(sparse.issparse(pool.X))
    asked = CONTENDERS[texts][who](pool, seed, known)
    n, others = len(pool.y), pool.y.sum() - (known is not None)
    found = np.cumsum(pool.y[asked]) / others

    def share(labels: int) -> float:
        return float(found[min(labels, len(found)) - 1])

    enough = np.flatnonzero(found >= _ENOUGH)
    result = {
        "pool": pool.name, "seed": seed, "texts": texts, "who": who, "start": start,
        f"at {_AT}": share(_AT), "seconds": time.process_time() - begin,
    }  # fmt: skip
    if texts:
        result |= {f"{p} %": share(round(p / 100 * n)) for p in (5, 10, 20)}
        needed = int(enough[0]) + 1 if enough.size else n
        result["WSS@95"] = float(1.0 - needed / n - (1.0 - _ENOUGH))
    return result


def table(name: str, title: str, results: list[dict[str, Any]], columns: list[str]) -> Table:
    """Return one row per start and contender: means over pools of means over draws."""
    rows = []
    for start in dict.fromkeys(r["start"] for r in results):
        for who in dict.fromkeys(r["who"] for r in results):
            own = [r for r in results if (r["start"], r["who"]) == (start, who)]
            row: dict[str, Any] = {"start": start, "who": who, "runs": len(own)}
            for column in (*columns, "seconds"):
                by_pool: dict[str, list[float]] = {}
                for r in own:
                    by_pool.setdefault(r["pool"], []).append(r[column])
                row[column] = float(np.mean([np.mean(v) for v in by_pool.values()]))
            rows.append(row)
    shown = [
        Column("start", "start"), Column("who", "who asks"), Column("runs", "runs", number(0)),
        *(Column(column, column, number(3)) for column in columns),
        Column("seconds", "processor seconds", number(1)),
    ]  # fmt: skip
    return Table(name, title, shown, rows, ["Means over pools of means over draws."])


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, print the tables and write them."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.learning.finding",
        description="Recall by share of the pool and work saved at 95 % recall on texts, and the "
        "share of rare rows found at 200 labels on tables. An interrupted run continues.",
    )
    parser.add_argument("--sets", default="texts", help="texts, tables, or names with commas")
    parser.add_argument("--seeds", type=int, default=3, help="draws of each pool (3)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "learning")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    given = parser.parse_args(arguments)
    groups = {"texts": TEXTS, "tables": TABLES}
    names = groups.get(given.sets, tuple(given.sets.split(",")))
    given.work.mkdir(parents=True, exist_ok=True)
    path = given.work / "finding.jsonl"
    done = read_results(path)
    key = ("pool", "seed", "who", "start")
    known = {tuple(r[k] for k in key) for r in done}
    for seed in range(given.seeds):
        for name in names:
            pool = draw_pool(name, seed)
            for start in ("one known row", "cold"):
                for who in CONTENDERS[bool(sparse.issparse(pool.X))]:
                    if (name, seed, who, start) in known:
                        continue
                    done.append(measure(pool, seed, who, start))
                    append_result(path, done[-1])
                    print(name, seed, who, start, file=sys.stderr, flush=True)
    own = [r for r in done if r["pool"] in names and r["seed"] < given.seeds]
    machine = describe_machine()
    for texts, columns in ((True, ["5 %", "10 %", "20 %", "WSS@95"]), (False, [f"at {_AT}"])):
        chosen = [r for r in own if r["texts"] == texts]
        if chosen:
            what = "texts" if texts else "tables"
            made = table(f"finding-{what}", f"Rare rows found, {what}", chosen, columns)
            made.show()
            made.write(given.out, machine)
    return 0


if __name__ == "__main__":
    sys.exit(main())
