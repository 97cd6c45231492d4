"""Coverage in short, and that it breaks when the martingale is broken on purpose."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="the benchmarks are not beside the tests")

from benchmarks.coverage.policies import POLICIES
from benchmarks.coverage.simulation import Runs, ever_missed, evidence, simulate
from rarebit.statistics import RowEvent, build_ledger, log_evidence

RISK, N_RUNS = 0.2, 250
LIMIT = RISK + 3 * np.sqrt(RISK * (1 - RISK) / N_RUNS)


def share_missed(policy: str, mutation: str | None = None) -> float:
    rng = np.random.default_rng(7)
    runs = simulate(60, 30, 40, N_RUNS, POLICIES[policy], rng)
    return float(ever_missed([runs], POLICIES[policy][1], RISK, mutation)["total"].mean())


@pytest.mark.parametrize("policy", POLICIES)
def test_the_ceiling_misses_no_more_than_promised(policy: str) -> None:
    assert share_missed(policy) <= LIMIT


@pytest.mark.parametrize(
    ("mutation", "policy"),
    [
        ("m as known when asked", "rare answers late"),
        ("unanswered audits left out", "rare answers late"),
        ("rows without an answer dropped", "skips, most of them rare"),
        ("target chosen after the draw", "audits only"),
        ("finds of others forgotten", "harvest, then audits"),
    ],
)
def test_a_broken_martingale_is_noticed(mutation: str, policy: str) -> None:
    assert share_missed(policy) <= LIMIT < share_missed(policy, mutation)


def mean_of_one_draw(recorded: int) -> float:
    """The exact mean of E over a draw from 40 rows, 10 of them rare, with a recorded urn size."""
    hit = np.exp(log_evidence(10, [(recorded, 0, 0.0, 1)]))
    miss = np.exp(log_evidence(10, [(recorded, 0, 0.0, 0)]))
    return float(10 / 40 * hit + 30 / 40 * miss)


def test_an_urn_that_others_do_not_empty_is_noticed_by_the_mean() -> None:
    """Too large an urn errs on the safe side: the mean of E falls below 1, coverage only rises."""
    assert mean_of_one_draw(40) == pytest.approx(1.0, abs=1e-12)
    assert mean_of_one_draw(60) < 0.95
    policy = "harvest, then audits"
    assert share_missed(policy, "urn not emptied by others") <= share_missed(policy)


def events_of(runs: Runs, run: int, time: int) -> list[RowEvent]:
    """The events of one run up to a time, for the public functions."""
    events, answers = [], runs.answers
    for step in range(time + 1):
        reason = "audit" if runs.draw[run, step] else "harvest"
        events.append(RowEvent("ask", step, reason=reason, kappa=float(runs.kappa[run, step])))
    for step in range(time + 1):
        name = "rare" if runs.y[run, step] else "normal"
        if answers.at[run, step] <= time:
            events.append(RowEvent("label", step, name))
            if answers.gone[run, step] <= time:
                events.append(RowEvent("undo", step))
                if answers.again[run, step] <= time:
                    events.append(RowEvent("label", step, name))
    return events


@pytest.mark.parametrize(
    "policy", ["rare answers late", "skips, most of them rare", "labels taken back"]
)
def test_the_simulation_agrees_with_ledgers_of_events(policy: str) -> None:
    runs = simulate(60, 30, 40, 12, POLICIES[policy], np.random.default_rng(0))
    for time in (10, 39):
        paths, _ = evidence(runs, time)
        for run in range(12):
            ledger = build_ledger(events_of(runs, run, time), 60, "rare")
            refuted = bool(paths[run].max() >= -np.log(0.5))
            assert (ledger.ceiling(0.5) < 30) is refuted
