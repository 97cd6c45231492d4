"""A picture of a search: the pool in two dimensions, the questions in order, the classes found."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active.explorers._discover import Discovery
from rarebit.active.explorers._explorer import Explorer

_MOST_POINTS = 20_000


def plot_discovery(found: Discovery | Explorer, *, ax: Any = None) -> Any:
    """Draw a pool with the rows that were asked for, in their order, and the classes found.

    Pools of more than two features are shown by their two principal components. Needs matplotlib.

    Parameters
    ----------
    found : Discovery or Explorer
        What `discover` returned, or an explorer that has been told labels.
    ax : matplotlib Axes or None, default=None
        Where to draw; a new figure when None.

    Returns
    -------
    matplotlib Axes
        With the picture.

    Examples
    --------
    >>> from rarebit import Scout, discover
    >>> from rarebit.datasets import make_malice_synthetic_1
    >>> from rarebit.active import plot_discovery
    >>> X, y = make_malice_synthetic_1(random_state=0)
    >>> result = discover(X, lambda row: y[row], Scout(), max_labels=10)
    >>> axes = plot_discovery(result)  # doctest: +SKIP
    """
    from matplotlib import pyplot as plt

    explorer = found.explorer if isinstance(found, Discovery) else found
    points = _in_two_dimensions(explorer)
    if ax is None:
        _, ax = plt.subplots(figsize=(7, 6), layout="constrained")
    shown = np.linspace(0, len(points) - 1, min(len(points), _MOST_POINTS)).astype(np.intp)
    ax.scatter(*points[shown].T, s=4, color="0.8", linewidths=0, label="not asked for")
    queries = np.fromiter(explorer.labels_, dtype=np.intp, count=len(explorer.labels_))
    labels = list(explorer.labels_.values())
    ax.plot(*points[queries].T, color="0.6", linewidth=0.5, zorder=1)
    for number, (name, spent) in enumerate(explorer.discovered_.items()):
        own = queries[[label == name for label in labels]]
        first = "given" if spent == 0 else f"label {spent}"
        ax.scatter(*points[own].T, s=28, color=f"C{number % 10}", label=f"{name} ({first})")
        ax.scatter(*points[own[:1]].T, s=110, facecolors="none", edgecolors=f"C{number % 10}")
    for order, row in enumerate(queries, start=1):
        ax.annotate(str(order), points[row], fontsize=6, xytext=(3, 3), textcoords="offset points")
    ax.set(
        title=f"{len(queries)} labels, {len(explorer.discovered_)} classes found",
        xlabel="first component" if explorer._pool.n_features > 2 else "first feature",
        ylabel="second component" if explorer._pool.n_features > 2 else "second feature",
    )
    ax.legend(fontsize=8)
    return ax


def _in_two_dimensions(explorer: Explorer) -> NDArray[np.float64]:
    """The pool as the explorer sees it, projected."""
    from sklearn.decomposition import TruncatedSVD

    pool = explorer._pool
    rows = pool.rows if pool.sparse and pool.n_features > 2 else pool.dense_rows(slice(None))
    if pool.n_features <= 2:
        return np.column_stack([rows, np.zeros(len(rows))])[:, :2]
    centred = rows if pool.sparse else rows - rows.mean(axis=0)
    return np.asarray(TruncatedSVD(2, random_state=0).fit_transform(centred))
