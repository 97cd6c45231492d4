"""What the choice of the round does: none, by validation rows, by the rows of the test fold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from rarebit.classifiers import BoostedSVC
from rarebit.papers._folds import (
    Floats,
    Fold,
    FoldExperiment,
    finished_everywhere,
    mean_by,
    score_labels,
)
from rarebit.papers._plan import Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.boosting import _means
from rarebit.papers.boosting._methods import FOLDS, OURS, VALIDATION, fold_seed, prepare
from rarebit.rivals import LinearComponent

METHOD = "all rounds"
CHOICES = {
    "first": "first round alone",
    "validation": "best round on validation rows",
    "test": "best round on the test rows",
}
MEASURES = ("C", *(f"{choice}_{what}" for choice in CHOICES for what in ("round", "g_mean")))


def experiments(scale: Scale) -> Iterator[FoldExperiment]:
    """Yield every fold of every set."""
    rows, folds = (_means.QUICK_ROWS, _means.QUICK_FOLDS) if scale.quick else (None, FOLDS)
    for task in _means.TASKS:
        for seed in range(scale.seeds):
            for fold in range(folds):
                yield FoldExperiment(task, METHOD, seed, fold, rows)


def boost(X: Floats, y: NDArray[np.int64], C: float, others: list[Floats]) -> list[Floats]:
    """Boost as `BoostedSVC` does, and return the votes that other rows have after each round.

    Parameters
    ----------
    X, y
        Training rows, 1 for the rare class.
    C : float
        Cost of an error in the larger class.
    others : list of ndarray
        Sets of rows that are voted on.

    Returns
    -------
    list of ndarray of shape (n_rounds, n_rows)
        Weighted votes by set, positive for the rare class.
    """
    settings = BoostedSVC()
    machine = LinearComponent(C, {0: 1.0, 1: max(float(np.sum(y == 0) / np.sum(y == 1)), 1.0)})
    w = np.ones(len(y))
    votes = [np.zeros(len(rows)) for rows in others]
    kept: list[list[Floats]] = [[] for _ in others]
    for number in range(settings.n_estimators):
        machine.fit(X, y, sample_weight=w)
        wrong = machine.predict(X) != y
        error = float(w[wrong].sum() / w.sum())
        if error >= 0.5 and number:
            break
        floor = 0.5 / len(y)
        bounded = min(max(error, floor), 1.0 - floor)
        a = settings.learning_rate * float(np.log((1.0 - bounded) / bounded))
        for part, rows in enumerate(others):
            votes[part] = votes[part] + a * np.where(machine.predict(rows) == 1, 1.0, -1.0)
            kept[part].append(votes[part])
        if not 0.0 < error < 0.5:
            break
        w = w * np.exp(a * wrong)
        w /= w.mean()
    return [np.array(part) for part in kept]


def run(experiment: FoldExperiment) -> Row:
    """Boost one fold; of equal rounds the first is chosen."""
    fold, C = prepare(experiment.task, experiment.seed, experiment.fold, experiment.rows)
    seed = fold_seed(experiment.seed, experiment.fold)
    valid, test = scores_by_round(fold, C, seed)
    chosen = {"first": 0, "validation": int(np.argmax(valid)), "test": int(np.argmax(test))}
    row: Row = {"C": C}
    for choice, number in chosen.items():
        row |= {f"{choice}_round": number + 1, f"{choice}_g_mean": 100.0 * float(test[number])}
    return row


def scores_by_round(fold: Fold, C: float, seed: int) -> tuple[Floats, Floats]:
    """Return the g-mean of the ensemble after each round, on validation and on test rows."""
    X, X_valid, y, y_valid = train_test_split(
        fold.X, fold.y, test_size=VALIDATION, stratify=fold.y, random_state=seed
    )
    votes = boost(X, y, C, [X_valid, fold.X_test])
    valid, test = (
        np.array([score_labels(labels, (line > 0.0).astype(int))["g_mean"] for line in part])
        for part, labels in zip(votes, (y_valid, fold.y_test), strict=True)
    )
    return valid, test


def tables(results: Results) -> list[ResultTable]:
    """Compare the three choices by set."""
    results = finished_everywhere(results, (METHOD,), "task", "seed", "fold", "rows")
    lines = []
    means: dict[str, list[float]] = {choice: [] for choice in CHOICES}
    for task in results.different("task"):
        of_task = results.only(task=task)
        line = [task]
        for choice in CHOICES:
            scores = mean_by(of_task, f"{choice}_g_mean", "seed", "fold")
            means[choice].append(float(scores.mean()))
            line.append(mean_over_seeds(scores).with_reach(2))
        line += [
            f"{np.median(of_task[f'{choice}_round']):.1f}" for choice in ("validation", "test")
        ]
        lines.append(line)
    lines.append(["mean", *(f"{np.mean(means[choice]):.2f}" for choice in CHOICES), "", ""])
    columns = [
        "set", *CHOICES.values(), "round chosen by validation rows, median",
        "round chosen by test rows, median",
    ]  # fmt: skip
    notes = [
        "G-mean in percent on the test rows: mean over the folds and half the width of Student's "
        "95 % interval. Each fold is boosted once, on 70 % of the rows, and the three columns are "
        f"three choices among the same rounds; the splits differ from those of {OURS}, which in "
        "addition keeps the first round unless a later one is better beyond chance. The last "
        "choice looks at the answers: it cannot be behind the others, on any fold.",
    ]
    title = "What the choice of the round does: g-mean in percent"
    return [ResultTable(title, columns, lines, notes)]


PLAN = Plan(
    name="boosting.rounds",
    title="The round chosen on validation rows, and on the test rows: what the difference is",
    experiment=FoldExperiment,
    measures=MEASURES,
    experiments=experiments,
    run=run,
    tables=tables,
    seeds=1,
    quick_seeds=1,
)
