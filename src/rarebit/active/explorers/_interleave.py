"""Interleave: a Gaussian mixture whose components nominate rows in turn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import logsumexp
from sklearn.utils import check_random_state

from rarebit.active._numbers import is_whole
from rarebit.active.explorers._explorer import Explorer

Reals = NDArray[np.float64]

# Rows on which the mixture is fitted: a larger pool is represented by a sample of it.
_MOST_ROWS = 20_000
# Features beyond which covariances are diagonal: full ones would have too few rows.
_MOST_FULL_FEATURES = 30
_FIRST_ROUNDS = 30
_ROUNDS = 5  # after each label, from where the mixture was
_RIDGE = 1e-3  # share of the pool's variance that every component keeps


class Interleave(Explorer):
    """Find classes as the odd rows of the components of a Gaussian mixture.

    The mixture has one component per class; labelled rows belong to the component of their class.
    Components take turns, and each nominates, among the rows that it owns, the one that it finds
    least likely. This works where classes are nearly separable, and can be worse than random
    where a rare class hides within another. A baseline: prefer `Scout`.

    Parameters
    ----------
    n_classes : int
        Classes, and components of the mixture.
    scale : bool, default=True
        Bring every column of a dense pool to [0, 1] first.
    random_state : int, RandomState or None, default=None
        Decides on the first centres.

    Attributes
    ----------
    discovered_ : dict
        Class to the number of labels spent when it was first seen.
    labels_ : dict
        Row to class, in the order told.

    References
    ----------
    Pelleg, Moore: Active Learning for Anomaly and Rare-Category Detection, NIPS 2004.

    Examples
    --------
    >>> from rarebit import Interleave, discover
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> result = discover(X, lambda row: X[row][0] > 1, Interleave(2, random_state=0))
    >>> sorted(result.discovered)
    [False, True]
    """

    def __init__(self, n_classes: int, *, scale: bool = True, random_state: Any = None) -> None:
        self.n_classes = n_classes
        self.scale = scale
        self.random_state = random_state

    def _check_parameters(self) -> None:
        number = self.n_classes
        if not is_whole(number) or number < 1:
            raise ValueError(
                f"The n_classes parameter must be a whole number of at least 1, got {number!r}: "
                "pass the number of classes, or use Scout, which need not know it."
            )

    # --- mixture ------------------------------------------------------------------------

    def _prepare(self) -> None:
        # Other askers do without it and what it imports, 15 MB.
        from sklearn.cluster import kmeans_plusplus

        random = check_random_state(self.random_state)
        n = self._pool.n_rows
        rows = np.arange(n) if n <= _MOST_ROWS else np.sort(random.choice(n, _MOST_ROWS, False))
        sample = self._pool.dense_rows(rows)
        self._sample_rows = rows
        self._in_sample = np.zeros(n, dtype=np.bool_)
        self._in_sample[rows] = True
        self._full = sample.shape[1] <= _MOST_FULL_FEATURES
        components = min(int(self.n_classes), len(np.unique(sample, axis=0)))
        self._ridge = _RIDGE * sample.var(axis=0) + 1e-9
        centres, _ = kmeans_plusplus(sample, components, random_state=random)
        self._centres: Reals = np.asarray(centres)
        spread = np.diag(sample.var(axis=0) + self._ridge) / components
        self._covariances = np.repeat(spread[None], components, axis=0)
        self._shares = np.full(components, 1.0 / components)
        self._first_fit: tuple[Reals, Reals, Reals] | None = None

    def _reset(self) -> None:
        self._owner: dict[Any, int] = {}
        self._turn = 0
        if self._first_fit is None:
            self._fit(_FIRST_ROUNDS)
            self._first_fit = (self._centres, self._covariances, self._shares)
        self._centres, self._covariances, self._shares = self._first_fit
        self._scores: tuple[NDArray[np.intp], Reals] | None = None

    def _log_densities(self, rows: Reals) -> Reals:
        """Log of share times density of every row under every component."""
        out = np.empty((len(rows), len(self._shares)))
        for c, (centre, covariance) in enumerate(
            zip(self._centres, self._covariances, strict=True)
        ):
            apart = rows - centre
            if self._full:
                root = np.linalg.cholesky(covariance)
                unit = solve_triangular(root, apart.T, lower=True, check_finite=False)
                distance = np.einsum("ij,ij->j", unit, unit)
                log_volume = np.log(np.diag(root)).sum()
            else:
                variances = np.diag(covariance)
                distance = (apart**2 / variances).sum(axis=1)
                log_volume = 0.5 * np.log(variances).sum()
            out[:, c] = np.log(self._shares[c] + 1e-300) - log_volume - 0.5 * distance
        return out

    def _fit(self, rounds: int) -> None:
        """Expectation and maximisation, with labelled rows pinned to their component."""
        pinned = {row: self._owner[c] for row, c in self._ledger.labels.items() if c in self._owner}
        extra = [row for row in pinned if not self._in_sample[row]]
        chosen = np.concatenate([self._sample_rows, np.array(extra, dtype=np.intp)])
        rows = self._pool.dense_rows(chosen)
        position = {int(row): i for i, row in enumerate(chosen)}
        before = -np.inf
        for _ in range(rounds):
            joint = self._log_densities(rows)
            total = logsumexp(joint, axis=1, keepdims=True)
            owned = np.exp(joint - total)
            for row, component in pinned.items():
                owned[position[row]] = 0.0
                owned[position[row], component] = 1.0
            weights = owned.sum(axis=0) + 1e-9
            self._shares = weights / weights.sum()
            self._centres = (owned.T @ rows) / weights[:, None]
            self._covariances = np.stack(
                [self._covariance(rows, owned[:, c], c, weights[c]) for c in range(len(weights))]
            )
            likelihood = float(total.mean())
            if likelihood - before < 1e-4 * abs(likelihood):
                break
            before = likelihood

    def _covariance(self, rows: Reals, owned: Reals, c: int, weight: float) -> Reals:
        apart = rows - self._centres[c]
        if self._full:
            covariance: Reals = (apart * owned[:, None]).T @ apart / weight
            return covariance + np.diag(self._ridge)
        return np.diag((owned @ apart**2) / weight + self._ridge)

    # --- labels and questions -----------------------------------------------------------

    def _learn(self, row: int, label: Any) -> None:
        if label not in self._owner:
            taken = set(self._owner.values())
            joint = self._log_densities(self._pool.dense_rows(np.array([row])))[0]
            free = [c for c in np.argsort(-joint).tolist() if c not in taken]
            if free:
                self._owner[label] = free[0]
        self._fit(_ROUNDS)
        self._turn += 1
        self._scores = None

    def _choose(self, ahead: int) -> int:
        if self._scores is None:
            joint = self._log_densities(self._pool.dense_rows(slice(None)))
            self._scores = (joint.argmax(axis=1), joint.max(axis=1))
        owner, likelihood = self._scores
        for later in range(len(self._shares)):
            component = (self._turn + ahead + later) % len(self._shares)
            owned = np.flatnonzero(self._open & (owner == component))
            if owned.size:
                return int(owned[likelihood[owned].argmin()])
        return int(np.flatnonzero(self._open)[0])

    def _found_all(self) -> bool:
        return len(self._ledger.discovered) >= int(self.n_classes)

    def _doing(self) -> str:
        return (
            f"The next question is the oddest row of component {self._turn % len(self._shares) + 1}"
            f" of {len(self._shares)}"
        )
