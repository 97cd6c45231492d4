"""A pool in memory, with the face of one that is on many machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from rarebit.distributed._encoded import chunked_scores


def gamma_of(sample: Any) -> float:
    """Return 1 / (features × variance), as ``gamma="scale"`` of the sample."""
    if sparse.issparse(sample):
        mean = sample.mean()
        spread = float(sample.multiply(sample).mean() - mean**2)
    else:
        spread = float(np.asarray(sample, dtype=np.float64).var())
    return 1.0 / (sample.shape[1] * spread) if spread > 0.0 else 1.0


def stack_rows(blocks: list[Any]) -> Any:
    """Return blocks of rows below each other."""
    if sparse.issparse(blocks[0]):
        return sparse.vstack(blocks, format="csr")
    return np.concatenate(blocks)


class ArrayPool:
    """Rows of a matrix in memory: what one computer does without a cluster.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n_rows, n_features)
        The features.
    gamma : float
        As in `rarebit.active.RowPool`.
    find_candidates : function of int
        Returns rows where rare classes are likely.
    """

    def __init__(
        self, X: Any, gamma: float, find_candidates: Callable[[int], NDArray[np.intp]]
    ) -> None:
        self._X = X
        self.gamma = gamma
        self.candidates = find_candidates

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._X.shape[0])

    @property
    def is_sparse(self) -> bool:
        """Whether features are sparse."""
        return bool(sparse.issparse(self._X))

    def take(self, rows: ArrayLike) -> Any:
        """Return features of rows by number, in that order."""
        return self._X[np.asarray(rows, dtype=np.intp)]

    def best(self, classifier: Any, rare: Any, k: int, out: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the ``k`` rows with the highest scores, without those in ``out``."""
        scores = chunked_scores(self._X, classifier, rare)
        scores[out] = -np.inf
        order = np.lexsort((np.arange(self.n_rows), -scores))
        return order[: min(k, self.n_rows - len(out))]
