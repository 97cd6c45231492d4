"""What the discovery tables share beyond the runs of the paper."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def random_labels(y: NDArray[Any], draws: int = 400, seed: int = 0) -> NDArray[np.float64]:
    """Labels that random drawing needs until every class is seen, without any explorer."""
    rng = np.random.default_rng(seed)
    numbers = np.unique(y, return_inverse=True)[1]
    return np.array(
        [
            float(np.unique(numbers[rng.permutation(len(y))], return_index=True)[1].max() + 1)
            for _ in range(draws)
        ]
    )
