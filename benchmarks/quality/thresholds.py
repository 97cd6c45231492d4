"""Thresholds of the final classifier on generated and development pools.

``python -m benchmarks.quality.thresholds --seeds 2`` asks for 150 labels in each pool, fits the
final classifier, and prints g-mean and false alarms on rows that nobody asked for: with the
threshold as it is, with rows without a label counted by their log odds alone, and the best there
is for the same scores.
"""

from __future__ import annotations

import argparse
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.special import expit
from sklearn.metrics import roc_curve

from rarebit import BorderLearner, Hunt
from rarebit.datasets import load_task
from rarebit.models import final_classifier

# Name and rows of the pool; half as many again, between 20,000 and 100,000, are judged.
GENERATED = (
    ("blob", 2_000), ("blob", 20_000), ("blob", 100_000), ("clusters", 5_000),
    ("clusters", 50_000), ("overlap", 2_000), ("overlap", 20_000), ("ring", 5_000),
    ("ring", 50_000), ("mixed", 10_000), ("mixed", 100_000), ("products", 20_000),
    ("products", 100_000), ("inside", 20_000),
)  # fmt: skip
DEVELOPMENT = ("letter-A", "satimage-4", "waveform", "a9a", "ecoli-imU")
_SHARES = "rarebit.classifiers._final_calibration.unseen_shares"


def make_pool(name: str, n: int, seed: int) -> tuple[Any, Any]:
    """Return rows, and which of them are rare: between 1 in 500 and 1 in 50."""
    rng = np.random.default_rng(seed)
    rare = rng.random(n) < {"blob": 0.002, "clusters": 0.005, "ring": 0.01, "overlap": 0.02,
                            "inside": 0.003}.get(name, 0.0)  # fmt: skip
    m = int(rare.sum())
    X = rng.normal(size=(n, 12))
    if name == "blob":
        X[rare] *= 0.6
        X[rare, :4] += 2.5
    elif name == "clusters":
        centres = rng.normal(size=(4, 12))
        centres *= 4.0 / np.linalg.norm(centres, axis=1, keepdims=True)
        X[rare] = centres[rng.integers(4, size=m)] + 0.5 * X[rare]
    elif name == "overlap":
        X[rare, :3] += 1.3
    elif name == "ring":
        angles = rng.uniform(0.0, 2.0 * np.pi, m)
        X[rare, :2] = np.c_[np.cos(angles), np.sin(angles)] * 3.2 + 0.2 * X[rare, :2]
        X = X[:, :5]
    elif name == "inside":
        X[rare] *= 0.3
        X[rare, :5] += 1.2
    elif name == "mixed":
        kinds = rng.integers(0, 8, n)
        odds = 1.6 * X[:, 0] + 2.0 * np.isin(kinds, [2, 5]) + 1.5 * (X[:, 1] < -0.8)
        odds += 0.5 * rng.logistic(size=n)
        X = np.c_[np.exp(X[:, 0]), X[:, 1:6], np.eye(8)[kinds]]
        rare = odds > np.quantile(odds, 0.996)
    else:  # products of columns
        odds = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2
        rare = odds + 0.3 * rng.normal(size=n) > np.quantile(odds, 0.998)
    return X.astype(np.float32), rare


def load_parts(name: str, n: int, seed: int) -> tuple[Any, Any, Any, Any]:
    """Return the rows of a pool and whether they are rare, then those of its rows to be judged."""
    if n:
        judged = min(max(n // 2, 20_000), 100_000)
        X, rare = make_pool(name, n + judged, 100 + seed)
        return X[:n], rare[:n], X[n:], rare[n:]
    task = load_task(name, random_state=seed, dense=True)
    X, rare = np.asarray(task.X_train, dtype=np.float32), np.asarray(task.y_train) > 0
    if task.X_test is not None:
        test = np.asarray(task.X_test, dtype=np.float32)
        return X, rare, test, np.asarray(task.y_test) > 0
    order = np.random.default_rng(seed).permutation(len(rare))
    ours, theirs = np.split(order, [int(0.7 * len(order))])
    return X[ours], rare[ours], X[theirs], rare[theirs]


def measure(name: str, n: int, seed: int, n_labels: int) -> list[tuple[float, float]] | None:
    """Return g-mean and false alarm rate of each threshold; None where one class was found."""
    X, rare, judged, truth = load_parts(name, n, seed)
    classes = np.where(rare, "rare", "common")
    hunt = Hunt(learner=BorderLearner(random_state=seed, stop=None), random_state=seed)
    hunt.start(X)
    labels: dict[int, str] = {}
    while len(labels) < n_labels and len(rows := hunt.ask(1)):
        hunt.tell(rows, classes[rows])
        labels[int(rows[0])] = str(classes[rows[0]])
    if len(set(labels.values())) < 2:
        return None

    def fitted() -> Any:
        return final_classifier(
            X,
            labels,
            border=hunt.classifier_,
            history=hunt.queries_,
            random_state=seed,
            rare="rare",
        )

    model = fitted()
    with patch(_SHARES, lambda logits, sides, unseen, each=1.0: expit(unseen)):
        alone = fitted()
    found = []
    for each in (model, alone):
        called = each.predict(judged) == "rare"
        found.append((_g_mean(called[truth].mean(), called[~truth].mean()), called[~truth].mean()))
    false, true, _ = roc_curve(truth, model.minority_score(judged))
    best = int(np.argmax(true * (1.0 - false)))
    return [*found, (_g_mean(true[best], false[best]), false[best])]


def _g_mean(found: Any, alarms: Any) -> float:
    return float(np.sqrt(found * (1.0 - alarms)))


def main() -> None:
    """Print a line per pool."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--labels", type=int, default=150)
    parser.add_argument("--pools", default="", help="names, with commas between; all without it")
    given = parser.parse_args()
    print("| pool | runs | g-mean, false alarms | by log odds alone | best there is |")
    print("|---|--:|--:|--:|--:|")
    for name, n in (*GENERATED, *((name, 0) for name in DEVELOPMENT)):
        if given.pools and name not in given.pools.split(","):
            continue
        runs = [measure(name, n, seed, given.labels) for seed in range(given.seeds)]
        means = np.array([run for run in runs if run is not None])
        if len(means):
            cells = " | ".join(f"{g:.3f}, {alarms:.4f}" for g, alarms in means.mean(axis=0))
            print(f"| {name}{f', {n:,} rows' if n else ''} | {len(means)} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
