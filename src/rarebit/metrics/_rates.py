"""Sensitivity, specificity and their geometric mean, on top of imbalanced-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._minority import positive_class
from ._validation import (
    Floats,
    Labels,
    check_choice,
    check_classes,
    check_positive,
    check_predictions,
)

_AVERAGES = ("binary", "macro", "weighted")


def class_rates(
    y_true: Labels, y_pred: Labels, classes: Labels, weights: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return sensitivity, specificity and support of each class against the rest."""
    # Only here: imbalanced-learn takes half a second to import.
    from imblearn.metrics import sensitivity_specificity_support

    weights = _of_mean_one(weights)
    sensitivity, specificity, support = sensitivity_specificity_support(
        y_true,
        y_pred,
        labels=classes,
        pos_label=None,
        average=None,
        sample_weight=weights,
        warn_for=(),  # 0/0 has a documented value here, so there is nothing to warn about
    )
    # With weights 0/0 may come out as one rounding error over another: set it by count instead.
    nothing_else = np.count_nonzero(support) - (support > 0) == 0
    return (
        np.clip(np.where(support > 0, sensitivity, 0.0), 0.0, 1.0),
        np.clip(np.where(nothing_else, 0.0, specificity), 0.0, 1.0),
        np.asarray(support, dtype=np.float64),
    )


def _of_mean_one(weights: Floats | None) -> Floats | None:
    # imbalanced-learn (0.14) counts true negatives as n_rows minus weights, which is right only for
    # weights that sum to n_rows; the rates themselves do not depend on the scale.
    return None if weights is None else weights * (len(weights) / weights.sum())


def _one_rate(
    which: int,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pos_label: Any,
    labels: ArrayLike | None,
    average: str,
    sample_weight: ArrayLike | None,
) -> float:
    """Return the sensitivity (``which`` = 0) or the specificity (1)."""
    check_choice(average, "average", _AVERAGES)
    true, predicted, weights = check_predictions(y_true, y_pred, sample_weight)
    classes = check_classes(labels, true, predicted)
    if pos_label is not None:
        if average != "binary":
            raise ValueError(
                "pos_label has no meaning in an average over classes: None is allowed with "
                f"average={average!r}, got {pos_label!r}; use average='binary'."
            )
        classes = check_positive(pos_label, classes, named=labels is not None)
    rates = class_rates(true, predicted, classes, weights)
    if average == "macro":
        return float(np.mean(rates[which]))
    if average == "weighted":
        return float(np.average(rates[which], weights=rates[2]))
    positive = positive_class(true, classes, pos_label)
    if positive is None:
        # One class in truth and prediction: every row is a true negative of the absent rare class.
        return float(which)
    return float(rates[which][classes == positive][0])


def sensitivity_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    average: str = "binary",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of the rare class that is found, TP / (TP + FN).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,)
        True and predicted classes: strings, integers or booleans, two classes or more.
    pos_label : str, int or bool, default=None
        The positive class; all others are the rest. None takes the class with the fewest rows in
        `y_true` (of equally rare classes, the greatest label).
    labels : array-like, default=None
        All classes of the problem. Needed only to name a class that has no rows here.
    average : {"binary", "macro", "weighted"}, default="binary"
        "binary" scores the positive class against the rest. "macro" is the plain mean over all
        classes, "weighted" the mean weighted by their rows in `y_true`.
    sample_weight : array-like of shape (n_rows,), default=None
        Weight of each row. Rows of zero weight are left out.

    Returns
    -------
    float
        Between 0 and 1. A class without rows in `y_true` has sensitivity 0.0: nothing was there to
        be found, so nothing is credited. When `y_true` and `y_pred` hold one and the same class and
        `pos_label` is None, that class is the rest, and the result is 0.0.

    See Also
    --------
    specificity_score : The same for the rest.
    imblearn.metrics.sensitivity_score : The underlying function, whose positive class is 1.

    Examples
    --------
    >>> from rarebit.metrics import sensitivity_score
    >>> truth = ["attack", "attack", "normal", "normal", "normal"]
    >>> guess = ["attack", "normal", "normal", "normal", "attack"]
    >>> sensitivity_score(truth, guess)
    0.5
    """
    return _one_rate(0, y_true, y_pred, pos_label, labels, average, sample_weight)


def specificity_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    average: str = "binary",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of the rest that is left alone, TN / (TN + FP).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,)
        True and predicted classes: strings, integers or booleans, two classes or more.
    pos_label : str, int or bool, default=None
        The positive class; all others are the rest. None takes the class with the fewest rows in
        `y_true` (of equally rare classes, the greatest label).
    labels : array-like, default=None
        All classes of the problem. Needed only to name a class that has no rows here.
    average : {"binary", "macro", "weighted"}, default="binary"
        "binary" scores all rows outside the positive class. "macro" is the plain mean over all
        classes, "weighted" the mean weighted by their rows in `y_true`.
    sample_weight : array-like of shape (n_rows,), default=None
        Weight of each row. Rows of zero weight are left out.

    Returns
    -------
    float
        Between 0 and 1. It is 0.0 when `y_true` holds the positive class only. When `y_true` and
        `y_pred` hold one and the same class and `pos_label` is None, that class is the rest, and
        the result is 1.0.

    See Also
    --------
    sensitivity_score : The same for the positive class.
    imblearn.metrics.specificity_score : The underlying function, whose positive class is 1.

    Examples
    --------
    >>> from rarebit.metrics import specificity_score
    >>> truth = ["attack", "normal", "normal", "normal", "normal"]
    >>> guess = ["attack", "normal", "normal", "normal", "attack"]
    >>> specificity_score(truth, guess)
    0.75
    """
    return _one_rate(1, y_true, y_pred, pos_label, labels, average, sample_weight)


def g_mean(sensitivity: float, specificity: float) -> float:
    """Return the geometric mean of two rates.

    Parameters
    ----------
    sensitivity, specificity : float
        Shares of the rare and of the other rows that are recognised.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from rarebit.metrics import g_mean
    >>> g_mean(0.5, 0.5)
    0.5
    """
    return float(np.sqrt(sensitivity * specificity))


def g_mean_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Any = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Geometric mean of the sensitivities of all classes.

    With two classes it is the root of sensitivity times specificity, whichever class is positive.
    It is zero for a classifier that never finds one of the classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,)
        True and predicted classes: strings, integers or booleans, two classes or more.
    pos_label : str, int or bool, default=None
        When given, score this class against the rest: the root of its sensitivity times its
        specificity. It makes a difference only with more than two classes.
    labels : array-like, default=None
        All classes of the problem. Needed only to name a class that has no rows here.
    sample_weight : array-like of shape (n_rows,), default=None
        Weight of each row. Rows of zero weight are left out.

    Returns
    -------
    float
        Between 0 and 1. It is 0.0 when a class (of `labels`, `y_true` or `y_pred`) has no rows in
        `y_true`, and when there are fewer than two classes: such rows cannot show that the classes
        are told apart. In cross-validation every candidate gets the same 0.0 for such a fold, so
        that it does not change which one wins.

    See Also
    --------
    imblearn.metrics.geometric_mean_score : The underlying function.

    References
    ----------
    M. Kubat, S. Matwin: Addressing the curse of imbalanced training sets, ICML 1997.

    Examples
    --------
    >>> from rarebit.metrics import g_mean_score
    >>> round(g_mean_score([1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 1]), 4)
    0.6124
    """
    true, predicted, weights = check_predictions(y_true, y_pred, sample_weight)
    classes = check_classes(labels, true, predicted)
    if pos_label is not None:
        classes = check_positive(pos_label, classes, named=labels is not None)
        sensitivity, specificity, _ = class_rates(true, predicted, classes, weights)
        chosen = classes == np.asarray(pos_label)
        return g_mean(sensitivity[chosen][0], specificity[chosen][0])
    if len(classes) < 2 or not np.isin(classes, true).all():
        return 0.0
    from imblearn.metrics import geometric_mean_score

    score = geometric_mean_score(
        true, predicted, labels=classes, sample_weight=_of_mean_one(weights)
    )
    # A mean of logarithms may end a rounding error above one.
    return float(min(score, 1.0))
