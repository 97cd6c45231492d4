"""The figures of a report, one function each; every one can be used alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarebit._extras import naming_extras
from rarebit.active import ColumnTable
from rarebit.report._theme import (
    DASHES,
    INK,
    MARKERS,
    MUTED,
    SERIES,
    WIDTH,
    add_legend,
    new_axes,
    shortened,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = ColumnTable | Sequence[ColumnTable]

_MOST_BARS = 40
_ICON = 40  # pixels: pictures up to this size are icons
_GAP = 0.06  # inches between pictures


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
        One line per class, the earliest at the top.

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
    axes.set_yticks(places, [shortened(name) for name in order])
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
    final: tuple[int, float] | None = None,
    metric: str = "g-mean on test rows",
) -> Figure:
    """Draw how good the classifier was after each label.

    Parameters
    ----------
    curves : mapping of str to ColumnTable, or to several
        Tables of `rarebit.active.learning_curve` by name. Several for one name are repetitions:
        their mean is drawn, and the range from the worst to the best as a band.
    goal : float, optional
        Score with all labels.
    stopped_at : int, optional
        Labels at which the stop rule was content.
    final : tuple of int and float, optional
        Labels and score of another classifier than that of the curve, fitted to all of them.
    metric : str, default="g-mean on test rows"
        Name of the score.

    Returns
    -------
    matplotlib Figure
        One line a name.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.active import ColumnTable
    >>> from rarebit.report import draw_learning_curve
    >>> curve = ColumnTable(
    ...     {"n_labels": np.array([10, 20, 40]), "score": np.array([0.2, 0.7, 0.9])}
    ... )
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
            label=shortened(name),
        )
        if len(scores) > 1:
            low, high = scores.min(axis=0), scores.max(axis=0)
            axes.fill_between(labels, low, high, color=color, alpha=0.16, linewidth=0)
    if goal is not None:
        axes.axhline(goal, color=MUTED, linestyle="--", linewidth=1.0, label="all labels")
    if final is not None:
        axes.plot(*final, color=SERIES[2], marker="*", markersize=11, linestyle="none",
                  label="final classifier")  # fmt: skip
    if stopped_at is not None:
        axes.axvline(stopped_at, color=MUTED, linestyle=":", linewidth=1.3, label="stop advice")
    _count_labels(axes)
    axes.set_xlabel("labels")
    axes.set_ylabel(metric)
    add_legend(axes)
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
    named = [wrapped(name, 16 if n <= 8 else 40) for name in classes]
    widest = max(len(line) for name in named for line in name.split("\n"))
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
    axes.set_xticks(range(n), named, rotation=45 if n * widest > 60 else 0)
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
        Four pictures in a row; pictures with more than a few pixels fill the width of a page.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.report import draw_images
    >>> figure = draw_images([np.eye(8), np.ones((8, 8))], ["a line", "nothing"])
    """
    with naming_extras("Figures need", "report"):
        from matplotlib.figure import Figure

    across = 4
    down = max(1, -(-len(images) // across))
    lines = max((caption.count("\n") + 1 for caption in captions), default=1)
    shapes = [np.asarray(image).shape for image in images]
    # Digits and icons are clear at any size; what is small in a photograph has to be seen.
    wide = any(max(shape[:2]) > _ICON for shape in shapes)
    aspect = max((shape[0] / shape[1] for shape in shapes), default=1.0)
    width = 2.0 * WIDTH if wide else WIDTH
    side = width / across - _GAP
    tall, below = side * min(aspect, 1.5), 0.17 * lines + 0.1
    high = down * (tall + below)
    figure = Figure(figsize=(width, high))
    figure.patch.set_alpha(0.0)
    for place, (image, caption) in enumerate(zip(images, captions, strict=False)):
        # Places are computed: a layout that fits itself forgets text below pictures in one row.
        row, column = divmod(place, across)
        top = high - row * (tall + below)
        axes = figure.add_axes(
            (column / across, (top - tall) / high, side / width, tall / high), anchor="N"
        )
        axes.set_axis_off()
        pixels = np.asarray(image)
        # Photographs are light on dark, drawings such as digits dark on light.
        cmap = "gray" if pixels.dtype == np.uint8 and pixels.mean() > 64 else "gray_r"
        axes.imshow(pixels, cmap=cmap, interpolation="none")
        text = "\n".join(shortened(line, 22) for line in caption.split("\n"))
        axes.annotate(
            text, (0.5, 0.0), xycoords="axes fraction", xytext=(0.0, -4.0),
            textcoords="offset points", ha="center", va="top", size=7.5, color=INK,
        )  # fmt: skip
    return figure


def over_labels(curve: Curve) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bring repetitions of a curve to the same numbers of labels: labels, scores by repetition."""
    tables = [curve] if isinstance(curve, ColumnTable) else list(curve)
    ends = [(table["n_labels"][0], table["n_labels"][-1]) for table in tables]
    first, last = max(start for start, _ in ends), min(end for _, end in ends)
    labels = np.unique(np.concatenate([table["n_labels"] for table in tables])).astype(float)
    labels = labels[(labels >= first) & (labels <= last)]
    if len(tables) > 1 and len(labels) > 24:
        labels = labels[np.unique(np.linspace(0, len(labels) - 1, 24).astype(int))]
    scores = [np.interp(labels, table["n_labels"], table["score"]) for table in tables]
    return labels, np.array(scores)


def _count_labels(axes: Any) -> None:
    """Numbers of labels grow by factors, and are written out."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(10.0, (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
