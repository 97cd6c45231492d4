"""The figures of a report, one function each; every one can be used alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import auc, precision_recall_curve, roc_curve

from rarebit.border import Table
from rarebit.metrics import prbep_score
from rarebit.report._theme import (
    DASHES,
    INK,
    MARKERS,
    MUTED,
    SERIES,
    WIDTH,
    add_legend,
    new_axes,
    plain_text,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = Table | Sequence[Table]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]

_MOST_BARS = 40


def draw_discovery(
    discovered: Mapping[Any, int], *, random: Mapping[Any, float] | None = None
) -> Figure:
    """Draw how many labels each class took until it was first seen.

    Parameters
    ----------
    discovered : mapping of class to int
        Labels spent when the class was first seen, as in ``discovered_`` of an explorer or a
        `Hunt`. The last forty are shown when there are more.
    random : mapping of class to float, optional
        What random labelling needs, where it is known.

    Returns
    -------
    matplotlib Figure
        One line a class, the earliest at the top.

    Examples
    --------
    >>> from rarebit.report import draw_discovery
    >>> figure = draw_discovery({"normal": 1, "attack": 17}, random={"attack": 120.0})
    """
    order = sorted(discovered, key=lambda name: discovered[name])[-_MOST_BARS:]
    figure, axes = new_axes(height=1.3 + 0.24 * len(order))
    places = np.arange(len(order))
    spent = [max(1, discovered[name]) for name in order]
    if random:
        known = [i for i, name in enumerate(order) if name in random]
        axes.scatter(
            [max(1.0, random[order[i]]) for i in known],
            known,
            marker=MARKERS[1],
            s=26,
            facecolors="none",
            edgecolors=SERIES[1],
            linewidths=1.3,
            label="random labelling",
        )
    axes.hlines(places, 1, spent, color=SERIES[0], linewidth=1.4, alpha=0.5)
    axes.scatter(spent, places, s=30, color=SERIES[0], label="rarebit", zorder=3)
    axes.set_yticks(places, [_shortened(name) for name in order])
    axes.set_ylim(len(order) - 0.4, -0.6)
    _count_labels(axes)
    axes.set_xlabel("labels spent when the class was first seen")
    if random:
        add_legend(axes)
    return figure


def draw_learning_curve(
    curves: Mapping[str, Curve],
    *,
    goal: float | None = None,
    stopped_at: int | None = None,
    metric: str = "g-mean on test rows",
) -> Figure:
    """Draw how good the classifier was after each label.

    Parameters
    ----------
    curves : mapping of str to Table, or to several
        Tables of `rarebit.border.learning_curve` by name. Several for one name are repetitions:
        their mean is drawn, and the range from the worst to the best as a band.
    goal : float, optional
        Score with all labels.
    stopped_at : int, optional
        Labels at which the stop rule was content.
    metric : str, default="g-mean on test rows"
        Name of the score.

    Returns
    -------
    matplotlib Figure
        One line a name.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.border import Table
    >>> from rarebit.report import draw_learning_curve
    >>> curve = Table({"n_labels": np.array([10, 20, 40]), "score": np.array([0.2, 0.7, 0.9])})
    >>> figure = draw_learning_curve({"border": curve}, goal=0.91)
    """
    figure, axes = new_axes()
    for number, (name, curve) in enumerate(curves.items()):
        color = SERIES[number % len(SERIES)]
        labels, scores = over_labels(curve)
        axes.plot(
            labels,
            scores.mean(axis=0),
            color=color,
            linestyle=DASHES[number % len(DASHES)],
            marker=MARKERS[number % len(MARKERS)],
            markersize=3.2,
            linewidth=1.6,
            label=_shortened(name),
        )
        if len(scores) > 1:
            low, high = scores.min(axis=0), scores.max(axis=0)
            axes.fill_between(labels, low, high, color=color, alpha=0.16, linewidth=0)
    if goal is not None:
        axes.axhline(goal, color=MUTED, linestyle="--", linewidth=1.0, label="all labels")
    if stopped_at is not None:
        axes.axvline(stopped_at, color=MUTED, linestyle=":", linewidth=1.3, label="stop advice")
    _count_labels(axes)
    axes.set_xlabel("labels")
    axes.set_ylabel(metric)
    add_legend(axes)
    return figure


def draw_roc(
    y_true: ArrayLike, scores: Mapping[Any, ArrayLike], *, threshold: float | None = None
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

    Returns
    -------
    matplotlib Figure
        One curve a class, with its area.

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

    figure, axes = _draw_curves(y_true, scores, threshold, trace, place)
    axes.set_xlabel("false alarms, share of the other rows")
    axes.set_ylabel("found, share of the class")
    return figure


def draw_precision_recall(
    y_true: ArrayLike, scores: Mapping[Any, ArrayLike], *, threshold: float | None = None
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

    Returns
    -------
    matplotlib Figure
        One curve a class. The break-even point (PRBEP), where precision equals recall, is where the
        curve meets the diagonal.

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

    figure, axes = _draw_curves(y_true, scores, threshold, trace, place)
    for number, (_, positive, values) in enumerate(_ranked(y_true, scores)):
        even = prbep_score(positive.astype(int), values)
        axes.plot(even, even, "x", color=SERIES[number], markersize=8, markeredgewidth=1.8)
    axes.set_xlabel("recall, share of the class found")
    axes.set_ylabel("precision, share of hits")
    return figure


def draw_confusion(counts: ArrayLike, classes: Sequence[Any]) -> Figure:
    """Draw how often each true class was predicted as each class.

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_classes)
        Rows by true class (down) and predicted class (across), as scikit-learn's
        ``confusion_matrix`` counts them.
    classes : sequence
        Names of the classes, in this order.

    Returns
    -------
    matplotlib Figure
        Colours are shares of the true class, numbers are rows.

    Examples
    --------
    >>> from rarebit.report import draw_confusion
    >>> figure = draw_confusion([[90, 5], [1, 4]], ["normal", "attack"])
    """
    matrix = np.asarray(counts, dtype=np.int64)
    n = len(classes)
    figure, axes = new_axes(height=min(WIDTH, 1.9 + 0.3 * n))
    axes.grid(False)
    axes.spines[:].set_visible(False)
    shares = matrix / np.maximum(1, matrix.sum(axis=1, keepdims=True))
    named = [_shortened(name, 12) for name in classes]
    small = 9 if n <= 8 else 7.5
    for true in range(n):
        for guess in range(n):
            # Translucent, so that numbers in the page's ink can be read on light and dark.
            alpha = 0.15 + 0.45 * float(shares[true, guess])
            color = SERIES[0] if true == guess else SERIES[1]
            patch: dict[str, Any] = {"color": color, "alpha": alpha, "linewidth": 0}
            if matrix[true, guess]:
                axes.fill_between([guess - 0.48, guess + 0.48], true - 0.48, true + 0.48, **patch)
            if n <= 15 and matrix[true, guess]:
                text = f"{matrix[true, guess]:,}"
                weight = "bold" if true == guess else "normal"
                axes.text(
                    guess, true, text, ha="center", va="center", size=small, color=INK,
                    weight=weight,
                )  # fmt: skip
    axes.set_xticks(range(n), named, rotation=45 if n * max(map(len, named)) > 44 else 0)
    axes.set_yticks(range(n), named)
    axes.tick_params(length=0, labelsize=small)
    axes.set(xlim=(-0.55, n - 0.45), ylim=(n - 0.45, -0.55))
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    return figure


def draw_images(images: Sequence[ArrayLike], captions: Sequence[str]) -> Figure:
    """Draw small pictures beside each other, with a line of text below each.

    Parameters
    ----------
    images : sequence of array-like
        Grey or colour pictures.
    captions : sequence of str
        One text a picture.

    Returns
    -------
    matplotlib Figure
        Six pictures in a row.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.report import draw_images
    >>> figure = draw_images([np.eye(8), np.ones((8, 8))], ["a line", "nothing"])
    """
    from matplotlib.figure import Figure

    across = 6
    down = max(1, -(-len(images) // across))
    lines = max((caption.count("\n") + 1 for caption in captions), default=1)
    figure = Figure(figsize=(WIDTH, down * (0.72 + 0.17 * lines)), layout="constrained")
    figure.patch.set_alpha(0.0)
    for axes in figure.subplots(down, across, squeeze=False).flat:
        axes.set_axis_off()
    for axes, image, caption in zip(figure.axes, images, captions, strict=False):
        axes.imshow(np.asarray(image), cmap="gray_r", interpolation="none")
        below = "\n".join(_shortened(line, 14) for line in caption.split("\n"))
        axes.text(
            0.5, -0.06, below, transform=axes.transAxes, ha="center", va="top",
            size=7.5, color=INK,
        )  # fmt: skip
    return figure


def over_labels(curve: Curve) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bring repetitions of a curve to the same numbers of labels: labels, scores by repetition."""
    tables = [curve] if isinstance(curve, Table) else list(curve)
    ends = [(table["n_labels"][0], table["n_labels"][-1]) for table in tables]
    first, last = max(start for start, _ in ends), min(end for _, end in ends)
    labels = np.unique(np.concatenate([table["n_labels"] for table in tables])).astype(float)
    labels = labels[(labels >= first) & (labels <= last)]
    if len(tables) > 1 and len(labels) > 24:
        labels = labels[np.unique(np.linspace(0, len(labels) - 1, 24).astype(int))]
    scores = [np.interp(labels, table["n_labels"], table["score"]) for table in tables]
    return labels, np.array(scores)


def _draw_curves(
    y_true: ArrayLike,
    scores: Mapping[Any, ArrayLike],
    threshold: float | None,
    trace: Callable[[Flags, Floats], tuple[Any, Any, str]],
    place: Callable[[Flags, Flags], tuple[float, float]],
) -> tuple[Figure, Any]:
    """Draw a curve a class over the diagonal, and where the chosen threshold lies on it."""
    figure, axes = new_axes(height=3.4)
    axes.plot([0, 1], [0, 1], color=MUTED, linestyle=":", linewidth=1.0)
    for number, (name, positive, values) in enumerate(_ranked(y_true, scores)):
        color = SERIES[number]
        x, y, figure_of = trace(positive, values)
        label = f"{_shortened(name)}: {figure_of}"
        axes.plot(x, y, color=color, linestyle=DASHES[number], linewidth=1.6, label=label)
        if threshold is not None:
            axes.plot(*place(positive, values >= threshold), color=color, **_mark(MARKERS[number]))
    if threshold is not None:
        axes.plot([], [], color=MUTED, **_mark(MARKERS[0]), label="chosen threshold")
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04))
    add_legend(axes)
    return figure, axes


def _ranked(y_true: ArrayLike, scores: Mapping[Any, ArrayLike]) -> list[tuple[Any, Flags, Floats]]:
    true = np.asarray(y_true)
    return [
        (name, true == name, np.asarray(values, dtype=np.float64))
        for name, values in list(scores.items())[: len(SERIES)]
    ]


def _mark(marker: str) -> dict[str, Any]:
    return {
        "marker": marker, "markersize": 7, "markerfacecolor": "none", "markeredgewidth": 1.8,
        "linestyle": "none",
    }  # fmt: skip


def _shortened(name: object, most: int = 22) -> str:
    text = " ".join(str(name).split())
    return plain_text(text if len(text) <= most else text[: most - 1] + "…")


def _count_labels(axes: Any) -> None:
    """Numbers of labels grow by factors, and are written out."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(10.0, (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
