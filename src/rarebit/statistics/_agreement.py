"""How far annotators agree beyond chance, from rows that several of them labelled blindly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

_DRAWS = 1_000
_SEED = 0


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement with its interval.

    Attributes
    ----------
    value : float
        1 for full agreement, 0 for what chance gives (shares of agreement: 0 for none).
    low, high : float
        Interval of 95 %, by drawing rows with replacement; Wilson's for shares.
    n_rows : int
        Rows that it was computed from.
    """

    value: float
    low: float
    high: float
    n_rows: int


@dataclass(frozen=True)
class Agreement:
    """How far annotators agree.

    Attributes
    ----------
    n_rows : int
        Rows with at least two labels.
    annotators : tuple of str
        Who gave them, sorted.
    raw : Coefficient or None
        Share of pairs of labels to a row that are the same.
    cohen : dict of tuple of str to Coefficient
        Cohen's kappa of each pair of annotators with common rows.
    fleiss : Coefficient or None
        Fleiss' kappa; None unless all rows have the same number of labels.
    krippendorff : Coefficient or None
        Krippendorff's alpha for classes, which allows for missing labels.
    """

    n_rows: int
    annotators: tuple[str, ...]
    raw: Coefficient | None
    cohen: Mapping[tuple[str, str], Coefficient]
    fleiss: Coefficient | None
    krippendorff: Coefficient | None


def agreement(labels: Mapping[Any, Mapping[str, Any]]) -> Agreement:
    """Measure how far annotators agree.

    Parameters
    ----------
    labels : mapping of row to mapping of annotator to label
        Labels that were given without knowing of each other. Rows with one label are left out.

    Returns
    -------
    Agreement
        Coefficients with intervals; None where they are not defined, as with a single class.

    Examples
    --------
    >>> from rarebit.statistics import agreement
    >>> rows = {
    ...     0: {"ann": "a", "bob": "a"},
    ...     1: {"ann": "a", "bob": "b"},
    ...     2: {"ann": "b", "bob": "b"},
    ...     3: {"ann": "b", "bob": "b"},
    ... }
    >>> found = agreement(rows)
    >>> found.raw.value, found.cohen["ann", "bob"].value
    (0.75, 0.5)
    >>> round(found.krippendorff.value, 3)
    0.533
    """
    rows = [dict(given) for given in labels.values() if len(given) > 1]
    people = tuple(sorted({who for given in rows for who in given}))
    if not rows:
        return Agreement(0, people, None, {}, None, None)
    codes = {name: i for i, name in enumerate(dict.fromkeys(
        str(label) for given in rows for label in given.values()
    ))}  # fmt: skip
    table = np.full((len(rows), len(people)), -1)
    for i, given in enumerate(rows):
        for who, label in given.items():
            table[i, people.index(who)] = codes[str(label)]
    n_classes = len(codes)
    counts = np.stack([np.sum(table == c, axis=1) for c in range(n_classes)], axis=1)
    cohen = {}
    for a, b in combinations(range(len(people)), 2):
        both = table[(table[:, a] >= 0) & (table[:, b] >= 0)][:, [a, b]]
        found = _resampled(both, _cohen)
        if found is not None:
            cohen[people[a], people[b]] = found
    even = len(set(counts.sum(axis=1).tolist())) == 1
    return Agreement(
        len(rows),
        people,
        _raw(counts),
        cohen,
        _resampled(counts, _fleiss) if even else None,
        _resampled(counts, _krippendorff),
    )


def _raw(counts: NDArray[np.intp]) -> Coefficient:
    """Share of equal pairs; the interval takes rows, not pairs, as independent."""
    totals = counts.sum(axis=1)
    shares = (counts * (counts - 1)).sum(axis=1) / (totals * (totals - 1))
    share, n, z = float(shares.mean()), len(counts), 1.959964
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Coefficient(share, float(max(0.0, centre - half)), float(min(1.0, centre + half)), n)


def _cohen(pairs: NDArray[np.intp]) -> float:
    observed = float(np.mean(pairs[:, 0] == pairs[:, 1]))
    n = len(pairs)
    first, second = (Counter(pairs[:, i].tolist()) for i in range(2))
    expected = sum(first[c] * second[c] for c in first) / (n * n)
    return (observed - expected) / (1.0 - expected) if expected < 1.0 else np.nan


def _fleiss(counts: NDArray[np.intp]) -> float:
    n = counts.sum(axis=1)
    observed = float(np.mean((counts * (counts - 1)).sum(axis=1) / (n * (n - 1))))
    shares = counts.sum(axis=0) / counts.sum()
    expected = float(np.sum(shares**2))
    return (observed - expected) / (1.0 - expected) if expected < 1.0 else np.nan


def _krippendorff(counts: NDArray[np.intp]) -> float:
    n = counts.sum(axis=1)
    total = n.sum()
    same = ((counts * (counts - 1)).sum(axis=1) / (n - 1)).sum()
    observed = 1.0 - same / total
    per_class = counts.sum(axis=0)
    expected = 1.0 - float(np.sum(per_class * (per_class - 1))) / (total * (total - 1))
    return 1.0 - observed / expected if expected > 0.0 else np.nan


def _resampled(
    rows: NDArray[np.intp], compute: Callable[[NDArray[np.intp]], float]
) -> Coefficient | None:
    """Return a coefficient with the interval of draws of rows with replacement."""
    if not len(rows):
        return None
    value = compute(rows)
    if not np.isfinite(value):
        return None
    draw = np.random.default_rng(_SEED)
    drawn: Sequence[float] = [
        compute(rows[draw.integers(0, len(rows), len(rows))]) for _ in range(_DRAWS)
    ]
    finite = np.array([each for each in drawn if np.isfinite(each)])
    # Few rows can agree by luck in every draw: an interval of one point would claim too much.
    if len(finite) < _DRAWS // 2 or len(rows) < 3:
        return Coefficient(float(value), -1.0, 1.0, len(rows))
    low, high = np.percentile(finite, [2.5, 97.5])
    return Coefficient(float(value), float(low), float(high), len(rows))
