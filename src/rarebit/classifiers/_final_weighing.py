"""Cross-validation of the parts of a blend, and the weights that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit._precision import quick_average_precision
from rarebit.classifiers._final_calibration import platt
from rarebit.classifiers._final_parts import (
    FORESTS,
    WORDS,
    PartOptions,
    fit_forest,
    fit_part,
    part_scores,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ids = NDArray[np.intp]

# Difference in average precision that divides the weight of a part by e: it cannot be told from
# chance when it comes from a few rows of the rare class.
_TEMPERATURE = 0.05
_FEW_ROWS = 1.0
# Share of the weights below which a part is left out.
_LEAST_WEIGHT = 0.05


@dataclass(frozen=True, eq=False)
class Weighing:
    """What cross-validation says of parts.

    Attributes
    ----------
    precision : dict of str to float
        Average precision of every part.
    weights : dict of str to float
        Weights of those that are taken.
    slopes, constants : dict of str to ndarray of shape (n_columns,)
        From their scores to log odds.
    blended : ndarray of shape (n_rows, n_columns)
        Weighted log odds of rows, by parts that have not seen them.
    reason : str
        What was taken and why.
    parts : dict of str to object
        Those that are taken, fitted to all rows.
    guessed : ndarray of bool of shape (n_columns,)
        Columns whose log odds are scores in units of their spread, because no part that is taken
        ranks labels that it has not seen better than chance, or none could be judged.
    """

    precision: dict[str, float]
    weights: dict[str, float]
    slopes: dict[str, Floats]
    constants: dict[str, Floats]
    blended: Floats
    reason: str
    parts: dict[str, Any]
    guessed: Flags


def weigh_parts(
    names: tuple[str, ...],
    rows: Any,
    encoded: Ids,
    sides: Flags,
    folds: Ids,
    options: PartOptions,
    *,
    turned: bool,
    others: Any = None,
) -> Weighing:
    """Judge every part on folds that it has not seen, and weigh it by how well it ranks them.

    Parameters
    ----------
    names : tuple of str
        Parts to try.
    rows : array or CSR matrix of shape (n_rows, n_features)
        Labelled rows.
    encoded : ndarray of int of shape (n_rows,)
        Class numbers.
    sides : ndarray of bool of shape (n_rows, n_columns)
        Which rows are of the class of a column.
    folds : ndarray of int of shape (n_rows,)
        As `fold_numbers` gives them.
    options : PartOptions
        Parameters.
    turned : bool
        Whether low scores are those of the rare class.
    others : array or CSR matrix of shape (n_others, n_features), or None
        As in `guess_parts`.

    Returns
    -------
    Weighing
        With weights that add up to 1.
    """
    seen = folds >= 0
    crossed: dict[str, Floats] = {}
    grown: dict[str, Any] = {}
    for name in names:
        if name in FORESTS:
            grown[name], crossed[name] = fit_forest(name, rows, encoded, options)
            continue
        scores = np.zeros(sides.shape)
        for fold in range(folds.max() + 1):
            test = folds == fold
            part = fit_part(name, rows[~test], encoded[~test], options)
            scores[test] = part_scores(name, part, rows[test])
        crossed[name] = scores
    precision = {
        name: _mean_precision(sides[seen] ^ turned, -scores[seen] if turned else scores[seen])
        for name, scores in crossed.items()
    }
    best = max(precision.values())
    rare = np.count_nonzero(sides[seen] ^ turned, axis=0)
    temperature = _TEMPERATURE + _FEW_ROWS / max(int(rare.min()), 1)
    raw = {n: float(np.exp((p - best) / temperature)) for n, p in precision.items()}
    kept = {n: w for n, w in raw.items() if w >= _LEAST_WEIGHT * sum(raw.values())}
    weights = {n: w / sum(kept.values()) for n, w in kept.items()}
    fits = {n: platt_columns(crossed[n][seen], sides[seen]) for n in crossed}
    guessed = ~np.any([fits[n][0] > 0.0 for n in weights], axis=0)
    if guessed.all():
        # What was measured is chance, and would be as good a reason for any other weights.
        weights = _equal_weights(names)
    reason = _say(precision, weights, int(folds.max()) + 1, len(encoded), chance=guessed.all())
    parts = {n: grown[n] if n in grown else fit_part(n, rows, encoded, options) for n in weights}
    slopes, constants = {}, {}
    blended = np.zeros(sides.shape)
    for name, weight in weights.items():
        slopes[name], constants[name] = fits[name]
        if guessed.any():
            # Slopes of 0 would give every row the same score. A few labels say little of the order
            # of the pool, and the machine of all labels still ranks it.
            own = _scale_by_spread(name, parts[name], rows, sides, others)
            slopes[name] = np.where(guessed, own[0], slopes[name])
            constants[name] = np.where(guessed, own[1], constants[name])
        blended += weight * (crossed[name] * slopes[name] + constants[name])
    return Weighing(precision, weights, slopes, constants, blended, reason, parts, guessed)


def guess_parts(
    names: tuple[str, ...],
    rows: Any,
    encoded: Ids,
    sides: Flags,
    options: PartOptions,
    others: Any,
) -> Weighing:
    """Blend without cross-validation: scores count in units of their spread.

    Parameters
    ----------
    names, rows, encoded, sides, options
        As in `weigh_parts`.
    others : array or CSR matrix of shape (n_others, n_features), or None
        Rows of the pool to measure the spread on, instead of the labelled ones.

    Returns
    -------
    Weighing
        With equal weights.
    """
    weights = _equal_weights(names)
    parts = {name: fit_part(name, rows, encoded, options) for name in weights}
    slopes, constants = {}, {}
    blended = np.zeros(sides.shape)
    for name, part in parts.items():
        slopes[name], constants[name] = _scale_by_spread(name, part, rows, sides, others)
        own = part_scores(name, part, rows) * slopes[name]
        blended += weights[name] * (own + constants[name])
    reason = (
        f"Took an equal blend of {listed([WORDS[name] for name in weights])}: fewer than two "
        "classes have two labels, and nothing can be cross-validated."
    )
    guessed = np.ones(sides.shape[1], dtype=bool)
    return Weighing({}, weights, slopes, constants, blended, reason, parts, guessed)


def _equal_weights(names: tuple[str, ...]) -> dict[str, float]:
    kept = [name for name in names if name != "boosting"]  # has no split in few rows
    return dict.fromkeys(kept, 1.0 / len(kept))


def _scale_by_spread(
    name: str, part: Any, rows: Any, sides: Flags, others: Any
) -> tuple[Floats, Floats]:
    """Return slopes and constants that make scores count in units of their spread."""
    own = part_scores(name, part, rows)
    spread = (own if others is None else part_scores(name, part, others)).std(axis=0)
    slopes = 1.0 / np.where(spread > 0.0, spread, 1.0)
    # Even odds of a class that is as frequent as among the labels lie half way between what is
    # said of the labels of either side.
    own = own * slopes
    middle = [
        0.5 * (own[sides[:, k], k].mean() + own[~sides[:, k], k].mean())
        for k in range(sides.shape[1])
    ]
    shares = sides.mean(axis=0)
    return slopes, np.log(shares / (1.0 - shares)) - np.array(middle)


def has_both(sides: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which columns have rows on either side."""
    return np.asarray(sides.any(axis=0) & ~sides.all(axis=0))


def platt_columns(scores: Floats, sides: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return slopes and constants; a class that no fold judged has the median of the others."""
    found = np.full((2, sides.shape[1]), np.nan)
    for k in np.flatnonzero(has_both(sides)):
        found[:, k] = platt(scores[:, k], sides[:, k])
    middle = np.nanmedian(found, axis=1, keepdims=True)
    slopes, constants = np.where(np.isnan(found), middle, found)
    return slopes, constants


def _mean_precision(sides: NDArray[np.bool_], scores: Floats) -> float:
    columns = np.flatnonzero(has_both(sides))
    return float(np.mean([quick_average_precision(sides[:, k], scores[:, k]) for k in columns]))


def listed(words: list[str]) -> str:
    """Return words with commas between and ``and`` before the last."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _say(
    precision: dict[str, float],
    weights: dict[str, float],
    n_folds: int,
    n_labels: int,
    *,
    chance: bool,
) -> str:
    if chance:
        return (
            f"Took an equal blend of {listed([WORDS[name] for name in weights])}: in {n_folds} "
            f"folds of {n_labels:,} labels none of them tells the classes apart better than "
            "chance, so that its probabilities are guesses; label more rows."
        )
    order = sorted(weights, key=lambda name: -weights[name])
    taken = [f"{WORDS[n]} ({weights[n]:.2f})" for n in order]
    what = WORDS[order[0]] if len(order) == 1 else f"a blend of {listed(taken)}"
    left = [f"{WORDS[n]} ({p:.3f})" for n, p in precision.items() if n not in order]
    text = (
        f"Took {what}: average precision {listed([f'{precision[n]:.3f}' for n in order])} in "
        f"{n_folds} folds of {n_labels:,} labels"
    )
    return f"{text}; left out: {listed(left)}." if left else f"{text}."
