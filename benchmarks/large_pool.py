"""``python -m benchmarks.large_pool``: a pool larger than the memory of the workers, end to end.

Writes Parquet files, starts two worker processes with a limit of memory, runs ``rarebit learn``
(from one known row, the rows that look rare first) and ``rarebit predict`` with ``--cluster`` on
them, and prints times, processor times and the largest
resident set of each worker. The files are removed afterwards.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rarebit.distributed import open_cluster

COLUMNS = 400
GROUP = 10_000  # rows of a row group: what is decoded at a time


def make_files(folder: Path, n_bytes: float, rows_per_file: int) -> tuple[int, int, int]:
    """Write files of numbers until they have so many bytes; returns rows, bytes, a rare row."""
    rng = np.random.default_rng(0)
    n_rows = size = number = first = 0
    while size < n_bytes:
        X = rng.standard_normal((rows_per_file, COLUMNS), dtype=np.float32).astype(np.float64)
        rare = rng.random(rows_per_file) < 0.002
        X[rare, :8] += 2.5
        first = first or n_rows + int(rare.argmax())
        frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(COLUMNS)}).with_columns(
            pl.Series("row", np.arange(n_rows, n_rows + rows_per_file)),
            pl.Series("class", np.where(rare, "rare", "usual")),
        )
        path = folder / f"part-{number:04d}.parquet"
        frame.write_parquet(path, compression="uncompressed", row_group_size=GROUP)
        size += path.stat().st_size
        n_rows += rows_per_file
        number += 1
    return n_rows, size, first


def worker_memory() -> tuple[float, float]:
    """Return the largest resident set and the largest anonymous one of this process, in MB.

    Pages of mapped files count as resident though they can be given back at any time.
    """
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(told["VmHWM"].split()[0]) / 1024, int(told["RssAnon"].split()[0]) / 1024


def run(command: list[str]) -> dict[str, Any]:
    """Run a command of rarebit; returns its answer and its time."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "rarebit", *command, "--json"], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stderr)
    return {**json.loads(done.stdout), "clock": time.perf_counter() - start}


def worker_seconds() -> float:
    """Return the processor time of this process."""
    used = os.times()
    return used.user + used.system


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_pool", description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--memory", default="500MB", help="limit of each worker")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--labels", type=int, default=60)
    parser.add_argument("--rows-per-file", type=int, default=62_500)
    parser.add_argument("--folder", type=Path, help="where there is room; removed afterwards")
    given = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="rarebit-large-", dir=given.folder))
    try:
        pool = place / "pool"
        pool.mkdir()
        start = time.process_time()
        n_rows, size, known = make_files(pool, given.gigabytes * 1e9, given.rows_per_file)
        print(f"made {n_rows:,} rows, {size / 1e9:.2f} GB, in {time.process_time() - start:.0f} s")
        os.environ["DASK_TEMPORARY_DIRECTORY"] = str(place)
        with open_cluster("local", n_workers=given.workers, memory_limit=given.memory) as client:
            address = ["--cluster", client.scheduler.address]
            pids = sorted(client.run(os.getpid).values())
            print("resident before, MB:", list(client.run(worker_memory).values()))
            model = place / "model.rarebit"
            steps = {
                "learn": [
                    "learn", str(pool), "--oracle", "class", "--id", "row", "--rare", "rare",
                    "--goal", "find", "--known", f"{known}=rare", "--max-labels",
                    str(given.labels), "--labels", str(place / "l.db"), "-o", str(model),
                ],
                "predict": ["predict", str(model), str(pool), "-o", str(place / "out")],
            }  # fmt: skip
            before = sum(client.run(worker_seconds).values())
            for name, words in steps.items():
                found = run([*words, *address])
                spent = sum(client.run(worker_seconds).values())
                peaks = [f"{peak:.0f}" for peak, _ in client.run(worker_memory).values()]
                print(
                    f"{name}: {found['clock']:.0f} s, workers {spent - before:.0f} s of processor "
                    f"time, peak of each worker {', '.join(peaks)} MB",
                    flush=True,
                )
                told = {k: found[k] for k in ("rows", "labels", "predicted") if k in found}
                print("  ", told, flush=True)
                before = spent
            same = sorted(client.run(os.getpid).values()) == pids
            print("no worker was started anew" if same else "workers were started anew")
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
