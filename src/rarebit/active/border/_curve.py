"""Learning curves: how good the classifier was after each label, and pictures of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from rarebit._engine.arrays import take_rows
from rarebit.active._columns import ColumnTable
from rarebit.active.border._history import History
from rarebit.metrics import g_mean_score
from rarebit.svm import KernelSVC

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Metric = Callable[[NDArray[Any], NDArray[Any]], float]


def learning_curve(
    machine: KernelSVC,
    X: ArrayLike,
    y: ArrayLike,
    queried: ArrayLike,
    X_test: ArrayLike,
    y_test: ArrayLike,
    *,
    points: int = 20,
    metric: Metric = g_mean_score,
) -> ColumnTable:
    """Measure the classifier that each prefix of the queries gives.

    Parameters
    ----------
    machine : KernelSVC
        SVM to solve for each prefix, not fitted.
    X, y : array-like
        The pool and its labels; those of ``queried`` are read.
    queried : array-like of int
        Rows in the order in which they were labelled, e.g. ``queried_`` of a `BorderSVC`.
    X_test, y_test : array-like
        Rows to measure on.
    points : int, default=20
        Numbers of labels to measure at, at growing distances.
    metric : callable, default=g_mean_score
        ``metric(y_test, predicted)``.

    Returns
    -------
    ColumnTable
        Columns ``n_labels`` and ``score``. Prefixes with labels of one class only have no
        classifier and score 0.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit import BorderSVC, KernelSVC
    >>> from rarebit.active import learning_curve
    >>> X, y = make_classification(n_samples=2000, weights=[0.95], class_sep=2.0, random_state=0)
    >>> asked = BorderSVC(max_labels=200, random_state=0).fit(X[:1500], y[:1500]).queried_
    >>> curve = learning_curve(KernelSVC(), X[:1500], y[:1500], asked, X[1500:], y[1500:], points=5)
    >>> curve["n_labels"].tolist()
    [10, 21, 44, 94, 200]
    """
    rows, labels = np.asarray(queried), np.asarray(y)
    pool: Any = X
    if not hasattr(pool, "shape"):
        pool = np.asarray(pool)
    counts = np.unique(np.geomspace(min(10, len(rows)), len(rows), points).astype(int))
    scores = []
    for count in counts:
        known = rows[:count]
        if len(np.unique(labels[known])) < 2:
            scores.append(0.0)
            continue
        fitted = clone(machine).fit(take_rows(pool, known), labels[known])
        scores.append(float(metric(np.asarray(y_test), fitted.predict(X_test))))
    return ColumnTable({"n_labels": counts, "score": np.array(scores)})


def plot_learning_curve(
    curves: Mapping[str, ColumnTable],
    *,
    goal: float | None = None,
    stopped_at: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw curves of `learning_curve` beside each other.

    Parameters
    ----------
    curves : mapping of str to ColumnTable
        Curves by the name that the legend shows.
    goal : float, optional
        Score with all labels, drawn as a line.
    stopped_at : int, optional
        Labels at which the stop rule was content.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The axes drawn on.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(7.0, 4.5), layout="constrained")
    for name, curve in curves.items():
        ax.plot(curve["n_labels"], curve["score"], marker="o", markersize=3.5, label=name)
    if goal is not None:
        ax.axhline(goal, color="0.4", linestyle="--", linewidth=1.0, label="all labels")
    if stopped_at is not None:
        ax.axvline(stopped_at, color="0.4", linestyle=":", linewidth=1.2, label="stop advice")
    ax.set_xscale("log")
    ax.set_xlabel("labels")
    ax.set_ylabel("g-mean on test rows")
    ax.grid(alpha=0.3)
    ax.legend(frameon=False)
    return ax


def plot_history(history: History) -> Figure:
    """Draw what a search went through: support vectors, the margin, and surprises.

    Parameters
    ----------
    history : History
        ``history_`` of a `BorderSVC` or a `BorderLearner`.

    Returns
    -------
    matplotlib Figure
        Two panels over the number of labels.
    """
    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(
        2, 1, figsize=(7.0, 6.0), sharex=True, layout="constrained"
    )
    labels = history["n_labels"]
    for name in history:
        if name.startswith("n_support_"):
            above.plot(labels, history[name], label=name.removeprefix("n_support_"))
    above.set_ylabel("support vectors")
    above.legend(title="class", frameon=False)
    below.plot(labels, 100.0 * history["in_margin"], color="C2", label="inside the margin")
    surprises = np.flatnonzero(history.surprises)
    below.plot(
        labels[surprises],
        np.zeros(len(surprises)),
        "v",
        color="C3",
        clip_on=False,
        label="surprise away from the border",
    )
    below.set_ylabel("unlabelled rows, %")
    below.set_xlabel("labels")
    below.set_ylim(bottom=0.0)
    below.legend(frameon=False)
    for ax in (above, below):
        ax.grid(alpha=0.3)
    return figure
