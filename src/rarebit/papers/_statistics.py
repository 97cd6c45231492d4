"""Means over seeds, and how sure they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t


class Mean(NamedTuple):
    """A mean with its spread (sample standard deviation) and its confidence interval."""

    mean: float
    spread: float
    low: float
    high: float


def mean_over_seeds(values: ArrayLike, confidence: float = 0.95) -> Mean:
    """Summarise one value a seed; the interval is Student's.

    Parameters
    ----------
    values : array-like
        One number a seed.
    confidence : float, default=0.95
        Of the interval.

    Returns
    -------
    Mean
        Spread and interval are NaN for a single seed.

    Examples
    --------
    >>> from rarebit.papers import mean_over_seeds
    >>> summary = mean_over_seeds([1.0, 2.0, 3.0])
    >>> summary.mean, summary.spread, round(summary.high, 2)
    (2.0, 1.0, 4.48)
    """
    sample = np.asarray(values, dtype=np.float64)
    mean = float(sample.mean())
    if sample.size < 2:
        return Mean(mean, np.nan, np.nan, np.nan)
    spread = float(sample.std(ddof=1))
    reach = float(t.ppf(0.5 + confidence / 2.0, sample.size - 1)) * spread / np.sqrt(sample.size)
    return Mean(mean, spread, float(mean - reach), float(mean + reach))
