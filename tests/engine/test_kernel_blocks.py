"""Kernel blocks of the engine against the NumPy twin: layouts, shapes, precision, symmetry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from rarebit import _core
from rarebit._engine.reference import kernel_matrix

Floats = NDArray[np.float64]

KERNELS: dict[str, dict[str, float]] = {
    "linear": {},
    "rbf": {"gamma": 0.3},
    "poly": {"gamma": 0.2, "degree": 3, "coef0": 1.0},
    "sigmoid": {"gamma": 0.1, "coef0": -0.4},
}
LAYOUTS = ["dense32", "dense64", "csr32", "csr64", "csr64-wide-indices"]


def engine_rows(X: NDArray[Any], layout: str = "dense64") -> _core.Rows:
    number = np.float32 if "32" in layout else np.float64
    if layout.startswith("dense"):
        return _core.Rows.dense(np.ascontiguousarray(X, dtype=number))
    index = np.int64 if layout.endswith("wide-indices") else np.int32
    S = sp.csr_matrix(X)
    return _core.Rows.csr(
        S.data.astype(number), S.indices.astype(index), S.indptr.astype(index), X.shape[1]
    )


def engine_kernel(name: str, rows: _core.Rows, **settings: float) -> _core.Kernel:
    settings = KERNELS.get(name, {}) | settings
    return _core.Kernel(
        name,
        float(settings.get("gamma", 1.0)),
        float(settings.get("coef0", 0.0)),
        int(settings.get("degree", 3)),
        rows,
    )


def ids(n: int) -> NDArray[np.int32]:
    return np.arange(n, dtype=np.int32)


def engine_matrix(name: str, rows: _core.Rows, **settings: float) -> NDArray[np.float32]:
    kernel = engine_kernel(name, rows, **settings)
    everything = ids(rows.shape[0])
    return _core.DirectProvider(kernel, rows).block(everything, everything)


def expected_matrix(name: str, X: Floats, centre: Floats, **settings: float) -> Floats:
    """Values of the twin; the engine takes the linear kernel between rows less a centre."""
    if name == "linear" and centre.size:
        X = X - centre
    return kernel_matrix(X, X, name, **(KERNELS[name] | settings))


def some_rows(rng: np.random.Generator, n: int, d: int) -> Floats:
    """Rows of about unit length with a third of zeros, exact in float32."""
    X = rng.normal(size=(n, d)) / np.sqrt(max(d, 1)) * 2.0
    X[rng.random((n, d)) < 0.3] = 0.0
    return X.astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(
    ("n", "d"), [(1, 5), (2, 1), (7, 3), (40, 257), (30, 600), (513, 9), (100, 64)]
)
def test_blocks_equal_the_twin(
    name: str, layout: str, n: int, d: int, rng: np.random.Generator
) -> None:
    X = some_rows(rng, n, d)
    rows = engine_rows(X, layout)
    kernel = engine_kernel(name, rows)
    block = _core.DirectProvider(kernel, rows).block(ids(n), ids(n))
    assert block.dtype == np.float32
    expected = expected_matrix(name, X, kernel.centre)
    assert_allclose(block, expected, atol=2e-6 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("layout", ["dense32", "dense64", "csr32", "csr64"])
@pytest.mark.parametrize(("name", "value"), [("linear", 0.0), ("rbf", 1.0), ("poly", 1.0)])
def test_rows_without_columns(name: str, value: float, layout: str) -> None:
    K = engine_matrix(name, engine_rows(np.empty((5, 0)), layout))
    assert_array_equal(K, np.full((5, 5), value, dtype=np.float32))


@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_precomputed_blocks_are_looked_up(number: Any, rng: np.random.Generator) -> None:
    K = rng.normal(size=(70, 70)).astype(number)
    rows = _core.Rows.dense(K)
    kernel = engine_kernel("precomputed", rows)
    left = rng.permutation(70).astype(np.int32)[:20]
    right = rng.permutation(70).astype(np.int32)[:33]
    block = _core.DirectProvider(kernel, rows).block(left, right)
    assert_array_equal(block, K[np.ix_(left, right)].astype(np.float32))


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 4, 7])
def test_degrees_of_poly(degree: int, rng: np.random.Generator) -> None:
    X = some_rows(rng, 20, 6)
    settings: dict[str, float] = {"gamma": 0.7, "coef0": -0.2, "degree": degree}
    K = engine_matrix("poly", engine_rows(X), **settings)
    expected = kernel_matrix(X, X, "poly", **settings)
    assert_allclose(K, expected, atol=3e-6 * max(1.0, np.abs(expected).max()))


def test_sigmoid_saturates_at_one(rng: np.random.Generator) -> None:
    X = some_rows(rng, 20, 6) * 100.0
    K = engine_matrix("sigmoid", engine_rows(X), gamma=5.0)
    assert_allclose(K, kernel_matrix(X, X, "sigmoid", gamma=5.0, coef0=-0.4), atol=1e-5)
    assert np.abs(K).max() <= 1.0


def test_rbf_reaches_zero_without_garbage() -> None:
    X = np.array([[0.0], [1e3], [2e3], [1e6]])
    K = engine_matrix("rbf", engine_rows(X), gamma=1.0)
    assert_allclose(K, np.eye(4), atol=1e-30)


# CSR as it comes


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("number", [np.float32, np.float64])
def test_unsorted_indices_explicit_zeros_and_empty_rows(
    name: str, number: Any, rng: np.random.Generator
) -> None:
    X = some_rows(rng, 25, 12)
    X[[0, 7, 24]] = 0.0
    S = sp.csr_matrix(X)
    data, indices, offsets = [], [], [0]
    for i in range(25):
        columns = S[i].indices
        zeros = np.setdiff1d(np.arange(12), columns)[: i % 3]
        shuffled = rng.permutation(np.concatenate([columns, zeros]))
        indices.extend(shuffled.tolist())
        data.extend(X[i, shuffled].tolist())
        offsets.append(len(indices))
    messy = _core.Rows.csr(
        np.array(data, dtype=number),
        np.array(indices, dtype=np.int32),
        np.array(offsets, dtype=np.int32),
        12,
    )
    assert messy.shape == (25, 12)
    K = engine_matrix(name, messy)
    expected = kernel_matrix(X, X, name, **KERNELS[name])
    assert_allclose(K, expected, atol=2e-6 * max(1.0, np.abs(expected).max()))


def test_all_rows_empty() -> None:
    empty = engine_rows(np.zeros((4, 6)), "csr64")
    assert_array_equal(engine_matrix("rbf", empty), np.ones((4, 4), dtype=np.float32))
    assert_array_equal(engine_matrix("linear", empty), np.zeros((4, 4), dtype=np.float32))


# Values depend on the two rows alone


@pytest.mark.parametrize("layout", ["dense32", "dense64", "csr32", "csr64"])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_a_value_is_the_same_in_every_block(
    name: str, layout: str, scale: float, rng: np.random.Generator
) -> None:
    X = scale * some_rows(rng, 530, 37)
    rows = engine_rows(X, layout)
    direct = _core.DirectProvider(engine_kernel(name, rows), rows)
    K = direct.block(ids(530), ids(530))
    assert_array_equal(K, K.T)
    for i in (0, 5, 95, 96, 257, 529):
        one = np.array([i], dtype=np.int32)
        assert_array_equal(direct.block(one, ids(530))[0], K[i])
        assert_array_equal(direct.block(ids(530), one)[:, 0], K[i])
        assert direct.block(one, one)[0, 0] == K[i, i]
    left = rng.permutation(530).astype(np.int32)[:101]
    right = rng.permutation(530).astype(np.int32)[:77]
    assert_array_equal(direct.block(left, right), K[np.ix_(left, right)])


def test_a_row_may_be_asked_for_twice(rng: np.random.Generator) -> None:
    rows = engine_rows(some_rows(rng, 6, 4))
    direct = _core.DirectProvider(engine_kernel("rbf", rows), rows)
    K = direct.block(ids(6), ids(6))
    twice = np.array([2, 2, 5], dtype=np.int32)
    assert_array_equal(direct.block(twice, twice), K[np.ix_(twice, twice)])


def test_no_rows_make_an_empty_block(rng: np.random.Generator) -> None:
    rows = engine_rows(some_rows(rng, 6, 4))
    direct = _core.DirectProvider(engine_kernel("rbf", rows), rows)
    assert direct.block(ids(0), ids(6)).shape == (0, 6)
    assert direct.block(ids(6), ids(0)).shape == (6, 0)


@pytest.mark.parametrize("layout", ["dense32", "dense64", "csr32", "csr64"])
@pytest.mark.parametrize("scale", [1.0, 50.0])
def test_duplicate_rows_have_value_one(layout: str, scale: float, rng: np.random.Generator) -> None:
    X = scale * some_rows(rng, 50, 33)
    K = engine_matrix("rbf", engine_rows(np.vstack([X, X]), layout))
    assert_allclose(np.diagonal(K), 1.0, atol=1e-5)
    assert_allclose(np.diagonal(K[:50, 50:]), 1.0, atol=1e-5)
    assert K.max() <= 1.0 + 1e-6


# Precision


@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("spread", [1.0, 1e3, 3e7])
def test_a_column_far_from_zero(number: Any, spread: float, rng: np.random.Generator) -> None:
    """Seconds since 1970 beside ordinary features, gamma as ``"scale"`` would choose it."""
    X = np.column_stack(
        [1.7e9 + spread * rng.normal(size=200), rng.normal(size=200), rng.random(200)]
    ).astype(number)
    exact = X.astype(np.float64)
    gamma = 1.0 / (3 * max(exact[:, 0].var(), 1.0))
    K = engine_matrix("rbf", _core.Rows.dense(X), gamma=gamma)
    assert_allclose(K, kernel_matrix(exact, exact, "rbf", gamma=gamma), atol=1e-5)


@pytest.mark.parametrize("layout", ["dense64", "csr64"])
def test_long_rows_are_computed_in_float64(layout: str, rng: np.random.Generator) -> None:
    """Two far groups: within a group distances are small against the length of the rows."""
    X = rng.normal(size=(120, 4))
    X[:60, 0] += 3e4
    rows = engine_rows(X, layout)
    kernel = engine_kernel("rbf", rows, gamma=0.5)
    assert kernel.wide
    K = _core.DirectProvider(kernel, rows).block(ids(120), ids(120))
    assert_allclose(K, kernel_matrix(X, X, "rbf", gamma=0.5), atol=1e-5)


def test_rows_of_ordinary_length_stay_in_float32(rng: np.random.Generator) -> None:
    rows = engine_rows(rng.normal(size=(50, 10)) + 1e6)
    assert not engine_kernel("rbf", rows, gamma=0.1).wide
    assert not engine_kernel("linear", rows).wide


@pytest.mark.parametrize("name", ["poly", "sigmoid"])
def test_dot_products_of_rows_far_from_zero(name: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 5))
    X[:, 0] += 1e4
    gamma = 1e-8
    rows = engine_rows(X)
    kernel = engine_kernel(name, rows, gamma=gamma)
    assert kernel.wide
    K = _core.DirectProvider(kernel, rows).block(ids(60), ids(60))
    assert_allclose(K, kernel_matrix(X, X, name, **(KERNELS[name] | {"gamma": gamma})), rtol=1e-6)


def test_a_fitted_kernel_can_be_rebuilt(rng: np.random.Generator) -> None:
    X = some_rows(rng, 40, 6) + 1e5
    rows = engine_rows(X)
    kernel = engine_kernel("rbf", rows)
    again = _core.Kernel("rbf", 0.3, 0.0, 3, centre=kernel.centre, wide=kernel.wide)
    expected = _core.DirectProvider(kernel, rows).block(ids(40), ids(40))
    assert_array_equal(_core.DirectProvider(again, rows).block(ids(40), ids(40)), expected)


def test_decide_is_the_weighted_sum_of_a_block(rng: np.random.Generator) -> None:
    X = some_rows(rng, 1700, 8)  # more rows than are decided together
    rows = engine_rows(X)
    kernel = engine_kernel("rbf", rows)
    kept = rng.permutation(1700).astype(np.int32)[:600]
    weights = rng.normal(size=(3, 600))
    values = _core.decide(kernel, rows, rows, kept, weights, None)
    block = _core.DirectProvider(kernel, rows).block(ids(1700), kept).astype(np.float64)
    assert_allclose(values, block @ weights.T, atol=1e-9 * 600)


# What the engine refuses


def test_wrong_number_types_are_refused() -> None:
    with pytest.raises(TypeError, match="float32 or float64"):
        _core.Rows.dense(np.ones((2, 2), dtype=np.int64))
    offsets = np.array([0, 1], dtype=np.int32)
    with pytest.raises(TypeError, match="share a type"):
        _core.Rows.csr(np.ones(1), np.zeros(1, dtype=np.int64), offsets, 1)


def test_row_numbers_out_of_range_are_refused(rng: np.random.Generator) -> None:
    rows = engine_rows(some_rows(rng, 6, 4))
    direct = _core.DirectProvider(engine_kernel("rbf", rows), rows)
    for wrong in (-1, 6):
        with pytest.raises(IndexError):
            direct.block(np.array([wrong], dtype=np.int32), ids(6))
        with pytest.raises(IndexError):
            direct.block(ids(6), np.array([wrong], dtype=np.int32))


def test_sources_keep_their_rows_alive(rng: np.random.Generator) -> None:
    def make() -> tuple[_core.DirectProvider, Floats]:
        X = some_rows(rng, 300, 50)
        rows = engine_rows(X)
        return _core.DirectProvider(engine_kernel("rbf", rows), rows), X.copy()

    direct, X = make()
    scribble = [np.full((300, 50), 7.0) for _ in range(20)]  # would reuse freed memory
    K = direct.block(ids(300), ids(300))
    assert len(scribble) == 20
    assert_allclose(K, kernel_matrix(X, X, "rbf", gamma=0.3), atol=2e-6)
