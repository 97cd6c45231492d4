"""Orders asked, kept on the disk: an asker runs once per draw, whoever judges its rows."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np

from benchmarks.learning.askers import ASKERS, Rows
from benchmarks.learning.pools import Pool


def asked_rows(
    folder: Path, pool: Pool, asker: str, seed: int, budget: int
) -> tuple[Rows, list[str]]:
    """Return the rows that an asker wanted, and why; from the disk where it ran before."""
    path = folder / "orders" / f"{pool.name}-{seed}-{asker}.json"
    if path.exists():
        kept = json.loads(path.read_text())
        if kept["budget"] >= min(budget, len(pool.y)):
            return np.array(kept["rows"][:budget]), kept["reasons"][:budget]
    start = time.process_time()
    rows, reasons = ASKERS[asker](pool.X, pool.y, budget, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(
        json.dumps(
            {
                "budget": min(budget, len(pool.y)),
                "seconds": time.process_time() - start,
                "rows": [int(row) for row in rows],
                "reasons": reasons,
            }
        )
    )
    partial.replace(path)
    return rows, reasons
