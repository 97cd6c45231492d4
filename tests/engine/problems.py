"""Problems that tests of the engine share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def overlapping_classes(
    seed: int, n: int = 60, d: int = 3, rare: float = 0.3
) -> tuple[Floats, Floats]:
    """Two Gaussian clouds with +1 the rarer class; both classes are always there."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < max(2, round(rare * n)), 1.0, -1.0)
    X = rng.normal(size=(n, d)) + 0.7 * y[:, None]
    order = rng.permutation(n)
    return np.ascontiguousarray(X[order]), y[order]
