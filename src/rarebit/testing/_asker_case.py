"""A kind of asker to be checked, and the pool that it is checked on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active import Asker

Pool = tuple[NDArray[np.float64], NDArray[Any]]


def make_pool() -> Pool:
    """Return 120 rows of shape (120, 3) and their labels: clusters b and c in a cloud of a."""
    rng = np.random.default_rng(7)
    X = np.concatenate(
        [
            rng.normal(size=(110, 3)) + 4.0,
            rng.normal([5.0, 4.0, 4.0], 0.05, size=(6, 3)),
            rng.normal([4.0, 8.0, 3.0], 0.05, size=(4, 3)),
        ]
    )
    y = np.repeat(["a", "b", "c"], [110, 6, 4])
    order = rng.permutation(len(y))
    return X[order], y[order]


@dataclass(frozen=True)
class AskerCase:
    """A kind of asker to be checked.

    Attributes
    ----------
    make : callable
        Returns a new asker that was not started, with the same seed at every call.
    pool : tuple of ndarray
        Rows of shape (n_rows, n_features), at least 50, and their labels of shape (n_rows,), with
        two classes at least.
    """

    make: Callable[[], Asker]
    pool: Pool = field(default_factory=make_pool)

    def start(self, labels: Mapping[int, Any] | None = None) -> Any:
        """Start a new asker on the pool."""
        return self.make().start(self.pool[0], labels)

    def answer(self, asker: Any, most: int | None = None) -> list[int]:
        """Answer questions truthfully, until the asker is done or so many; return the rows."""
        asked: list[int] = []
        while not asker.done and (most is None or len(asked) < most):
            rows = asker.ask()
            if not rows.size:  # all that is left waits for an answer
                break
            assert not set(rows.tolist()) & set(asker.labels_), "a row was asked for twice"
            asker.tell(rows, self.pool[1][rows])
            asked += rows.tolist()
        return asked
