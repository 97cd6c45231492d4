"""Simulated annotators on one pool: how long they wait, and whether every answer is there once.

python -m benchmarks.page_load --people 50 --answers 15000 --seconds 180
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page_clients import Connection, Tally, annotate, check, make_accounts, write_pool
from rarebit.projects.stores import open_store
from rarebit.tables import read_table
from rarebit.testing import PrivatePostgres


@contextlib.contextmanager
def running_server(folder: Path, pool: Path, store: str, accounts: Path) -> Iterator[int]:
    """Run the command as people do, and return its port."""
    command = [sys.executable, "-m", "rarebit", "label", str(pool), "--no-browser", "--store",
               store, "--accounts", str(accounts), "--id", "id", "--stop", "never"]  # fmt: skip
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        link = process.stdout.readline()
        yield int(link.rstrip().rstrip("/").rpartition(":")[2])
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


async def load(
    port: int, sessions: dict[str, str], rare: Any, answers: int, seconds: float
) -> Tally:
    """Let everybody answer until there are enough answers."""
    tally = Tally()
    first = Connection(port, next(iter(sessions.values())))
    began = time.monotonic()
    while True:
        status, reply, _ = await first.send("GET", "/api/projects/pool/questions?tab=first&n=1")
        if status == 200 and reply["front"]:
            break
        await asyncio.sleep(0.1)
    print(f"first question {time.monotonic() - began:.1f} s after the server was there", flush=True)
    await first.send("POST", "/api/projects/pool/releases", {"tab": "first"})
    pause = seconds * len(sessions) / answers

    def end() -> bool:
        return len(tally.acknowledged) >= answers

    began = time.monotonic()
    await asyncio.gather(*(
        annotate(name, cookie, port, rare, tally, pause, end, seed)
        for seed, (name, cookie) in enumerate(sessions.items())
    ))  # fmt: skip
    first.close()  # idle for too long
    _, reply, _ = await first.send("GET", "/api/projects/pool/status")
    behind = reply["learner"]
    print(f"{len(tally.acknowledged):,} answers in {time.monotonic() - began:.0f} s; learner "
          f"{behind['state']}, {behind['behind']:,} events behind, {behind['ready']} ready",
          flush=True)  # fmt: skip
    return tally


def measure(name: str, folder: Path, store: str, options: argparse.Namespace) -> bool:
    """Run the load on one store and print what came of it."""
    pool = folder / "pool.csv"
    rare = write_pool(pool, options.rows)
    sessions = make_accounts(folder / "team.json", options.people)
    with running_server(folder, pool, store, folder / "team.json") as port:
        tally = asyncio.run(load(port, sessions, rare, options.answers, options.seconds))
    table = read_table(pool, id="id")
    with open_store(store, ids=table.ids, source=table.source,
                    fingerprint=table.fingerprint) as kept:  # fmt: skip
        counts = check(kept, tally)
    for what, values in (("server", tally.served), ("client", tally.waits)):
        p50, p95, p99 = np.nanpercentile(values, [50, 95, 99])
        print(f"{name}, {what}: answer and next rows p50 {p50:.1f} ms, p95 {p95:.1f} ms, "
              f"p99 {p99:.1f} ms, longest {max(values):.0f} ms")  # fmt: skip
    tenth = max(1, len(tally.served) // 10)
    starts = range(0, 10 * tenth, tenth)
    by_time = [np.nanpercentile(tally.served[i : i + tenth], 99) for i in starts]
    print(f"{name}, server: p99 of each tenth of the answers, ms: "
          f"{', '.join(f'{value:.0f}' for value in by_time)}")  # fmt: skip
    print(f"{name}: {counts}, empty hands {tally.idle}, repeats {tally.repeats}, load average "
          f"{os.getloadavg()[0]:.1f}", flush=True)  # fmt: skip
    return not (counts["lost"] or counts["twice"] or counts["rows in two hands"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--answers", type=int, default=15_000)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--store", choices=["both", "sqlite", "postgresql"], default="both")
    options = parser.parse_args()
    good = True
    if options.store != "postgresql":
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            good &= measure("SQLite", folder, str(folder / "pool.labels.db"), options)
    if options.store != "sqlite":
        with tempfile.TemporaryDirectory() as name, PrivatePostgres() as server:
            good &= measure("PostgreSQL", Path(name), f"{server.url}#pool", options)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
