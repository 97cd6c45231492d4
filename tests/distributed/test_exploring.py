"""Exploring over many files, and where files are when workers come and go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import check_array

from rarebit import Scout
from rarebit.distributed import PoolExplorer, PoolLearner
from rarebit.distributed._array_pool import ArrayPool, gamma_of
from rarebit.distributed._encoded import scouted
from rarebit.distributed._homes import assign_homes
from rarebit.testing import ASKER_CHECKS, AskerCase


def in_memory(X: Any) -> ArrayPool:
    return ArrayPool(X, gamma_of(X), partial(scouted, X))


class Arrays:
    """Starts on an array, as the kit does."""

    def start(self, X: Any, labels: Any = None) -> Any:
        return super().start(in_memory(check_array(X)), labels)  # type: ignore[misc]


class Explorer(Arrays, PoolExplorer):
    """Over an array."""


class Learner(Arrays, PoolLearner):
    """Over an array."""


ASKERS: dict[str, Callable[[], Any]] = {
    "explorer": lambda: Explorer(),
    "explorer-part": lambda: Explorer(n_drawn=30, n_named=10),
    "explorer-drawing": lambda: Explorer(every=2),
    "learner": lambda: Learner(),
    "learner-find": lambda: Learner(goal="find"),
}


@pytest.mark.parametrize("check", ASKER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ASKERS)
def test_kit(name: str, check: Callable[[AskerCase], None]) -> None:
    check(AskerCase(ASKERS[name]))


def make_rows(n: int = 4000, n_rare: int = 12) -> tuple[Any, Any]:
    """Rows in two groups, and a compact class that a sample of a tenth hardly holds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6)) + 3.0 * rng.integers(0, 2, (n, 1))
    rare = rng.choice(n, n_rare, replace=False)
    X[rare] = 1.5 + 0.1 * rng.normal(size=(n_rare, 6))
    y = np.zeros(n, dtype=int)
    y[rare] = 1
    return X.astype(np.float32), y


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_pool_that_fits_is_asked_about_as_on_one_computer(make: Any) -> None:
    X, y = make_rows(600)
    X = make(X)
    there = PoolExplorer(every=0).start(in_memory(X), {3: 0})
    here = Scout(metric="cosine" if sparse.issparse(X) else "euclidean").start(X, {3: 0})
    for n in (1, 1, 4, 1, 1):
        rows = there.ask(n)
        assert rows.tolist() == here.ask(n).tolist()
        there.tell(rows, y[rows])
        here.tell(rows, y[rows])


def files_of(X: Any, n_files: int = 4) -> ArrayPool:
    """Return a pool whose files name rows, one file after the other."""
    size = len(X) // n_files

    def candidates(k: int) -> Any:
        each = -(-k // n_files)
        found = [scouted(X[i * size : (i + 1) * size], each) + i * size for i in range(n_files)]
        return np.stack(found, axis=1).ravel()[:k]

    return ArrayPool(X, 1.0, candidates)


def labels_to_first(asker: Any, y: Any, most: int = 200) -> int:
    for n in range(1, most):
        row = int(asker.ask()[0])
        if y[row]:
            return n
        asker.tell([row], [0])
    return most


def test_rows_that_files_name_are_found_by_what_all_rows_show() -> None:
    X, y = make_rows()
    pool = files_of(X)
    with_named = labels_to_first(PoolExplorer(n_drawn=400, n_named=200).start(pool), y)
    assert with_named < 30
    assert with_named < labels_to_first(PoolExplorer(n_drawn=400, n_named=0).start(pool), y)
    in_turn = np.flatnonzero(y[pool.candidates(200)])
    assert with_named < in_turn[0] + 1


def test_labels_of_rows_outside_of_the_part_are_followed() -> None:
    """What the learner has labelled is not asked for again by a row beside it."""
    X, y = make_rows(n_rare=40)
    rare = np.flatnonzero(y)
    asked = []
    for told in ([], rare[:30].tolist()):
        explorer = PoolExplorer(n_drawn=400, n_named=200).start(files_of(X))
        explorer.tell(told, y[told])
        rows = [int(explorer.ask()[0]) for _ in range(2)]
        explorer.tell(rows, y[rows])
        # Taken back and told again, nothing has changed.
        explorer.retract(told)
        explorer.tell(told, y[told])
        asked.append([*rows, *explorer.ask(3).tolist()])
        assert len(set(asked[-1])) == 5
    before, after = (np.count_nonzero(y[rows]) for rows in asked)
    assert before > after


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
def test_draws_come_between(every: int, share: float) -> None:
    X = np.random.default_rng(0).normal(size=(300, 3))
    explorer = PoolExplorer(every=every).start(in_memory(X))
    explorer.ask(40)
    drawn = [str(query.reason) == "random" for query in explorer.queries_]
    assert np.mean(drawn) == share


def test_when_the_part_is_used_up_rows_are_drawn() -> None:
    X, _ = make_rows(300, 5)
    explorer = PoolExplorer(n_drawn=20, n_named=5).start(in_memory(X))
    assert sorted(explorer.ask(300).tolist()) == list(range(300))
    reasons = Counter(str(query.reason) for query in explorer.queries_)
    assert 20 <= reasons["explore"] <= 25
    assert reasons["random"] == 300 - reasons["explore"]
