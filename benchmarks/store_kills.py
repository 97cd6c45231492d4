"""Kill processes that answer, and PostgreSQL servers, and count acknowledged answers that are lost.

python -m benchmarks.store_kills --kills 300 --stops 10
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from rarebit.projects.stores import Store, StoreError, open_store
from rarebit.testing import PrivatePostgres, kill_a_writer, lost_answers

N_ROWS = 100_000


def open_pool(place: str) -> Store:
    return open_store(place, ids=range(N_ROWS), source="pool.csv", fingerprint="1f3")


@dataclass
class Tally:
    name: str
    interruptions: int = 0
    unacknowledged: int = 0
    acknowledged: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)

    def line(self) -> str:
        return (
            f"{self.name:<28} {self.interruptions:>6} interruptions  "
            f"{len(self.acknowledged):>7} answers acknowledged  {len(self.lost):>3} lost  "
            f"{self.unacknowledged:>4} stored without acknowledgement"
        )


def count(tally: Tally, place: str) -> None:
    with open_pool(place) as store:
        events = store.events()
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    tally.lost = lost_answers(events, tally.acknowledged)
    tally.unacknowledged = len(events) - len(tally.acknowledged)


def kill_clients(name: str, place: str, n_kills: int, seed: int) -> Tally:
    """Kill a process at a random moment, again and again, on one store."""
    draw, tally, start = random.Random(seed), Tally(name), 0
    while tally.interruptions < n_kills:
        # Numbers below `start` may have been stored without having been acknowledged.
        early = draw.random() < 0.2
        delay = draw.uniform(0.0, 0.3 if early else 0.1)
        got = kill_a_writer(open_pool, place, start, delay, N_ROWS, while_opening=early)
        tally.acknowledged += got
        tally.interruptions += 1
        start = max([start, *got]) + 10
    count(tally, place)
    return tally


def answer_with_patience(place: str, told: Connection, end: Connection) -> None:
    """Answer; where the server is gone, repeat the same answer until it is back."""
    number, store = 0, open_pool(place)
    while not end.poll():
        number += 1
        key = f"answer {number}"
        while True:
            try:
                store.append("label", number % N_ROWS, number, annotator="ann", key=key)
                break
            except StoreError:
                time.sleep(0.05)
        told.send(number)
    store.close()
    told.send(None)


def stop_servers(server: PrivatePostgres, n_stops: int, seed: int) -> Tally:
    """Crash the server under a client, again and again."""
    place, tally = f"{server.url}#stops", Tally("PostgreSQL, server stopped")
    draw, context = random.Random(seed), multiprocessing.get_context("spawn")
    here, told = context.Pipe(duplex=False)
    end, say = context.Pipe(duplex=False)
    client = context.Process(target=answer_with_patience, args=(place, told, end))
    client.start()
    told.close()
    while tally.interruptions < n_stops:
        tally.acknowledged.append(here.recv())
        time.sleep(draw.uniform(0.1, 0.5))
        server.stop("immediate")
        server.start()
        tally.interruptions += 1
        while here.poll():
            tally.acknowledged.append(here.recv())
    say.send("end")
    while (number := here.recv()) is not None:
        tally.acknowledged.append(number)
    client.join()
    count(tally, place)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300, help="kills per store")
    parser.add_argument("--stops", type=int, default=10, help="crashes of the PostgreSQL server")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder) / "pool.labels.db")
        print(kill_clients("SQLite", place, options.kills, options.seed).line(), flush=True)
    with PrivatePostgres() as server:
        place = f"{server.url}#kills"
        tally = kill_clients("PostgreSQL", place, options.kills, options.seed)
        print(tally.line(), flush=True)
        print(stop_servers(server, options.stops, options.seed).line(), flush=True)


if __name__ == "__main__":
    main()
