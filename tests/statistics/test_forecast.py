"""What a proof is said to cost, against what it cost."""

from __future__ import annotations

import numpy as np
import pytest

from rarebit.statistics import Ledger, guarantee, next_step, proves_recall

MOMENTS = (0.1, 0.4, 0.7, 0.9)


def search(n_rows: int, n_rare: int, recall: float, seed: int) -> list[tuple[int, Ledger]]:
    """Find rare rows by a score that sees most of them, and audit; return the ledgers."""
    rng = np.random.default_rng(seed)
    rare = np.arange(n_rows) < n_rare
    score = rng.normal(size=n_rows) + 3.0 * (rare & (rng.random(n_rows) > 0.05))
    by_score = np.argsort(-score).tolist()
    inside = np.ones(n_rows, dtype=bool)
    inside[0], known, negatives, block = False, 1, 0, 0
    draws: list[tuple[int, int, float, bool]] = []
    harvest: list[int] = []
    ledgers = []
    while True:
        table = np.array(draws, dtype=np.float64).reshape(-1, 4)
        rows, hits = np.arange(len(draws)), int(table[:, 3].sum())
        ledger = Ledger(table, rows, n_rows, known, negatives, 0, len(draws), hits)
        ledgers.append((known + negatives, ledger))
        if proves_recall(table, n_rows, known, recall, known_negatives=negatives):
            return ledgers
        if block == 0:
            step = next_step(harvest, table, known, ledger.urn, recall)
            block = step.rows if step.action == "audit" else 0
        audits = block > 0
        if audits:
            row = int(rng.choice(np.flatnonzero(inside)))
            draws.append((ledger.urn, known, recall, rare[row]))
            block = 0 if rare[row] else block - 1
        else:
            row = next(each for each in by_score if inside[each])
        if not audits or rare[row]:
            harvest.append(int(rare[row]))
        inside[row] = False
        known, negatives = known + int(rare[row]), negatives + int(not rare[row])


@pytest.mark.parametrize(("n_rows", "n_rare", "recall"), [(600, 30, 0.9), (1000, 40, 0.8)])
def test_forecasts_are_near_what_a_proof_costs(n_rows: int, n_rare: int, recall: float) -> None:
    ratios = []
    for seed in range(5):
        ledgers = search(n_rows, n_rare, recall, seed)
        end = ledgers[-1][0]
        for moment in MOMENTS:
            at, ledger = ledgers[int(moment * len(ledgers))]
            labels = guarantee(ledger).forecast(recall).labels
            assert labels is not None
            ratios.append(labels / (end - at))
    medians = np.median(np.reshape(ratios, (-1, len(MOMENTS))), axis=0)
    assert ((medians > 0.5) & (medians < 2.0)).all(), medians


def test_the_same_ledger_has_the_same_forecast() -> None:
    draws = np.array([(900 - i, 9 + i // 10, 0.5, i % 10 == 9) for i in range(60)], dtype=float)
    ledger = Ledger(draws, np.arange(60), 910, 15, 55, 0, 60, 6)
    forecast = guarantee(ledger).forecast(0.5)
    assert forecast.remaining > 30  # one draw in ten hits
    assert guarantee(ledger).forecast(0.5) == forecast


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("known", "recall"), [(3, 0.5), (20, 0.5), (100, 0.8)])
def test_a_forecast_needs_no_draws(known: int, recall: float) -> None:
    nothing = np.empty((0, 4)), np.empty(0, dtype=np.intp)
    forecast = guarantee(Ledger(*nothing, 30 + known, known, 0, 0, 0, 0)).forecast(recall)
    assert forecast.audits is not None
    assert forecast.labels is not None
    assert 0 < forecast.labels <= 30
