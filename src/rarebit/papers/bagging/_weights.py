"""How far weights can move the vote of bags: the paper's, and weights that know the answers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sklearn.preprocessing import StandardScaler

from rarebit.classifiers import BaggedSVC
from rarebit.papers._folds import (
    Fold,
    FoldExperiment,
    finished_everywhere,
    make_fold,
    mean_by,
    score_labels,
)
from rarebit.papers._plan import Plan, Scale
from rarebit.papers._rows import Results, Row
from rarebit.papers._statistics import mean_over_seeds
from rarebit.papers._tables import ResultTable
from rarebit.papers.bagging import _methods
from rarebit.papers.bagging._oracle import ORACLE, combine
from rarebit.papers.bagging._published import METHODS as PAPER_METHODS
from rarebit.papers.bagging._published import PUBLISHED

PLAIN = "plain vote"
METHODS = (PLAIN, ORACLE)
QUICK_ROWS, QUICK_FOLDS = 300, 1
MEASURES = ("sensitivity", "specificity", "g_mean", "accuracy")


def experiments(scale: Scale) -> Iterator[FoldExperiment]:
    """Yield both votes of every fold; they share one fit."""
    rows, folds = (QUICK_ROWS, QUICK_FOLDS) if scale.quick else (None, _methods.FOLDS)
    for task in PUBLISHED:
        for seed in range(scale.seeds):
            for fold in range(folds):
                for method in METHODS:
                    yield FoldExperiment(task, method, seed, fold, rows)


@lru_cache(maxsize=1)
def bag(task: str, seed: int, fold: int, rows: int | None) -> tuple[Fold, BaggedSVC]:
    """Fit bags to standardised columns, with the default C and gamma."""
    raw = make_fold(FoldExperiment(task, "bags", seed, fold, rows), _methods.FOLDS)
    scaler = StandardScaler().fit(raw.X)
    data = Fold(scaler.transform(raw.X), raw.y, scaler.transform(raw.X_test), raw.y_test)
    # The variance of all values is 1: this is gamma="scale".
    model = BaggedSVC(
        _methods.BAGS, gamma=1.0 / data.X.shape[1], combiner="vote", random_state=seed
    )
    return data, model.fit(data.X, data.y)


def run(experiment: FoldExperiment) -> Row:
    """Combine the votes of one fold."""
    place = (experiment.task, experiment.seed, experiment.fold, experiment.rows)
    data, model = bag(*place)
    return score_labels(data.y_test, combine(experiment.method, model, data))


def tables(results: Results) -> list[ResultTable]:
    """Compare what weights can do with what the paper has them do."""
    results = finished_everywhere(results, METHODS, "task", "seed", "fold", "rows")
    lines = []
    for task in results.different("task"):
        plain, known = (
            mean_by(results.only(task=task, method=method), "g_mean", "seed") for method in METHODS
        )
        gain = mean_over_seeds(known - plain)
        paper = dict(zip(PAPER_METHODS, PUBLISHED[task]["g_mean"], strict=True))
        lines.append(
            [
                task,
                mean_over_seeds(plain).with_spread(3),
                mean_over_seeds(known).with_spread(3),
                f"{gain.mean:+.3f}",
                f"{(known - plain).max():+.3f}",
                f"{paper['BWBC'][0] - paper['BAVC'][0]:+.3f}",
            ]
        )
    columns = [
        "set", PLAIN, ORACLE, "gained", "most in a repetition", "paper: BWBC less BAVC",
    ]  # fmt: skip
    notes = [
        "G-mean, mean ± standard deviation over repetitions of "
        f"{_methods.FOLDS}-fold cross-validation; {_methods.BAGS} bags, standardised columns, "
        f"C = 1 and gamma = 1 / columns. *{ORACLE}*: the weight of a machine is the harmonic mean "
        "of its class accuracies on the very rows that it is tested on, so that no weights of the "
        "paper's kind from other rows can know more.",
    ]
    return [ResultTable("What weights can do", columns, lines, notes)]


PLAN = Plan(
    name="bagging.weights",
    title="How far weights can move the vote, even weights from the test rows",
    experiment=FoldExperiment,
    measures=MEASURES,
    experiments=experiments,
    run=run,
    tables=tables,
    seeds=5,
    quick_seeds=1,
)
