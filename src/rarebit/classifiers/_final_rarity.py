"""Which class is rare in a pool of which a few chosen rows are labelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Rows drawn without regard to anything: their classes have the shares of the pool.
UNIFORM = ("audit", "random")
# Unlabelled rows that are predicted, at most.
_MOST_PREDICTED = 20_000
# Rows drawn uniformly that weigh as much as the predictions.
_PREDICTIONS_WORTH = 20
# Standard errors by which such rows must differ from labels and predictions to overrule them.
_SURE = 2.0


def reasons_by_row(history: Any) -> dict[int, str]:
    """Return how each row was chosen.

    Parameters
    ----------
    history : None, mapping, table or iterable of queries
        Row to reason; a `History` with the columns ``row`` and ``how``; or queries with ``row``
        and ``reason``, in the order asked.

    Returns
    -------
    dict of int to str
        Row to reason, such as ``"border"`` or ``"audit"``.

    Examples
    --------
    >>> reasons_by_row({3: "audit"})
    {3: 'audit'}
    """
    if history is None:
        return {}
    if isinstance(history, Mapping):
        return {int(row): str(how) for row, how in history.items()}
    if hasattr(history, "n_rows"):
        rows, reasons = history["row"], history["how"]
        return {int(row): str(how) for row, how in zip(rows, reasons, strict=True)}
    return {int(query.row): _reason(query) for query in history}


def _reason(query: Any) -> str:
    """Why a row was asked for; draws from a part of the pool do not have the pool's shares."""
    draw = getattr(query, "draw", None)
    return "stratum" if getattr(draw, "stratum", "") else str(query.reason)


def rest_of_pool(
    n_rows: int, labelled: Iterable[int], most: int, random_state: int | None
) -> tuple[NDArray[np.intp], int]:
    """Draw rows without a label, without listing all of them: a pool may have a billion.

    Parameters
    ----------
    n_rows : int
        Rows of the pool.
    labelled : iterable of int
        Rows with a label.
    most : int
        Largest number of rows.
    random_state : int or None
        Seed, where there are more.

    Returns
    -------
    rows : ndarray of int
        Rising.
    n_rest : int
        Rows without a label.

    Examples
    --------
    >>> rows, n_rest = rest_of_pool(6, [4, 1], 10, 0)
    >>> rows.tolist(), n_rest
    ([0, 2, 3, 5], 4)
    """
    known = np.unique(np.fromiter(labelled, dtype=np.intp))
    n_rest = n_rows - len(known)
    if n_rest <= most:
        return np.setdiff1d(np.arange(n_rows), known), n_rest
    drawn = np.random.default_rng(random_state).choice(n_rest, most, replace=False)
    # So many rows without a label lie before each row with one.
    before = known - np.arange(len(known))
    return np.sort(drawn + np.searchsorted(before, drawn, side="right")), n_rest


@dataclass(frozen=True, eq=False)
class PoolCounts:
    """How many rows of a pool each class may have.

    Attributes
    ----------
    classes : list of class
        Rising.
    predicted : ndarray of shape (n_classes,)
        Labels, and rows without a label as they are predicted.
    corrected : ndarray of shape (n_classes,)
        The same, where rows drawn uniformly correct the predictions.
    noise : ndarray of shape (n_classes, n_classes)
        Standard error that these draws bring into the difference of two corrected counts.
    """

    classes: list[Any]
    predicted: NDArray[np.float64]
    corrected: NDArray[np.float64]
    noise: NDArray[np.float64]


def pool_counts(
    X: Any,
    labels: Mapping[int, Any],
    machine: Any,
    history: Any = None,
    *,
    random_state: int | None = 0,
) -> PoolCounts:
    """Estimate how many rows of the pool each class has.

    Labels that were asked for on the border are balanced on purpose, so that their counts say
    nothing. The other rows are predicted by an SVM; rows drawn uniformly correct it.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_rows, n_features)
        All rows of the pool.
    labels : mapping of int to class
        Row to class.
    machine : estimator
        Fitted to the labels.
    history : optional
        As `reasons_by_row` takes it.
    random_state : int or None, default=0
        Draws the rows that are predicted where there are many.

    Returns
    -------
    PoolCounts
        Expected numbers of rows.
    """
    classes = np.unique(np.array(list(labels.values())))
    counts = _counted(np.array(list(labels.values())), classes)
    drawn, n_rest = rest_of_pool(X.shape[0], labels, _MOST_PREDICTED, random_state)
    if not n_rest:
        return PoolCounts(classes.tolist(), counts, counts, np.zeros((len(counts), len(counts))))
    predicted = _counted(machine.predict(X[drawn]), classes) / len(drawn)
    reasons = reasons_by_row(history)
    uniform = [label for row, label in labels.items() if reasons.get(row) in UNIFORM]
    seen = _counted(np.array(uniform, dtype=classes.dtype), classes)
    weight = seen.sum() + _PREDICTIONS_WORTH
    shares = (seen + _PREDICTIONS_WORTH * predicted) / weight
    # Of the difference of two counts of a multinomial draw.
    spread = np.add.outer(shares, shares) - np.subtract.outer(shares, shares) ** 2
    noise = n_rest * np.sqrt(seen.sum() * np.maximum(spread, 0.0)) / weight
    return PoolCounts(
        classes.tolist(), counts + n_rest * predicted, counts + n_rest * shares, noise
    )


def rare_in_pool(counts: PoolCounts) -> Any:
    """Return the class with the fewest expected rows; of equally rare ones, the greatest.

    A class with 8 labels is not more frequent than one with 10 because the only rare row among
    nine random ones was of it: random rows overrule labels and predictions only where they differ
    by more than chance explains.

    Parameters
    ----------
    counts : PoolCounts
        As `pool_counts` returns them.

    Returns
    -------
    object
        One of the classes.

    Examples
    --------
    >>> fraud_rarer = np.array([950.5, 49.5])
    >>> rare_in_pool(PoolCounts(["fine", "fraud"], fraud_rarer, fraud_rarer, np.zeros((2, 2))))
    'fraud'
    """
    plain, corrected = _fewest(counts.predicted), _fewest(counts.corrected)
    gap = counts.corrected[plain] - counts.corrected[corrected]
    sure = gap > _SURE * counts.noise[plain, corrected]
    return counts.classes[corrected if sure else plain]


def _fewest(counts: NDArray[np.float64]) -> int:
    """Position of the smallest count; of equal ones, the last."""
    return len(counts) - 1 - int(np.argmin(counts[::-1]))


def _counted(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    return np.array([np.count_nonzero(y == label) for label in classes], dtype=np.float64)
