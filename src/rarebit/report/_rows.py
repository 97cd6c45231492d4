"""Which of the labelled rows taught the machine most, and scores by class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active import ColumnTable


def informative_rows(history: Mapping[str, NDArray[Any]], n: int = 12) -> ColumnTable:
    """Choose the labelled rows that taught most.

    First the rows that were something else than the machine expected, those first of which it was
    surest; then the rows closest to the border. Rows learned before there was a machine are left
    out.

    Parameters
    ----------
    history : History, or another mapping of column names to arrays
        ``history_`` of a `BorderSVC` or a learner. Without the columns ``expected`` and
        ``distance``, which not every learner has, no row is chosen.
    n : int, default=12
        Largest number of rows.

    Returns
    -------
    ColumnTable
        Columns ``row``, ``label``, ``expected``, ``how``, ``n_labels`` and ``distance`` of the
        history, the most informative row first.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit import BorderSVC
    >>> from rarebit.report import informative_rows
    >>> X, y = make_classification(n_samples=1000, weights=[0.95], random_state=0)
    >>> machine = BorderSVC(max_labels=100, random_state=0).fit(X, y)
    >>> best = informative_rows(machine.history_, 3)
    >>> best.n_rows, bool(best["label"][0] != best["expected"][0])
    (3, True)
    """
    names = ("row", "label", "expected", "how", "n_labels", "distance")
    if not set(names) <= set(history):
        return ColumnTable({name: np.empty(0) for name in names})
    expected, label = history["expected"], history["label"]
    known = np.array([value is not None for value in expected.tolist()], dtype=bool)
    wrong = known & np.array(
        [a != b for a, b in zip(expected.tolist(), label.tolist(), strict=True)], dtype=bool
    )
    distance = np.nan_to_num(np.asarray(history["distance"], dtype=np.float64), nan=np.inf)
    # Mistakes rank before all others: the surer the machine was, the more there was to learn.
    rank = np.where(wrong, -1.0 - distance, distance / (1.0 + distance))
    candidates = np.flatnonzero(known)
    chosen = candidates[np.argsort(rank[candidates], kind="stable")[:n]]
    return ColumnTable({name: history[name][chosen] for name in names})


def scores_by_class(model: Any, X: Any, classes: Any = None) -> dict[Any, NDArray[np.float64]]:
    """Score rows for classes so that a positive score means that the class is predicted.

    Parameters
    ----------
    model : classifier
        Fitted, with ``classes_`` and ``decision_function`` or ``predict_proba``.
    X : array-like or CSR matrix
        Rows.
    classes : iterable, optional
        The classes wanted; all by default.

    Returns
    -------
    dict of class to ndarray
        For two classes the decision value, turned so that it favours the class. For more, how far
        the value of the class lies above the best of the others. From probabilities likewise, so
        that two classes are cut at one half.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rarebit import KernelSVC
    >>> from rarebit.report import scores_by_class
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelSVC().fit(X, y)
    >>> scores = scores_by_class(model, X, [2])
    >>> bool(((scores[2] > 0) == (model.predict(X) == 2)).all())
    True
    """
    known = np.asarray(model.classes_)
    if hasattr(model, "decision_function"):
        values = np.asarray(model.decision_function(X), dtype=np.float64)
    else:
        values = np.asarray(model.predict_proba(X), dtype=np.float64)
    if values.ndim == 1:
        values = np.column_stack([-values, values]) / 2.0
    scores = {}
    for number, name in enumerate(known.tolist()):
        if classes is None or name in list(classes):
            others = np.delete(values, number, axis=1).max(axis=1)
            scores[name] = values[:, number] - others
    return scores
