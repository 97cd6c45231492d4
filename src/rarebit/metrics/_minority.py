"""Which class is the rare one, and which score favours it.

The one place that answers both questions, for plain labels and for fitted estimators. The classes
of an estimator are sorted, so ``decision_function`` favours "normal" when the rare class is called
"attack"; whoever ranks rows has to turn it round, once, here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ._validation import Floats, Labels, check_labels, check_scores, show


def rarest_class(y: Labels, classes: Labels) -> Any:
    """Return the class with the fewest rows; of equally rare ones, the greatest.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Class of each row.
    classes : ndarray of shape (n_classes,)
        Classes to choose from.

    Returns
    -------
    object
        One of `classes`.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.metrics import rarest_class
    >>> print(rarest_class(np.array(["a", "b", "a"]), np.array(["a", "b"])))
    b
    """
    ordered = np.sort(classes)[::-1]
    counts = [np.count_nonzero(y == label) for label in ordered]
    return ordered[int(np.argmin(counts))]


def positive_class(y: Labels, classes: Labels, pos_label: Any) -> Any:
    """Return ``pos_label``, else the rarest class, else None where one class is all there is.

    A lone class is never the rare one: it is the rest, and the rare class has no rows.
    """
    if pos_label is not None:
        return classes[classes == np.asarray(pos_label)][0]
    return rarest_class(y, classes) if len(classes) > 1 else None


def estimator_classes(estimator: Any) -> Labels | None:
    """Return the fitted classes of ``estimator``, or None when it does not say."""
    classes = getattr(estimator, "classes_", None)
    return None if classes is None else check_labels(classes, "classes_ of the estimator")


def _layers(estimator: Any) -> Iterator[Any]:
    """Walk from a wrapper (pipeline, search, calibration, threshold) to the estimator inside."""
    while estimator is not None:
        yield estimator
        if isinstance(estimator, Pipeline):
            estimator = estimator.steps[-1][1]
        elif getattr(estimator, "calibrated_classifiers_", None):
            estimator = getattr(estimator.calibrated_classifiers_[0], "estimator", None)
        else:
            estimator = getattr(
                estimator, "best_estimator_", getattr(estimator, "estimator_", None)
            )


def minority_class(estimator: Any, y: Labels) -> Any:
    """Return the rare class as an estimator knows it, else the rarest class of ``y``.

    The estimator saw the training rows. A test fold is smaller and may have no rare row at all.

    Parameters
    ----------
    estimator : estimator
        Fitted; a wrapper such as a pipeline is looked through.
    y : ndarray of shape (n_rows,)
        Class of each row, for estimators that do not say.

    Returns
    -------
    object
        The rare class.
    """
    classes = estimator_classes(estimator)
    if classes is None or len(classes) < 2:
        seen = y if classes is None else np.concatenate([classes, y])
        return rarest_class(y, np.unique(seen))
    for layer in _layers(estimator):
        label = getattr(layer, "minority_class_", None)
        # An inner estimator may have been trained on encoded labels: its word counts only when it
        # is a class of the outer one.
        if label is not None and np.any(classes == np.asarray(label)):
            return classes[classes == np.asarray(label)][0]
    return rarest_class(y, classes)


def minority_scores(estimator: Any, X: Any, minority: Any) -> Floats:
    """Return scores that are higher the more a row looks like one class.

    Parameters
    ----------
    estimator : estimator
        Fitted, with ``minority_score``, ``decision_function`` or ``predict_proba``.
    X : array-like of shape (n_rows, n_features)
        Rows.
    minority : object
        The class.

    Returns
    -------
    ndarray of shape (n_rows,)
        Finite scores.
    """
    own = getattr(estimator, "minority_class_", None)
    if own is not None and own == minority and hasattr(estimator, "minority_score"):
        return check_scores(estimator.minority_score(X), "minority_score of the estimator")
    classes = estimator_classes(estimator)
    if classes is None:
        raise TypeError(
            "The estimator cannot be asked for scores of the rare class: a fitted classifier with "
            f"classes_ is allowed, got {type(estimator).__name__}; fit it, or score its output "
            "with prbep_score."
        )
    column = np.flatnonzero(classes == minority)
    if not len(column):
        # A class that training never showed cannot be ranked: all rows tie.
        return np.zeros(len(estimator.predict(X)))
    one_vs_one = any(
        getattr(layer, "decision_function_shape", None) == "ovo" for layer in _layers(estimator)
    )
    if hasattr(estimator, "decision_function") and not (one_vs_one and len(classes) > 2):
        values = np.asarray(estimator.decision_function(X))
        if values.ndim == 1 and len(classes) == 2:
            return check_scores(values if column[0] == 1 else -values, "decision_function")
    elif hasattr(estimator, "predict_proba"):
        values = np.asarray(estimator.predict_proba(X))
    else:
        raise TypeError(
            "The estimator has no score of the rare class: minority_score, one decision value per "
            f"class or predict_proba is allowed, got {type(estimator).__name__}; wrap it in "
            "CalibratedClassifierCV, or use a scorer of labels such as g_mean_scorer."
        )
    if values.ndim != 2 or values.shape[1] != len(classes):
        raise ValueError(
            "The scores of the estimator do not fit its classes: one column per class of "
            f"{show(classes)} is allowed, got shape {values.shape}; use decision_function_shape="
            "'ovr' or an estimator with predict_proba."
        )
    return check_scores(values[:, column[0]], "scores of the estimator")
