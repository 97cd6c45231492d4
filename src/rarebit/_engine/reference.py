"""The solvers of the compiled engine in plain NumPy, meant to be read.

Tests use this module as the oracle for small problems: float64, K precomputed, no shrinking.
Equations are numbered as in Ertekin, Huang, Bottou and Giles, "Learning on the border", CIKM 2007,
whose alpha_i y_i is alpha_i here and whose offset has the opposite sign (w·x - b there, + b here).

=======  ======  ===========================================================================
name     shape   meaning
=======  ======  ===========================================================================
K        (n, n)  kernel values K(x_i, x_j); symmetric, not necessarily positive semidefinite
y        (n,)    labels, -1 or +1
C        (n,)    cost of each row; one number means the same cost for all
alpha    (n,)    signed coefficients
A, B     (n,)    their limits: [0, C_i] if y_i = +1, [-C_i, 0] if y_i = -1
g        (n,)    gradient of D: g_i = y_i - Σ_j alpha_j K_ij (the bias is not in it)
up, low  subset  rows with alpha_i < B_i, which may grow; with alpha_i > A_i, which may shrink
g_max    scalar  max of g over up, reached at row i; -inf if up is empty
g_min    scalar  min of g over low, reached at row j; +inf if low is empty
gap      scalar  g_max - g_min: positive while some pair can raise D, -inf without a pair
bias, b  scalar  (g_max + g_min) / 2
eta      scalar  curvature of D along a pair, K_ii + K_jj - 2 K_ij, floored
lam      scalar  length of a step: alpha_i grows by it, alpha_j shrinks by it
tol      scalar  tau of the papers: the gap that is small enough
S        subset  the expansion: the rows that the online solver holds
=======  ======  ===========================================================================

    maximise    D(alpha) = Σ_i alpha_i y_i - 1/2 Σ_ij alpha_i alpha_j K_ij         (3)
    subject to  A_i <= alpha_i <= B_i,  Σ_i alpha_i = 0                            (4)
    decide by   f(x) = Σ_j alpha_j K(x, x_j) + b
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "OnlineTwin",
    "TwinSolution",
    "dual_objective",
    "kernel_matrix",
    "kkt_gap",
    "solve_batch",
]

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
ETA_FLOOR = 1e-12  # kernels such as sigmoid have pairs of zero or negative curvature


def kernel_matrix(
    A: ArrayLike,
    B: ArrayLike | None = None,
    kernel: str = "rbf",
    gamma: float = 1.0,
    degree: float = 3,
    coef0: float = 0.0,
) -> Floats:
    """Kernel values between the rows of `A` and the rows of `B` (of `A` itself if None).

    With ``kernel="precomputed"``, `A` is the block of kernel values and `B` is ignored.

    Examples
    --------
    >>> kernel_matrix([[0.0], [1.0]], [[2.0]], "rbf", gamma=0.5).round(3).tolist()
    [[0.135], [0.607]]
    """
    P = np.asarray(A, dtype=np.float64)
    if kernel == "precomputed":
        return P
    Q = P if B is None else np.asarray(B, dtype=np.float64)
    if kernel == "rbf":  # differences, not norms: accurate far from the origin, too
        return np.asarray(np.exp(-gamma * np.square(P[:, None] - Q[None]).sum(axis=2)))
    if kernel == "linear":
        return np.asarray(P @ Q.T)
    if kernel == "poly":
        return np.asarray((gamma * (P @ Q.T) + coef0) ** degree)
    if kernel == "sigmoid":
        return np.asarray(np.tanh(gamma * (P @ Q.T) + coef0))
    raise ValueError(f"kernel must be linear, rbf, poly, sigmoid or precomputed. Got {kernel!r}.")


class _Extremes(NamedTuple):
    """The most violating pair of a set of rows: i reaches g_max, j reaches g_min."""

    i: int  # -1 when up is empty
    j: int  # -1 when low is empty
    g_max: float
    g_min: float

    @property
    def gap(self) -> float:
        return self.g_max - self.g_min

    @property
    def bias(self) -> float:
        """(g_max + g_min) / 2; the one that exists if the other does not; 0 without either."""
        known = [g for g in (self.g_max, self.g_min) if np.isfinite(g)]
        return sum(known) / max(len(known), 1)


class _Dual:
    """A problem, a feasible point alpha of it, and the gradient there."""

    def __init__(self, K: ArrayLike, y: ArrayLike, C: ArrayLike, alpha: ArrayLike | None = None):
        self.K, self.y = np.asarray(K, dtype=np.float64), np.asarray(y, dtype=np.float64)
        n, cost = len(self.y), np.asarray(C, dtype=np.float64)
        if self.K.shape != (n, n) or (np.abs(self.y) != 1.0).any() or (cost < 0.0).any():
            raise ValueError("K must be (n, n), y n labels of -1 or +1, C zero or more.")
        self.A, self.B = np.minimum(0.0, self.y * cost), np.maximum(0.0, self.y * cost)
        self.alpha = np.zeros(n) if alpha is None else np.array(alpha, dtype=np.float64)
        self.refresh()

    def refresh(self) -> None:
        self.g = self.y - self.K @ self.alpha  # g_i = y_i - Σ_j alpha_j K_ij

    def extremes(self, S: Indices) -> _Extremes:
        """Extremes over the rows `S`, given in rising order: ties go to the smallest row."""
        up, low = S[self.alpha[S] < self.B[S]], S[self.alpha[S] > self.A[S]]
        i = int(up[np.argmax(self.g[up])]) if up.size else -1
        j = int(low[np.argmin(self.g[low])]) if low.size else -1
        g_max, g_min = self.g[i] if up.size else -np.inf, self.g[j] if low.size else np.inf
        return _Extremes(i, j, float(g_max), float(g_min))

    def curvature(self, i: int, j: int | Indices) -> Floats:
        eta = self.K[i, i] + self.K[j, j] - 2.0 * self.K[i, j]
        return np.asarray(np.maximum(eta, ETA_FLOOR))

    def step(self, i: int, j: int, S: Indices) -> None:
        """Raise alpha_i and lower alpha_j by the lam that is best in the box; update g over `S`.

        D(lam) - D(0) = lam (g_i - g_j) - lam² eta / 2. Where the true curvature is negative, the
        longer the step the larger the gain: the floor makes lam huge and the box ends it.
        """
        room_i, room_j = self.B[i] - self.alpha[i], self.alpha[j] - self.A[j]
        lam = min((self.g[i] - self.g[j]) / float(self.curvature(i, j)), room_i, room_j)
        # Limits are reached exactly: membership of up and low, and eviction, test equality.
        self.alpha[i] = self.B[i] if lam == room_i else min(self.alpha[i] + lam, self.B[i])
        self.alpha[j] = self.A[j] if lam == room_j else max(self.alpha[j] - lam, self.A[j])
        self.g[S] -= lam * (self.K[S, i] - self.K[S, j])


def dual_objective(K: ArrayLike, y: ArrayLike, alpha: ArrayLike) -> float:
    """D(alpha) of equation (3).

    Examples
    --------
    >>> dual_objective([[9, 3], [3, 1]], [1, -1], [0.5, -0.5])
    0.5
    """
    a = np.asarray(alpha, dtype=np.float64)
    return float(a @ np.asarray(y, dtype=np.float64) - 0.5 * (a @ np.asarray(K) @ a))


def kkt_gap(K: ArrayLike, y: ArrayLike, C: ArrayLike, alpha: ArrayLike) -> float:
    """g_max - g_min over all rows, from scratch; alpha is optimal when it is not above 0.

    Examples
    --------
    >>> kkt_gap([[9, 3], [3, 1]], [1, -1], 10.0, [0.0, 0.0])
    2.0
    """
    return _Dual(K, y, C, alpha).extremes(np.arange(len(np.asarray(y)))).gap


@dataclass(frozen=True)
class TwinSolution:
    """What `solve_batch` returns; a `gap` above its `tol` means that it ran out of steps."""

    alpha: Floats
    bias: float
    gap: float
    dual_objective: float
    n_iter: int


def solve_batch(
    K: ArrayLike,
    y: ArrayLike,
    C: ArrayLike = 1.0,
    alpha0: ArrayLike | None = None,
    tol: float = 1e-3,
    max_iter: int = 1_000_000,
) -> TwinSolution:
    """Maximise D over all rows until gap <= `tol`, from a feasible `alpha0` (default 0).

    Each step pairs the row i that reaches g_max with the row j of low that promises the largest
    gain, (g_i - g_j)² / (2 eta): second-order selection.

    Examples
    --------
    >>> s = solve_batch([[9, 3], [3, 1]], [1, -1], C=10.0)  # 3 against 1: f(x) = x - 2
    >>> s.alpha.tolist(), s.bias, s.n_iter
    ([0.5, -0.5], -2.0, 1)
    """
    dual = _Dual(K, y, C, alpha0)
    rows, a = np.arange(dual.y.size), dual.alpha
    if (a < dual.A).any() or (a > dual.B).any() or abs(a.sum()) > 1e-9 * np.abs(a).sum():
        raise ValueError("alpha0 must lie in the box and sum to 0. Use None to start at 0.")
    for n_iter in range(max_iter + 1):
        e = dual.extremes(rows)
        if e.gap <= tol:  # judge by a fresh g: the running one has drifted by rounding
            dual.refresh()
            e = dual.extremes(rows)
        if e.gap <= tol or n_iter == max_iter:
            break
        low = rows[(dual.alpha > dual.A) & (dual.g < e.g_max)]
        gain = (e.g_max - dual.g[low]) ** 2 / dual.curvature(e.i, low)
        dual.step(e.i, int(low[np.argmax(gain)]), rows)
    return TwinSolution(dual.alpha, e.bias, e.gap, dual_objective(K, y, dual.alpha), n_iter)


class OnlineTwin(_Dual):
    """The online solver (LASVM) on the rows of a precomputed kernel matrix.

    PROCESS has tolerance 0 and REPROCESS evicts even when it takes no step: habits of the original
    program. The published listing has PROCESS stop unless the pair violates by more than tau, and
    REPROCESS leave before evicting when no pair does.

    Gap and bias are those of S. While S lacks a class, PROCESS only inserts and REPROCESS is idle.

    Examples
    --------
    >>> twin = OnlineTwin([[9, 3, 0], [3, 1, 0], [0, 0, 0]], [1, -1, -1], C=10.0)
    >>> twin.run_pass([0, 1, 2])
    >>> twin.S.tolist(), twin.decision([[6, 2, 0]]).tolist()
    ([0, 1], [0.0])
    """

    def __init__(self, K: ArrayLike, y: ArrayLike, C: ArrayLike = 1.0, tol: float = 1e-3) -> None:
        super().__init__(K, y, C)
        self.tol = tol
        self.in_S = np.zeros(self.y.size, dtype=np.bool_)  # g is kept up to date on S only

    @property
    def S(self) -> Indices:
        """Rows of the expansion in rising order, whatever order they came in."""
        return np.flatnonzero(self.in_S)

    @property
    def gap(self) -> float:
        return self.extremes(self.S).gap

    @property
    def bias(self) -> float:
        return self.extremes(self.S).bias

    def decision(self, K_new: ArrayLike) -> Floats:
        """Values of f for new rows, given their kernel values against all n training rows."""
        return np.asarray(np.asarray(K_new, dtype=np.float64) @ self.alpha + self.bias)

    def process(self, k: int) -> bool:
        """Offer row k; returns whether it was inserted. A row of S or of cost 0 never is."""
        if self.in_S[k] or self.A[k] == self.B[k]:
            return False
        S, e = self.S, self.extremes(self.S)
        self.g[k] = self.y[k] - self.K[k, S] @ self.alpha[S]
        i, j = (k, e.j) if self.y[k] > 0 else (e.i, k)  # alpha_k is 0: k can move only one way
        both_classes = np.isfinite(e.gap)
        if both_classes and self.g[i] < self.g[j]:
            return False  # not even the opposite extreme makes a violating pair with k
        self.in_S[k] = True
        if both_classes:
            self.step(i, j, self.S)
        return True

    def reprocess(self) -> int:
        """One step on the most violating pair of S, then eviction; returns how many rows left."""
        e = self.extremes(self.S)
        if not np.isfinite(e.gap):
            return 0
        if e.gap >= self.tol:
            self.step(e.i, e.j, self.S)
            e = self.extremes(self.S)
        beyond = np.where(self.y > 0, self.g <= e.g_min, self.g >= e.g_max)
        evicted = self.in_S & (self.alpha == 0.0) & beyond
        self.in_S &= ~evicted
        return int(evicted.sum())

    def finish(self, max_iter: int = 1_000_000) -> int:
        """REPROCESS until gap <= tau over S, never over all rows; returns the number of calls."""
        for n_iter in range(max_iter):
            if self.gap <= self.tol:
                return n_iter
            self.reprocess()
        return max_iter

    def run_pass(self, order: Iterable[int], n_seed: int = 5) -> None:
        """One epoch: PROCESS, then REPROCESS, for each row of `order` (each given once).

        While S lacks a class, the first `n_seed` rows of each class are taken out of `order` and
        come first, alternating, +1 before -1; a seed is otherwise a row like any other. A later
        epoch keeps `order`, and a row that is already in S only triggers REPROCESS.
        """
        rows = [int(k) for k in order]
        if not np.isfinite(self.gap):
            classes = ([k for k in rows if self.y[k] == c][:n_seed] for c in (1.0, -1.0))
            seeds = [k for two in zip_longest(*classes) for k in two if k is not None]
            rows = seeds + [k for k in rows if k not in seeds]
        for k in rows:
            self.process(k)
            self.reprocess()
