"""A real server on a free port, and people who talk to it as browsers do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import polars as pl

from rarebit.server import Accounts, Doors, Office, PageServer

N_ROWS = 300
FRAUD = np.random.default_rng(0).random(N_ROWS) < 0.1
P = "/api/projects/payments"
PASSWORD = "correct horse battery"


def write_payments(folder: Path, name: str = "payments.csv") -> Path:
    rng = np.random.default_rng(1)
    path = folder / name
    pl.DataFrame(
        {
            "id": [f"T-{i}" for i in range(N_ROWS)],
            "amount": rng.normal(size=N_ROWS) + 3 * FRAUD,
            "age": rng.normal(size=N_ROWS) + 3 * FRAUD,
            "country": rng.choice(["DE", "FR", "IT"], N_ROWS),
        }
    ).write_csv(path)
    return path


class Browser(httpx.Client):
    """A client that sends what a browser sends from the page itself."""

    def __init__(self, server: PageServer) -> None:
        self.server = server
        base = server.address.rstrip("/")
        super().__init__(base_url=base, headers={"Origin": base}, timeout=300.0)

    def come_in(self) -> Browser:
        reply = self.get(self.server.link())
        assert reply.status_code == 303
        return self

    def sign_in(self, name: str) -> Browser:
        reply = self.post("/api/login", json={"name": name, "password": PASSWORD})
        assert reply.status_code == 200, reply.text
        return self

    def ask(self, n: int = 2, tab: str = "tab") -> dict[str, Any]:
        found: dict[str, Any] = {}

        def came() -> bool:
            reply = self.get(f"{P}/questions", params={"tab": tab, "n": n})
            assert reply.status_code == 200, reply.text
            found.update(reply.json())
            return bool(found["front"]) or found["done"]

        until(came)
        return found

    def label(self, n: int, tab: str = "tab") -> list[int]:
        rows = []
        for _ in range(n):
            row = self.ask(tab=tab)["front"][0]
            name = "fraud" if FRAUD[row] else "ok"
            body = {"row": row, "label": name, "key": f"{tab} {row}", "tab": tab, "want": 2}
            reply = self.post(f"{P}/answers", json=body)
            assert reply.status_code == 200, reply.text
            rows.append(row)
        return rows

    def wait_until_learned(self) -> dict[str, Any]:
        status: dict[str, Any] = {}

        def learned() -> bool:
            status.update(self.get(f"{P}/status").json())
            return status["learner"]["state"] == "idle" and status["learner"]["behind"] == 0

        until(learned)
        return status


def until(holds: Callable[[], bool], seconds: float = 300.0) -> None:
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, "it did not happen in time"
        time.sleep(0.02)


@contextmanager
def served(
    *files: Path, store: str | None = None, accounts: Accounts | None = None, **settings: Any
) -> Iterator[PageServer]:
    office = Office(Doors(accounts))
    for file in files:
        place = store or str(file.with_suffix(".labels.db"))
        office.add([file], store=place, settings={"reading": {"id": "id"}, **settings})
    server = PageServer(office)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        office.wait(300.0)
        yield server
    finally:
        server.stop()
        thread.join(300.0)
        assert not thread.is_alive()
