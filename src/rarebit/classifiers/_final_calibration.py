"""From scores to probabilities, and from probabilities to a threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_BAND = 0.95
_GRID = np.linspace(-8.0, 8.0, 3201)
# Pairs of labels in the wrong order, and one per rare label for what few labels cannot show, up to
# which log odds are made steeper, and how much at most. Like the number after them chosen on
# generated pools, letter-A, satimage-4, waveform, a9a and ecoli.
_CONFUSED = 0.05
_STEEPEST = 3.0
# Rare rows without a label that may be expected for each rare label, where none is above even odds.
_PER_LABEL = 3.0
_LEAST_SHIFT = -12.0
# Hits from which on rows drawn uniformly tell the base rate.
KNOWN_FROM = 2


def platt(scores: Floats, positive: Flags) -> tuple[float, float]:
    """Return slope and constant of the log odds, by logistic regression with a light penalty.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
        Of rows that the classifier has not seen.
    positive : ndarray of bool of shape (n_rows,)
        Their classes, both of them there.

    Returns
    -------
    tuple of float
        Slope, never negative, and constant.

    Examples
    --------
    >>> slope, constant = platt(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([0, 0, 1, 1]) > 0)
    >>> slope > 0, abs(constant) < 1e-6
    (True, True)
    """
    spread = float(scores.std())
    scale = spread if spread > 0.0 and np.isfinite(spread) else 1.0
    model = LogisticRegression(C=1.0).fit((scores / scale)[:, None], positive)
    return max(float(model.coef_[0, 0]) / scale, 0.0), float(model.intercept_[0])


def base_rate_offset(logits: Floats, positive: Flags) -> tuple[float, float, float]:
    """Return the shift of log odds that rows drawn uniformly ask for, with a band of 95 %.

    The penalty δ²/2 is a normal distribution of the shift before any such row was seen, so that the
    band without rows is ±1.96.

    Parameters
    ----------
    logits : ndarray of shape (n_drawn,)
        Log odds of rows drawn uniformly, by a classifier that has not seen them.
    positive : ndarray of bool of shape (n_drawn,)
        Their classes.

    Returns
    -------
    tuple of float
        Most likely shift, lower and upper end.

    Examples
    --------
    >>> shift, low, high = base_rate_offset(np.zeros(0), np.zeros(0, bool))
    >>> shift == 0.0, round(low, 1), round(high, 1)
    (True, -2.0, 2.0)
    """
    signs = np.where(positive, 1.0, -1.0)
    fit = np.array([log_expit(signs * (logits + shift)).sum() for shift in _GRID])
    fit -= _GRID**2 / 2.0
    density = np.exp(fit - fit.max())
    below = np.cumsum(density) / density.sum()
    tail = (1.0 - _BAND) / 2.0
    low = _GRID[int(np.searchsorted(below, tail))]
    high = _GRID[int(np.searchsorted(below, 1.0 - tail))]
    best = float(_GRID[int(np.argmax(fit))])
    return best, float(low), float(high)


def g_mean_threshold(logits: Floats, expected: Floats, weights: Floats) -> float:
    """Return the log odds from which on a row is called positive for the greatest g-mean.

    Labels that were asked for are harder than the pool, and g-means of them mislead. Here all rows
    of the pool count: labelled ones by their class, the others by their probability.

    Parameters
    ----------
    logits : ndarray of shape (n_rows,)
        Log odds by a classifier that has not seen the rows.
    expected : ndarray of shape (n_rows,)
        1 or 0 for a labelled row, else the probability of the class.
    weights : ndarray of shape (n_rows,)
        Rows of the pool that each stands for.

    Returns
    -------
    float
        Half way between two rows.

    Examples
    --------
    >>> logits = np.array([-3.0, -2.0, 1.0, 2.0])
    >>> g_mean_threshold(logits, np.array([0.0, 0.0, 1.0, 1.0]), np.ones(4))
    -0.5
    """
    order = np.argsort(-logits, kind="stable")
    sorted_logits = logits[order]
    hits = np.cumsum((weights * expected)[order])
    alarms = np.cumsum((weights * (1.0 - expected))[order])
    if hits[-1] <= 0.0 or alarms[-1] <= 0.0:
        return 0.0
    quality = hits / hits[-1] * (1.0 - alarms / alarms[-1])
    last = np.append(sorted_logits[:-1] > sorted_logits[1:], True)  # of equal ones
    best = int(np.argmax(np.where(last, quality, -1.0)))
    if best + 1 == len(sorted_logits):
        return float(sorted_logits[best])
    return float(0.5 * (sorted_logits[best] + sorted_logits[best + 1]))


def unseen_shares(logits: Floats, sides: Flags, unseen: Floats, each: float = 1.0) -> Floats:
    """Return how likely rows without a label are of a rare class, with tails that labels support.

    A hundred labels cannot tell odds of 1 : 100 from 1 : 10,000, and log odds end there. In a large
    pool the rows far below even odds would then be most of the rare ones, and a threshold that
    serves them calls a quarter of the pool rare. So log odds below 0 count up to three times where
    labels are told apart well by parts that had not seen them, and all are shifted until no more
    rare rows are expected than are above even odds, or three times those that labels have.

    Parameters
    ----------
    logits : ndarray of shape (n_labelled,)
        Log odds of labelled rows, by classifiers that have not seen them.
    sides : ndarray of bool of shape (n_labelled,)
        Which of them are of the class.
    unseen : ndarray of shape (n_drawn,)
        Log odds of rows without a label, or of a draw of them.
    each : float, default=1.0
        Rows without a label that each of them stands for.

    Returns
    -------
    ndarray of shape (n_drawn,)
        Shares between 0 and 1.

    Examples
    --------
    >>> logits, sides = np.repeat([-4.0, 4.0], 50), np.repeat([False, True], 50)
    >>> unseen = np.append(np.full(9_990, -4.5), np.full(10, 3.0))
    >>> round(expit(unseen).sum()), round(unseen_shares(logits, sides, unseen).sum())
    (119, 10)
    """
    n_rare = np.count_nonzero(sides)
    steepness = 1.0
    if 0 < n_rare < len(sides):
        error = 1.0 - roc_auc_score(sides, logits) + 1.0 / n_rare
        steepness = float(np.clip(_CONFUSED / error, 1.0, _STEEPEST))
    steep = np.where(unseen < 0.0, steepness * unseen, unseen)
    most = max(each * np.count_nonzero(unseen > 0.0), _PER_LABEL * n_rare)
    low, high = _LEAST_SHIFT, 0.0
    if each * expit(steep).sum() > most:
        for _ in range(40):
            middle = 0.5 * (low + high)
            if each * expit(steep + middle).sum() > most:
                high = middle
            else:
                low = middle
    return np.asarray(expit(steep + high), dtype=np.float64)


def pool_thresholds(
    logits: Floats,
    sides: Flags,
    unseen: Floats | None,
    n_unseen: int | None,
    *,
    texts: bool,
    turned: bool = False,
) -> Floats:
    """Return thresholds over a pool: rows count by class where it is known, else by probability.

    Parameters
    ----------
    logits : ndarray of shape (n_labelled, n_columns)
        Log odds of labelled rows, by classifiers that have not seen them.
    sides : ndarray of bool of shape (n_labelled, n_columns)
        Which of them are of the class of a column.
    unseen : ndarray of shape (n_drawn, n_columns) or None
        Log odds of rows without a label, or of a draw of them.
    n_unseen : int or None
        Rows without a label that there are; None for as many as `unseen` has.
    texts : bool
        Whether the rows are texts.
    turned : bool, default=False
        Whether the column of two classes is of the common one.

    Returns
    -------
    ndarray of shape (n_columns,)
        Log odds, as in `g_mean_threshold`.
    """
    expected = sides.astype(np.float64)
    weights = np.ones(len(logits))
    if unseen is not None and len(unseen):
        each = (len(unseen) if n_unseen is None else n_unseen) / len(unseen)
        shares = np.empty_like(unseen)
        for k in range(unseen.shape[1]):
            sign = -1.0 if turned else 1.0
            own = sign * logits[:, k], sides[:, k] ^ turned, sign * unseen[:, k]
            # Of texts, rows that nobody looked at are far less often rare than their log odds say
            # (1.5 times as many on four Reuters topics): they count as common ones.
            rare = np.zeros(len(unseen)) if texts else unseen_shares(*own, each)
            shares[:, k] = 1.0 - rare if turned else rare
        expected = np.vstack([expected, shares])
        logits = np.vstack([logits, unseen])
        weights = np.concatenate([weights, np.full(len(unseen), each)])
    return np.array(
        [g_mean_threshold(logits[:, k], expected[:, k], weights) for k in range(logits.shape[1])]
    )


def probabilities(logits: Floats) -> Floats:
    """Return probabilities of classes from log odds, of shape (n_rows, n_classes).

    Parameters
    ----------
    logits : ndarray of shape (n_rows, n_columns)
        One column for two classes, else one per class against the rest.
    """
    shares = expit(logits)
    if logits.shape[1] == 1:
        return np.hstack([1.0 - shares, shares])
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, shares / np.where(total > 0.0, total, 1.0), 1.0 / shares.shape[1])


def judge_draws(
    logits: Floats, sides: Flags, offset: Floats, threshold: Floats, rare: int
) -> Floats:
    """Return what was said of rows drawn uniformly beside what they are.

    Parameters
    ----------
    logits : ndarray of shape (n_drawn, n_columns)
        Log odds by a classifier that has not seen the rows.
    sides : ndarray of bool of shape (n_drawn, n_columns)
        Which of them are of the class of a column.
    offset, threshold : ndarray of shape (n_columns,)
        Shift to the base rate, and log odds from which on a row is called positive.
    rare : int
        Number of the rare class.

    Returns
    -------
    ndarray of shape (n_drawn, 3)
        Probability of the rare class; 1 where it was predicted; 1 where it is true.
    """
    above = logits - threshold
    if logits.shape[1] == 1:
        called = (above[:, 0] > 0.0) == (rare == 1)
        true = sides[:, 0] == (rare == 1)
    else:
        called, true = above.argmax(axis=1) == rare, sides[:, rare]
    return np.column_stack([probabilities(logits + offset)[:, rare], called, true])
