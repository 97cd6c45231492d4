"""Simulated annotators who talk to the page's server as the page does, and what they were told."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rarebit.projects.stores import Store
from rarebit.server import Accounts

PROJECT = "pool"
SHARE = 0.01
_WANT = 4
_LEASE = 120.0  # seconds, as the server grants them


def write_pool(path: Path, n_rows: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Write a pool of twelve columns and return which rows are rare."""
    rng = np.random.default_rng(seed)
    rare = rng.random(n_rows) < SHARE
    columns = {f"a{j}": rng.normal(size=n_rows) + (2.5 * rare if j < 3 else 0) for j in range(12)}
    pl.DataFrame({"id": np.arange(n_rows), **columns}).write_csv(path)
    return rare


def make_accounts(path: Path, n_people: int) -> dict[str, str]:
    """Make accounts and return name → secret of a session."""
    accounts = Accounts(path)
    accounts.add("owner", "a long password", "owner")
    sessions = {}
    for i in range(n_people):
        accounts.add(f"person {i}", "a long password", "annotator")
        sessions[f"person {i}"] = accounts.begin_session(f"person {i}")
    return sessions


class Connection:
    """One connection that is kept open, and opened again when it breaks."""

    def __init__(self, port: int, cookie: str) -> None:
        self.port, self.cookie = port, cookie
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, method: str, path: str, body: Any = None) -> tuple[int, Any, float]:
        """Return status, JSON and the milliseconds that the server says it took."""
        try:
            async with asyncio.timeout(60):
                return await self._send(method, path, body)
        except BaseException:
            self.close()
            raise

    async def _send(self, method: str, path: str, body: Any) -> tuple[int, Any, float]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 22)
        reader, writer = self._streams
        data = b"" if body is None else json.dumps(body).encode()
        host = f"127.0.0.1:{self.port}"
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            f"Cookie: rarebit_{self.port}={self.cookie}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\n\r\n"
        )
        writer.write(head.encode() + data)
        await writer.drain()
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        content = await reader.readexactly(int(headers["content-length"]))
        took = headers.get("server-timing", "app;dur=nan").partition("dur=")[2]
        return int(lines[0].split()[1]), json.loads(content), float(took)

    def close(self) -> None:
        """Let go of the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclass
class Tally:
    """What the annotators were told.

    Attributes
    ----------
    acknowledged : dict of str to tuple
        Idempotency key → number, row, label and annotator of the event.
    taken : list of tuple
        Time, row and annotator of every row that came into a hand.
    waits : list of float
        Milliseconds of answer and next rows, as the client saw it.
    served : list of float
        Milliseconds of the same, as the server measured it.
    """

    acknowledged: dict[str, tuple[int, int, str, str]] = field(default_factory=dict)
    taken: list[tuple[float, int, str]] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    served: list[float] = field(default_factory=list)
    kills: int = 0
    repeats: int = 0
    idle: int = 0


async def annotate(
    name: str, cookie: str, port: int, rare: Any, tally: Tally, pause: float, end: Any, seed: int
) -> None:
    """Answer one row after the other until the end, each after a pause; repeat what fails."""
    draw = random.Random(seed)
    connection = Connection(port, cookie)
    base = f"/api/projects/{PROJECT}"
    front: list[int] = []
    known: set[int] = set()
    due = time.monotonic() + draw.uniform(0, pause)
    for count in itertools.count():
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        due = max(due + pause, time.monotonic())
        if end():
            break
        try:
            if not front:
                status, reply, _ = await connection.send("GET", f"{base}/questions?tab=t&n={_WANT}")
                if status == 200:
                    front = reply["front"]
                    _note(tally, front, known, name)
                if not front:
                    tally.idle += 1
                continue
            row = front[0]
            key = f"{name} {seed} {count}"
            label = "rare" if rare[row] else "usual"
            body = {"row": row, "label": label, "key": key, "tab": "t", "want": _WANT,
                    "have": front[1:]}  # fmt: skip
            while True:
                began = time.perf_counter()
                try:
                    status, reply, took = await connection.send("POST", f"{base}/answers", body)
                except (OSError, asyncio.IncompleteReadError, TimeoutError):
                    tally.repeats += 1
                    await asyncio.sleep(0.05)
                    continue
                if status in (503, 507):
                    tally.repeats += 1
                    await asyncio.sleep(0.1)
                    continue
                break
            if status != 200:
                raise RuntimeError(f"{status}: {reply}")
            tally.waits.append(1000 * (time.perf_counter() - began))
            tally.served.append(took)
            tally.acknowledged[key] = (reply["saved"]["number"], row, label, name)
            front = reply["front"]
            _note(tally, front, known, name)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            tally.repeats += 1
            await asyncio.sleep(0.05)
    connection.close()


def _note(tally: Tally, front: list[int], known: set[int], name: str) -> None:
    now = time.monotonic()
    for row in front:
        if row not in known:
            known.add(row)
            tally.taken.append((now, row, name))


def check(store: Store, tally: Tally) -> dict[str, int]:
    """Return how many acknowledged answers are lost or twice in a store, and rows leased twice."""
    events = store.events()
    by_key: dict[str, list[Any]] = {}
    for event in events:
        if event.key is not None:
            by_key.setdefault(event.key, []).append(event)
    lost = twice = 0
    for key, (number, row, label, annotator) in tally.acknowledged.items():
        found = by_key.get(key, [])
        twice += len(found) > 1
        lost += not any(
            (e.number, e.row, e.label, e.annotator) == (number, row, label, annotator)
            for e in found
        )
    hands: dict[int, list[tuple[float, str]]] = {}
    for at, row, name in tally.taken:
        hands.setdefault(row, []).append((at, name))
    # These people send no heartbeat: another may take a row over, but only after its lease.
    twice_held = sum(
        any(b[0] - a[0] < _LEASE and a[1] != b[1] for a, b in itertools.combinations(taken, 2))
        for taken in hands.values()
    )
    numbers = [event.number for event in events]
    return {
        "acknowledged": len(tally.acknowledged),
        "lost": lost,
        "twice": twice,
        "rows in two hands": twice_held,
        "gaps": sum(a + 1 != b for a, b in itertools.pairwise(numbers)),
        "events": len(events),
    }
