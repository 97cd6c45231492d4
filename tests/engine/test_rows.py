"""Rows on their way into the engine: every layout is read as its contiguous copy would be, and a
sparse matrix whose structure is broken is refused before anything follows its numbers."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification

from rarebit import BaggedSVC, BorderLearner, KernelSVC, OnlineSVC, Scout, _core

Change = Callable[[Any], None]


def problem(n: int = 240) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(
        n_samples=n, n_features=12, weights=[0.8], class_sep=1.5, random_state=3
    )
    X[np.abs(X) < 0.6] = 0.0
    return np.ascontiguousarray(X), y


def strided(array: np.ndarray, fill: Any) -> np.ndarray:
    wide = np.full((len(array), 3), fill, dtype=array.dtype)
    wide[:, 1] = array
    return wide[:, 1]


# --- layouts ----------------------------------------------------------------------------


def strided_values(X: Any) -> None:
    X.data = strided(X.data, 1e3)


def strided_indices(X: Any) -> None:
    X.indices = strided(X.indices, 2**30)


def strided_starts(X: Any) -> None:
    X.indptr = strided(X.indptr, 2**30)


def all_strided(X: Any) -> None:
    for change in (strided_values, strided_indices, strided_starts):
        change(X)


def reversed_values(X: Any) -> None:
    X.data = X.data[::-1].copy()[::-1]


def swapped_values(X: Any) -> None:
    X.data = X.data.astype(">f8")


def swapped_indices(X: Any) -> None:
    X.indices, X.indptr = X.indices.astype(">i4"), X.indptr.astype(">i4")


def wide_indices(X: Any) -> None:
    X.indices = X.indices.astype(np.int64)


def wide_starts(X: Any) -> None:
    X.indptr = X.indptr.astype(np.int64)


def read_only(X: Any) -> None:
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False


def unsorted(X: Any) -> None:
    for row in range(X.shape[0]):
        part = slice(X.indptr[row], X.indptr[row + 1])
        X.data[part], X.indices[part] = X.data[part][::-1].copy(), X.indices[part][::-1].copy()
    X.has_sorted_indices = X.has_canonical_format = False


def unsorted_but_flagged(X: Any) -> None:
    unsorted(X)
    X.has_sorted_indices = X.has_canonical_format = True  # as a careless caller leaves it


def spare_entries(X: Any) -> None:
    X.data = np.concatenate([X.data, np.full(50, np.float64(7.0))])
    X.indices = np.concatenate([X.indices, np.full(50, 3, dtype=X.indices.dtype)])


CSR_CHANGES = [
    strided_values,
    strided_indices,
    strided_starts,
    all_strided,
    reversed_values,
    swapped_values,
    swapped_indices,
    wide_indices,
    wide_starts,
    read_only,
    unsorted,
    unsorted_but_flagged,
    spare_entries,
]


def dense_views(X: np.ndarray) -> dict[str, np.ndarray]:
    wide = np.full((X.shape[0], 2 * X.shape[1]), 1e3)
    wide[:, ::2] = X
    locked = X.copy()
    locked.flags.writeable = False
    return {
        "columns of a wider matrix": wide[:, ::2],
        "Fortran order": np.asfortranarray(X),
        "backwards": X[::-1].copy()[::-1],
        "byte-swapped": X.astype(">f8"),
        "read-only": locked,
    }


def outcomes(X: Any, y: np.ndarray) -> dict[str, np.ndarray]:
    """What every machine makes of these rows."""
    found: dict[str, np.ndarray] = {}
    for name, machine in {
        "batch": KernelSVC(gamma=0.1),
        "online": OnlineSVC(gamma=0.1, random_state=0),
        "bag": BaggedSVC(n_estimators=3, random_state=0),
    }.items():
        machine.fit(X, y)
        found[name] = machine.decision_function(X)
        found[f"{name}, classes"] = machine.predict(X)
    learner = BorderLearner(gamma=0.1, random_state=0, max_labels=40).start(X)
    asked = []
    while not learner.done:
        rows = learner.ask(4)
        asked += rows.tolist()
        learner.tell(rows, y[rows])
    found["border"] = np.array(asked)
    scout = Scout().start(X)
    asked = []
    for _ in range(8):
        rows = scout.ask(2)
        asked += rows.tolist()
        scout.tell(rows, y[rows])
    found["scout"] = np.array(asked)
    return found


def assert_same(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    for name, values in wanted.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


@pytest.fixture(scope="module")
def sparse_outcomes() -> dict[str, np.ndarray]:
    X, y = problem()
    return outcomes(sp.csr_matrix(X), y)


@pytest.mark.parametrize("change", CSR_CHANGES, ids=lambda change: change.__name__)
def test_csr_of_any_layout_is_read_as_its_contiguous_copy(
    change: Change, sparse_outcomes: dict[str, np.ndarray]
) -> None:
    X, y = problem()
    changed = sp.csr_matrix(X)
    change(changed)
    before = [array.copy() for array in (changed.data, changed.indices, changed.indptr)]
    assert_same(outcomes(changed, y), sparse_outcomes)
    for array, was in zip((changed.data, changed.indices, changed.indptr), before, strict=True):
        np.testing.assert_array_equal(array, was)  # the caller's matrix stays as it was


def test_dense_rows_of_any_layout_are_read_as_their_contiguous_copy() -> None:
    X, y = problem()
    wanted = outcomes(X, y)
    for view in dense_views(X).values():
        assert_same(outcomes(view, y), wanted)


@pytest.mark.parametrize("real", [np.float32, np.float64])
def test_the_engine_holds_the_arrays_that_it_reads(real: type) -> None:
    # Each array given is strided, so that the engine reads a copy that nobody else holds.
    random = np.random.default_rng(0)
    dense = random.normal(size=(300, 40)).astype(real)
    dense[dense < 0.5] = 0.0
    made = sp.csr_matrix(dense)
    ids = np.arange(300, dtype=np.int32)
    for rows in (
        _core.Rows.csr(
            strided(made.data, 0), strided(made.indices, 0), strided(made.indptr, 0), 40
        ),
        _core.Rows.dense(np.asfortranarray(dense)),
    ):
        source = _core.DirectProvider(_core.Kernel("linear", 1.0, 0.0, 1, np.zeros(0), False), rows)
        gc.collect()
        for size in (10, 100, 1000, 10_000, 100_000):  # overwrite what was freed
            np.full(size, 7.0), np.full(size, 7, dtype=np.int32)
        values = source.block(ids, ids)
        np.testing.assert_allclose(values, dense @ dense.T, rtol=2e-5, atol=2e-5)


def test_a_cell_written_twice_counts_once_whatever_scipy_remembers() -> None:
    X, y = problem()
    whole = sp.csr_matrix(X)
    halves = sp.csr_matrix(
        (np.repeat(whole.data / 2.0, 2), np.repeat(whole.indices, 2), 2 * whole.indptr),
        shape=whole.shape,
    )
    halves.has_canonical_format = True
    wanted = KernelSVC(gamma=0.1).fit(whole, y)
    found = KernelSVC(gamma=0.1).fit(halves, y)
    np.testing.assert_array_equal(found.decision_function(halves), wanted.decision_function(whole))
    assert halves.nnz == 2 * whole.nnz


# --- broken structures ------------------------------------------------------------------


def column_beyond(X: Any) -> None:
    X.indices[5] = X.shape[1]


def column_far_beyond(X: Any) -> None:
    X.indices[5] = 2**31 - 1


def negative_column(X: Any) -> None:
    X.indices[5] = -4


def column_that_wraps(X: Any) -> None:
    X.indices = X.indices.astype(np.int64)
    X.indices[5] = 2**32 + 1


def start_beyond(X: Any) -> None:
    X.indptr[-1] = 2**30


def falling_starts(X: Any) -> None:
    X.indptr[4] = X.indptr[-1]


def negative_start(X: Any) -> None:
    X.indptr[4] = -(2**30)


def first_start(X: Any) -> None:
    X.indptr[0] = 1


def few_starts(X: Any) -> None:
    X.indptr = X.indptr[:-20]


def many_starts(X: Any) -> None:
    X.indptr = np.concatenate([X.indptr, X.indptr[-1:]])


def few_columns(X: Any) -> None:
    X.indices = X.indices[:-20]


def few_values(X: Any) -> None:
    X.data = X.data[:-20]


def real_columns(X: Any) -> None:
    X.indices = X.indices.astype(np.float64)


BROKEN = [
    column_beyond,
    column_far_beyond,
    negative_column,
    column_that_wraps,
    start_beyond,
    falling_starts,
    negative_start,
    first_start,
    few_starts,
    many_starts,
    few_columns,
    few_values,
    real_columns,
]


@pytest.mark.parametrize("change", BROKEN, ids=lambda change: change.__name__)
def test_broken_csr_rows_are_refused_everywhere(change: Change) -> None:
    X, y = problem()
    broken = sp.csr_matrix(X)
    change(broken)
    machine = KernelSVC(gamma=0.1).fit(sp.csr_matrix(X), y)
    bag = BaggedSVC(n_estimators=2, random_state=0).fit(sp.csr_matrix(X), y)
    for call in (
        lambda: KernelSVC().fit(broken, y),
        lambda: machine.predict(broken),
        lambda: OnlineSVC().fit(broken, y),
        lambda: OnlineSVC().partial_fit(broken, y),
        lambda: BaggedSVC(n_estimators=2).fit(broken, y),
        lambda: bag.predict(broken),
        lambda: BorderLearner().start(broken),
        lambda: Scout().start(broken),
    ):
        with pytest.raises(ValueError, match="rebuild the matrix") as refused:
            call()
        assert str(refused.value).count("\n") == 0


@pytest.mark.parametrize("form", ["csc", "coo", "bsr", "lil"])
def test_broken_matrices_of_other_formats_are_refused_before_they_are_converted(form: str) -> None:
    X, y = problem()
    broken = sp.csr_matrix(X).asformat(form)
    if form == "coo":
        broken.col[3] = 2**30
    elif form == "lil":
        broken.rows[3] = [500]
        broken.data[3] = [1.0]
    else:
        broken.indices[3] = 2**30
    for call in (lambda: KernelSVC().fit(broken, y), lambda: Scout().start(broken)):
        with pytest.raises(ValueError, match="rebuild the matrix"):
            call()


@pytest.mark.parametrize("form", ["csc", "coo", "bsr", "lil", "dia", "dok"])
def test_sound_matrices_of_other_formats_are_taken(form: str) -> None:
    X, y = problem()
    wanted = KernelSVC(gamma=0.1).fit(sp.csr_matrix(X), y).decision_function(X)
    given = sp.csr_matrix(X).asformat(form)
    np.testing.assert_array_equal(KernelSVC(gamma=0.1).fit(given, y).decision_function(X), wanted)


@pytest.mark.parametrize(
    ("values", "indices", "offsets", "columns"),
    [
        (np.ones(2), np.array([0, 1]), np.array([0, 2], dtype=np.int32), 2),
        (np.ones(2, dtype=np.int32), np.array([0, 1]), np.array([0, 2]), 2),
        (np.ones(2), np.array([0.0, 1.0]), np.array([0.0, 2.0]), 2),
        (np.ones(2), np.array([0, 1]), np.empty(0, dtype=np.int64), 2),
        (np.ones(2), np.array([0, 1]), np.array([0, 2]), -1),
        (np.ones(2), np.array([0, 1]), np.array([0, 2]), 2**40),
        (np.ones(2), np.array([0, 1]), np.array([0, 2]), 1),
        (np.ones(1), np.array([0, 1]), np.array([0, 2]), 2),
        (np.ones((2, 1)), np.array([0, 1]), np.array([0, 2]), 2),
    ],
)
def test_the_binding_refuses_rows_that_it_cannot_read(
    values: Any, indices: Any, offsets: Any, columns: int
) -> None:
    with pytest.raises((TypeError, ValueError)):
        _core.Rows.csr(values, indices, offsets, columns)
