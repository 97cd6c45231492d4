"""Discovery in large pools: ready for the first question, later questions, memory."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.preprocessing import normalize

from benchmarks.jobs import Job, Results
from benchmarks.meters import metered, peak_mb
from benchmarks.tables import Column, Table, number, seconds, times

MILLION, QUICK, KDD = "million", "hundred thousand", "kddcup99"
WIDE, TEXTS = "100,000 × 150 dense", "100,000 × 50,000 sparse"
MALICE, SCOUT, SCOUTS, RIVAL = "Malice", "Scout", "Scout, 2 threads", "NearestNeighbors"
_RARE = (2000, 1000, 400)
_STEPS = 50
_RIVAL_ROWS = 200  # rows whose neighbours the rival looks for; its time is in proportion
_KDD_LABELS = 3000

_COLUMNS = (
    Column("set", "pool"),
    Column("contender", "contender"),
    Column("seconds", "ready, seconds", seconds),
    Column("ratio", "speed, NearestNeighbors = 1", times),
    Column("step_ms", "median question, ms", number(1)),
    Column("slowest_ms", "slowest, ms", number(1)),
    Column("labels", "labels", number(0)),
    Column("classes", "classes found", number(0)),
    Column("last", "labels to the last of them", number(0)),
    Column("whole", "whole run, seconds", seconds),
    Column("peak_mb", "peak, MB", number(0)),
    Column("busy"),
)


def jobs(quick: bool) -> dict[str, dict[str, Job]]:
    """Return the measurements, by pool."""
    pool = QUICK if quick else MILLION
    made = {
        pool: {name: Job("discovery", pool, name) for name in (MALICE, SCOUT, SCOUTS, RIVAL)},
    }
    if not quick:
        # Malice is ready after half a minute, but with classes of 100,000 rows to seek each of its
        # questions looks at most of the pool: it does not come to an end in reasonable time.
        for name in (KDD, WIDE, TEXTS):
            made[name] = {each: Job("discovery", name, each) for each in (SCOUT, SCOUTS)}
    return made


def make_texts(n_rows: int, n_words: int, per_row: int) -> Any:
    """Return rows of unit length whose columns are as frequent as words in texts."""
    rng = np.random.default_rng(0)
    frequency = 1.0 / (10.0 + np.arange(n_words))
    columns = rng.choice(n_words, (n_rows, per_row), p=frequency / frequency.sum())
    weights = np.log(1.0 / frequency)[columns]
    offsets = np.arange(0, n_rows * per_row + 1, per_row)
    rows = sparse.csr_matrix((weights.ravel(), columns.ravel(), offsets), (n_rows, n_words))
    rows.sum_duplicates()
    return normalize(rows)


def make_pool(name: str) -> tuple[Any, NDArray[Any]]:
    """Return a pool: Gaussian with three compact rare classes, words, or KDD99's ten per cent."""
    if name == KDD:
        from rarebit.datasets import load_pool

        return load_pool("kddcup99")
    if name == TEXTS:
        return make_texts(100_000, 50_000, 50), np.zeros(100_000, dtype=np.int64)
    n = 1_000_000 if name == MILLION else 100_000
    d = 150 if name == WIDE else 8
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), np.zeros(n, dtype=np.int64)
    at = 0
    for number_, size in enumerate(_RARE, start=1):
        rows = slice(at, at + size)
        X[rows] = rng.normal(scale=0.8, size=d) + 0.08 * rng.normal(size=(size, d))
        y[rows] = number_
        at += size
    return X, y


def measure(job: Job) -> dict[str, Any]:
    """Run one contender in this process."""
    X, y = make_pool(job.set)
    if job.contender == RIVAL:
        return _measure_rival(X)
    from rarebit import Malice, Scout

    classes, counts = np.unique(y, return_counts=True)
    priors = {
        name: count / len(y)
        for name, count in zip(classes.tolist(), counts.tolist(), strict=True)
        if count < counts.max()
    }
    threads = 2 if job.contender == SCOUTS else None
    scout = Scout(metric="cosine" if sparse.issparse(X) else "euclidean", n_jobs=threads)
    explorer: Any = Malice(priors) if job.contender == MALICE else scout
    Malice([0.1]).start(np.eye(20)).ask()  # warm
    row = -1

    def ready() -> None:
        nonlocal row
        explorer.start(X)
        row = int(explorer.ask()[0])

    begin = time.perf_counter()
    facts: dict[str, Any] = dict(metered(ready).facts())
    steps = []
    most = _KDD_LABELS if job.set == KDD else _STEPS
    while len(explorer.labels_) < most:
        start = time.perf_counter()
        # In the made pool every answer is the common class: the search never ends, and its
        # questions can be timed.
        explorer.tell(row, y[row] if job.set == KDD else 0)
        if explorer.done:
            break
        row = int(explorer.ask()[0])
        steps.append(time.perf_counter() - start)
    return facts | {
        "step_ms": 1e3 * statistics.median(steps),
        "slowest_ms": 1e3 * max(steps),
        "labels": len(explorer.labels_),
        "classes": len(explorer.discovered_),
        "last": max(explorer.discovered_.values(), default=0),
        "whole": time.perf_counter() - begin,
        "peak_mb": peak_mb(),
    }


def _measure_rival(X: Any) -> dict[str, Any]:
    """K-th distances of all rows for the three K, from those of a sample of rows."""
    from sklearn.neighbors import NearestNeighbors

    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    sample = np.random.default_rng(1).choice(len(X), _RIVAL_ROWS, replace=False)
    model = NearestNeighbors(n_neighbors=max(_RARE), n_jobs=1)
    fit = metered(lambda: model.fit(X))
    # The distances to the largest K-th neighbours hold those of the smaller K.
    query = metered(lambda: model.kneighbors(X[sample]))
    facts = dict(query.facts())
    facts["seconds"] = fit.seconds + query.seconds * len(X) / _RIVAL_ROWS
    return facts


def table(measured: dict[str, dict[str, Results]]) -> Table:
    """Make one row per pool and contender."""
    result = Table("discovery", "Discovery in large pools", _COLUMNS)
    for pool, by_contender in measured.items():
        rival = by_contender.get(RIVAL)
        for name, results in by_contender.items():
            row = {"set": pool, "contender": name} | dict(results.first)
            row["seconds"] = results.median("seconds")
            if rival is not None:
                row["ratio"] = rival.median("seconds") / row["seconds"]
            result.rows.append(row)
    result.notes = [
        "million: 1,000,000 rows of 8 features, rare classes of "
        f"{', '.join(f'{size:,}' for size in _RARE)} rows. NearestNeighbors: the K-th distances of "
        f"all rows, K = {max(_RARE):,}, from the time of {_RIVAL_ROWS} random rows. kddcup99: the "
        f"ten per cent, 494,021 rows of 23 classes; runs end after {_KDD_LABELS:,} labels. Malice "
        "does not come to an end there: with classes of 100,000 rows each of its questions looks "
        "at most of the pool. Threads look for neighbours and ask for the same rows; projects use "
        "all processors.",
    ]
    return result
