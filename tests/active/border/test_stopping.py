"""Stop rules are pure functions of the history, and the bounds hold at all times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

from rarebit import BorderSVC
from rarebit.active import (
    ColumnTable,
    History,
    inside_margin_bound,
    next_check,
    resolve_pool_size,
    share_upper_bound,
    stop_automatically,
    stop_on_margin,
    stop_on_support,
)
from rarebit.active.border._history import make_history


def invented(
    n: int = 400,
    *,
    changed: float = 0.0,
    surprises: tuple[int, ...] = (),
    explore_every: int = 3,
    inside: int = 0,
    explore: float = 0.2,
    support: Any = None,
    distance: float = 1.2,
    pool: int = 900,
) -> History:
    """A history that never happened: every third row exploratory, all as expected."""
    exploratory = np.arange(n) % explore_every == 0 if explore else np.zeros(n, dtype=bool)
    label = np.zeros(n, dtype=np.int32)
    label[~exploratory] = np.arange(n)[~exploratory] % 2
    expected = label.copy()
    for at in surprises:
        exploratory[at], label[at], expected[at] = True, 1, 0
    looks = np.arange(20, n + 1, 20)
    log = {
        "row": np.arange(n, dtype=np.int32),
        "label": label,
        "expected": expected,
        "way": np.where(exploratory, 3, 2),
        "probability": np.full(n, 0.1),
        "distance": np.full(n, distance),
        "drawn": np.full(n, 59),
        "inside": np.full(n, inside),
        "support": np.stack([np.arange(n), np.arange(n)], axis=1) if support is None else support,
    }
    checks = ColumnTable(
        {"n_labels": looks, "changed_since": np.where(looks <= 0.75 * n, changed, 0.0)}
    )
    return make_history(log, np.array(["fine", "fraud"]), checks, pool, pool - n, explore)


def test_a_settled_border_and_quiet_exploration_stop() -> None:
    reasons = stop_automatically(invented())
    assert sorted(reasons) == ["exploration", "margin", "stable"]
    assert (
        reasons["exploration"]
        == "Of the last 134 exploratory rows, none had an unexpected class: a hidden part of "
        "the rarer classes of 2.2 % of the rows or more is excluded with 95 % confidence, if "
        "exploring finds no less than chance does."
    )
    assert "95 % confidence" in reasons["margin"]
    assert "120 of 400 labels" in reasons["stable"]


def test_a_border_that_moves_goes_on() -> None:
    assert not stop_automatically(invented(changed=0.06))


def test_a_recent_surprise_goes_on_when_it_moved_the_predictions() -> None:
    # Quiet since the surprise: fewer than 2 sqrt(900) = 60 exploratory rows.
    late = invented(surprises=(300,))
    assert stop_automatically(invented(surprises=(100,)))
    assert (
        "1 had an unexpected class, and learning them left the predictions as they were"
        in (stop_automatically(late)["exploration"])
    )
    looks = late.checks["n_labels"]
    moved = ColumnTable({"n_labels": looks, "changed_since": np.where(looks <= 250, 0.04, 0.0)})
    late.checks = moved
    assert not stop_automatically(late)


def test_large_pools_want_more_exploration() -> None:
    assert stop_automatically(invented(pool=900))
    assert not stop_automatically(invented(pool=90_000))


def test_without_exploration_the_margin_must_be_empty_and_the_reason_says_so() -> None:
    assert not stop_automatically(invented(explore=0.0, inside=5))
    reasons = stop_automatically(invented(explore=0.0, inside=0))
    assert "explore=0" in reasons["exploration"]


def test_surprises_are_sure_wrong_and_unusual() -> None:
    history = invented(surprises=(30, 60))
    assert np.flatnonzero(history.surprises).tolist() == [30, 60]
    assert not invented(surprises=(30,), distance=0.4).surprises.any()


def test_support_rule_wants_a_hundred_labels_without_growth() -> None:
    growing = invented()
    assert not stop_on_support(growing)
    level = np.minimum(np.arange(400), 250)
    reasons = stop_on_support(invented(support=np.stack([level, level], axis=1)))
    assert reasons["support"].endswith("from 500 to 500.")
    assert not stop_on_support(invented(n=80, support=np.full((80, 2), 9)))


def test_margin_rule_looks_at_the_last_border_query() -> None:
    assert "1.20 times" in stop_on_margin(invented(distance=1.2))["margin"]
    assert not stop_on_margin(invented(distance=0.99))


@pytest.mark.parametrize("rule", [stop_automatically, stop_on_margin, stop_on_support])
def test_rules_are_pure(rule: Any) -> None:
    history = invented()
    before = {name: column.copy() for name, column in history.items()}
    assert rule(history) == rule(history)
    for name, column in before.items():
        np.testing.assert_array_equal(history[name], column)


def test_looks_are_eight_per_cent_apart() -> None:
    looks = [next_check(0)]
    while looks[-1] < 10_000:
        looks.append(next_check(looks[-1]))
    assert len(looks) < 100
    gaps = np.diff(looks) / looks[:-1]
    assert gaps[20:].max() <= 0.08


# Rules of the user's, through fit


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"enough": "I have seen enough."}, {"enough": "I have seen enough."}),
        ("enough", {"stop": "enough"}),
        (True, {"stop": "The stop rule said so."}),
    ],
)
def test_a_rule_of_the_users_may_say_it_in_its_own_way(said: Any, expected: dict[str, str]) -> None:
    X, y = make_classification(n_samples=600, weights=[0.9], random_state=0)
    seen: list[int] = []

    def rule(history: History) -> Any:
        seen.append(history.n_labels)
        return said if history.n_labels >= 100 else None

    fitted = BorderSVC(stop=rule, random_state=0).fit(X, y)
    assert fitted.stop_reasons_ == expected
    assert seen == sorted(set(seen))
    assert fitted.n_labels_ == seen[-1] < 120


def test_a_rule_that_returns_nonsense_is_told_so() -> None:
    X, y = make_classification(n_samples=300, random_state=0)
    with pytest.raises(TypeError, match="mapping of names to reasons"):
        BorderSVC(stop=lambda history: 3.5).fit(X, y)


# Bounds


def test_pool_size_formula() -> None:
    assert resolve_pool_size((0.05, 0.05)) == 59
    assert resolve_pool_size((0.01, 0.05)) == 299
    assert resolve_pool_size(7) == 7


def test_share_bound_by_hand() -> None:
    # No hit in n draws: the mixture of shares below p must beat (1 - p)^n by 1 / risk.
    from scipy.integrate import quad

    n, risk = 50, 0.05
    p = share_upper_bound(0, n, risk)
    density = lambda t: 1.0 / (np.pi * np.sqrt(t * (1.0 - t)))  # noqa: E731
    mass = quad(density, 0.0, p)[0]
    mixture = quad(lambda t: density(t) * (1.0 - t) ** n, 0.0, p)[0] / mass
    assert mixture / (1.0 - p) ** n == pytest.approx(1.0 / risk, rel=1e-6)
    assert share_upper_bound(0, 0) == 1.0
    assert share_upper_bound(5, 5) == 1.0


def test_share_bound_holds_at_all_times_at_once() -> None:
    rng = np.random.default_rng(0)
    share, runs, failed = 0.03, 300, 0
    looks = np.unique(np.geomspace(10, 3000, 40).astype(int))
    for _ in range(runs):
        hits = np.cumsum(rng.uniform(size=3000) < share)
        failed += any(share_upper_bound(int(hits[n - 1]), int(n)) < share for n in looks)
    # Five in a hundred are allowed; a fixed-sample interval fails in far more.
    assert failed / runs <= 0.05


def test_share_bound_follows_a_falling_share() -> None:
    rng = np.random.default_rng(1)
    failed = 0
    for _ in range(200):
        shares = np.linspace(0.2, 0.01, 2000)
        hits = np.cumsum(rng.uniform(size=2000) < shares)
        failed += any(
            share_upper_bound(int(hits[n - 1]), n) < shares[n - 1] for n in range(50, 2000, 50)
        )
    assert failed / 200 <= 0.05


def test_margin_bound_forgets_what_was_inside_long_ago() -> None:
    early = invented(n=400, inside=30)
    log = dict(early)
    assert inside_margin_bound(early) > 0.4
    columns = {**log, "inside": np.where(np.arange(400) < 200, 30, 0)}
    late = History(columns, early.checks, 900, 500, 0.2, early._numbers)
    assert inside_margin_bound(late) < 0.01


def test_a_pool_is_never_exhausted_in_silence() -> None:
    # Predictions never come to rest, and half of the pool is labelled.
    assert stop_automatically(invented(1000, changed=0.4, pool=3000)) == {}
    reasons = stop_automatically(invented(1500, changed=0.4, pool=3000))
    assert list(reasons) == ["half"]
    assert reasons["half"].startswith("1,500 of 3,000 rows are labelled, and more labels still")
    # Few rows are labelled to the end.
    assert stop_automatically(invented(400, changed=0.4, pool=600)) == {}
    # A rule that is content says why, not how much was asked.
    assert "half" not in stop_automatically(invented(1500, pool=3000))


def test_overlapping_classes_end_at_half_of_the_pool() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 4))
    y = (rng.random(1200) < 0.3).astype(int)
    machine = BorderSVC(random_state=0).fit(X, y)
    assert machine.n_labels_ < 700
    assert machine.stop_reasons_
