"""Scout, which knows nothing, beside Malice with the true priors and beside random drawing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.discovery.pools import CHOSEN_ON, REPORTED, draw, is_random
from benchmarks.discovery.runs import random_labels
from benchmarks.exact import geometric_mean
from benchmarks.tables import Column, Table, number
from rarebit.papers.discovery._runs import count_labels, make_explorer

_COLUMNS = (
    Column("pool", "pool"),
    Column("rows", "rows", number(0)),
    Column("classes", "classes", number(0)),
    Column("rarest", "rarest class", number(0)),
    Column("scout", "Scout", number(1)),
    Column("scout_low", "lowest", number(0)),
    Column("scout_high", "highest", number(0)),
    Column("malice", "Malice, true priors", number(1)),
    Column("random", "random", number(1)),
    Column("runs", "draws", number(0)),
    Column("use", "constants of Scout"),
)


def table(draws: int, kdd_draws: int, say: Callable[[str], None]) -> Table:
    """Mean labels until every class is seen."""
    result = Table("discovery-scout", "Labels until every class is seen", _COLUMNS)
    for pool in (*CHOSEN_ON, *REPORTED):
        n = kdd_draws if pool.startswith(("kdd", "letter")) else draws
        n = n if is_random(pool) else 1
        scouts, malices, randoms = [], [], []
        for seed in range(n):
            X, y = draw(pool, seed)
            scouts.append(count_labels(X, y, make_explorer("Scout", y, seed))[-1])
            malices.append(count_labels(X, y, make_explorer("Malice", y, seed))[-1])
            randoms.append(random_labels(y, seed=seed).mean())
        counts = np.unique(y, return_counts=True)[1]
        result.rows.append(
            {
                "pool": pool,
                "rows": len(y),
                "classes": len(counts),
                "rarest": int(counts.min()),
                "scout": float(np.mean(scouts)),
                "scout_low": min(scouts),
                "scout_high": max(scouts),
                "malice": float(np.mean(malices)),
                "random": float(np.mean(randoms)),
                "runs": n,
                "use": "chosen here" if pool in CHOSEN_ON else "not seen",
            }
        )
        say(f"{pool}: Scout {np.mean(scouts):.0f}, Malice {np.mean(malices):.0f}")
    measured = list(result.rows)
    for use in ("chosen here", "not seen"):
        rows = [row for row in measured if row["use"] == use]
        means = {k: geometric_mean([row[k] for row in rows]) for k in ("scout", "malice", "random")}
        result.rows.append({"pool": f"geometric mean, {use}"} | means)
    result.notes = [
        "Means over draws of the pool where it is drawn, one run elsewhere. Random: mean of 400 "
        "orders a draw."
    ]
    return result
