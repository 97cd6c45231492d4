"""What thresholds are worth over a pool, where nobody has labelled rows that were held out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rarebit.classifiers._final_calibration import unseen_shares

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_MOST_POINTS = 256
_FEWEST = 5  # labels of either side


def pool_points(
    logits: Floats,
    rare: Flags,
    unseen: Floats | None,
    n_unseen: int | None,
    *,
    threshold: float,
) -> Floats:
    """Estimate recall and precision of thresholds over all rows of a pool.

    Labelled rows count by their class, with log odds of parts that had not seen them; the others
    count by their probability. It is no measurement: the learner chose which rows have labels.
    Where it chose more rare rows than others, or fewer than five of either, log odds say nothing of
    how frequent rare rows are among those without a label, and nothing is estimated.

    Parameters
    ----------
    logits : ndarray of shape (n_labelled,)
        Log odds of the rare class, by classifiers that have not seen the rows.
    rare : ndarray of bool of shape (n_labelled,)
        Which of them are of the rare class.
    unseen : ndarray of shape (n_drawn,) or None
        Log odds of rows without a label, or of a draw of them; None where the labels are all.
    n_unseen : int or None
        Rows without a label that there are; None for as many as `unseen` has.
    threshold : float
        Log odds that the score 0 stands for.

    Returns
    -------
    ndarray of shape (n_points, 3)
        Score, recall and precision, the highest score first; may be empty.

    Examples
    --------
    >>> logits = np.array([3.0, 3.0, 2.0, 2.0, 1.0, -1.0, -3.0])
    >>> pool_points(logits, logits > 0.0, None, None, threshold=1.0)[-1].tolist()
    [0.0, 1.0, 1.0]
    """
    n_rare = int(np.count_nonzero(rare))
    is_part = unseen is not None and len(unseen) > 0
    if n_rare < _FEWEST or (is_part and len(rare) - n_rare < max(n_rare, _FEWEST)):
        return np.zeros((0, 3))
    expected, weights = rare.astype(np.float64), np.ones(len(logits))
    if unseen is not None and is_part:
        each = (len(unseen) if n_unseen is None else n_unseen) / len(unseen)
        expected = np.append(expected, unseen_shares(logits, rare, unseen, each))
        weights = np.append(weights, np.full(len(unseen), each))
        logits = np.append(logits, unseen)
    order = np.argsort(-logits, kind="stable")
    scores = logits[order]
    hits = np.cumsum((weights * expected)[order])
    called = np.cumsum(weights[order])
    # Rows of one score are called together, and only a row that may be rare makes a point.
    last = np.append(scores[:-1] > scores[1:], True)
    ends = np.flatnonzero(last & (expected[order] > 0.0))
    recall = hits / hits[-1]
    ends = ends[: int(np.searchsorted(recall[ends], 1.0 - 1e-9)) + 1]
    if len(ends) > _MOST_POINTS:
        ends = ends[np.linspace(0, len(ends) - 1, _MOST_POINTS).round().astype(int)]
    return np.column_stack([scores[ends] - threshold, recall[ends], hits[ends] / called[ends]])
