"""Scores of a ranking: what stands at the top when rows are sorted by how rare they look."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score, roc_auc_score

from ._validation import (
    Floats,
    check_classes,
    check_labels,
    check_positive,
    check_same_length,
    check_scores,
    show,
)

Flags = NDArray[np.bool_]


def prbep_score(y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = None) -> float:
    """Precision-recall break-even point: the precision among the top n₊ scores.

    Sort the rows by score and take as many from the top as there are positive rows. Precision and
    recall of this selection are equal, since both divide its hits by n₊.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True classes. With more than two classes, all but `pos_label` are the rest.
    y_score : array-like of shape (n_rows,)
        The higher, the more the row looks like `pos_label`. Only the order matters. Note that
        ``decision_function`` favours ``classes_[1]``, which is the wrong class when the rare one
        sorts first.
    pos_label : str, int or bool, default=None
        The positive class. It may be left out only for labels {0, 1} and {-1, 1}, where it is 1.

    Returns
    -------
    float
        Between 0 and 1. Without a positive row it is 0.0: nothing was there to be found.

    Raises
    ------
    ValueError, TypeError
        For NaN and infinite scores, for empty or unequal columns, and when the positive class is
        neither given nor clear.

    Notes
    -----
    Rows with equal scores have no order. When the cut goes through such a group, the result is the
    expectation over all orders of the group: each of its rows is selected with the same
    probability. So the value does not depend on the order of the rows, and a constant score gets
    the share of positive rows.

    Examples
    --------
    >>> from rarebit.metrics import prbep_score
    >>> prbep_score([1, 1, 0, 0], [0.9, 0.3, 0.5, 0.1])
    0.5
    >>> prbep_score(["attack", "normal", "normal"], [0.7, 0.7, 0.1], pos_label="attack")
    0.5
    """
    true, scores = check_labels(y_true, "y_true"), check_scores(y_score, "y_score")
    check_same_length(true, scores, "y_true and y_score")
    classes = check_classes(None, true)
    if pos_label is None:
        if not any(np.isin(classes, allowed).all() for allowed in ([0, 1], [-1, 1])):
            raise ValueError(
                "The positive class is not clear: pos_label=None is allowed for labels {0, 1} and "
                f"{{-1, 1}} only, got labels {show(classes)}; pass the class that y_score favours "
                "as pos_label."
            )
        return break_even(true == 1, scores)
    check_positive(pos_label, classes)
    return break_even(true == np.asarray(pos_label), scores)


def break_even(positive: Flags, scores: Floats) -> float:
    """Return the expected share of positive rows among the top n₊ scores; 0.0 when n₊ is 0."""
    n_positive = int(np.count_nonzero(positive))
    if n_positive == 0:
        return 0.0
    cut = len(scores) - n_positive
    threshold = np.partition(scores, cut)[cut]
    above, tied = scores > threshold, scores == threshold
    places_left = n_positive - np.count_nonzero(above)
    hits = np.count_nonzero(positive & above) + places_left * positive[tied].mean()
    return float(hits / n_positive)


def area_under_roc(positive: Flags, scores: Floats) -> float:
    """Return the area under the ROC curve; 0.5, as for a coin, when one of the sides is empty."""
    if positive.all() or not positive.any():
        return 0.5
    return float(roc_auc_score(positive, scores))


def average_precision(positive: Flags, scores: Floats) -> float:
    """Return the average precision; 0.0 without a positive row."""
    return float(average_precision_score(positive, scores)) if positive.any() else 0.0
