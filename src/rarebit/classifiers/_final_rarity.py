"""Which class is rare in a pool of which a few chosen rows are labelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Rows drawn without regard to anything: their classes have the shares of the pool.
UNIFORM = ("audit", "random")
# Unlabelled rows that are predicted, at most.
_MOST_PREDICTED = 20_000
# Rows drawn uniformly that weigh as much as the predictions.
_PREDICTIONS_WORTH = 20


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


def pool_counts(
    X: Any,
    labels: Mapping[int, Any],
    machine: Any,
    history: Any = None,
    *,
    random_state: int | None = 0,
) -> dict[Any, float]:
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
    dict of class to float
        Expected number of rows.
    """
    classes = np.unique(np.array(list(labels.values())))
    counts = _counted(np.array(list(labels.values())), classes)
    drawn, n_rest = rest_of_pool(X.shape[0], labels, _MOST_PREDICTED, random_state)
    if n_rest:
        shares = _counted(machine.predict(X[drawn]), classes) / len(drawn)
        reasons = reasons_by_row(history)
        uniform = [label for row, label in labels.items() if reasons.get(row) in UNIFORM]
        seen = _counted(np.array(uniform, dtype=classes.dtype), classes)
        shares = (seen + _PREDICTIONS_WORTH * shares) / (seen.sum() + _PREDICTIONS_WORTH)
        counts = counts + n_rest * shares
    return dict(zip(classes.tolist(), counts.tolist(), strict=True))


def rare_in_pool(counts: Mapping[Any, float]) -> Any:
    """Return the class with the fewest expected rows; of equally rare ones, the greatest.

    Examples
    --------
    >>> rare_in_pool({"fine": 950.5, "fraud": 49.5})
    'fraud'
    """
    return min(sorted(counts, reverse=True), key=counts.__getitem__)


def _counted(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.float64]:
    return np.array([np.count_nonzero(y == label) for label in classes], dtype=np.float64)
