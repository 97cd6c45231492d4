"""What nobody can prove, when to audit, and what wrong labels do."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy.stats import hypergeom

from rarebit.statistics import (
    LedgerError,
    Repeats,
    RowEvent,
    allow_for_noise,
    allowed_misses,
    count_repeats,
    fewest_labels,
    impossibility_table,
    information_bound,
    next_step,
)


@pytest.mark.parametrize(("n", "hidden"), [(100, 1), (100, 7), (50, 50), (1, 1), (4000, 1500)])
def test_fewest_labels_are_exact(n: int, hidden: int) -> None:
    k = fewest_labels(n, hidden)
    assert hypergeom.pmf(0, n, hidden, k) <= 0.05 + 1e-9
    assert hypergeom.pmf(0, n, hidden, k - 1) > 0.05


def test_the_bound_of_the_text() -> None:
    share = [
        information_bound(10**6, allowed_misses(100, recall) + 1) / 10**6 * 100
        for recall in (0.5, 0.8, 0.9, 0.95)
    ]
    assert share == pytest.approx([2.9, 10.9, 22.1, 39.3], abs=0.06)
    # All 1,000 rare rows of 100,000 found: labels in all for recall 0.8, 0.9, 0.95.
    totals = [
        1000 + limit.labels for limit in impossibility_table(100_000, [1000], [0.8, 0.9, 0.95])
    ]
    assert totals == pytest.approx([2174, 3612, 6440], rel=0.002)


@pytest.mark.parametrize("known", [1, 9, 90, 95, 171, 1000])
@pytest.mark.parametrize("recall", [0.3, 0.7, 0.9, 0.95, 1.0])
def test_allowed_misses_are_the_most(known: int, recall: float) -> None:
    k = allowed_misses(known, recall)
    assert known / (known + k) >= recall > known / (known + k + 1)


def test_hidden_rows_must_fit() -> None:
    with pytest.raises(LedgerError, match="hidden must be at most n"):
        fewest_labels(3, 4)


# --- policy --------------------------------------------------------------------------------


def test_the_search_begins_with_a_harvest_and_ends_with_audits() -> None:
    assert next_step([], [], 1, 1000).action == "harvest"
    assert next_step([1] * 50, [], 50, 1000).action == "harvest"
    step = next_step([1] * 50 + [0] * 2000, [], 50, 10_000)
    assert step.action == "audit"
    assert step.rows == round(0.15 * 10_000 / 6)
    assert next_step([0] * 5, [], 0, 0).rows == 0


def test_the_threshold_follows_the_text() -> None:
    harvest = [1] * 60 + [0] * 40
    n, m, A = 5000, 60, 6
    p = min(1 / 41, 3 / 43)
    late = [(5100 - d, 60, 0.9, 0) for d in range(50)]
    early = [(6000 - d, 10, 0.9, 0) for d in range(50)]  # below 85 % of today's finds: left out
    e = sum(1 / (5100 - d) for d in range(50))
    remaining = max(1 / (e + 1 / (p * 100)), -1 / e)
    x = min(max(remaining / A, 0.02), 0.6)
    g = 1 - x + x * log(x)
    text = max(A**2 * g**2 / (3.5 * n * -log(x)), (2 - 3 * x) * (A + 1) / n)
    wanted = max(2 * text, 2 * remaining / n)  # sharper than the text, and better than chance
    step = next_step(harvest, [*early, *late], m, n, 0.9)
    assert step.hit_rate == p
    assert step.threshold == pytest.approx(wanted)


def test_blocks_fit_the_urn() -> None:
    assert next_step([1] + [0] * 500, [], 1, 7).rows <= 7
    with pytest.raises(LedgerError, match="0 and 1 only"):
        next_step([2], [], 1, 7)


# --- wrong labels --------------------------------------------------------------------------


def test_repeats_are_compared_with_the_first_label() -> None:
    events = []
    for row, first, second in [(0, "a", "a"), (1, "a", "b"), (2, "b", "a"), (3, "b", "b")]:
        events += [
            RowEvent("ask", row),
            RowEvent("label", row, first),
            RowEvent("repeat", row, second),
        ]
    events.append(RowEvent("correct", 1, "b"))
    repeats = count_repeats(events, "a")
    assert repeats == Repeats(rare=2, rare_changed=1, normal=2, normal_changed=1)
    assert repeats.disagreement == 0.5


def test_noise_only_widens() -> None:
    clean = allow_for_noise(110, 100, Repeats(10**6, 0, 10**6, 0))
    assert clean.total_max == 110
    assert clean.recall_min == pytest.approx(100 / 110, rel=1e-4)
    few = allow_for_noise(110, 100, Repeats(50, 2, 50, 0))
    assert few.total_max > 110
    assert few.recall_min < clean.recall_min
    assert few.risk == pytest.approx(0.1)
    with pytest.raises(LedgerError, match="called rare twice"):
        allow_for_noise(110, 100, Repeats(0, 0, 5, 0))


def test_noise_covers_under_its_model() -> None:
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):
        called = rng.random(200) >= 0.1  # 200 rare rows, a tenth called normal
        total = int(called.sum())
        again = rng.random(60) >= 0.1
        repeats = Repeats(60, int((~again).sum()), 0, 0)
        wrong += allow_for_noise(total, total, repeats, noise_risk=0.2).total_max < 200
    assert wrong <= 400 * 0.2
