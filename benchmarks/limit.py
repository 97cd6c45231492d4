"""The physical limit of an exact fit on this machine: one kernel block, at full speed.

Whatever its strategy, a fit with s support vectors among n rows of d features must at least know
the s × n kernel values between them: ``2 s n d`` floating-point operations by matrix product and
``s n`` exponentials, in single precision. Both rates are measured on one thread, each as the
fastest of many calls: the product with SciPy's BLAS on a block of 512 × 4096 × d, the exponential
with NumPy on values that stay in the cache. Everything else (steps, selection, memory) is free.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import sgemm

from benchmarks.meters import best_seconds

_ROWS, _COLUMNS = 512, 4096
_EXPONENTIALS = 1 << 13
_SECONDS = 0.3


@dataclass(frozen=True)
class Rates:
    """Single-precision speeds of one thread."""

    flops: float
    exponentials: float

    def limit_seconds(self, support: int, rows: int, features: int) -> float:
        values = float(support) * rows
        return 2.0 * values * features / self.flops + values / self.exponentials


def measure_rates(features: int) -> Rates:
    """Measure this machine, now, with the threads that this process may use."""
    random = np.random.default_rng(0)
    left = np.asfortranarray(random.random((_ROWS, features), dtype=np.float32))
    right = np.asfortranarray(random.random((features, _COLUMNS), dtype=np.float32))
    product = np.empty((_ROWS, _COLUMNS), dtype=np.float32, order="F")
    seconds = best_seconds(
        lambda: sgemm(1.0, left, right, beta=0.0, c=product, overwrite_c=1), _SECONDS
    )
    flops = 2.0 * _ROWS * _COLUMNS * features / seconds
    # Arguments of an rbf kernel: none is positive, few are so low that the result is 0.
    arguments = -20.0 * random.random(_EXPONENTIALS, dtype=np.float32)
    results = np.empty_like(arguments)
    seconds = best_seconds(lambda: np.exp(arguments, out=results), _SECONDS)
    return Rates(flops, _EXPONENTIALS / seconds)
