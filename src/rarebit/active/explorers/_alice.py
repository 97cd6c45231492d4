"""ALICE: the steepest change of density, over a neighbourhood that grows with every question."""

from __future__ import annotations

from typing import Any

from rarebit.active.explorers._density import DensityExplorer


class Alice(DensityExplorer):
    """Find rare classes of known sizes where the local density changes most.

    Prefer `Malice`, its successor, which does not ask for neighbours of rows that it has seen.
    Rare classes are sought one after the other, in the order given, and classes that turn up on the
    way are not sought again. Start takes time and memory in proportion to the pool in low
    dimension, and compares all pairs of rows, in little memory, in high dimension.

    Parameters
    ----------
    priors : mapping, sequence of float, or float
        Shares of the rare classes in the pool: ``{class: share}``; or the shares without names, of
        all classes but the most frequent one; or one upper bound for all of them, and then the
        scales below it are tried in turn and the search has no end of its own. Classes are sought
        in this order. Of rows where the density changes alike, the lowest is asked for.
    scale : bool, default=True
        Bring every column of a dense pool to [0, 1] first.
    metric : {"euclidean", "cosine"}, default="euclidean"
        Distance between rows.
    n_jobs : int or None, default=None
        Number of threads that look for neighbours: None for one, -1 for one per processor. Rows are
        asked for in the same order whatever it is.

    Attributes
    ----------
    discovered_ : dict
        Class to the number of labels spent when it was first seen.
    labels_ : dict
        Row to class, in the order told.

    References
    ----------
    He, Carbonell: Rare Class Discovery Based on Active Learning, ISAIM 2008, Algorithm 1.

    Examples
    --------
    >>> from rarebit import Alice, discover
    >>> from rarebit.datasets import make_malice_synthetic_1
    >>> X, y = make_malice_synthetic_1(random_state=0)
    >>> result = discover(X, lambda row: y[row], Alice({1: 0.01}))
    >>> result.discovered
    {1: 1}
    """

    def _widens(self, label: Any) -> bool:
        return True
