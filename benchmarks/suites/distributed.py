"""Many files on one, two and four workers, beside one process and beside joblib with Dask.

``python -m benchmarks distributed`` prints the tables and writes them to ``benchmarks/results``.
The rival reads the same files with polars and judges them with scikit-learn's `SVC`, fitted to the
same rows, in joblib's Dask backend on the same workers. Wall-clock seconds need a quiet machine;
processor seconds beside them tell how quiet it was.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from joblib import Parallel, delayed, parallel_config
from sklearn.svm import SVC

from benchmarks.machine import machine_lines
from benchmarks.meters import peak_mb, reset_peak
from benchmarks.settings import ROOT
from rarebit.active import Hunt, Scout
from rarebit.distributed import (
    PartitionedPool,
    PoolExplorer,
    PoolLearner,
    open_cluster,
    predict_files,
)
from rarebit.distributed._encoded import scouted
from rarebit.models import save_model, train_model
from rarebit.tables import read_table

FILES, ROWS, COLUMNS, TRAINED = 8, 50_000, 30, 3_000
WORKERS = (1, 2, 4)
QUESTIONS = 100


def make_files(folder: Path, files: int, rows: int) -> None:
    """Write files of numbers, of which some rows are rare."""
    for i in range(files):
        rng = np.random.default_rng(i)
        X = rng.normal(size=(rows, COLUMNS))
        rare = rng.random(rows) < 0.01
        X[rare, :4] += 2.0
        columns = {f"c{j}": X[:, j] for j in range(COLUMNS)}
        frame = pl.DataFrame({**columns, "class": np.where(rare, "rare", "ok")})
        frame.write_parquet(folder / f"part-{i:03}.parquet")


def _usage() -> tuple[float, float]:
    """Processor seconds and peak memory in MB of a worker."""
    return time.process_time(), peak_mb()


def _judge_with_svc(file: str, machine: Any) -> int:
    frame = pl.read_parquet(file)
    return int((machine.predict(frame.drop("class").to_numpy()) == "rare").sum())


def timed(client: Any, call: Callable[[], Any]) -> tuple[float, float, float]:
    """Seconds on the wall, processor seconds here and on all workers, and the largest peak."""
    before = client.run(_usage) if client is not None else {}
    reset_peak()
    if client is not None:
        client.run(reset_peak)
    wall, own = time.perf_counter(), time.process_time()
    call()
    wall, own = time.perf_counter() - wall, time.process_time() - own
    after = client.run(_usage) if client is not None else {}
    spent = own + sum(each[0] - before.get(name, (0.0, 0.0))[0] for name, each in after.items())
    peak = max((each[1] for each in after.values()), default=_usage()[1])
    return wall, spent, peak


def questions(pool: PartitionedPool, goal: str) -> None:
    """Ask and answer over a pool, with classes by the first columns."""
    options: dict[str, Any] = {"goal": goal, "rare": "rare"} if goal == "find" else {"goal": goal}
    hunt = Hunt(PoolExplorer(), PoolLearner(stop=None), random_state=0, **options)
    start = pool.take(np.arange(2000))[:, :4].sum(axis=1)
    known = {int(np.argmax(start)): "rare", int(np.argmin(start)): "ok"}
    hunt.start(pool, known)
    for _ in range(QUESTIONS):
        rows = hunt.ask()
        hunt.tell(rows, ["rare" if v > 5.0 else "ok" for v in pool.take(rows)[:, :4].sum(axis=1)])


def discovery_loss(seeds: int = 3) -> list[str]:
    """Labels until each of four rare classes is found: `Scout` over all rows, and over four files.

    The explorer of a cluster holds a tenth of the rows and those that the files name.
    """
    lines = [
        "| seed | Scout over all rows | over four files, a tenth of the rows at hand |",
        "|---|---|---|",
    ]
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(20_000, 6))
        y = np.zeros(len(X), dtype=int)
        for c in range(1, 5):
            rows = rng.choice(len(X), 40, replace=False)
            X[rows] = rng.normal(size=6) * 2.0 + 0.1 * rng.normal(size=(40, 6))
            y[rows] = c
        parts = np.array_split(rng.permutation(len(X)), 4)
        whole = Scout().start(X)
        while len(whole.discovered_) < 5 and len(whole.labels_) < 5000:
            rows = whole.ask()
            whole.tell(rows, y[rows])
        explorer = PoolExplorer(seed, n_drawn=2_000).start(_Parts(X, parts))
        while len(explorer.discovered_) < 5 and len(explorer.labels_) < 5000:
            rows = explorer.ask()
            explorer.tell(rows, y[rows])
        lines.append(f"| {seed} | {len(whole.labels_):,} | {len(explorer.labels_):,} |")
    return lines


class _Parts:
    """A pool in memory whose candidates come from parts of it."""

    gamma, is_sparse = 1.0, False

    def __init__(self, X: Any, parts: list[Any]) -> None:
        self._X, self._parts = X, parts
        self.n_rows = len(X)

    def take(self, rows: Any) -> Any:
        return self._X[rows]

    def best(self, *given: Any) -> Any:
        raise NotImplementedError

    def candidates(self, k: int) -> Any:
        each = -(-k // len(self._parts))
        found = [part[scouted(self._X[part], min(each, len(part)))] for part in self._parts]
        return np.array([rows[i] for i in range(each) for rows in found if i < len(rows)][:k])


def measure_workers(n: int, place: Path, sources: list[Path], svc: Any, note: Any) -> None:
    """Take all measurements with one number of workers."""
    folder, model, out = sources[0].parent, place / "m.rarebit", place / f"out-{n}"
    with open_cluster("local", n_workers=n) as client:
        predict_files(client, model, sources[0], out)  # warm
        call: Callable[[], Any] = partial(predict_files, client, model, folder, out)
        note("predict_files", n, timed(client, call))

        def rival() -> None:
            with parallel_config("dask", client=client):
                Parallel()(delayed(_judge_with_svc)(str(file), svc) for file in sources)

        note("joblib + Dask, scikit-learn's SVC", n, timed(client, rival))
        pools: list[PartitionedPool] = []

        def opened() -> None:
            pools.append(PartitionedPool.open(client, folder, drop=["class"]))

        note("open the pool", n, timed(client, opened))
        for goal in ("learn", "find"):
            found = timed(client, partial(questions, pools[0], goal))
            note(f"{QUESTIONS} questions, goal {goal}", n, found)


def main(quick: bool = False) -> None:
    """Measure, print, write."""
    machine = machine_lines(threads="1 per worker")
    files, rows = (4, 5_000) if quick else (FILES, ROWS)
    lines = [
        f"{files} Parquet files of {rows:,} × {COLUMNS}; {os.cpu_count()} processors. Seconds on "
        "the wall, processor seconds of all processes, peak MB of the largest worker.", "",
        "| what | workers | wall s | processor s | MB |", "|---|---|---|---|---|",
    ]  # fmt: skip

    def note(what: str, workers: int | str, found: tuple[float, float, float]) -> None:
        wall, spent, peak = found
        lines.append(f"| {what} | {workers} | {wall:.2f} | {spent:.2f} | {peak:.0f} |")
        print(lines[-1], flush=True)

    with tempfile.TemporaryDirectory(prefix="rarebit-bench-") as place:
        folder = Path(place) / "pool"
        folder.mkdir()
        make_files(folder, files, rows)
        sources = sorted(folder.iterdir())
        table = read_table(sources[0], target="class").take(slice(0, TRAINED))
        model = train_model(table, method="kernel", random_state=0)
        save_model(model, Path(place) / "m.rarebit")
        svc = SVC().fit(table.numbers, table.target)

        def alone() -> None:
            for file in sources:
                model.decide(read_table(file, target="class"))

        note("predict, one process", "none", timed(None, alone))
        for n in WORKERS:
            measure_workers(n, Path(place), sources, svc, note)
    lines += ["", "Labels until all of four rare classes are found:", "", *discovery_loss()]
    print("\n".join(lines[-5:]))
    lines += ["", *machine]
    name = "distributed-quick.md" if quick else "distributed.md"
    (ROOT / "benchmarks" / "results" / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main("--quick" in sys.argv[1:])
