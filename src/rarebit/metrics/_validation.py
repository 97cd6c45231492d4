"""The checks behind every public call of :mod:`rarebit.metrics`.

Each check returns clean values, so that the code after it can trust them. A failed check is a
``ValueError`` (wrong value) or a ``TypeError`` (wrong kind of thing) of one sentence: what is
wrong, what is allowed, what was given, what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[Any]
Floats = NDArray[np.float64]


def show(values: Iterable[Any], limit: int = 6) -> str:
    """Write a few values as plain Python literals, for an error message or a report."""
    plain = [as_plain(value) for value in values]
    shown = ", ".join(repr(value) for value in plain[:limit])
    return f"[{shown}, ... {len(plain) - limit} more]" if len(plain) > limit else f"[{shown}]"


def as_plain(value: Any) -> Any:
    """Turn a NumPy scalar into the Python value that prints and serialises without its type."""
    return value.item() if isinstance(value, np.generic) else value


def _as_column(values: Any, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    # A table's single column is as good as a vector; anything wider is ambiguous.
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one column: a sequence of shape (n_rows,) is allowed, got shape "
            f"{array.shape}; pass one value per row."
        )
    if array.size == 0:
        raise ValueError(
            f"{name} is empty: at least one row is needed, got 0; check how the rows were selected."
        )
    return array


def check_labels(values: Any, name: str) -> Labels:
    """Return class labels as a one-dimensional array of strings, integers, booleans or floats.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        Class of each row.
    name : str
        Name of the argument, for the message of an error.

    Returns
    -------
    ndarray of shape (n_rows,)
        Labels without missing values and of one type.

    Examples
    --------
    >>> from rarebit.metrics import check_labels
    >>> print(check_labels(["rare", "normal"], "y"))
    ['rare' 'normal']
    """
    array = _as_column(values, name)
    # scikit-learn does not read NumPy's variable-width strings ("T"): treat them as objects.
    if array.dtype.kind in "OT":
        array = _from_objects(array.astype(object), name)
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array)
        if bad.any():
            raise ValueError(
                f"{name} has missing or infinite labels: strings, integers and booleans are "
                f"allowed, got {as_plain(array[bad][0])!r} at row {int(bad.argmax())}; drop these "
                "rows or give them a class."
            )
        if np.any(array != np.floor(array)):
            raise ValueError(
                f"{name} must hold class labels: strings, integers and booleans are allowed, got "
                f"numbers such as {as_plain(array[array != np.floor(array)][0])!r}; pass scores as "
                "y_score, or round them to classes first."
            )
    elif array.dtype.kind not in "biuU":
        raise TypeError(
            f"{name} has labels of an unknown type: strings, integers and booleans are allowed, "
            f"got dtype {array.dtype}; convert them, for example with astype(str)."
        )
    return array


def _from_objects(array: NDArray[Any], name: str) -> Labels:
    values = array.tolist()
    if all(isinstance(value, str) for value in values):
        return array.astype(str)
    if all(isinstance(value, (bool, int, float, np.bool_, np.number)) for value in values):
        return np.array(values)
    kinds = sorted({type(value).__name__ for value in values})
    raise TypeError(
        f"{name} mixes types or has missing labels: all strings or all numbers are allowed, got "
        f"{show(kinds)}; drop the missing rows or convert all labels to strings."
    )


def check_same_kind(first: Any, second: Any, names: str) -> None:
    """Refuse to compare strings with numbers, which NumPy would silently turn into strings."""
    first, second = np.asarray(first), np.asarray(second)
    if (first.dtype.kind == "U") != (second.dtype.kind == "U"):
        raise TypeError(
            f"{names} are of different kinds: both strings or both numbers are allowed, got "
            f"{show(np.unique(first), 3)} and {show(np.unique(second), 3)}; convert one of them."
        )


def check_same_length(first: NDArray[Any], second: NDArray[Any], names: str) -> None:
    """Refuse two columns of different lengths."""
    if len(first) != len(second):
        raise ValueError(
            f"{names} differ in length: one value per row is allowed in each, got {len(first)} and "
            f"{len(second)}; check that both come from the same rows."
        )


def check_scores(values: Any, name: str) -> Floats:
    """Return finite scores as a one-dimensional array of float64."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] > 1:
        raise ValueError(
            f"{name} must favour one class: a column of shape (n_rows,) is allowed, got shape "
            f"{array.shape}; pass the column of the positive class only."
        )
    array = _as_column(array, name)
    if array.dtype.kind not in "biufO":
        raise TypeError(
            f"{name} must be numbers: finite integers or floats are allowed, got dtype "
            f"{array.dtype}; pass decision values or probabilities, not labels."
        )
    try:
        scores = array.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be numbers: finite integers or floats are allowed, got "
            f"{show(array, 3)}; pass decision values or probabilities, not labels."
        ) from None
    bad = ~np.isfinite(scores)
    if bad.any():
        raise ValueError(
            f"{name} has NaN or infinities: finite numbers are allowed, got "
            f"{int(bad.sum())} such value(s), the first {as_plain(scores[bad][0])!r} at row "
            f"{int(bad.argmax())}; drop these rows or replace them, for example with "
            "numpy.nan_to_num."
        )
    return scores


def check_weights(values: Any, n_rows: int) -> Floats:
    """Return one finite weight per row, none negative, not all zero."""
    weights = check_scores(values, "sample_weight")
    if len(weights) != n_rows:
        raise ValueError(
            f"sample_weight has the wrong length: one weight per row is allowed ({n_rows}), got "
            f"{len(weights)}; check that it comes from the same rows."
        )
    if weights.min() < 0 or weights.max() == 0:
        raise ValueError(
            "sample_weight has negative weights or zeros only: weights of zero and more with at "
            f"least one above zero are allowed, got {show(weights, 4)}; pass None to count rows."
        )
    return weights


def check_predictions(
    y_true: Any, y_pred: Any, sample_weight: Any = None
) -> tuple[Labels, Labels, Floats | None]:
    """Return true labels, predicted labels and weights; rows of zero weight are left out."""
    true, predicted = check_labels(y_true, "y_true"), check_labels(y_pred, "y_pred")
    check_same_length(true, predicted, "y_true and y_pred")
    check_same_kind(true, predicted, "y_true and y_pred")
    if sample_weight is None:
        return true, predicted, None
    weights = check_weights(sample_weight, len(true))
    kept = weights > 0
    return true[kept], predicted[kept], weights[kept]


def check_classes(labels: Any, *columns: Labels) -> Labels:
    """Return all classes: those of ``labels`` in their order, else the sorted ones of the columns.

    ``labels`` may name classes without rows, but has to name every class that has one.
    """
    present = np.unique(np.concatenate(columns))
    if labels is None:
        return present
    classes = check_labels(labels, "labels")
    check_same_kind(classes, present, "labels and y_true")
    missing = np.setdiff1d(present, classes)
    if len(missing) or len(np.unique(classes)) < len(classes):
        raise ValueError(
            f"labels must name every class once: each of {show(present)} and classes without rows "
            f"are allowed, got {show(classes)}; add what is missing, remove what is repeated, or "
            "pass None."
        )
    return classes


def check_positive(pos_label: Any, classes: Labels, *, named: bool = False) -> Labels:
    """Return the classes with ``pos_label`` among them.

    A lone class may be joined by a ``pos_label`` without rows: the rare class may have none. Next
    to two classes that are not it, ``pos_label`` is taken for a slip of the pen, and so it is when
    the user ``named`` all classes.
    """
    label = np.asarray(pos_label)
    if label.ndim or label.dtype.kind not in "biufU":
        raise TypeError(
            "pos_label must be one class label: a string, an integer or a boolean is allowed, got "
            f"{pos_label!r}; pass one of {show(classes)}."
        )
    check_same_kind(label, classes, "pos_label and the labels")
    if np.any(classes == label):
        return classes
    if len(classes) < 2 and not named:
        return np.append(classes, label)
    raise ValueError(
        f"pos_label is not a class of the data: one of {show(classes)} is allowed, got "
        f"{pos_label!r}; correct it, or name a class that has no rows here in labels where the "
        "function takes labels."
    )


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return ``value`` when it is one of ``choices``."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(
            f"{name} is unknown: one of {show(choices)} is allowed, got {value!r}; choose one."
        )
    return value


def check_count(value: Any, name: str) -> int:
    """Return ``value`` as a Python integer; booleans are not counts."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(
            f"{name} must be a count: an integer is allowed, got {value!r}; pass one number."
        )
    return int(value)


def check_number(value: Any, name: str) -> float:
    """Return ``value`` as a finite Python float."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(
            f"{name} must be a number: a finite integer or float is allowed, got {value!r}; pass "
            "one number."
        )
    if not np.isfinite(float(value)):
        raise ValueError(
            f"{name} must be finite: a finite integer or float is allowed, got {value!r}; pass a "
            "value that can be reached."
        )
    return float(value)


def check_switch(value: Any, name: str) -> bool:
    """Return ``value`` as a Python boolean; other truthy things are more likely mistakes."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}: pass one of them.")
    return bool(value)
