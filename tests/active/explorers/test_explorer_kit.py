"""What every explorer must do besides what every asker must."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from rarebit import Alice, Interleave, Malice, RandomExplorer, Scout, discover
from rarebit.active import Explorer

EXPLORERS: dict[str, Callable[[], Explorer]] = {
    "Alice": lambda: Alice({"b": 0.05, "c": 0.03}),
    "Malice-named": lambda: Malice({"b": 0.05, "c": 0.03}),
    "Malice-unnamed": lambda: Malice([0.03, 0.05]),
    "Malice-bound": lambda: Malice(0.1),
    "Malice-cosine": lambda: Malice({"b": 0.05, "c": 0.03}, metric="cosine"),
    "Interleave": lambda: Interleave(3, random_state=0),
    "RandomExplorer": lambda: RandomExplorer(random_state=0),
    "Scout": lambda: Scout(),
    "Scout-cosine": lambda: Scout(metric="cosine"),
}


@pytest.fixture(params=EXPLORERS, ids=str)
def explorer(request: pytest.FixtureRequest) -> Explorer:
    return EXPLORERS[request.param]()


@pytest.fixture
def pool() -> tuple[np.ndarray, np.ndarray]:
    """Two small clusters, b and c, in a cloud of a."""
    rng = np.random.default_rng(7)
    X = np.concatenate(
        [
            rng.normal(size=(110, 3)) + 4.0,
            rng.normal([5.0, 4.0, 4.0], 0.05, size=(6, 3)),
            rng.normal([4.0, 8.0, 3.0], 0.05, size=(4, 3)),
        ]
    )
    y = np.repeat(["a", "b", "c"], [110, 6, 4])
    order = rng.permutation(len(y))
    return X[order], y[order]


def answer(explorer: Explorer, y: Any, most: int | None = None) -> list[int]:
    """Answer questions until the explorer is done, or so many; return the rows asked."""
    asked: list[int] = []
    while not explorer.done and (most is None or len(asked) < most):
        rows = explorer.ask()
        if not rows.size:  # all that is left waits for an answer
            break
        explorer.tell(rows, [y[row] for row in rows])
        asked += rows.tolist()
    return asked


def test_all_classes_are_found(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    explorer.start(X)
    asked = answer(explorer, y)
    assert len(set(asked)) == len(asked)
    # With the names of the rare classes an explorer may end before it meets the other one.
    assert set(explorer.discovered_) >= {"b", "c"}
    assert list(explorer.labels_) == asked
    for label, spent in explorer.discovered_.items():
        told = [y[row] for row in asked]
        assert told.index(label) == spent - 1
    assert explorer.done
    assert explorer.ask().size == 0


def test_one_by_one_or_at_once_the_same_rows_wait(explorer: Explorer, pool: Any) -> None:
    X = pool[0]
    at_once = clone(explorer).start(X).ask(6).tolist()
    explorer.start(X)
    assert [int(explorer.ask()[0]) for _ in range(6)] == at_once


def test_a_replaced_label_leaves_no_trace(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    other = clone(explorer).start(X)
    explorer.start(X)
    rows = explorer.ask(3)
    explorer.tell(rows, ["z", "a", "a"])
    explorer.tell(rows[0], "a", replace=True)
    other.tell(rows, ["a", "a", "a"])
    assert explorer.discovered_ == other.discovered_ == {"a": 1}
    assert answer(explorer, y) == answer(other, y)


def test_labels_known_from_the_start_cost_nothing(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    known = {int(np.flatnonzero(y == "a")[0]): "a", int(np.flatnonzero(y == "b")[0]): "b"}
    explorer.start(X, labels=known)
    assert explorer.discovered_ == {"a": 0, "b": 0}
    asked = answer(explorer, y)
    assert not set(asked) & set(known)
    assert explorer.discovered_["c"] == [y[row] for row in asked].index("c") + 1
    assert "2 known from the start" in str(explorer.status())


@pytest.mark.parametrize("copies", [2, 12])
def test_duplicates(explorer: Explorer, pool: Any, copies: int) -> None:
    X, y = pool
    explorer.start(np.repeat(X, copies, axis=0))
    asked = answer(explorer, np.repeat(y, copies), 150)
    assert len(set(asked)) == len(asked)
    assert set(explorer.discovered_) >= {"b", "c"}


def test_equal_rows_only(explorer: Explorer) -> None:
    explorer.start(np.ones((12, 3)))
    assert sorted(answer(explorer, ["a"] * 12)) == list(range(12))
    assert explorer.discovered_ == {"a": 1}


def test_constant_features(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    explorer.start(np.column_stack([X, np.full(len(y), 3.0), np.zeros(len(y))]))
    answer(explorer, y)
    assert set(explorer.discovered_) >= {"b", "c"}


@pytest.mark.parametrize("n", [1, 2, 3])
def test_pools_smaller_than_any_neighbourhood(explorer: Explorer, n: int) -> None:
    explorer.start(np.arange(float(2 * n)).reshape(n, 2))
    assert sorted(answer(explorer, ["a"] * n)) == list(range(n))
    assert explorer.done
    assert "1 class found" in str(explorer.status())


def test_a_pool_of_one_class(explorer: Explorer, pool: Any) -> None:
    X, _ = pool
    explorer.start(X)
    asked = answer(explorer, ["a"] * len(X))
    assert sorted(asked) == list(range(len(X)))
    assert explorer.discovered_ == {"a": 1}
    assert "Every row is labelled or skipped" in str(explorer.status())


def test_sparse_rows_as_dense_ones(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    explorer.start(sp.csr_matrix(X))
    asked = answer(explorer, y)
    assert len(set(asked)) == len(asked)
    assert set(explorer.discovered_) >= {"b", "c"}


def test_data_frames(explorer: Explorer, pool: Any) -> None:
    pandas = pytest.importorskip("pandas")
    X = pool[0]
    expected = explorer.start(X).ask(3).tolist()
    assert explorer.start(pandas.DataFrame(X)).ask(3).tolist() == expected


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("sparse", [False, True])
def test_missing_and_infinite_values(
    explorer: Explorer, pool: Any, bad: float, sparse: bool
) -> None:
    X = pool[0].copy()
    X[17, 2] = bad
    with pytest.raises(ValueError, match=r"finite numbers only, got .* in row 17, column 2: fill"):
        explorer.start(sp.csr_matrix(X) if sparse else X)


def test_labels_of_any_kind(explorer: Explorer, pool: Any) -> None:
    explorer.start(pool[0])
    explorer.tell(0, ("a", 1))
    explorer.tell([1, 2, 3], np.array([True, False, True]))
    explorer.tell(np.int64(4), np.str_("word"))
    assert list(explorer.discovered_) == [("a", 1), True, False, "word"]


def test_runs_in_discover(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    result = discover(X, lambda row: y[row], explorer, max_labels=5)
    assert len(result.queries) <= 5
    assert result.labels == y[result.queries].tolist()
    assert result.discovered == explorer.discovered_
