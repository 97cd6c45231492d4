"""Hunt from no label to a classifier, beside random labelling and a border search with luck."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
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
WAYS = {"hunt": "Hunt", "lucky": "border search, lucky seed", "random": "random"}
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


def _asked(asker: Any, p: Problem, most: int, given: Iterable[int] = ()) -> list[int]:
    """Rows in the order in which an ask/tell object wants them, after those it was given."""
    rows = list(given)
    while not asker.done and len(rows) < most:
        chosen = asker.ask()
        if not chosen.size:
            break
        asker.tell(chosen, p.y[chosen])
        rows += chosen.tolist()
    return rows


def _curve(p: Problem, rows: list[int]) -> dict[int, float]:
    """G-mean by the number of labels, at marks ever farther apart and at the end."""
    marks = [m for m in _MARKS if m < len(rows)]
    if not marks or len(rows) <= 1.25 * _MARKS[-1]:
        marks.append(len(rows))
    return {mark: _score(p, rows[:mark]) for mark in marks}


@dataclass(frozen=True)
class Run:
    """One draw of a problem: the g-mean of all labels, and the curve of each way of choosing."""

    rows: int
    full: float
    curves: dict[str, dict[int, float]]
    hunt_asked: int

    def needed(self, way: str) -> float:
        """Labels at the first mark at which g-mean reaches the goal; infinite if none does."""
        reached = [mark for mark, score in self.curves[way].items() if score >= self.goal]
        return float(min(reached, default=np.inf))

    @property
    def goal(self) -> float:
        return _TARGET * self.full


def run(name: str, seed: int, most: int) -> Run:
    """Let each way choose rows of one draw."""
    p = problem(name, seed)
    learner = BorderLearner(C=p.C, gamma=p.gamma, random_state=seed)
    hunted = _asked(Hunt(learner=learner).start(p.X), p, most)
    lucky = {int(np.flatnonzero(p.y == c)[0]): c for c in np.unique(p.y).tolist()}
    known = BorderLearner(C=p.C, gamma=p.gamma, random_state=seed).start(p.X, lucky)
    bordered = _asked(known, p, most, lucky)
    order = np.random.default_rng(seed).permutation(len(p.y)).tolist()
    curves = {
        way: _curve(p, rows)
        for way, rows in {"hunt": hunted, "lucky": bordered, "random": order}.items()
    }
    return Run(len(p.y), _score(p, list(range(len(p.y)))), curves, len(hunted))


def measure(
    names: tuple[str, ...], most: int, seeds: int, say: Callable[[str], None]
) -> dict[str, list[Run]]:
    """Run every problem with every seed; the largest has one."""
    runs: dict[str, list[Run]] = {}
    for name in names:
        runs[name] = [run(name, s, most) for s in range(1 if name.startswith("kdd") else seeds)]
        needed = ", ".join(f"{way} {_median(runs[name], way)}" for way in WAYS)
        say(f"{name}: {needed}")
    return runs


def _median(runs: list[Run], way: str) -> float | None:
    # A run that never reached the goal counts as worse than all others.
    median = float(np.median([r.needed(way) for r in runs]))
    return median if np.isfinite(median) else None


def table(runs: dict[str, list[Run]]) -> Table:
    """Labels until 95 % of the g-mean of a machine that knows every label."""
    result = Table(
        "discovery-hunt",
        "Labels until 95 % of the full-data g-mean",
        (
            Column("pool", "pool"),
            Column("rows", "rows", number(0)),
            Column("full", "g-mean, all labels", number(3)),
            Column("hunt", WAYS["hunt"], number(0)),
            Column("lucky", WAYS["lucky"], number(0)),
            Column("random", WAYS["random"], number(0)),
            Column("ratio", "random / Hunt", times),
            Column("hunt_asked", "labels asked by Hunt", number(0)),
            Column("runs", "runs", number(0)),
        ),
    )
    for name, own in runs.items():
        row: dict[str, Any] = {"pool": name, "runs": len(own), "rows": own[0].rows}
        row["full"] = float(np.median([r.full for r in own]))
        row["hunt_asked"] = float(np.median([r.hunt_asked for r in own]))
        row |= {way: _median(own, way) for way in WAYS}
        if row["hunt"] and row["random"]:
            row["ratio"] = row["random"] / row["hunt"]
        result.rows.append(row)
    result.notes = [
        "The same machine, KernelSVC with balanced class weights, is trained on the labels that "
        "each way of choosing has asked for, at 20, 25, 31, … labels; the lucky seed is one row of "
        "every class. G-mean: geometric mean of the recalls of all classes on rows kept apart. "
        "kddcup99: classes with at least ten rows. Medians of the runs; an empty cell: the goal "
        "was not reached."
    ]
    return result


def curves(runs: dict[str, list[Run]]) -> Table:
    """G-mean against labels, every run."""
    result = Table(
        "discovery-hunt-curves",
        "G-mean against labels",
        tuple(Column(name) for name in ("pool", "way", "seed", "labels", "g_mean", "goal")),
    )
    for name, own in runs.items():
        for seed, one in enumerate(own):
            for way, curve in one.curves.items():
                for labels, score in curve.items():
                    result.rows.append(
                        {
                            "pool": name,
                            "way": way,
                            "seed": seed,
                            "labels": labels,
                            "g_mean": round(score, 4),
                            "goal": round(one.goal, 4),
                        }
                    )
    return result


def draw_figure(runs: dict[str, list[Run]], path: Path) -> None:
    """Draw the mean curves of all problems, with the range of the runs."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    figure, axes = plt.subplots(
        1, len(runs), figsize=(4.2 * len(runs), 3.8), layout="constrained", squeeze=False
    )
    for ax, (name, own) in zip(axes[0], runs.items(), strict=True):
        for number_, (way, label) in enumerate(WAYS.items()):
            marks = sorted(set.intersection(*(set(r.curves[way]) for r in own)))
            scores = np.array([[r.curves[way][m] for m in marks] for r in own])
            ax.plot(marks, scores.mean(axis=0), color=f"C{number_}", label=label)
            ax.fill_between(
                marks, scores.min(axis=0), scores.max(axis=0), color=f"C{number_}", alpha=0.15
            )
        goal = float(np.mean([r.goal for r in own]))
        ax.axhline(goal, color="0.4", linestyle="--", linewidth=1.0, label="95 % of all labels")
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter(NullFormatter())  # decades are enough on a narrow axis
        ax.set_title(name)
        ax.set_xlabel("labels")
        ax.grid(alpha=0.3)
    axes[0][0].set_ylabel("g-mean on test rows")
    axes[0][0].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)
