"""How good a classifier is on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from rarebit.metrics import rare_report
from rarebit.metrics._minority import minority_scores
from rarebit.models._threshold import Threshold

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that were judged by a classifier that had not seen them.

    Attributes
    ----------
    rows : ndarray of int
        Which rows.
    groups : ndarray of int
        A threshold for one group is chosen on the others.
    predicted : ndarray
        The classifier's own decision.
    scores : ndarray of float
        The higher, the rarer.
    how : str
        ``"5 folds"`` or ``"20 % held out"``.
    """

    rows: Rows
    groups: Rows
    predicted: NDArray[Any]
    scores: NDArray[np.float64]
    how: str


@dataclass(frozen=True, eq=False)
class Judged:
    """Decisions on rows that were held out, with thresholds that they did not help to choose.

    Attributes
    ----------
    truth, decided : ndarray
        Classes, and what was taken for them.
    scores : ndarray of float
        The higher, the rarer.
    """

    truth: NDArray[Any]
    decided: NDArray[Any]
    scores: NDArray[np.float64]


def judge_by_folds(
    classifier: Any,
    X: Any,
    y: NDArray[Any],
    rare: Any,
    *,
    n_folds: int,
    random_state: int | None = 0,
    advance: Callable[[int], None] = lambda steps: None,
) -> HeldOut:
    """Fit on all folds but one and judge that one, for each."""
    predicted = np.empty(len(y), dtype=y.dtype)
    scores = np.empty(len(y))
    groups = np.empty(len(y), dtype=np.intp)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    for number, (train, test) in enumerate(folds.split(np.zeros(len(y)), y)):
        model = clone(classifier).fit(X[train], y[train])
        predicted[test] = model.predict(X[test])
        scores[test] = minority_scores(model, X[test], rare)
        groups[test] = number
        advance(1)
    return HeldOut(np.arange(len(y)), groups, predicted, scores, f"{n_folds} folds")


def judge_held_out(
    classifier: Any,
    X: Any,
    y: NDArray[Any],
    rare: Any,
    *,
    share: float,
    random_state: int | None = 0,
    advance: Callable[[int], None] = lambda steps: None,
) -> HeldOut:
    """Fit on a part of the rows and judge the rest; `X` and `y` get another order in place."""
    test = draw_share(y, share, random_state)
    first = len(y) - len(test)
    if isinstance(X, np.ndarray):
        # Both parts are then views: a copy of nearly all rows would double the memory.
        move_to_end(X, y, test)
        train_X, test_X = X[:first], X[first:]
        train_y, test_y = y[:first], y[first:]
        rows = np.arange(first, len(y))
    else:
        train = np.setdiff1d(np.arange(len(y)), test)
        train_X, test_X, train_y, test_y, rows = X[train], X[test], y[train], y[test], test
    model = clone(classifier).fit(train_X, train_y)
    advance(1)
    predicted = model.predict(test_X)
    scores = minority_scores(model, test_X, rare)
    groups = np.zeros(len(rows), dtype=np.intp)
    order = np.argsort(test_y, kind="stable")
    groups[order[::2]] = 1  # every second row of each class
    return HeldOut(rows, groups, predicted, scores, f"{100 * share:g} % held out")


def draw_share(y: NDArray[Any], share: float, random_state: int | None) -> Rows:
    """Draw the same share of every class, at least one row and not all of them.

    Examples
    --------
    >>> y = np.repeat(["a", "b"], [90, 10])
    >>> np.unique(y[draw_share(y, 0.2, 0)], return_counts=True)[1]
    array([18,  2])
    """
    random = np.random.default_rng(random_state)
    drawn = []
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        n = min(max(round(share * len(rows)), 1), len(rows) - 1)
        drawn.append(random.choice(rows, size=n, replace=False))
    return np.sort(np.concatenate(drawn))


def move_to_end(X: NDArray[Any], y: NDArray[Any], last: Rows, step: int = 4096) -> None:
    """Swap rows in place so that those of `last` come last.

    Examples
    --------
    >>> X, y = np.arange(5.0)[:, None], np.arange(5)
    >>> move_to_end(X, y, np.array([0, 4]))
    >>> sorted(y[3:].tolist()), X[:, 0].astype(int).tolist() == y.tolist()
    ([0, 4], True)
    """
    first = len(y) - len(last)
    out = last[last < first]
    stay = np.zeros(len(last), dtype=bool)
    stay[last[last >= first] - first] = True
    into = first + np.flatnonzero(~stay)
    for start in range(0, len(out), step):
        a, b = out[start : start + step], into[start : start + step]
        for array in (X, y):
            kept = array[a]
            array[a] = array[b]
            array[b] = kept


def decide(
    predicted: NDArray[Any], scores: Any, rare: Any, rest: Any, threshold: float | None
) -> NDArray[Any]:
    """Apply a threshold to the classifier's own decisions.

    A row below it that the classifier calls rare goes to `rest`, the most frequent other class.
    """
    if threshold is None:
        return predicted
    chosen = predicted.copy()
    chosen[(predicted == rare) & (scores < threshold)] = rest
    chosen[scores >= threshold] = rare
    return chosen


def measure(
    held_out: HeldOut, y: NDArray[Any], rare: Any, rest: Any, threshold: Threshold
) -> tuple[float | None, dict[str, Any], Judged]:
    """Choose the threshold, and measure what it is worth.

    The threshold is chosen on all rows; the figures are those of thresholds chosen on the other
    groups, so that no row judges a threshold that it helped to choose.

    Parameters
    ----------
    held_out : HeldOut
        Judged rows.
    y : ndarray
        Classes of all rows.
    rare, rest : object
        The rare class, and the most frequent of the others.
    threshold : Threshold
        What is wanted.

    Returns
    -------
    tuple of float or None, dict and Judged
        The threshold, figures as of `rarebit.metrics.rare_report`, and the decisions that they
        are of.
    """
    truth = y[held_out.rows]
    is_rare = truth == rare
    chosen = threshold.choose(is_rare, held_out.scores)
    decided = held_out.predicted.copy()
    for group in np.unique(held_out.groups):
        mine = held_out.groups == group
        others = ~mine if (is_rare & ~mine).any() else np.ones_like(mine)
        cut = threshold.choose(is_rare[others], held_out.scores[others])
        decided[mine] = decide(held_out.predicted[mine], held_out.scores[mine], rare, rest, cut)
    report = rare_report(
        truth, decided, held_out.scores, pos_label=rare, labels=np.unique(y), output="dict"
    )
    return chosen, {"how": held_out.how, **report}, Judged(truth, decided, held_out.scores)
