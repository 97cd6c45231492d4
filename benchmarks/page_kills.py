"""Kill the page's server under load, again and again, and count acknowledged answers that are lost.

python -m benchmarks.page_kills --kills 300
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import multiprocessing
import os
import random
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.page_clients import Tally, annotate, check, make_accounts
from rarebit.projects.stores import open_store
from rarebit.tables import Table
from rarebit.testing import PrivatePostgres

_PAUSE = 0.3  # seconds between two answers of a person


def make_table(n_rows: int) -> tuple[Table, Any]:
    """Return a pool that needs no file: servers are forked with it, and begin at once."""
    rng = np.random.default_rng(0)
    rare = rng.random(n_rows) < 0.01
    numbers = rng.normal(size=(n_rows, 12))
    numbers[rare, :3] += 2.5
    names = tuple(f"a{j}" for j in range(12))
    ids = np.arange(n_rows)
    return Table("pool", ids, numbers, names, checksum=lambda: "1f3"), rare


def serve(port: int, table: Table, store: str, accounts: Path) -> None:
    """Serve until killed; called in a process of its own."""
    from rarebit.server import Accounts, Doors, Office, PageServer

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    office = Office(Doors(Accounts(accounts)))
    server = PageServer(office, port=port)
    office.add(table, store=store)
    server.run()


async def kill_servers(
    port: int, table: Table, rare: Any, store: str, accounts: Path, sessions: dict[str, str],
    options: argparse.Namespace,
) -> Tally:  # fmt: skip
    """Start, wait, kill, start again, while everybody answers."""
    draw, tally, over = random.Random(options.seed), Tally(), False
    limit = time.monotonic() + 60.0 * options.minutes
    # The parent has imported everything and runs one thread: a server is there in a moment.
    context = multiprocessing.get_context("fork")

    async def killer() -> None:
        nonlocal over
        for n in itertools.count():
            last = n == options.kills or time.monotonic() > limit
            enough = draw.randint(1, 40)
            process = context.Process(target=serve, args=(port, table, store, accounts))
            process.start()
            before = len(tally.acknowledged)
            began = time.monotonic()
            # Some are killed while they start, most after they have acknowledged answers.
            early = draw.random() < 0.2 and not last
            while not early and len(tally.acknowledged) < before + enough:
                await asyncio.sleep(0.01)
                if time.monotonic() - began > 60:
                    break
            await asyncio.sleep(draw.uniform(0.0, 0.5))
            if last:
                over = True
                await asyncio.sleep(2 * _PAUSE)
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            await asyncio.to_thread(process.join)
            if last:
                return
            tally.kills += 1
            if n % 25 == 24:
                print(f"  {n + 1} kills, {len(tally.acknowledged):,} answers acknowledged, "
                      f"{tally.repeats:,} requests repeated", flush=True)  # fmt: skip

    everybody = [
        annotate(name, cookie, port, rare, tally, _PAUSE, lambda: over, seed)
        for seed, (name, cookie) in enumerate(sessions.items())
    ]
    tasks = [asyncio.ensure_future(each) for each in everybody]
    await killer()
    _, waiting = await asyncio.wait(tasks, timeout=5)
    for task in waiting:  # the last server is dead: their last answer was never acknowledged
        task.cancel()
    for task in tasks:
        if task.done() and not task.cancelled() and task.exception():
            raise task.exception()  # type: ignore[misc]
    return tally


def measure(name: str, store: str, folder: Path, options: argparse.Namespace) -> bool:
    """Kill servers on one store and print what came of it."""
    table, rare = make_table(options.rows)
    sessions = make_accounts(folder / "team.json", options.people)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    tally = asyncio.run(
        kill_servers(port, table, rare, store, folder / "team.json", sessions, options)
    )  # fmt: skip
    with open_store(store, ids=table.ids, source="pool", fingerprint="1f3") as kept:
        counts = check(kept, tally)
    print(f"{name}: {tally.kills} kills, {counts}, {tally.repeats:,} requests repeated",
          flush=True)  # fmt: skip
    return not (counts["lost"] or counts["twice"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=60.0, help="end earlier, for one store")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", choices=["both", "sqlite", "postgresql"], default="both")
    options = parser.parse_args()
    good = True
    if options.store != "postgresql":
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            good &= measure("SQLite", str(folder / "pool.labels.db"), folder, options)
    if options.store != "sqlite":
        with tempfile.TemporaryDirectory() as name, PrivatePostgres() as server:
            good &= measure("PostgreSQL", f"{server.url}#pool", Path(name), options)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
