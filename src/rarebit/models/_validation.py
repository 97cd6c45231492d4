"""How good a classifier is on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from rarebit.metrics import minority_scores, rare_report, stratified_holdout
from rarebit.models._rare import fit_namer, name_margins, report_of_each, scores_of_each
from rarebit.models._threshold import Threshold

Indices = NDArray[np.intp]


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
    margins : ndarray of shape (n_rows, n_members) or None
        What tells the members of a union of rare classes apart.
    """

    rows: Indices
    groups: Indices
    predicted: NDArray[Any]
    scores: NDArray[np.float64]
    how: str
    margins: NDArray[np.float64] | None = None  # of the rare classes, where several are


@dataclass(frozen=True, eq=False)
class Members:
    """The classes of a union of rare ones.

    Attributes
    ----------
    names : tuple of str
        The members.
    of_rows : ndarray of str of shape (n_rows,)
        Class of each row.
    kernel : str
        Kernel of the SVM that tells them apart.
    """

    names: tuple[str, ...]
    of_rows: NDArray[Any]
    kernel: str = "rbf"

    def margins(self, X: Any, rare_rows: Indices, test_X: Any) -> NDArray[np.float64]:
        """Learn the members from rare rows, and tell them apart in others."""
        namer = fit_namer(X[rare_rows], self.of_rows[rare_rows], self.kernel)
        return name_margins(namer, test_X, self.names)


@dataclass(frozen=True, eq=False)
class Judged:
    """Decisions on rows that were held out, with thresholds that they did not help to choose.

    Attributes
    ----------
    truth, decided : ndarray
        Classes, and what was taken for them; a union of rare classes counts as one.
    scores : ndarray of float
        The higher, the rarer.
    rows : ndarray of int
        Positions of the rows among those with a class.
    named : ndarray or None
        What was taken for the classes, a union by the names of its members; None without a union.
    """

    truth: NDArray[Any]
    decided: NDArray[Any]
    scores: NDArray[np.float64]
    rows: Indices
    named: NDArray[Any] | None = None


def judge_by_folds(
    classifier: Any,
    X: Any,
    y: NDArray[Any],
    rare: Any,
    *,
    n_folds: int,
    random_state: int | None = 0,
    advance: Callable[[int], None] = lambda steps: None,
    members: Members | None = None,
    groups: NDArray[Any] | None = None,
) -> HeldOut:
    """Fit on all folds but one and judge that one, for each."""
    predicted = np.empty(len(y), dtype=y.dtype)
    scores = np.empty(len(y))
    parts = np.empty(len(y), dtype=np.intp)
    margins = None if members is None else np.empty((len(y), len(members.names)))
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    folds = kind(n_folds, shuffle=True, random_state=random_state)
    for number, (train, test) in enumerate(folds.split(np.zeros(len(y)), y, groups)):
        model = clone(classifier).fit(X[train], y[train])
        predicted[test] = model.predict(X[test])
        scores[test] = minority_scores(model, X[test], rare)
        if members is not None and margins is not None:
            margins[test] = members.margins(X, train[y[train] == rare], X[test])
        parts[test] = number
        advance(1)
    how = f"{n_folds} folds" + (" by group" if groups is not None else "")
    return HeldOut(np.arange(len(y)), parts, predicted, scores, how, margins)


def judge_held_out(
    classifier: Any,
    X: Any,
    y: NDArray[Any],
    rare: Any,
    *,
    share: float,
    random_state: int | None = 0,
    advance: Callable[[int], None] = lambda steps: None,
    members: Members | None = None,
    test: Indices | None = None,
    what: str = "held out",
    along: Sequence[NDArray[Any]] = (),
) -> HeldOut:
    """Fit on a part of the rows and judge the rest; `X`, `y`, `along` get another order in place.

    The rest is `test` where it is given, else the same share of each class.
    """
    test = stratified_holdout(y, share, random_state) if test is None else test
    first = len(y) - len(test)
    moved = (y, *along, *(() if members is None else (members.of_rows,)))
    if isinstance(X, np.ndarray):
        # Both parts are then views: a copy of nearly all rows would double the memory.
        move_to_end(X, moved, test)
        train, rows = np.arange(first), np.arange(first, len(y))
        train_X, test_X = X[:first], X[first:]
    else:
        train, rows = np.setdiff1d(np.arange(len(y)), test), test
        train_X, test_X = X[train], X[rows]
    model = clone(classifier).fit(train_X, y[train])
    advance(1)
    predicted = model.predict(test_X)
    scores = minority_scores(model, test_X, rare)
    margins = None
    if members is not None:
        margins = members.margins(X, train[y[train] == rare], test_X)
    groups = np.zeros(len(rows), dtype=np.intp)
    order = np.argsort(y[rows], kind="stable")
    groups[order[::2]] = 1  # every second row of each class
    return HeldOut(rows, groups, predicted, scores, f"{100 * share:g} % {what}", margins)


def move_to_end(
    X: NDArray[Any], along: Sequence[NDArray[Any]], last: Indices, step: int = 4096
) -> None:
    """Swap rows of all arrays in place so that those of `last` come last.

    Examples
    --------
    >>> X, y = np.arange(5.0)[:, None], np.arange(5)
    >>> move_to_end(X, [y], np.array([0, 4]))
    >>> sorted(y[3:].tolist()), X[:, 0].astype(int).tolist() == y.tolist()
    ([0, 4], True)
    """
    first = len(X) - len(last)
    out = last[last < first]
    stay = np.zeros(len(last), dtype=bool)
    stay[last[last >= first] - first] = True
    into = first + np.flatnonzero(~stay)
    for start in range(0, len(out), step):
        a, b = out[start : start + step], into[start : start + step]
        for array in (X, *along):
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
    held_out: HeldOut,
    y: NDArray[Any],
    rare: Any,
    rest: Any,
    threshold: Threshold,
    members: Members | None = None,
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
    members : Members or None, default=None
        The classes of a union of rare ones; the figures then have ``each``, too.

    Returns
    -------
    tuple of float or None, dict and Judged
        The threshold, figures as in `rarebit.metrics.rare_report`, and the decisions that they
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
    named = None
    figures: dict[str, Any] = {"how": held_out.how, **report}
    if members is not None and held_out.margins is not None:
        member = np.array(members.names)[held_out.margins.argmax(axis=1)]
        named = np.where(decided == rare, member, decided)
        figures["each"] = report_of_each(
            members.of_rows[held_out.rows],
            named,
            scores_of_each(held_out.scores, held_out.margins, members.names),
            members.names,
        )
    return chosen, figures, Judged(truth, decided, held_out.scores, held_out.rows, named)
