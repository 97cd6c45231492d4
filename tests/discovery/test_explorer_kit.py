"""What every explorer must do, whatever it looks for."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rarebit import Alice, Interleave, Malice, RandomExplorer, Scout, discover
from rarebit.discovery import ContradictionError, Explorer

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


def test_rows_asked_for_wait_and_are_not_asked_again(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    explorer.start(X)
    first, second = explorer.ask(2), explorer.ask(3)
    assert explorer.pending_.tolist() == [*first, *second]
    assert len(set(explorer.pending_.tolist())) == 5
    assert "5 waiting for an answer" in explorer.status()
    explorer.tell(first, ["a", "a"])
    explorer.skip(second[0])
    assert explorer.pending_.tolist() == second[1:].tolist()
    asked = [*first, *second, *answer(explorer, y)]
    assert len(set(asked)) == len(asked)


def test_one_by_one_or_at_once_the_same_rows_wait(explorer: Explorer, pool: Any) -> None:
    X = pool[0]
    at_once = clone(explorer).start(X).ask(6).tolist()
    explorer.start(X)
    assert [int(explorer.ask()[0]) for _ in range(6)] == at_once


def test_when_all_rows_wait_there_is_nothing_to_ask(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    explorer.start(X)
    rows = explorer.ask(len(X))
    assert explorer.ask().size == 0
    assert not explorer.done
    explorer.tell(rows, y[rows])
    assert explorer.done


def test_the_same_run_twice(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    again = clone(explorer)
    assert answer(explorer.start(X), y) == answer(again.start(X), y)
    assert answer(explorer.start(X), y) == answer(again.start(X), y)


@pytest.mark.parametrize("spent", [0, 1, 7])
def test_goes_on_after_it_was_saved(explorer: Explorer, pool: Any, spent: int) -> None:
    X, y = pool
    explorer.start(X)
    answer(explorer, y, spent)
    if not explorer.done:
        explorer.skip(explorer.ask())
        explorer.ask(2)
    copy = pickle.loads(pickle.dumps(explorer))
    assert copy.status() == explorer.status()
    assert answer(copy, y) == answer(explorer, y)
    assert copy.discovered_ == explorer.discovered_


def test_skipped_rows_are_not_asked_again(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    explorer.start(X)
    skipped = explorer.ask(3)
    explorer.skip(skipped)
    explorer.skip(int(skipped[0]))
    assert not set(answer(explorer, y)) & set(skipped.tolist())
    assert "3 skipped" in explorer.status()


def test_a_skipped_row_may_be_told_after_all(explorer: Explorer, pool: Any) -> None:
    explorer.start(pool[0])
    row = int(explorer.ask()[0])
    explorer.skip(row)
    explorer.tell(row, "a")
    assert explorer.labels_ == {row: "a"}
    assert "skipped" not in explorer.status()


def test_a_contradiction_is_an_error(explorer: Explorer, pool: Any) -> None:
    explorer.start(pool[0])
    row = int(explorer.ask()[0])
    explorer.tell(row, "a")
    for label in ("a", "b"):
        with pytest.raises(ContradictionError, match=rf"Row {row} was told class 'a'.*replace="):
            explorer.tell(row, label)
    with pytest.raises(ContradictionError, match="tell each row once"):
        explorer.tell([row + 1, row + 1] if row < 100 else [row - 1, row - 1], ["a", "b"])
    assert explorer.labels_ == {row: "a"}


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
    assert "2 known from the start" in explorer.status()


def test_batches(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    explorer.start(X)
    rows = explorer.ask(10)
    assert len(set(rows.tolist())) == 10
    explorer.tell(rows, y[rows])
    assert len(explorer.labels_) == 10
    all_rows = clone(explorer).start(X).ask(len(y))
    assert sorted(all_rows.tolist()) == list(range(len(y)))


def test_rows_told_without_being_asked(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    explorer.start(X)
    explorer.tell(np.arange(5), y[:5])
    assert not set(answer(explorer, y)) & set(range(5))


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
    assert "1 class found" in explorer.status()


def test_a_pool_of_one_class(explorer: Explorer, pool: Any) -> None:
    X, _ = pool
    explorer.start(X)
    asked = answer(explorer, ["a"] * len(X))
    assert sorted(asked) == list(range(len(X)))
    assert explorer.discovered_ == {"a": 1}
    assert "Every row is labelled or skipped" in explorer.status()


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


@pytest.mark.parametrize("bad", [120, -1, 10**9])
def test_unknown_rows(explorer: Explorer, pool: Any, bad: int) -> None:
    explorer.start(pool[0])
    for call in (lambda: explorer.tell(bad, "a"), lambda: explorer.skip([bad])):
        with pytest.raises(ValueError, match=r"rows 0 to 119, got row"):
            call()
    with pytest.raises(ValueError, match="rows 0 to 119"):
        explorer.start(pool[0], labels={bad: "a"})


def test_what_is_not_a_row(explorer: Explorer, pool: Any) -> None:
    explorer.start(pool[0])
    for bad in (1.5, "3", [True, False], [[1, 2]]):
        with pytest.raises(TypeError, match="whole numbers"):
            explorer.tell(bad, "a")


def test_what_is_not_a_label(explorer: Explorer, pool: Any) -> None:
    explorer.start(pool[0])
    for bad in (None, float("nan"), np.float64("nan")):
        with pytest.raises(ValueError, match="call skip"):
            explorer.tell([0], [bad])
    with pytest.raises(TypeError, match="hashable"):
        explorer.tell([0], [{}])
    with pytest.raises(ValueError, match="got 2 labels for 1 rows"):
        explorer.tell([0], ["a", "b"])
    assert explorer.labels_ == {}


def test_labels_of_any_kind(explorer: Explorer, pool: Any) -> None:
    explorer.start(pool[0])
    explorer.tell(0, ("a", 1))
    explorer.tell([1, 2, 3], np.array([True, False, True]))
    explorer.tell(np.int64(4), np.str_("word"))
    assert list(explorer.discovered_) == [("a", 1), True, False, "word"]


def test_skipping_a_labelled_row(explorer: Explorer, pool: Any) -> None:
    explorer.start(pool[0])
    explorer.tell(0, "a")
    with pytest.raises(ValueError, match="Row 0 has a label"):
        explorer.skip(0)


@pytest.mark.parametrize("bad", [0, 121, 1.0, True, "one"])
def test_numbers_of_rows_that_cannot_be_asked(explorer: Explorer, pool: Any, bad: Any) -> None:
    explorer.start(pool[0])
    with pytest.raises(ValueError, match="from 1 to the 120 of the pool"):
        explorer.ask(bad)


def test_nothing_works_before_start(explorer: Explorer) -> None:
    for call in (
        explorer.ask,
        explorer.status,
        lambda: explorer.done,
        lambda: explorer.tell(0, "a"),
        lambda: explorer.skip(0),
    ):
        with pytest.raises(NotFittedError, match=r"call start\(X\)"):
            call()


def test_status_tells_the_story(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    explorer.start(X)
    assert "0 labels told of 120 rows; 0 classes found." in explorer.status()
    answer(explorer, y, 1)
    first = str(y[next(iter(explorer.labels_))])
    assert f"1 label told of 120 rows; 1 class found: '{first}' (label 1)." in explorer.status()
    answer(explorer, y)
    assert "Every" in explorer.status()


def test_it_can_be_started_again(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    first = answer(explorer.start(X), y)
    answer(explorer.start(X[:50]), y)
    assert answer(explorer.start(X), y) == first


def test_parameters_survive_cloning(explorer: Explorer) -> None:
    assert str(clone(explorer)) == str(explorer)


def test_runs_in_discover(explorer: Explorer, pool: Any) -> None:
    X, y = pool
    result = discover(X, lambda row: y[row], explorer, max_labels=5)
    assert len(result.queries) <= 5
    assert result.labels == y[result.queries].tolist()
    assert result.discovered == explorer.discovered_
