"""Run an explorer against somebody who knows the labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active._numbers import is_whole
from rarebit.active._protocol import check_protocol
from rarebit.active.explorers._explorer import Explorer
from rarebit.active.explorers._scout import Scout
from rarebit.exceptions import InputTypeError


@dataclass(frozen=True, eq=False)
class Discovery:
    """What a run of `discover` found.

    Attributes
    ----------
    queries : ndarray of int
        Rows in the order asked, without those that had no label.
    labels : list
        Classes of the queries, in the same order.
    discovered : dict
        Class to the number of labels spent when it was first seen.
    explorer : Explorer
        The explorer as the run left it; it can continue.
    """

    queries: NDArray[np.intp]
    labels: list[Any]
    discovered: dict[Any, int]
    explorer: Explorer

    @property
    def curve(self) -> list[int]:
        """Labels spent when the first, the second, … class was seen."""
        return sorted(self.discovered.values())


def discover(
    X: Any,
    oracle: Callable[[int], Any],
    explorer: Explorer | None = None,
    max_labels: int | None = None,
    *,
    n_classes: int | None = None,
) -> Discovery:
    """Look for the classes of a pool, asking an oracle.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The pool.
    oracle : callable
        Takes a row number and returns its class, or None where nobody can tell.
    explorer : Explorer or None, default=None
        Chooses the rows; a `Scout` when None. It is started again.
    max_labels : int or None, default=None
        Largest number of labels; None continues until the explorer is done.
    n_classes : int or None, default=None
        Number of classes after which to stop.

    Returns
    -------
    Discovery
        With ``queries``, ``labels`` and ``discovered``.

    Examples
    --------
    >>> from rarebit import Malice, discover
    >>> from rarebit.datasets import make_malice_synthetic_1
    >>> X, y = make_malice_synthetic_1(random_state=0)
    >>> result = discover(X, lambda row: y[row], Malice({1: 0.01}))
    >>> result.discovered
    {1: 1}
    """
    for name, value in (("max_labels", max_labels), ("n_classes", n_classes)):
        if value is not None and (not is_whole(value) or value < 1):
            raise ValueError(
                f"The {name} parameter must be None or a whole number of at least 1, got "
                f"{value!r}: pass how many {name.removeprefix('max_').removeprefix('n_')} are "
                "enough."
            )
    if not callable(oracle):
        raise InputTypeError(
            f"The oracle parameter must be a function that takes a row number and returns its "
            f"class, got {type(oracle).__name__}: pass one, such as lambda row: y[row]."
        )
    if explorer is None:
        explorer = Scout()
    check_protocol(explorer, learner=False, parameter="explorer")
    explorer.start(X)
    while not explorer.done:
        if max_labels is not None and explorer.n_labels_ >= max_labels:
            break
        if n_classes is not None and len(explorer.discovered_) >= n_classes:
            break
        row = int(explorer.ask()[0])
        label = oracle(row)
        if label is None:
            explorer.skip(row)
        else:
            explorer.tell(row, label)
    return Discovery(
        np.fromiter(explorer.labels_, dtype=np.intp, count=len(explorer.labels_)),
        list(explorer.labels_.values()),
        dict(explorer.discovered_),
        explorer,
    )
