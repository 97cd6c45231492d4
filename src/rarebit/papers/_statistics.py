"""Means over seeds and how sure they are, average ranks, paired tests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata, t, wilcoxon


class Mean(NamedTuple):
    """A mean with its spread (sample standard deviation) and its confidence interval."""

    mean: float
    spread: float
    low: float
    high: float

    def with_spread(self, digits: int) -> str:
        """Write the mean with the spread, if there is one."""
        more = "" if np.isnan(self.spread) else f" ± {self.spread:.{digits}f}"
        return f"{self.mean:.{digits}f}{more}"

    def with_reach(self, digits: int, reach_digits: int = 1) -> str:
        """Write the mean with half the width of the interval, if there is one."""
        more = "" if np.isnan(self.high) else f" ± {self.high - self.mean:.{reach_digits}f}"
        return f"{self.mean:.{digits}f}{more}"

    def interval(self, digits: int, sign: str = "") -> str:
        """Write the interval, or nothing if there is none."""
        if np.isnan(self.low):
            return ""
        return f"{self.low:{sign}.{digits}f} to {self.high:{sign}.{digits}f}"


def mean_over_seeds(values: ArrayLike, confidence: float = 0.95) -> Mean:
    """Summarise one value per seed; the interval is Student's.

    Parameters
    ----------
    values : array-like
        One number per seed.
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


def average_ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average ranks of the columns over the rows; 1 is the highest score, ties share.

    Parameters
    ----------
    scores : ndarray of shape (n_sets, n_methods)
        Scores of which more is better.

    Returns
    -------
    ndarray of shape (n_methods,)
        Means over the sets.
    """
    return np.asarray(rankdata(-scores, axis=1).mean(axis=0))


def wilcoxon_p(differences: NDArray[np.float64]) -> float:
    """Two-sided Wilcoxon signed-rank test; 1.0 where nothing differs."""
    if not np.any(differences):
        return 1.0
    return float(wilcoxon(differences, zero_method="zsplit").pvalue)
