"""Exploring over many files, and where files are when workers come and go."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from rarebit.distributed import PoolExplorer
from rarebit.distributed._array_pool import ArrayPool
from rarebit.distributed._encoded import scouted
from rarebit.distributed._homes import assign_homes


def test_candidates_lie_in_many_places() -> None:
    """One of two compact classes is denser; without answers only rows of it would be named."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 5))
    X[:100] = 3.0 + 0.01 * rng.normal(size=(100, 5))
    X[100:115] = -3.0 + 0.1 * rng.normal(size=(15, 5))
    pool = ArrayPool(X, 1.0, lambda k: scouted(X, k))
    explorer = PoolExplorer(every=0).start(pool)
    rows = [int(explorer.ask()[0]) for _ in range(20)]
    assert len(set(rows)) == 20
    assert any(row < 100 for row in rows)
    assert any(100 <= row < 115 for row in rows)
    assert sum(row >= 115 for row in rows) > 5


def test_a_lost_worker_moves_its_own_partitions_only() -> None:
    workers = [f"tcp://10.0.0.{i}" for i in range(8)]
    homes: list[str] = assign_homes([None] * 100, workers)
    left = [worker for worker in workers if worker != workers[3]]
    after = assign_homes(homes, left)
    moved = [i for i in range(100) if homes[i] != after[i]]
    assert moved == [i for i in range(100) if homes[i] == workers[3]]
    # A worker that takes its place gets a fair share, and the others keep the rest.
    again = assign_homes(after, [*left, "tcp://10.0.0.9"])
    assert Counter(again)["tcp://10.0.0.9"] >= 9
    assert sum(a != b for a, b in zip(after, again, strict=True)) <= 13
    assert max(Counter(again).values()) <= 13


@pytest.mark.parametrize(("every", "share"), [(0, 0.0), (1, 1.0), (2, 0.5), (4, 0.25)])
def test_draws_come_between_candidates(every: int, share: float) -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    explorer = PoolExplorer(every=every).start(ArrayPool(X, 1.0, lambda k: scouted(X, k)))
    explorer.ask(40)
    drawn = [str(query.reason) == "random" for query in explorer.queries_]
    assert np.mean(drawn) == share
