"""Linear SVMs by an interior-point method: few features, any number of rows.

    minimise  |w|²/2 + Σ c_i max(0, 1 − y_i (w·x_i + b))

Notation, with Z the rows times their sides:

    a     dual variables, 0 ≤ a ≤ c and y'a = 0;  w = Z'a
    u     c − a
    s, t  multipliers of a ≥ 0 and u ≥ 0;  Z w + b y − 1 = s − t
    μ     mean of a·s and u·t, driven to 0

A step solves (D + ZZ') Δa = r with D = s/a + t/u, which the Woodbury identity turns into a system
of as many unknowns as there are features. Some twenty steps do, however large the costs are, where
steps on pairs of rows need hundreds of thousands: boosting multiplies costs without end.

References
----------
M. C. Ferris and T. S. Munson, "Interior-point methods for massive support vector machines", SIAM
Journal on Optimization 13, 2002. S. Mehrotra, "On the implementation of a primal-dual interior
point method", SIAM Journal on Optimization 2, 1992.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

Floats = NDArray[np.float64]

# Beyond this many features a step, cubic in them, costs more than steps on pairs of rows.
MOST_LINEAR_FEATURES = 256
_MOST_STEPS = 80
_BOUNDARY = 0.995  # share of the way to the boundary that a step may go
_NEGLIGIBLE = 1e-5  # of its limit: a dual variable as good as at the limit


@dataclass(frozen=True)
class LinearSolution:
    """``alpha`` is signed; ``gap`` is the duality gap as a share of the objective."""

    alpha: Floats
    bias: float
    gap: float
    objective: float
    steps: int
    converged: bool


def solve_linear(X: Floats, y: Floats, cost: Floats, tol: float) -> LinearSolution:
    """Solve to a duality gap of ``tol`` times the objective.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Rows, best centred.
    y : ndarray of shape (n_rows,)
        Sides, ±1; both must be present.
    cost : ndarray of shape (n_rows,)
        Cost of an error in each row, positive.
    tol : float
        Largest relative duality gap.
    """
    n, d = X.shape
    Z = X * y[:, None]
    c = cost
    # A dual point in the middle of its box with equal sums on both sides.
    sums = [c[y > 0].sum(), c[y < 0].sum()]
    a = 0.5 * c * np.where(y > 0, min(sums) / sums[0], min(sums) / sums[1])
    u = c - a
    w, b = Z.T @ a, 0.0
    residual = Z @ w - 1.0
    s, t = np.maximum(residual, 0.0) + 1.0, np.maximum(-residual, 0.0) + 1.0
    gap, objective, step = np.inf, 0.0, 0
    for step in range(_MOST_STEPS + 1):
        margin = Z @ w + b * y
        loss = float(c @ np.maximum(0.0, 1.0 - margin))
        half = 0.5 * float(w @ w)
        objective = float(a.sum()) - half
        gap = (half + loss - objective) / max(half + loss, 1e-300)
        balanced = abs(float(y @ a)) <= 1e-8 * float(a.sum())
        if (gap <= tol and balanced) or step == _MOST_STEPS:
            break
        D = s / a + t / u
        if not np.all(np.isfinite(D)):
            break  # as far as float64 goes
        scaled = Z / D[:, None]
        try:
            factor = cho_factor(Z.T @ scaled + np.eye(d), check_finite=False)
        except np.linalg.LinAlgError:
            break

        def solve(r: Floats, D: Floats = D, scaled: Floats = scaled, f: object = factor) -> Floats:
            return np.asarray(r / D - scaled @ cho_solve(f, scaled.T @ r, check_finite=False))

        p_y = solve(y)
        dual_residual = margin - 1.0 - s + t
        mu = (float(a @ s) + float(u @ t)) / (2 * n)

        def direction(
            target: float, corrector_s: Floats | float, corrector_t: Floats | float
        ) -> tuple[Floats, float, Floats, Floats]:
            push_s = (target - corrector_s) / a - s  # noqa: B023 - called within the step
            push_t = (target - corrector_t) / u - t  # noqa: B023
            p = solve(push_s - push_t - dual_residual)  # noqa: B023
            db = (float(y @ p) + float(y @ a)) / float(y @ p_y)  # noqa: B023
            da = p - db * p_y  # noqa: B023
            ds = push_s - s / a * da  # noqa: B023
            dt = push_t + t / u * da  # noqa: B023
            return da, db, ds, dt

        da, db, ds, dt = direction(0.0, 0.0, 0.0)
        reach = min(_reach(a, da), _reach(u, -da), _reach(s, ds), _reach(t, dt))
        after = float((a + reach * da) @ (s + reach * ds) + (u - reach * da) @ (t + reach * dt))
        target = mu * (after / (2 * n * mu)) ** 3
        da, db, ds, dt = direction(target, da * ds, -da * dt)
        reach = _BOUNDARY * min(_reach(a, da), _reach(u, -da), _reach(s, ds), _reach(t, dt))
        reach = min(1.0, reach)
        # Not c - a, whose rounding would put variables on the boundary.
        a, u, b = a + reach * da, u - reach * da, b + reach * db
        s, t = s + reach * ds, t + reach * dt
        w = Z.T @ a
    alpha = np.where(a < _NEGLIGIBLE * c, 0.0, np.where(u < _NEGLIGIBLE * c, c, a))
    return LinearSolution(y * alpha, b, gap, objective, step, bool(gap <= tol))


def _reach(x: Floats, dx: Floats) -> float:
    """Longest step, at most about 1, that keeps x positive."""
    falling = dx < 0.0
    if not falling.any():
        return 1.0 / _BOUNDARY
    return min(1.0 / _BOUNDARY, float(np.min(x[falling] / -dx[falling])))
