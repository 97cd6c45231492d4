"""Asking on the border against simpler ways to ask, with the spread over seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import make_blobs

from rarebit import BorderLearner, KernelSVC
from rarebit.metrics import g_mean_score

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
SEEDS = range(10)


def curve(
    X: Floats, y: Labels, X_test: Floats, y_test: Labels, at: list[int], **options: Any
) -> Floats:
    """Mean accuracy over classes after so many labels, asked for one by one."""
    learner = BorderLearner(stop=None, **options).start(X)
    reached = []
    for n in at:
        while learner.n_labels_ < n:
            rows = learner.ask()
            learner.tell(rows, y[rows])
        known = set(learner.history_["label"].tolist())
        if len(known) < 2:
            reached.append(0.0)
            continue
        predicted = learner.classifier_.predict(X_test)
        hits = [np.mean(predicted[y_test == c] == c) for c in np.unique(y_test)]
        reached.append(float(np.mean(hits)))
    return np.array(reached)


def rings(n: int, seed: int) -> tuple[Floats, Labels]:
    """Rows of which three in a hundred lie on a ring inside the others."""
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=n) < 0.03).astype(np.intp)
    radius = np.where(y == 1, 1.0, 2.2) + 0.25 * rng.normal(size=n)
    angle = rng.uniform(0.0, 2 * np.pi, size=n)
    noise = 0.3 * rng.normal(size=(n, 3))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), noise]), y


def compare(make: Callable[[int], tuple[Floats, Labels]], at: list[int]) -> tuple[Floats, Floats]:
    asked, drawn = [], []
    for seed in SEEDS:
        X, y = make(seed)
        X_test, y_test = make(1000 + seed)
        options = {"C": 10.0, "gamma": 0.3, "random_state": seed}
        asked.append(curve(X, y, X_test, y_test, at, **options))
        drawn.append(curve(X, y, X_test, y_test, at, search="random", **options))
    return np.array(asked), np.array(drawn)


def assert_better(asked: Floats, drawn: Floats, by: float) -> None:
    difference = asked.mean(axis=1) - drawn.mean(axis=1)
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    assert difference.mean() - 2.0 * error > by


def test_cold_start_beats_random_labelling() -> None:
    """Nothing is known at the start, and the rare class is one in thirty."""
    assert_better(*compare(lambda seed: rings(2500, seed), [40, 80, 120, 160]), by=0.02)


def test_more_than_two_classes_beat_random_labelling() -> None:
    centers = np.random.default_rng(0).uniform(-4.0, 4.0, size=(5, 4))

    def make(seed: int) -> tuple[Floats, Labels]:
        X, y = make_blobs(
            [1500, 60, 50, 40, 30],
            n_features=4,
            centers=centers,
            cluster_std=1.2,
            random_state=seed,
        )
        return X, y

    assert_better(*compare(make, [60, 120, 180, 240]), by=0.05)


def doubled(seed: int) -> tuple[Floats, Labels]:
    """Every row eight times, nearly: what cameras, logs and mailing lists produce."""
    X, y = rings(1500, seed)
    rng = np.random.default_rng(seed)
    X = np.repeat(X, 8, axis=0) + 1e-3 * rng.normal(size=(12000, 5))
    return X, np.repeat(y, 8)


@pytest.mark.parametrize("search", ["pool", "full"])
def test_asking_for_several_beats_the_closest_ones_where_rows_repeat(search: str) -> None:
    batch, rounds = 10, 8
    gain = []
    for seed in SEEDS:
        X, y = doubled(seed)
        X_test, y_test = rings(3000, 1000 + seed)
        start = {int(i): int(y[i]) for c in (0, 1) for i in np.flatnonzero(y == c)[:17:8]}
        options: dict[str, Any] = {"C": 10.0, "gamma": 0.3}
        learner = BorderLearner(
            **options, search=search, explore=0.0, stop=None, random_state=seed
        ).start(X, labels=start)
        nearest = dict(start)
        gained = []
        closest = KernelSVC(**options).fit(X[list(start)], y[list(start)])
        for _ in range(rounds):
            rows = learner.ask(batch)
            learner.tell(rows, y[rows])
            distance = np.abs(closest.decision_function(X))
            distance[list(nearest)] = np.inf
            nearest.update({int(i): int(y[i]) for i in np.argsort(distance)[:batch]})
            closest = KernelSVC(**options).fit(X[list(nearest)], y[list(nearest)])
            gained.append(
                g_mean_score(y_test, learner.classifier_.predict(X_test))
                - g_mean_score(y_test, closest.predict(X_test))
            )
        gain.append(np.mean(gained))
    error = np.std(gain, ddof=1) / np.sqrt(len(gain))
    assert np.mean(gain) - 2.0 * error > 0.0


def test_several_rows_at_once_are_no_near_duplicates() -> None:
    X, y = doubled(0)
    learner = BorderLearner(C=10.0, gamma=0.3, explore=0.0, random_state=0).start(
        X, labels={int(i): int(y[i]) for c in (0, 1) for i in np.flatnonzero(y == c)[:160:8]}
    )
    rows = learner.ask(12)
    assert len({int(row) // 8 for row in rows}) == 12
