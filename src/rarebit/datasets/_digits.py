"""A small pool with rare classes that needs no file: scikit-learn's digits, some thinned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.datasets._sampling import as_generator, draw_rows

RARE_DIGITS = {1: 12, 8: 8, 9: 5}


def load_rare_digits(
    rare: Mapping[int, int] = RARE_DIGITS, *, test_share: float = 0.3, random_state: int = 0
) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[np.float64], NDArray[Any]]:
    """Split scikit-learn's 1,797 digits into a pool, in which some digits are rare, and test rows.

    Parameters
    ----------
    rare : mapping of int to int, default={1: 12, 8: 8, 9: 5}
        Rows of a digit that stay in the pool. The other digits keep all of theirs.
    test_share : float, default=0.3
        Share of each digit that is kept apart for testing, before any is thinned.
    random_state : int, default=0
        Makes the draw repeatable.

    Returns
    -------
    X, y, X_test, y_test
        Rows of 64 grey values between 0 and 1, and their digits.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.datasets import load_rare_digits
    >>> X, y, X_test, y_test = load_rare_digits()
    >>> X.shape, np.bincount(y)[[1, 8, 9]].tolist()
    ((908, 64), [12, 8, 5])
    """
    from sklearn.datasets import load_digits

    images, digits = load_digits(return_X_y=True)
    if not 0.0 < test_share < 1.0:
        raise ValueError(
            f"The test_share parameter must lie between 0 and 1, got {test_share!r}: 0.3 is usual."
        )
    rng = as_generator(random_state)
    names, counts = np.unique(digits, return_counts=True)
    wanted = {int(d): round(test_share * int(n)) for d, n in zip(names, counts, strict=True)}
    test = draw_rows(digits, wanted, rng)
    left = np.setdiff1d(np.arange(len(digits)), test)
    kept = {d: int(rare.get(d, np.sum(digits[left] == d))) for d in wanted}
    pool = left[draw_rows(digits[left], kept, rng)]
    return images[pool] / 16.0, digits[pool], images[test] / 16.0, digits[test]
