"""Events become ledgers by the rules that keep the evidence valid."""

from __future__ import annotations

import numpy as np
import pytest

from rarebit.statistics import (
    LedgerError,
    RowEvent,
    build_ledger,
    ceiling,
    ceilings,
    guarantee,
    shared_risk,
    unmet_ceiling,
)


def ask(row: int, reason: str = "audit", kappa: float = 0.9) -> RowEvent:
    return RowEvent("ask", row, reason=reason, kappa=kappa)


def label(row: int, name: str) -> RowEvent:
    return RowEvent("label", row, name)


def table(events: list[RowEvent], n_rows: int = 10) -> list[list[float]]:
    return build_ledger(events, n_rows, "rare").draws.tolist()


def test_other_queries_empty_the_urn_and_count_as_known() -> None:
    events = [
        RowEvent("given", 0, "rare"),
        ask(1, "border"),
        label(1, "rare"),
        ask(2),
        label(2, "no"),
    ]
    assert table(events) == [[8, 2, 0.9, 0]]


def test_late_answers_count_where_the_row_was_asked_for() -> None:
    events = [ask(1, "harvest"), ask(2), label(2, "no"), ask(3), label(3, "no"), label(1, "no")]
    assert table(events[:-1]) == [[9, 1, 0.9, 0], [8, 1, 0.9, 0]]  # pending counts as rare
    assert table(events) == [[9, 0, 0.9, 0], [8, 0, 0.9, 0]]


def test_a_pending_audit_counts_as_rare_and_not_as_known() -> None:
    ledger = build_ledger([ask(1), ask(2), label(2, "no")], 10, "rare")
    assert ledger.draws.tolist() == [[10, 0, 0.9, 1], [9, 1, 0.9, 0]]
    assert (ledger.known, ledger.unanswered, ledger.audits, ledger.hits) == (0, 1, 1, 0)


@pytest.mark.parametrize("reason", ["audit", "border"])
def test_skipped_and_undone_rows_count_as_rare_whatever_asked(reason: str) -> None:
    skipped = [ask(1, reason), RowEvent("skip", 1), ask(2), label(2, "no")]
    undone = [ask(1, reason), label(1, "no"), RowEvent("undo", 1), ask(2), label(2, "no")]
    for events in (skipped, undone):
        ledger = build_ledger(events, 10, "rare")
        assert ledger.draws[-1].tolist() == [9, 1, 0.9, 0]
        assert (ledger.known, ledger.known_negatives, ledger.urn) == (0, 1, 8)
    answered = [*undone, label(1, "rare")]
    assert build_ledger(answered, 10, "rare").known == 1


def test_a_row_shown_again_keeps_its_place() -> None:
    events = [ask(1), RowEvent("skip", 1), ask(2), label(2, "no"), ask(1, "border"), label(1, "no")]
    assert table(events) == [[10, 0, 0.9, 0], [9, 0, 0.9, 0]]


def test_a_correction_recomputes_everything() -> None:
    events = [ask(1), label(1, "no"), ask(2), label(2, "no")]
    corrected = [*events, RowEvent("correct", 1, "rare")]
    assert table(corrected) == table([ask(1), label(1, "rare"), ask(2), label(2, "no")])


def test_random_rows_are_draws_unless_left_out_and_start_rows_are_not() -> None:
    events = [ask(1, "random-start", 0.0), label(1, "no"), ask(2, "random"), label(2, "no")]
    assert table(events) == [[10, 0, 0.0, 0], [9, 0, 0.9, 0]]
    assert len(build_ledger(events, 10, "rare", draws=("audit", "random")).draws) == 1
    # Half of the rows that look for a second class are chosen because they are unlike the others.
    assert table([ask(1, "start", 0.0), label(1, "no")]) == []


def test_the_order_asked_may_be_recorded() -> None:
    first = RowEvent("ask", 1, reason="audit", order=7)
    second = RowEvent("ask", 2, reason="audit", order=3)
    ledger = build_ledger([first, second, label(1, "no"), label(2, "rare")], 10, "rare")
    assert ledger.rows.tolist() == [2, 1]
    assert ledger.draws.tolist() == [[10, 0, 0, 1], [9, 1, 0, 0]]


def test_replay_gives_the_same_bound_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    events = []
    for row in rng.permutation(300)[:200].tolist():
        events.append(ask(row, "audit" if row % 3 else "border"))
        if row % 11:
            events.append(label(row, "rare" if row % 7 == 0 else "no"))
    one, two = build_ledger(events, 300, "rare"), build_ledger(iter(events), 300, ["rare"])
    assert np.array_equal(one.draws, two.draws)
    assert one.ceiling() == two.ceiling()
    counts = (one.n_rows, one.known)
    assert one.ceiling() == ceiling(one.draws, *counts, known_negatives=one.known_negatives)


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([label(1, "no")], "asked for before"),
        ([ask(1), RowEvent("label", 1)], "must carry a label"),
        ([ask(1), label(1, "no"), label(1, "rare")], "use 'label' for the first label"),
        ([ask(1), RowEvent("correct", 1, "rare")], "'correct' for a new one"),
        ([ask(1), RowEvent("undo", 1)], "the row is pending"),
        ([ask(1), label(1, "no"), ask(1)], "asked for once"),
        ([ask(11)], "row must be below n_rows"),
        ([ask(-1)], "integer of 0 or more"),
        ([RowEvent("look", 1)], "kind of event 0"),
        ([RowEvent("ask", 1, reason="audit", kappa=1.0)], "kappa of row 1"),
        ([RowEvent("ask", 1, order=1), ask(2)], "order must be given for all"),
        ([RowEvent("ask", 1, order=1), RowEvent("ask", 2, order=1)], "order must differ"),
        ([ask(2, "border"), RowEvent("ask", 1, reason="audit", n=10)], "all askers are seen"),
    ],
)
def test_malformed_events_are_refused(events: list[RowEvent], message: str) -> None:
    with pytest.raises(LedgerError, match=message) as caught:
        build_ledger(events, 10, "rare")
    assert ". " not in str(caught.value)


def test_several_classes_share_the_risk() -> None:
    events = [event for row in range(60) for event in (ask(row), label(row, "no"))]
    each = build_ledger(events, 100, "a").ceiling(shared_risk(0.05, 2))
    assert ceilings(events, 100, ["a", "b"]) == {"a": each, "b": each}
    assert each >= build_ledger(events, 100, "a").ceiling(0.05)


def test_unmet_classes_count_by_what_was_new_when_asked_for() -> None:
    distinct = [e for row in range(50) for e in (ask(row), label(row, f"class {row}"))]
    assert unmet_ceiling(distinct, 100) == 50  # every draw met a new class: nothing is ruled out
    same = [e for row in range(50) for e in (ask(row), label(row, "no"))]
    assert unmet_ceiling(same, 100) < 20


def test_the_unmet_bound_holds_at_all_times() -> None:
    rng = np.random.default_rng(3)
    misses = 0
    for _ in range(60):
        names = np.minimum(rng.geometric(0.3, 60), 9)
        order = rng.permutation(60)
        events: list[RowEvent] = []
        wrong = False
        for asked, row in enumerate(order[:40].tolist(), 1):
            events += [ask(row), label(row, str(names[row]))]
            if asked % 8 == 0:
                unmet = ~np.isin(names, names[order[:asked]])
                wrong |= bool(unmet.sum() > unmet_ceiling(events, 60, 0.2))
        misses += wrong
    assert misses <= 60 * 0.2 + 3 * np.sqrt(60 * 0.16)


# --- guarantee and forecast ----------------------------------------------------------------


def searched(n_rows: int, found: int, audits: int, kappa: float = 0.8) -> list[RowEvent]:
    events = [RowEvent("given", row, "rare") for row in range(found)]
    for row in range(found, found + audits):
        events += [ask(row, kappa=kappa), label(row, "no")]
    return events


def test_a_guarantee_says_what_the_ceiling_does() -> None:
    ledger = build_ledger(searched(500, 20, 100), 500, "rare")
    proved = guarantee(ledger)
    assert proved.total_max == ledger.ceiling()
    assert proved.remaining_max == proved.total_max - 20
    assert proved.recall_min == 20 / proved.total_max
    assert (proved.found, proved.audits, proved.hits) == (20, 100, 0)
    nothing = guarantee(build_ledger([], 500, "rare"))
    assert (nothing.total_max, nothing.recall_min) == (500, 0.0)
    assert nothing.forecast(0.9).audits is None


def test_a_guarantee_prints_rounded_to_the_safe_side() -> None:
    proved = guarantee(build_ledger(searched(500, 20, 100), 500, "rare"))
    share = int(1000 * 20 / proved.total_max) / 10
    assert str(proved).startswith(f"With 95 % confidence at least {share:g} % of the rare rows")
    nothing = guarantee(build_ledger([], 500, "rare"))
    assert str(nothing) == (
        "With 95 % confidence the pool holds at most 500 rare rows; none is known."
    )


def test_the_forecast_is_the_number_of_draws_that_prove_it() -> None:
    wanted = guarantee(build_ledger(searched(300, 20, 40), 300, "rare")).forecast(0.8).audits
    assert wanted is not None
    for more, holds in ((wanted - 1, False), (wanted, True)):
        ledger = build_ledger(searched(300, 20, 40 + more), 300, "rare")
        assert (guarantee(ledger).recall_min >= 0.8) is holds
    done = guarantee(build_ledger(searched(300, 20, 280), 300, "rare"))
    assert done.recall_min == 1.0
    assert done.forecast(0.9).audits == 0


def test_rows_without_an_answer_can_make_a_recall_unprovable() -> None:
    events = [*searched(300, 20, 0), *(ask(row, "border") for row in range(20, 30))]
    assert guarantee(build_ledger(events, 300, "rare")).forecast(0.9).audits is None


def test_more_remaining_rows_cost_more_labels() -> None:
    proved = guarantee(build_ledger(searched(2000, 50, 0), 2000, "rare"))
    few, many = proved.forecast(0.8, remaining=0.0), proved.forecast(0.8, remaining=8.0)
    assert few.labels == few.audits
    assert many.audits == few.audits
    assert many.labels is not None
    assert few.labels is not None
    assert many.labels > few.labels
