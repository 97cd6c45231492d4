"""Hunt from no label to a classifier, beside random labelling and a border search with luck."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from benchmarks.discovery.pools import draw
from benchmarks.tables import Column, Table, number, times
from rarebit import BorderLearner, Hunt, KernelSVC
from rarebit.datasets import load_pool, thin_class

POOLS = ("letter, A at 1 %", "digits, three rare", "kddcup99, 20,000 rows")
_TARGET = 0.95
_MARKS = tuple(round(20 * 1.25**i) for i in range(28))


@dataclass(frozen=True)
class Problem:
    """A pool to label, rows to test on, and the machine's parameters."""

    X: Any
    y: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    C: float
    gamma: float


def problem(name: str, seed: int) -> Problem:
    """Split and thin a set."""
    if name.startswith("letter"):
        X, labels = load_pool("letter")
        y = np.where(labels == "A", "A", "other")
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
        X, y = thin_class(X, y, "A", round(0.01 * np.sum(y == "other")), seed)
        return Problem(X, y, X_test, y_test, 10.0, 8.0)
    if name.startswith("digits"):
        X, y = load_digits(return_X_y=True)
        X, X_test, y, y_test = train_test_split(
            X / 16.0, y, test_size=0.4, stratify=y, random_state=seed
        )
        for digit in (1, 4, 8):
            X, y = thin_class(X, y, digit, 8, seed)
        return Problem(X, y, X_test, y_test, 10.0, 0.3)
    X, y = draw("kddcup99-20000", seed)
    names, counts = np.unique(y, return_counts=True)
    keep = np.isin(y, names[counts >= 10])
    X, X_test, y, y_test = train_test_split(
        X[keep], y[keep], test_size=0.3, stratify=y[keep], random_state=seed
    )
    return Problem(X, y, X_test, y_test, 10.0, 0.5)


def balanced(y: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Geometric mean of the recalls of all classes."""
    recalls = [np.mean(predicted[y == name] == name) for name in np.unique(y)]
    return float(np.prod(recalls) ** (1.0 / len(recalls)))


def _score(p: Problem, rows: list[int]) -> float:
    """G-mean on the test rows of a machine trained on these rows, whoever chose them."""
    y = p.y[rows]
    if len(np.unique(y)) < 2:
        return 0.0
    machine = KernelSVC(C=p.C, gamma=p.gamma, class_weight="balanced").fit(p.X[rows], y)
    return balanced(p.y_test, machine.predict(p.X_test))


def _asked(asker: Any, p: Problem, most: int) -> list[int]:
    """Rows in the order in which an ask/tell object wants them, until it is done."""
    rows: list[int] = list(getattr(asker, "_labels", {}) or {})
    while not asker.done and len(rows) < most:
        chosen = asker.ask()
        if not chosen.size:
            break
        asker.tell(chosen, p.y[chosen])
        rows += chosen.tolist()
    return rows


def _needed(p: Problem, rows: list[int], goal: float) -> float:
    """Labels at the first mark at which g-mean reaches the goal."""
    for mark in [m for m in _MARKS if m < len(rows)] + [len(rows)]:
        if _score(p, rows[:mark]) >= goal:
            return float(mark)
    return float("inf")


def _run(p: Problem, seed: int, most: int) -> dict[str, float]:
    """One draw of a problem: labels that each way of choosing needs; infinite if never enough."""
    full = _score(p, list(range(len(p.y))))
    learner = BorderLearner(C=p.C, gamma=p.gamma, random_state=seed)
    hunted = _asked(Hunt(learner=learner).start(p.X), p, most)
    lucky = {int(np.flatnonzero(p.y == c)[0]): c for c in np.unique(p.y).tolist()}
    known = BorderLearner(C=p.C, gamma=p.gamma, random_state=seed).start(p.X, lucky)
    bordered = _asked(known, p, most)
    order = np.random.default_rng(seed).permutation(len(p.y)).tolist()
    return {
        "rows": float(len(p.y)),
        "full": full,
        "hunt": _needed(p, hunted, _TARGET * full),
        "lucky": _needed(p, bordered, _TARGET * full),
        "random": _needed(p, order, _TARGET * full),
        "hunt_asked": float(len(hunted)),
    }


def table(names: tuple[str, ...], most: int, seeds: int, say: Callable[[str], None]) -> Table:
    """Labels until 95 % of the g-mean of a machine that knows every label."""
    result = Table(
        "discovery-hunt",
        "Labels until 95 % of the full-data g-mean",
        (
            Column("pool", "pool"),
            Column("rows", "rows", number(0)),
            Column("full", "g-mean, all labels", number(3)),
            Column("hunt", "Hunt", number(0)),
            Column("lucky", "border search, lucky seed", number(0)),
            Column("random", "random", number(0)),
            Column("ratio", "random / Hunt", times),
            Column("hunt_asked", "labels asked by Hunt", number(0)),
            Column("runs", "runs", number(0)),
        ),
    )
    for name in names:
        n = 1 if name.startswith("kdd") else seeds
        runs = [_run(problem(name, seed), seed, most) for seed in range(n)]
        row: dict[str, Any] = {"pool": name, "runs": n}
        for key in runs[0]:
            values = [run[key] for run in runs]
            # A run that never reached the goal counts as worse than all others.
            row[key] = float(np.median(values)) if np.isfinite(np.median(values)) else None
        if row["hunt"] and row["random"]:
            row["ratio"] = row["random"] / row["hunt"]
        result.rows.append(row)
        say(f"{name}: Hunt {row['hunt']}, lucky {row['lucky']}, random {row['random']}")
    result.notes = [
        "The same machine, KernelSVC with balanced class weights, is trained on the labels that "
        "each way of choosing has asked for, at 20, 25, 31, … labels; the lucky seed is one row of "
        "every class. G-mean: geometric mean of the recalls of all classes on rows kept apart. "
        "kddcup99: classes with at least ten rows. Medians of the runs; an empty cell: the goal "
        "was not reached."
    ]
    return result
