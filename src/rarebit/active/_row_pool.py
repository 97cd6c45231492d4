"""Pools that no single computer holds: what a hunt needs of them."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray


@runtime_checkable
class RowPool(Protocol):
    """A pool whose rows are elsewhere: single rows and the best ones come when asked for.

    `Hunt` takes one in the place of a matrix, together with an explorer and a learner that do;
    `rarebit.distributed.PartitionedPool` is one over many files.

    Examples
    --------
    >>> from rarebit.active import RowPool
    >>> isinstance([[0.0, 1.0]], RowPool)
    False
    """

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def gamma(self) -> float:
        """Width of an rbf kernel by the spread of the features."""
        ...

    @property
    def is_sparse(self) -> bool:
        """Whether features are sparse."""
        ...

    def take(self, rows: ArrayLike) -> Any:
        """Return features of rows by number, in that order."""
        ...

    def best(self, classifier: Any, rare: Any, k: int, out: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the ``k`` rows with the highest scores, without those in ``out``."""
        ...

    def candidates(self, k: int) -> NDArray[np.intp]:
        """Return rows where rare classes are likely, the most likely first."""
        ...
