"""Files of a pool, and the same pool in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rarebit.distributed import PartitionedPool, list_files
from rarebit.distributed._array_pool import ArrayPool, gamma_of
from rarebit.tables import TableEncoder, concatenate, read_table


def make_frame(n_rows: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    fraud = rng.random(n_rows) < 0.04
    return pl.DataFrame(
        {
            "payment": [f"{seed}-{i}" for i in range(n_rows)],
            "amount": rng.normal(size=n_rows) + 4.0 * fraud,
            "age": rng.normal(size=n_rows),
            "country": rng.choice(["SE", "NO", "DK"], n_rows),
            "class": np.where(fraud, "fraud", "ok"),
        }
    )


def local_twin(pool: PartitionedPool, folder: Path) -> tuple[ArrayPool, Any]:
    """Return the same pool in memory, made without the cluster, and its classes."""
    tables = [
        read_table(file, target="class", id="payment", schema=pool.encoder.schema_)
        for file in list_files(folder)
    ]
    whole = concatenate(tables)
    # All rows are in the sample, so that another encoder fitted on them is the same.
    encoder = TableEncoder(random_state=0).fit(whole)
    X = np.concatenate([encoder.transform(table) for table in tables]).astype(np.float32)
    twin = ArrayPool(X, gamma_of(encoder.transform(whole)), pool.candidates)
    return twin, whole.target
