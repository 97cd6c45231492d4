"""MALICE: ALICE that leaves the neighbourhoods of labelled rows alone."""

from __future__ import annotations

from typing import Any

from rarebit.active.explorers._density import DensityExplorer


class Malice(DensityExplorer):
    """Find rare classes of known sizes where the local density changes most.

    Use it when the sizes of the rare classes are known; without them use `Scout`. Rare classes are
    sought one after the other, in the order given, and classes that turn up on the way are not
    sought again. After each label the rows within the radius of its class are left out as long as
    others remain, and the neighbourhood in which the change of density is measured grows only when
    the label was not of a rare class. Start takes time and memory in proportion to the pool in low
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
    He, Carbonell: Rare Class Discovery Based on Active Learning, ISAIM 2008, Algorithm 2. Its
    listing and its text disagree on when the neighbourhood grows; this follows the text.

    Examples
    --------
    >>> from rarebit import Malice
    >>> from rarebit.datasets import make_malice_synthetic_1
    >>> X, y = make_malice_synthetic_1(random_state=0)
    >>> explorer = Malice({1: 0.01}).start(X)
    >>> while not explorer.done:
    ...     rows = explorer.ask()
    ...     explorer.tell(rows, y[rows])
    >>> explorer.discovered_
    {1: 1}
    """

    def _widens(self, label: Any) -> bool:
        return self._is_majority(label)

    def _exclude(self, row: int, label: Any) -> None:
        limit = float(self._limits[self._radius_of(label)])
        self._excluded[self._near(row, limit)] = True

    def _radius_of(self, label: Any) -> int:
        """Which target's radius belongs to a class.

        A named class has its own, the majority the largest. Classes without names take the priors
        in the order in which they are found; under one bound, the scale of the question counts.
        """
        largest = int(self._limits.argmax())
        if self._targets.named:
            names = [target.name for target in self._targets.items]
            return names.index(label) if label in names else largest
        if self._targets.bound:
            return 0 if self._at is None else self._at
        if self._is_majority(label):
            return largest
        rare = [name for name in self._ledger.discovered if not self._is_majority(name)]
        return min(rare.index(label), len(self._limits) - 1)
