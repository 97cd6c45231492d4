"""A model of payments, a service that has it, and rows to send."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import numpy as np
import polars as pl

from rarebit.models import Model, train_model
from rarebit.server.scoring import ScoringServer


def payments(n_rows: int = 300, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    fraud = rng.random(n_rows) < 0.1
    return pl.DataFrame(
        {
            "payment": [f"P-{i}" for i in range(n_rows)],
            "amount": np.round(rng.normal(np.where(fraud, 90.0, 30.0), 12.0), 2),
            "items": rng.integers(1, 9, n_rows),
            "country": rng.choice(["DE", "FR", "IT"], n_rows),
            "class": np.where(fraud, "fraud", "ok"),
        }
    )


def payments_model(method: str = "kernel") -> Model:
    from rarebit.tables import as_table

    table = as_table(payments(), target="class", id="payment")
    return train_model(table, method=method, validate=False)


@contextmanager
def scoring(model: Model, **options: Any) -> Iterator[httpx.Client]:
    server = ScoringServer(model, **options)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        with httpx.Client(base_url=server.address, timeout=300.0) as client:
            yield client
    finally:
        server.stop()
        thread.join(300.0)
        assert not thread.is_alive()
