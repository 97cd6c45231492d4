"""The certificate of a frozen classifier equals the definition, row by row."""

from __future__ import annotations

import json
from math import floor, sqrt

import numpy as np
import pytest

from rarebit.statistics import LedgerError, RowEvent, certificate, certificates, log_evidence
from rarebit.statistics import _strata as module

HIGH, LOW = list(range(12)), list(range(12, 40))


def session(seed: int, steps: int = 30) -> tuple[list[RowEvent], set[int]]:
    """Audits in both strata in turns, other queries, skips and late answers."""
    rng = np.random.default_rng(seed)
    rare = set(rng.choice(HIGH, 8, replace=False).tolist()) | {15, 31}
    events: list[RowEvent] = []
    left = {True: list(HIGH), False: list(LOW)}
    for _ in range(steps):
        stratum = bool(rng.random() < 0.4)
        if not left[stratum]:
            continue
        row = left[stratum].pop(int(rng.integers(len(left[stratum]))))
        events.append(RowEvent("ask", row, reason="audit" if rng.random() < 0.8 else "border"))
        if rng.random() < 0.9:
            events.append(RowEvent("label", row, "rare" if row in rare else "no"))
    return events, rare


def by_definition(
    events: list[RowEvent], risk: float, found: int, n_rows: int
) -> tuple[float, float]:
    """Recall and g-mean over all (c, b) whose joint evidence stayed below 1 / risk."""
    asked = [event for event in events if event.kind == "ask"]
    answer = {event.row: event.label == "rare" for event in events if event.kind == "label"}
    gone = {True: 0, False: 0}
    bad_known = {True: 0, False: 0}
    confirmed = {True: 0, False: 0}
    good = {True: 0, False: 0}
    ledgers: dict[bool, list[tuple[int, int, float, int]]] = {True: [], False: []}
    times: list[tuple[int, int]] = [(0, 0)]
    for event in asked:
        high = event.row in HIGH
        is_bad = event.row not in answer or answer[event.row] != high
        if event.reason == "audit":
            size = len(HIGH) if high else len(LOW)
            ledgers[high].append((size - gone[high], bad_known[high], 0.0, int(is_bad)))
            times.append((len(ledgers[True]), len(ledgers[False])))
        gone[high] += 1
        bad_known[high] += is_bad
        confirmed[high] += is_bad and event.row in answer
        good[high] += not is_bad
    recall = g_mean = 1.0
    for c in range(confirmed[True], len(HIGH) - good[True] + 1):
        above = [np.exp(log_evidence(c, ledgers[True][:i])) for i in range(len(ledgers[True]) + 1)]
        for b in range(confirmed[False], len(LOW) - good[False] + 1):
            below = [
                np.exp(log_evidence(b, ledgers[False][:i])) for i in range(len(ledgers[False]) + 1)
            ]
            if max(below[j] * (0.5 + 0.5 * above[i]) for i, j in times) >= 1 / risk:
                continue
            taken = found + len(HIGH) - c + confirmed[False]
            share = taken / (taken + b - confirmed[False])
            normal = n_rows - (found + len(HIGH) - c + b)
            specificity = 1 - (c - confirmed[True]) / normal if normal > 0 else 1.0
            recall, g_mean = min(recall, share), min(g_mean, sqrt(share * specificity))
    return recall, g_mean


@pytest.mark.parametrize("seed", range(4))
def test_the_staircase_is_the_confidence_set(seed: int) -> None:
    events, _ = session(seed)
    proved = certificate(
        events, high=HIGH, low=LOW, rare="rare", found=5, n_rows=60, risk=0.3, claims=["recall"]
    )
    recall, g_mean = by_definition(events, 0.3, 5, 60)
    assert proved.recall_min == pytest.approx(recall)
    assert proved.g_mean_min == pytest.approx(g_mean)


def test_coarse_steps_err_on_the_safe_side(monkeypatch: pytest.MonkeyPatch) -> None:
    events, _ = session(1)
    arguments = {"high": HIGH, "low": LOW, "rare": "rare", "found": 5, "n_rows": 60, "risk": 0.3}
    fine = certificate(events, **arguments)
    monkeypatch.setattr(module, "STEPS", 3)
    coarse = certificate(events, **arguments)
    assert fine.recall_min is not None
    assert coarse.recall_min is not None
    assert 0 < coarse.recall_min <= fine.recall_min


def test_the_rule_of_the_text() -> None:
    """Certified at rho if the smallest refuted number of misses is refuted for every c."""
    events, _ = session(2)
    proved = certificate(
        events, high=HIGH, low=LOW, rare="rare", found=5, n_rows=60, risk=0.3, claims=["recall"]
    )
    recall = proved.recall_min
    assert recall is not None
    assert proved.reaches(recall)
    assert not proved.reaches(recall + 1e-6)


def test_claims_share_the_risk() -> None:
    events, _ = session(0)
    arguments = {"high": HIGH, "low": LOW, "rare": "rare", "found": 5, "n_rows": 60}
    alone = certificate(events, **arguments, claims=["precision"], risk=0.1)
    shared = certificate(events, **arguments, claims=["recall", "precision"], risk=0.2)
    assert alone.precision_min == shared.precision_min
    assert alone.recall_min is None
    three = certificate(events, **arguments, claims=["recall", "precision", "total"], risk=0.2)
    assert three.precision_min is not None
    assert alone.precision_min is not None
    assert three.precision_min <= alone.precision_min


def test_everything_labelled_is_known_exactly() -> None:
    rare = {*range(10), 20}
    events = []
    for row in [*HIGH, *LOW]:
        events.append(RowEvent("ask", row, reason="audit"))
        events.append(RowEvent("label", row, "rare" if row in rare else "no"))
    proved = certificate(events, high=HIGH, low=LOW, rare="rare", found=3, n_rows=43)
    assert proved.recall_min == 1.0
    assert proved.precision_min == pytest.approx(10 / 12)
    assert proved.g_mean_min == 1.0


def test_no_audit_proves_little() -> None:
    proved = certificate([], high=HIGH, low=LOW, rare="rare", found=3, n_rows=50)
    assert proved.recall_min == pytest.approx(3 / (3 + len(LOW)))
    assert proved.precision_min == 0.0
    nothing = certificate([], high=[], low=LOW, rare="rare", found=3, n_rows=50)
    assert nothing.precision_min is None
    assert str(nothing).endswith(
        "No row without a label is predicted rare, so there is no precision to bound."
    )
    assert json.loads(json.dumps(nothing.to_json(), allow_nan=False))["precision_min"] is None


def test_the_bounds_hold_at_all_times() -> None:
    wrong = np.zeros(2, dtype=int)
    runs = 40
    for seed in range(runs):
        events, rare = session(seed + 100, 34)
        recall_true = (5 + len(rare & set(HIGH))) / (5 + len(rare))
        missed = [False, False]
        for end in range(4, len(events) + 1, 8):
            part = events[:end]
            found_low = len(
                {e.row for e in part if e.kind == "label" and e.label == "rare"} & set(LOW)
            )
            now = (recall_true * (5 + len(rare)) + found_low) / (5 + len(rare))
            proved = certificate(
                part, high=HIGH, low=LOW, rare="rare", found=5, n_rows=60, risk=0.4
            )
            assert proved.recall_min is not None
            assert proved.precision_min is not None
            missed[0] |= proved.recall_min > now + 1e-12
            missed[1] |= proved.precision_min > 8 / 12 + 1e-12
        wrong += missed
    assert max(wrong) <= floor(runs * 0.2 + 3 * sqrt(runs * 0.16))


KINDS = {"a": list(range(12)), "b": list(range(12, 20))}


def kinds_session(seed: int) -> tuple[list[RowEvent], dict[int, str]]:
    """Draws from all rows predicted rare, or from the others; classes are taken for each other."""
    rng = np.random.default_rng(seed)
    truth = dict.fromkeys(range(50), "no")
    truth |= dict.fromkeys([0, 1, 2, 3, 4, 5, 6, 7, 13, 30], "a")
    truth |= dict.fromkeys([10, 11, 14, 15, 16, 17, 41], "b")
    urns = [list(range(20)), list(range(20, 50))]
    events = []
    for _ in range(40):
        urn = urns[int(rng.random() < 0.6)] or urns[0] or urns[1]
        row = urn.pop(int(rng.integers(len(urn))))
        events.append(RowEvent("ask", row, reason="audit"))
        if rng.random() < 0.95:
            events.append(RowEvent("label", row, truth[row]))
    return events, truth


def test_certificates_of_several_classes_hold_together() -> None:
    risk, runs, wrong = 0.4, 60, 0
    found = {"a": 4, "b": 2}
    for seed in range(runs):
        events, truth = kinds_session(seed)
        missed = False
        for end in range(8, len(events) + 1, 12):
            labels = {event.row: event.label for event in events[:end] if event.kind == "label"}
            proved = certificates(
                events[:end], high=KINDS, low=range(20, 50), found=found, n_rows=60, risk=risk
            )
            for name, one in proved.items():
                said = {row: kind for kind, rows in KINDS.items() for row in rows} | labels
                own = [row for row, label in truth.items() if label == name]
                held = found[name] + sum(said.get(row) == name for row in own)
                assert one.recall_min is not None
                assert one.precision_min is not None
                missed |= one.recall_min > held / (found[name] + len(own)) + 1e-12
                right = np.mean([truth[row] == name for row in KINDS[name]])
                missed |= one.precision_min > right + 1e-12
        wrong += missed
    assert wrong <= floor(runs * risk + 3 * sqrt(runs * risk * (1 - risk)))


def test_certificates_are_exact_when_all_is_labelled() -> None:
    _, truth = kinds_session(0)
    events = []
    for row, label in truth.items():
        events += [RowEvent("ask", row, reason="audit"), RowEvent("label", row, label)]
    arguments = {"high": KINDS, "low": range(20, 50), "found": {"a": 1, "b": 1}, "n_rows": 60}
    proved = certificates(events, **arguments)
    assert [one.recall_min for one in proved.values()] == [1.0, 1.0]
    assert [one.precision_min for one in proved.values()] == pytest.approx([8 / 12, 4 / 8])
    assert [one.misses_max for one in proved.values()] == [2, 3]
    nothing = certificates([], **arguments)
    # Every row that is not predicted to be of the class may be of it.
    assert nothing["a"].recall_min == 1 / (1 + 8 + 30)


def test_rows_taken_back_count_as_missed() -> None:
    events, _ = session(1)
    arguments = {"high": HIGH, "low": LOW, "rare": "rare", "n_rows": 60, "risk": 0.3}
    before = certificate(events, found=5, **arguments)
    after = certificate(events, found=4, undone=1, **arguments)
    dropped = certificate(events, found=4, **arguments)
    assert before.recall_min is not None
    assert after.recall_min is not None
    assert dropped.recall_min is not None
    assert after.recall_min < dropped.recall_min < before.recall_min


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"high": [1, 2], "low": [2, 3]}, "different rows"),
        ({"n_rows": 20}, "different rows"),
        ({"claims": ["luck"]}, "claims must be some of"),
        ({"claims": []}, "claims must be some of"),
        ({"risk": 2}, "risk must be"),
        ({"found": -1}, "found must be"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, object], message: str) -> None:
    given = {"high": HIGH, "low": LOW, "rare": "rare", "found": 3, "n_rows": 60, **arguments}
    with pytest.raises(LedgerError, match=message):
        certificate([], **given)  # type: ignore[arg-type]


def test_rows_from_before_the_freeze_are_refused() -> None:
    with pytest.raises(LedgerError, match="in no stratum"):
        certificate([RowEvent("ask", 50)], high=HIGH, low=LOW, rare="rare", found=3, n_rows=60)
