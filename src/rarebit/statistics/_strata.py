"""Strata of a frozen classifier: urns of rows with one prediction, and their joint evidence.

The notation is that of ``_certificate``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._ceiling import find_ceiling
from ._draws import Floats, Stretches, merge_stretches, read_draws
from ._events import AskedRow, urn_table
from ._evidence import stretch_path
from ._ledger import judge

HIGH, LOW, ELSE = "high", "low", "elsewhere"
# A longer staircase is bounded from the safe side by steps of several c.
STEPS = 400


@dataclass(frozen=True)
class Stratum:
    """An urn of rows with one prediction, and what was learned of it since the freeze."""

    size: int
    known_bad: int
    known_good: int
    table: Floats
    places: NDArray[np.intp]
    audits: int

    @property
    def bad_max(self) -> int:
        """Bad rows that are possible."""
        return self.size - self.known_good


def open_stratum(
    entries: list[AskedRow],
    members: dict[int, str],
    name: str,
    classes: Collection[Any],
    size: int,
    draws: Collection[str],
) -> Stratum:
    """Return a stratum as the answers are now."""
    places = [i for i, entry in enumerate(entries) if members[entry.row] == name]
    mine = [entries[i] for i in places]
    confirmed, unknown = judge(mine, classes)
    # In H the bad rows are those that are *not* rare; a row without an answer is bad in both.
    bad = (~confirmed & ~unknown) if name == HIGH else confirmed
    free = [AskedRow(e.row, e.reason, 0.0, e.order, None, e.state, e.label) for e in mine]
    table, drawn = urn_table(free, bad | unknown, size, draws)
    good = ~bad & ~unknown
    order = np.array(places, dtype=np.intp)[drawn]
    audits = int((~unknown[drawn]).sum())
    return Stratum(size, int(bad.sum()), int(good.sum()), table, order, audits)


def most_bad(stratum: Stratum, risk: float) -> int:
    """Return the largest number of bad rows of a stratum, from its own evidence alone."""
    stretches, _ = merge_stretches(read_draws(stratum.table))
    return find_ceiling(stretches, stratum.known_bad, stratum.bad_max, risk)


def _checkpoints(above: Stratum, below: Stratum) -> list[tuple[Stretches, NDArray[np.intp]]]:
    """Cut both strata where the joint evidence can be largest: before a bad draw, at the end.

    Returns for each stratum its stretches and, per checkpoint, how many of them are over.
    """
    order = np.concatenate([above.places, below.places])
    bad = np.concatenate([above.table[:, 3], below.table[:, 3]])[np.argsort(order)] == 1
    order = np.sort(order)
    ends = order[np.append(bad[1:], True)] if len(order) else order
    result = []
    for stratum in (above, below):
        done = np.searchsorted(stratum.places, ends, side="right")
        cuts = np.zeros(len(stratum.places) + 1, dtype=bool)
        cuts[done] = True
        stretches, last = merge_stretches(read_draws(stratum.table), cuts[:-1])
        result.append((stretches, np.searchsorted(last, done - 1, side="right")))
    return result


def _path(bad: Floats, stretches: Stretches, over: NDArray[np.intp]) -> Floats:
    """Return log E at every checkpoint, (n_hypotheses, n_checkpoints)."""
    path = np.zeros((len(bad), len(stretches) + 1))
    path[:, 1:] = stretch_path(bad, stretches)
    return np.asarray(path[:, over])


def staircase(above: Stratum, below: Stratum, risk: float) -> tuple[Floats, Floats, Floats]:
    """Return the confidence set as steps: first c, last c, largest b."""
    (h_parts, h_over), (l_parts, l_over) = _checkpoints(above, below)
    limit = -log(risk)

    def refuted(b: Floats, cash: Floats) -> NDArray[np.bool_]:
        if len(l_over) == 0:
            return np.zeros(len(b), dtype=bool)
        return np.asarray((_path(b, l_parts, l_over) + cash).max(axis=1) >= limit)

    def cash(c: Floats) -> Floats:
        return np.asarray(np.logaddexp(0.0, _path(c, h_parts, h_over)) - log(2.0))

    least = np.array([float(below.known_bad)])
    c_low, c_high = above.known_bad, above.bad_max
    if refuted(least, cash(np.array([float(c_high)])))[0]:
        inside = c_low
        while c_high - inside > 1:
            middle = (inside + c_high) // 2
            if refuted(least, cash(np.array([float(middle)])))[0]:
                c_high = middle
            else:
                inside = middle
        c_high = inside
    width = c_high - c_low + 1
    first = np.unique(np.floor(np.linspace(c_low, c_high, min(width, STEPS)))).astype(np.float64)
    last = np.append(first[1:] - 1, c_high)
    money = cash(first)
    low = np.full(len(first), float(below.known_bad))
    high = np.full(len(first), float(below.bad_max))
    top = ~refuted(high, money)
    low[top] = high[top]
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        out = refuted(middle, money)
        high, low = np.where(out, middle, high), np.where(out, low, middle)
    return first, last, low


def lowest_rates(
    stairs: tuple[Floats, Floats, Floats],
    above: Stratum,
    below: Stratum,
    found: int,
    missed: int,
    n_rows: int,
) -> tuple[float, float]:
    """Return the smallest recall and the smallest g-mean on the staircase.

    ``found`` and ``missed`` are rare rows outside of the two strata: those known, and those that
    may be.
    """
    first, last, b = stairs
    taken = found + above.size - last + below.known_bad
    missing = b - below.known_bad + missed
    recall = np.where(taken > 0, taken / np.maximum(taken + missing, 1), 0.0)
    normal = n_rows - (found + missed + above.size - first + b)
    wrong = last - above.known_bad
    share = np.where(normal > 0, wrong / np.maximum(normal, 1), 0.0)
    specificity = np.clip(1 - share, 0.0, 1.0)
    return float(recall.min()), sqrt(float((recall * specificity).min()))
