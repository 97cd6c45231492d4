"""When to audit: late. A rule of thumb that changes the cost of a proof, never its validity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Any

import numpy as np

from ._ceiling import allowed_misses
from ._draws import read_draws
from ._errors import check_binary, check_count, check_share

# Fitted on synthetic pools: within -15 to +40 % of the best number of audits in hindsight.
RECENT = 0.85
SMALLEST_BLOCK = 25
# The threshold of the text holds for many expected hits. Most proofs end without any, and then
# audits are worth twice as much (11 to 15 runs of seven synthetic cells, all of them cheaper).
SHARPER = 2.0
# An audit finds rare rows, too: harvest must find so many times as many.
BETTER_THAN_CHANCE = 2.0


@dataclass(frozen=True)
class Step:
    """What to ask for next.

    Attributes
    ----------
    action : {"harvest", "audit"}
        The rows of the highest score, or uniform draws from all rows that nobody was asked for.
    rows : int
        How many before the rule is asked again; a hit ends a block, because it changes the scores.
    hit_rate : float
        Estimated share of rare rows among the next rows of a harvest.
    threshold : float
        Harvest pays while the hit rate is above it.
    """

    action: str
    rows: int
    hit_rate: float
    threshold: float


def next_step(
    harvest: Sequence[int], ledger: Any, known: int, urn: int, recall: float = 0.9
) -> Step:
    """Choose between harvesting and auditing.

    A draw late in the search carries many times the evidence of an early one, 19 times at a
    recall of 0.9, while a harvest that finds nothing more is wasted.

    Parameters
    ----------
    harvest : sequence of {0, 1}
        Answers to harvested rows in the order asked, 1 for rare. An audit that was rare stands
        among them as a hit: the ranking learns from it, and what it finds next must be tried.
    ledger : array-like of shape (n_draws, 4)
        Draws so far.
    known : int
        Rare rows confirmed.
    urn : int
        Rows that nobody was asked for.
    recall : float, default=0.9
        Share of the rare rows to prove.

    Returns
    -------
    Step
        The action and the size of its block, at most ``urn``.

    Examples
    --------
    >>> from rarebit.statistics import next_step
    >>> next_step([1] * 80 + [0, 1, 0, 1], [], known=82, urn=10_000).action
    'harvest'
    >>> step = next_step([1] * 80 + [0] * 1_000, [], known=80, urn=10_000)
    >>> step.action, step.rows
    ('audit', 167)
    """
    outcomes = check_binary(harvest, "harvest")
    draws = read_draws(ledger)
    known, urn = check_count(known, "known"), check_count(urn, "urn")
    allowed = allowed_misses(known, check_share(recall, "recall"))
    if urn == 0:
        return Step("audit", 0, 0.0, 1.0)
    rate = harvest_rate(outcomes)
    late = draws.m >= RECENT * known
    hits, exposure = float(draws.y[late].sum()), float(np.sum(1 / draws.n[late]))
    threshold = _threshold(rate * len(outcomes), hits, exposure, allowed, urn)
    if rate > threshold:
        # So many rows without a hit would bring the rate down to the threshold.
        patience = ceil(1 / threshold) - _rows_since(outcomes, 1) if threshold > 0 else urn
        return Step("harvest", min(urn, max(1, min(patience, SMALLEST_BLOCK))), rate, threshold)
    block = max(SMALLEST_BLOCK, round(0.15 * urn / (allowed + 1)))
    return Step("audit", min(urn, block), rate, threshold)


def harvest_rate(outcomes: Sequence[int]) -> float:
    """Return the smaller of the hit rates since the last and since the third-last hit.

    A hit counts to its own stretch. Without a harvest the rate is 1, so that the search begins
    with one; without a hit it is one in the rows harvested and one more.
    """
    hits = int(sum(outcomes))
    if hits == 0:
        return 1 / (len(outcomes) + 1)
    third = min(3, hits)
    return min(1 / _rows_since(outcomes, 1), third / _rows_since(outcomes, third))


def _rows_since(outcomes: Sequence[int], hits: int) -> int:
    """Return the rows from the hits-th last hit on, that hit included; all if there are fewer."""
    seen = 0
    for distance, outcome in enumerate(reversed(outcomes), 1):
        seen += outcome
        if seen == hits:
            return distance
    return len(outcomes)


def _threshold(harvested: float, hits: float, exposure: float, allowed: int, urn: int) -> float:
    """Return the hit rate p* below which audits are the better buy.

    ``harvested`` is the hit rate times the rows harvested, R~; ``exposure`` is e, the sum of 1/n
    over the late draws; ``allowed`` is A.
    """
    left = (hits + 1) / (exposure + 1 / harvested) if harvested > 0 else 0.0
    if exposure > 0:
        left = max(left, (hits - 1) / exposure)
    x = min(max(left / allowed, 0.02), 0.6) if allowed else 0.6
    g = 1 - x + x * log(x)
    first = allowed**2 * g**2 / (3.5 * urn * -log(x))
    second = (2 - 3 * x) * (allowed + 1) / urn
    return max(SHARPER * first, SHARPER * second, BETTER_THAN_CHANCE * left / urn)
