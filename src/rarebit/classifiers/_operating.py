"""Operating points of a classifier: what they are, how one is chosen, the curve they span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_curve

from rarebit.metrics import g_mean

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OperatingPoint:
    """One SVM of a path of removals.

    Attributes
    ----------
    n_removed : int
        Majority support vectors removed so far.
    removed : int or None
        Row removed last; None at the start, and where a removed row came back instead.
    sensitivity : float
        Share of the rare class found, on the rows that judge.
    specificity : float
        Share of the rest left alone, on the rows that judge.
    training_sensitivity : float
        Share of the rare class found, on all training rows.
    training_specificity : float
        Share of the rest left alone, on all training rows.
    """

    n_removed: int
    removed: int | None
    sensitivity: float
    specificity: float
    training_sensitivity: float
    training_specificity: float

    @property
    def g_mean(self) -> float:
        """Root of sensitivity times specificity."""
        return g_mean(self.sensitivity, self.specificity)


def check_select(select: Any) -> None:
    """Refuse a choice that no path can answer."""
    if isinstance(select, str):
        fine = select == "g_mean"
    elif isinstance(select, dict):
        fine = (
            len(select) == 1
            and set(select) <= {"sensitivity", "specificity"}
            and all(isinstance(v, (int, float)) and 0.0 <= v <= 1.0 for v in select.values())
        )
    elif isinstance(select, bool):
        fine = False
    else:
        fine = isinstance(select, Integral) and int(select) >= 0
    if not fine:
        raise ValueError(
            "The 'select' parameter must be 'g_mean', a number of removals, {'sensitivity': share} "
            f"or {{'specificity': share}} with a share from 0 to 1, got {select!r}."
        )


def choose(path: Sequence[OperatingPoint], select: Any) -> int:
    """Return the number of the point that ``select`` asks for.

    A target of one rate takes, among the points that reach it, the one where the other rate is
    highest. Of equals the first counts: the one with the fewest removals.
    """
    check_select(select)
    if select == "g_mean":
        return int(np.argmax([point.g_mean for point in path]))
    if isinstance(select, dict):
        ((name, target),) = select.items()
        other = "specificity" if name == "sensitivity" else "sensitivity"
        reached = [getattr(point, name) >= target for point in path]
        if not any(reached):
            best = max(getattr(point, name) for point in path)
            raise ValueError(
                f"No SVM of the path reaches a {name} of {target:g}, the best has {best:.4g} "
                "on the validation rows: lower the target."
            )
        rates = [getattr(p, other) if r else -1.0 for p, r in zip(path, reached, strict=True)]
        return int(np.argmax(rates))
    if select >= len(path):
        raise ValueError(
            f"select={select} majority support vectors cannot be removed, the path has "
            f"{len(path) - 1} removals: choose a number from 0 to {len(path) - 1}."
        )
    return int(select)


def upper_hull(false_positive: Floats, true_positive: Floats) -> Floats:
    """Return the convex upper hull of points of a ROC plane, with its corners (0, 0) and (1, 1).

    Parameters
    ----------
    false_positive, true_positive : ndarray of shape (n_points,)
        Rates of the operating points.

    Returns
    -------
    ndarray of shape (n_corners, 2)
        False and true positive rates of the hull's corners, from left to right.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.classifiers import upper_hull
    >>> upper_hull(np.array([0.1, 0.5]), np.array([0.8, 0.6])).tolist()
    [[0.0, 0.0], [0.1, 0.8], [1.0, 1.0]]
    """
    points = np.column_stack([false_positive, true_positive])
    points = np.vstack([[0.0, 0.0], points, [1.0, 1.0]])
    points = points[np.lexsort((-points[:, 1], points[:, 0]))]
    hull: list[Floats] = []
    for point in points:
        if hull and point[0] == hull[-1][0] and point[1] <= hull[-1][1]:
            continue
        while len(hull) >= 2 and _turns_left(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return np.array(hull)


def _turns_left(a: Floats, b: Floats, c: Floats) -> bool:
    return bool((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) >= 0.0)


def sweep_hull(rare: NDArray[np.bool_], scores: Floats) -> Floats:
    """Return the upper hull of the ROC curves of several scores: every threshold of every SVM.

    Parameters
    ----------
    rare : ndarray of bool of shape (n_rows,)
        Which rows are of the rare class.
    scores : ndarray of shape (n_rows, n_machines)
        Scores, higher for rows more likely rare, one column per SVM.

    Returns
    -------
    ndarray of shape (n_corners, 2)
        False and true positive rates of the hull's corners, from left to right.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.classifiers import sweep_hull
    >>> scores = np.array([[0.1], [0.9], [0.2], [0.8]])
    >>> sweep_hull(np.array([False, True, False, True]), scores).tolist()
    [[0.0, 1.0], [1.0, 1.0]]
    """
    curves = [roc_curve(rare, column)[:2] for column in scores.T]
    return upper_hull(
        np.concatenate([curve[0] for curve in curves]),
        np.concatenate([curve[1] for curve in curves]),
    )
