"""C and gamma by cross-validation of the labels at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit import _core
from rarebit._engine.arrays import Matrix, engine_rows, resolve_gamma, take_rows
from rarebit._folds import fold_numbers
from rarebit._precision import quick_average_precision

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

TUNED = "tuned"
# Each value is four times the one before: the kernel values of an rbf kernel are then the fourth
# power of those before, and one gram serves all.
_STEP = 4.0
_COSTS: Floats = 0.1 * np.power(_STEP, np.arange(6.0))
_WIDTHS: Floats = np.power(_STEP, np.arange(-4.0, 2.0))
# What is taken where the labels cannot tell.
_USUAL_COST = 3.0
# Average precision that a step away from the usual values has to gain, times the number of rare
# labels; few labels find great differences by chance.
_CAUTION = 0.5
_FEW = 300  # labels up to which five folds are made; beyond, three
_MOST = 1_500  # rows that are looked at
_TOLERANCE = 1e-2
_MOST_STEPS = 50_000
_SEED = 0


@dataclass(frozen=True)
class Tuned:
    """What tuning chose.

    Attributes
    ----------
    C, gamma : float
        The cost of an error and the width of the kernel.
    precision : float
        Cross-validated average precision, NaN where nothing could be judged.
    """

    C: float
    gamma: float
    precision: float


def is_tuned(C: Any, gamma: Any, kernel: str) -> bool:
    """Whether something is to be tuned."""
    return _asked(C) or (_asked(gamma) and kernel not in ("linear", "precomputed"))


def tune_kernel(
    rows: Matrix,
    encoded: Ids,
    weights: Floats,
    *,
    kernel: str,
    C: Any,
    gamma: Any,
    degree: int,
    coef0: float,
    scale: float | None = None,
) -> Tuned:
    """Choose what is ``"tuned"`` by cross-validated average precision, and keep what is a number.

    Folds, grid and ties are fixed, so that the same rows in the same order give the same choice.
    Folds are subproblems of one gram, and every SVM starts from the one with the next smaller
    cost.

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_rows, n_features)
        Labelled rows; kernel values for a precomputed kernel.
    encoded : ndarray of int of shape (n_rows,)
        Class numbers.
    weights : ndarray of shape (n_rows,)
        Factors of the cost by row.
    kernel, C, gamma, degree, coef0
        As in `KernelSVC`.
    scale : float or None, default=None
        The usual width; None for ``"scale"`` of the rows.

    Returns
    -------
    Tuned
        Numbers.
    """
    if not is_tuned(C, gamma, kernel):
        return Tuned(float(C), resolve_gamma(_given(gamma), rows, kernel), float("nan"))
    if scale is None:
        scale = resolve_gamma(_given(gamma), rows, kernel)
    widths = scale * _WIDTHS if _asked(gamma) and kernel not in ("linear", "precomputed") else None
    costs = _COSTS if _asked(C) else np.array([float(C)])
    usual = Tuned(_USUAL_COST if _asked(C) else float(C), scale, float("nan"))
    chosen = _few_rows(encoded, weights)
    rows = rows[np.ix_(chosen, chosen)] if kernel == "precomputed" else take_rows(rows, chosen)
    encoded, weights = encoded[chosen], weights[chosen]
    folds = fold_numbers(encoded, 5 if len(encoded) <= _FEW else 3, _SEED)
    sides = _sides(encoded, folds)
    if not len(sides) or folds.max() < 1:
        return usual
    precision = np.array(
        [
            _path(values, sides, weights, folds, costs)
            for values in _grams(
                rows, kernel, widths if widths is not None else np.array([scale]), degree, coef0
            )
        ]
    )
    rare = min(int(side[folds >= 0].sum()) for side in sides)
    away = np.zeros(precision.shape)
    if _asked(C):
        away += (np.log(costs / _USUAL_COST) / np.log(_STEP))[None, :] ** 2
    if widths is not None:
        away += (np.log(_WIDTHS) / np.log(_STEP))[:, None] ** 2
    best = np.unravel_index(np.argmax(precision - _CAUTION / rare * away), away.shape)
    width = scale if widths is None else float(widths[best[0]])
    return Tuned(float(costs[best[1]]), width, float(precision[best]))


def _given(gamma: Any) -> Any:
    return "scale" if _asked(gamma) else gamma


def _asked(value: Any) -> bool:
    return isinstance(value, str) and value == TUNED


def _few_rows(encoded: Ids, weights: Floats) -> Ids:
    """Rows of positive weight; of more than `_MOST`, a draw that keeps small classes whole."""
    rows = np.flatnonzero(weights > 0.0)
    if len(rows) <= _MOST:
        return rows
    rng = np.random.default_rng(_SEED)
    classes, counts = np.unique(encoded[rows], return_counts=True)
    drawn, left = [], _MOST
    for at, number in enumerate(np.argsort(counts, kind="stable")):
        own = rows[encoded[rows] == classes[number]]
        # Small classes are kept whole, as far as an equal share goes.
        n = min(len(own), left // (len(classes) - at))
        drawn.append(rng.choice(own, n, replace=False))
        left -= n
    return np.sort(np.concatenate(drawn))


def _sides(encoded: Ids, folds: Ids) -> list[NDArray[np.bool_]]:
    """Which rows are of the class of an SVM: of the rarer one of two, else of each."""
    numbers, counts = np.unique(encoded[folds >= 0], return_counts=True)
    if len(numbers) < 2:
        return []
    own = [numbers[np.argmin(counts)]] if len(np.unique(encoded)) == 2 else numbers
    return [encoded == number for number in own]


def _grams(rows: Matrix, kernel: str, widths: Floats, degree: int, coef0: float) -> Any:
    """Yield kernel values between all rows, one matrix per width."""
    n = rows.shape[0]
    every = np.arange(n, dtype=np.int32)
    if kernel == "precomputed":
        yield np.ascontiguousarray(rows, dtype=np.float32)
        return
    view = engine_rows(rows)
    values = np.empty((0, 0), dtype=np.float32)
    for at, width in enumerate(widths):
        if kernel == "rbf" and at:
            values = np.square(np.square(values))
        else:
            made = _core.Kernel(kernel, float(width), float(coef0), int(degree), view)
            gram = _core.Gram(made, view, 4 * n * n)
            gram.fill(1)
            values = gram.block(every, every)
        yield np.ascontiguousarray(values)


def _path(
    values: NDArray[np.float32],
    sides: list[NDArray[np.bool_]],
    weights: Floats,
    folds: Ids,
    costs: Floats,
) -> Floats:
    """Average precision of each cost, over folds and SVMs."""
    view = engine_rows(values)
    provider = _core.DirectProvider(_core.Kernel("precomputed", 1.0, 0.0, 3, view), view)
    cache = 4 * values.size + (1 << 20)
    judged = folds >= 0
    found = np.zeros(len(costs))
    for side in sides:
        signs = np.where(side, 1.0, -1.0)
        scores = np.zeros((len(costs), len(folds)))
        for fold in range(folds.max() + 1):
            train = np.flatnonzero(folds != fold).astype(np.int32)
            test = np.flatnonzero(folds == fold)
            block = values[np.ix_(test, train)].astype(np.float64)
            start = None
            for at, cost in enumerate(costs):
                solution = _core.solve(
                    provider, train, signs[train], cost * weights[train], start, _TOLERANCE,
                    _MOST_STEPS, cache, None, 1,
                )  # fmt: skip
                start = solution.alpha
                # Sums in one order on every machine.
                scores[at, test] = np.einsum("ij,j->i", block, start) + solution.bias
        found += [quick_average_precision(side[judged], row[judged]) for row in scores]
    return found / len(sides)
