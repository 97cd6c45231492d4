"""Figures that look alike; matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rarebit._extras import naming_extras
from rarebit.papers._rows import Results


def new_figure(n_rows: int, n_columns: int, **options: Any) -> tuple[Any, Any]:
    """Return a figure and its axes, always a table of them."""
    with naming_extras("Figures need", "papers"):
        import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    size = (4.2 * n_columns, 3.3 * n_rows)
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=size, squeeze=False, layout="constrained", **options
    )
    for one in axes.flat:
        one.grid(True, which="major", alpha=0.3, linewidth=0.6)
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def draw_band(
    axes: Any, results: Results, metric: str, *, label: str, color: Any, style: str = "-"
) -> None:
    """Draw the mean over seeds against labels, and one standard deviation around it."""
    samples = results.curve("n_labels", metric)
    x = np.array(list(samples))
    mean = np.array([sample.mean() for sample in samples.values()])
    spread = np.array(
        [sample.std(ddof=1) if sample.size > 1 else 0.0 for sample in samples.values()]
    )
    axes.plot(x, mean, style, color=color, label=label, linewidth=1.6)
    axes.fill_between(x, mean - spread, mean + spread, color=color, alpha=0.15, linewidth=0)


def count_labels_on_x(axes: Any, name: str = "labels") -> None:
    """Give an axis steps of factors, with plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(10.0, (1.0, 3.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(name)


def frame_upper_part(axes: Any, results: Results, metric: str, share: float = 0.6) -> None:
    """Cut the axis below, where curves only rise from nothing, so that their tops can be told."""
    values = results[metric]
    values = values[~np.isnan(values)]
    low, high = float(values.min()), float(values.max())
    axes.set_ylim(max(low, high * share) - 0.02 * high, high + 0.02 * high)


def save_figure(figure: Any, path: Path, title: str, notes: Sequence[str] = ()) -> None:
    """Write a figure under a title, with remarks below."""
    from matplotlib import pyplot as plt

    figure.suptitle(title, fontsize=11)
    if notes:
        figure.supxlabel("\n".join(notes), fontsize=7.5, color="0.35")
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
