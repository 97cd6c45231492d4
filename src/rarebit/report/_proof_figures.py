"""Figures of a search: what was proved when, what was found when, and whether shares are true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarebit.report._theme import DASHES, INK, MUTED, SERIES, add_legend, new_axes
from rarebit.statistics import ProofPath

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Ends of the bins of probabilities: narrow where most rows of a rare class lie.
BINS = (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)


def draw_proof(path: ProofPath, *, target: float | None = None) -> Figure:
    """Draw the recall that was proved after each part of the labels.

    Parameters
    ----------
    path : ProofPath
        From `rarebit.statistics.proof_path`, or ``proof_path()`` of a `Hunt`.
    target : float, optional
        Recall to be proved.

    Returns
    -------
    matplotlib Figure
        The recall by labels; ticks below mark audits, larger ones those that were rare.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.report import draw_proof
    >>> from rarebit.statistics import proof_path
    >>> draws = [(2000 - at, 40, 0.5, 0) for at in range(40, 440)]
    >>> path = proof_path(np.repeat([1, 0], [40, 400]), draws, np.arange(40, 440), 2_000)
    >>> figure = draw_proof(path, target=0.9)
    """
    figure, axes = new_axes()
    axes.step(path.labels, path.recall_min, where="post", color=SERIES[0], linewidth=1.6,
              label="recall proved")  # fmt: skip
    if target is not None:
        axes.axhline(target, color=MUTED, linestyle="--", linewidth=1.0, label="to be proved")
    _mark_audits(axes, path)
    axes.set_ylim(-0.08, 1.02)
    axes.set_xlim(0, max(1, int(path.labels.max(initial=1))))
    _count(axes.xaxis)
    axes.set_xlabel("labels")
    axes.set_ylabel("recall proved")
    add_legend(axes)
    return figure


def draw_ceiling(path: ProofPath) -> Figure:
    """Draw the largest number of rare rows that the pool could hold, and those found.

    Parameters
    ----------
    path : ProofPath
        As in `draw_proof`.

    Returns
    -------
    matplotlib Figure
        Ceiling and rows found by labels, numbers of rows growing by factors.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.report import draw_ceiling
    >>> from rarebit.statistics import proof_path
    >>> draws = [(2000 - at, 40, 0.5, 0) for at in range(40, 440)]
    >>> path = proof_path(np.repeat([1, 0], [40, 400]), draws, np.arange(40, 440), 2_000)
    >>> figure = draw_ceiling(path)
    """
    figure, axes = new_axes()
    top, found = np.maximum(path.total_max, 1), np.maximum(path.found, 1)
    # No place of the axis stands for nothing: the line begins where the first row was found.
    seen = np.where(np.asarray(path.found) > 0, path.found, np.nan)
    axes.step(path.labels, top, where="post", color=SERIES[1], linewidth=1.6, linestyle=DASHES[1],
              label="in the pool at most")  # fmt: skip
    axes.step(path.labels, seen, where="post", color=SERIES[0], linewidth=1.6, label="found")
    axes.fill_between(path.labels, found, top, step="post", color=SERIES[1], alpha=0.1, linewidth=0)
    axes.set_yscale("log")
    axes.set_xlim(0, max(1, int(path.labels.max(initial=1))))
    _count(axes.xaxis)
    _count(axes.yaxis)
    axes.set_xlabel("labels")
    axes.set_ylabel("rare rows")
    add_legend(axes)
    return figure


def draw_recall(found: ArrayLike, *, n_rare: int | None = None) -> Figure:
    """Draw how many of the rare rows were found after each label.

    Parameters
    ----------
    found : array-like of {0, 1} of shape (n_labels,)
        Answers in the order given, 1 for rare.
    n_rare : int or None, default=None
        Rare rows of the pool where that is known. The curve is then the recall, otherwise a number
        of rows.

    Returns
    -------
    matplotlib Figure
        The curve.

    Examples
    --------
    >>> from rarebit.report import draw_recall
    >>> figure = draw_recall([1, 1, 0, 1, 0, 0, 1], n_rare=5)
    """
    hits = np.cumsum(np.asarray(found, dtype=np.intp))
    figure, axes = new_axes()
    labels = np.arange(len(hits) + 1)
    values = np.append(0, hits) / (n_rare or 1)
    shown = np.unique(np.linspace(0, len(hits), min(len(hits) + 1, 400)).astype(int))
    axes.step(labels[shown], values[shown], where="post", color=SERIES[0], linewidth=1.6)
    if n_rare:
        axes.axhline(0.95, color=MUTED, linestyle=":", linewidth=1.0)
        axes.set_ylim(0, 1.02)
    else:
        axes.set_ylim(0, 1.05 * max(1.0, float(values[-1])))
        _count(axes.yaxis)
    axes.set_xlim(0, max(1, len(hits)))
    _count(axes.xaxis)
    axes.set_xlabel("labels")
    axes.set_ylabel("recall" if n_rare else "rare rows found")
    return figure


@dataclass(frozen=True, eq=False)
class Reliability:
    """Probabilities beside what rows turned out to be; arrays have one entry per bin.

    Attributes
    ----------
    low, high : ndarray of shape (n_bins,)
        Ends of the bins that hold rows.
    rows, rare : ndarray of int of shape (n_bins,)
        Rows, and the rare ones among them.
    predicted, observed : ndarray of shape (n_bins,)
        Mean probability, and share of rare rows.
    observed_low, observed_high : ndarray of shape (n_bins,)
        Interval of 95 % (Wilson) of that share.
    brier : float
        Mean squared difference of probability and truth.
    brier_of_share : float
        That of calling every row rare with the share that these rows have.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    rows: NDArray[np.intp]
    rare: NDArray[np.intp]
    predicted: NDArray[np.float64]
    observed: NDArray[np.float64]
    observed_low: NDArray[np.float64]
    observed_high: NDArray[np.float64]
    brier: float
    brier_of_share: float

    def to_json(self) -> dict[str, Any]:
        """Return it as numbers and lists of numbers, by name."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
        }


def reliability(rare: ArrayLike, probability: ArrayLike) -> Reliability:
    """Compare probabilities with what rows turned out to be.

    Parameters
    ----------
    rare : array-like of bool of shape (n_rows,)
        Which rows are rare.
    probability : array-like of shape (n_rows,)
        Probabilities by a classifier that was not fitted to these rows.

    Returns
    -------
    Reliability
        Bins, intervals and the Brier score.

    Examples
    --------
    >>> from rarebit.report import reliability
    >>> found = reliability([0, 0, 0, 1], [0.01, 0.01, 0.3, 0.95])
    >>> found.rows.tolist(), round(found.brier, 4)
    ([2, 1, 1], 0.0232)
    """
    truth = np.asarray(rare, dtype=np.bool_).ravel()
    shares = np.asarray(probability, dtype=np.float64).ravel()
    if len(truth) == 0 or len(truth) != len(shares):
        raise ValueError(
            f"rare and probability must have the same number of rows and at least one, got "
            f"{len(truth)} and {len(shares)}: pass one probability per row."
        )
    place = np.clip(np.searchsorted(BINS, shares, side="right") - 1, 0, len(BINS) - 2)
    rows = np.bincount(place, minlength=len(BINS) - 1)
    kept = np.flatnonzero(rows)
    hits = np.bincount(place, weights=truth, minlength=len(BINS) - 1)[kept]
    n = rows[kept].astype(np.float64)
    z = 1.959964
    share = hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    base = float(truth.mean())
    return Reliability(
        low=np.array(BINS)[kept],
        high=np.array(BINS)[kept + 1],
        rows=rows[kept],
        rare=hits.astype(np.intp),
        predicted=np.bincount(place, weights=shares, minlength=len(BINS) - 1)[kept] / n,
        observed=share,
        observed_low=np.maximum(centre - half, 0.0),
        observed_high=np.minimum(centre + half, 1.0),
        brier=float(np.mean((shares - truth) ** 2)),
        brier_of_share=base * (1.0 - base),
    )


def draw_reliability(found: Reliability) -> Figure:
    """Draw shares of rare rows against the probabilities that were given.

    Parameters
    ----------
    found : Reliability
        From `reliability`.

    Returns
    -------
    matplotlib Figure
        Dots with intervals of 95 %; right probabilities lie on the diagonal.

    Examples
    --------
    >>> from rarebit.report import draw_reliability, reliability
    >>> figure = draw_reliability(reliability([0, 0, 0, 1], [0.01, 0.01, 0.3, 0.95]))
    """
    figure, axes = new_axes()
    axes.plot([0, 1], [0, 1], color=MUTED, linestyle="--", linewidth=1.0, label="right")
    below = found.observed - found.observed_low
    above = found.observed_high - found.observed
    axes.errorbar(
        found.predicted, found.observed, yerr=np.clip([below, above], 0.0, 1.0), fmt="o",
        markersize=4.5, color=SERIES[0], ecolor=SERIES[0], elinewidth=1.0, capsize=2.0,
        label="rows of a bin",
    )  # fmt: skip
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    axes.set_xlabel("probability given")
    axes.set_ylabel("share of rare rows")
    add_legend(axes)
    return figure


def _mark_audits(axes: Any, path: ProofPath) -> None:
    """Ticks below the curve: one per audit, and larger ones for those that were rare."""
    if len(path.audit_labels) == 0:
        return
    every = path.audit_labels[:: max(1, len(path.audit_labels) // 300)]
    axes.plot(every, np.full(len(every), -0.04), linestyle="none", marker="|", markersize=4,
              color=MUTED, label="audits")  # fmt: skip
    hits = path.audit_labels[path.audit_hits]
    if len(hits):
        axes.plot(hits, np.full(len(hits), -0.04), linestyle="none", marker="^", markersize=6,
                  color=SERIES[1], markeredgecolor=INK, markeredgewidth=0.4,
                  label="audits that were rare")  # fmt: skip


def _count(axis: Any) -> None:
    """Write numbers of rows out, each once: there are no halves of rows."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    if axis.get_scale() == "linear":
        axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
