"""Matrix products from SciPy's BLAS against the built-in ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from rarebit import KernelSVC, _core
from rarebit._engine.products import check_signature, use_products

GEMM = "void (char *, char *, {i} *, {i} *, {i} *, s *, s *, {i} *, s *, {i} *, s *, s *, {i} *)"


@pytest.fixture
def scipy_products() -> Iterator[None]:
    use_products("scipy")
    yield
    use_products("built-in")


def block(X: np.ndarray, gamma: float) -> np.ndarray:
    rows = _core.Rows.dense(X)
    kernel = _core.Kernel("rbf", gamma, 0.0, 3, rows)
    every = np.arange(len(X), dtype=np.int32)
    return _core.DirectProvider(kernel, rows).block(every, every)


@pytest.mark.parametrize(
    ("n", "d", "far"), [(1, 1, 0.0), (97, 7, 0.0), (700, 300, 0.0), (50, 4, 1e6)]
)
def test_blocks_agree(n: int, d: int, far: float, request: pytest.FixtureRequest) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(n, d))
    X[: n // 2] += far  # two distant groups make the engine use float64 products
    built_in = block(X, 1.0 / d)
    request.getfixturevalue("scipy_products")
    np.testing.assert_allclose(block(X, 1.0 / d), built_in, atol=2e-6)


@pytest.mark.usefixtures("scipy_products")
def test_machines_fit_with_scipy_products() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(600, 8))
    y = (X[:, 0] + 0.5 * random.normal(size=600) > 1.0).astype(int)
    with_scipy = KernelSVC(C=2.0, gamma=0.2).fit(X, y)
    use_products("built-in")
    built_in = KernelSVC(C=2.0, gamma=0.2).fit(X, y)
    assert with_scipy.dual_objective_ == pytest.approx(built_in.dual_objective_, rel=1e-5)
    np.testing.assert_allclose(
        with_scipy.decision_function(X), built_in.decision_function(X), atol=5e-3
    )


@pytest.mark.parametrize("integer", ["int", "int32_t"])
def test_32_bit_integers_are_taken(integer: str) -> None:
    check_signature(GEMM.format(i=integer))


@pytest.mark.parametrize(
    "signature", [GEMM.format(i="long"), GEMM.format(i="int64_t"), "void (char *)", "", "double"]
)
def test_other_signatures_are_refused(signature: str) -> None:
    with pytest.raises(ValueError, match=r"32-bit integers only: use the built-in"):
        check_signature(signature)


def test_unknown_source_names_the_allowed_ones() -> None:
    with pytest.raises(ValueError, match="'built-in' or 'scipy', got 'mkl'"):
        use_products("mkl")  # type: ignore[arg-type]


@pytest.mark.parametrize(("value", "ends"), [("scipy", 0), ("built-in", 0), ("", 0), ("mkl", 1)])
def test_the_environment_decides(value: str, ends: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import rarebit"],
        env={**os.environ, "RAREBIT_PRODUCTS": value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == ends
    assert ("RAREBIT_PRODUCTS" in done.stderr) == bool(ends)
