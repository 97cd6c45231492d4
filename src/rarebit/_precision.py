"""Average precision without checks: tuning and weighing ask for it hundreds of times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def quick_average_precision(positive: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return the average precision of finite scores, as scikit-learn defines it.

    Parameters
    ----------
    positive : ndarray of bool of shape (n_rows,)
        Which rows are positive, at least one of them.
    scores : ndarray of shape (n_rows,)
        Higher for rows that look positive. Rows with equal scores count as one step.

    Returns
    -------
    float
        Precision after each step, weighed by the share of the positive rows that it adds.

    Examples
    --------
    >>> import numpy as np
    >>> quick_average_precision(np.array([True, False, True]), np.array([0.9, 0.8, 0.7]))
    0.8333333333333333
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # of rows with equal scores
    found = np.cumsum(positive[order])[last]
    return float(np.sum(np.diff(found, prepend=0) * found / (last + 1.0)) / found[-1])
