"""Curves of a ranking: ROC, precision and recall."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import auc, precision_recall_curve, roc_curve

from rarebit.metrics import prbep_score
from rarebit.report._theme import (
    DASHES,
    MARKERS,
    MUTED,
    SERIES,
    add_legend,
    new_axes,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def draw_roc(
    y_true: ArrayLike,
    scores: Mapping[Any, ArrayLike],
    *,
    threshold: float | None = None,
    decided: ArrayLike | None = None,
) -> Figure:
    """Draw the share of each class that is found against the share of false alarms.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True classes.
    scores : mapping of class to array-like of shape (n_rows,)
        The higher, the more the row looks like the class; six classes at most are drawn.
    threshold : float, optional
        The chosen one: rows of this score and above are predicted. It is marked on the curves.
    decided : array-like of shape (n_rows,), optional
        Classes that were decided on; they are marked instead of a threshold.

    Returns
    -------
    matplotlib Figure
        One curve per class, with its area.

    Examples
    --------
    >>> from rarebit.report import draw_roc
    >>> figure = draw_roc([0, 0, 1, 1], {1: [0.1, 0.4, 0.35, 0.8]}, threshold=0.5)
    """

    def trace(positive: Flags, values: Floats) -> tuple[Any, Any, str]:
        alarms, found, _ = roc_curve(positive, values, drop_intermediate=True)
        return alarms, found, f"area {auc(alarms, found):.3f}"

    def place(positive: Flags, chosen: Flags) -> tuple[float, float]:
        return float(np.mean(chosen[~positive])), float(np.mean(chosen[positive]))

    figure, axes = _draw_curves(y_true, scores, threshold, decided, trace, place)
    axes.set_xlabel("false alarms, share of the other rows")
    axes.set_ylabel("found, share of the class")
    return figure


def draw_precision_recall(
    y_true: ArrayLike,
    scores: Mapping[Any, ArrayLike],
    *,
    threshold: float | None = None,
    decided: ArrayLike | None = None,
) -> Figure:
    """Draw precision against recall, with the break-even point and the chosen threshold.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        True classes.
    scores : mapping of class to array-like of shape (n_rows,)
        The higher, the more the row looks like the class; six classes at most are drawn.
    threshold : float, optional
        The chosen one: rows of this score and above are predicted. It is marked on the curves.
    decided : array-like of shape (n_rows,), optional
        Classes that were decided on; they are marked instead of a threshold.

    Returns
    -------
    matplotlib Figure
        One curve per class. The break-even point (PRBEP), where precision equals recall, is where
        the curve meets the diagonal.

    Examples
    --------
    >>> from rarebit.report import draw_precision_recall
    >>> figure = draw_precision_recall([0, 0, 1, 1], {1: [0.1, 0.4, 0.35, 0.8]})
    """

    def trace(positive: Flags, values: Floats) -> tuple[Any, Any, str]:
        precision, recall, _ = precision_recall_curve(positive, values, drop_intermediate=True)
        return recall, precision, f"PRBEP {prbep_score(positive.astype(int), values):.3f}"

    def place(positive: Flags, chosen: Flags) -> tuple[float, float]:
        hits = float(np.mean(positive[chosen])) if chosen.any() else 1.0
        return float(np.mean(chosen[positive])), hits

    figure, axes = _draw_curves(y_true, scores, threshold, decided, trace, place)
    for number, (_, positive, values) in enumerate(_ranked(y_true, scores)):
        even = prbep_score(positive.astype(int), values)
        axes.plot(even, even, "x", color=SERIES[number], markersize=8, markeredgewidth=1.8)
    axes.set_xlabel("recall, share of the class found")
    axes.set_ylabel("precision, share of hits")
    return figure


def _draw_curves(
    y_true: ArrayLike,
    scores: Mapping[Any, ArrayLike],
    threshold: float | None,
    decided: ArrayLike | None,
    trace: Callable[[Flags, Floats], tuple[Any, Any, str]],
    place: Callable[[Flags, Flags], tuple[float, float]],
) -> tuple[Figure, Any]:
    """Draw a curve per class over the diagonal, and where the chosen threshold lies on it."""
    figure, axes = new_axes(height=3.4)
    axes.plot([0, 1], [0, 1], color=MUTED, linestyle=":", linewidth=1.0)
    for number, (name, positive, values) in enumerate(_ranked(y_true, scores)):
        color = SERIES[number]
        x, y, figure_of = trace(positive, values)
        label = f"{shortened(name)}: {figure_of}"
        axes.plot(x, y, color=color, linestyle=DASHES[number], linewidth=1.6, label=label)
        called = _called(name, values, threshold, decided)
        if called is not None:
            axes.plot(*place(positive, called), color=color, **_mark(MARKERS[number]))
    if threshold is not None or decided is not None:
        meaning = "chosen threshold" if decided is None else "decisions"
        axes.plot([], [], color=MUTED, **_mark(MARKERS[0]), label=meaning)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04))
    add_legend(axes)
    return figure, axes


def _ranked(y_true: ArrayLike, scores: Mapping[Any, ArrayLike]) -> list[tuple[Any, Flags, Floats]]:
    true = np.asarray(y_true)
    return [
        (name, true == name, np.asarray(values, dtype=np.float64))
        for name, values in list(scores.items())[: len(SERIES)]
    ]


def _called(
    name: Any, values: Floats, threshold: float | None, decided: ArrayLike | None
) -> Flags | None:
    """Which rows count as the class: those decided so, or those from the threshold on."""
    if decided is not None:
        called: Flags = np.asarray(decided) == name
        return called
    return None if threshold is None else values >= threshold


def _mark(marker: str) -> dict[str, Any]:
    return {
        "marker": marker, "markersize": 7, "markerfacecolor": "none", "markeredgewidth": 1.8,
        "linestyle": "none",
    }  # fmt: skip
