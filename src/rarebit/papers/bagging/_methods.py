"""The six methods of the paper, and three editions of ours, on one fold."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from imblearn.ensemble import EasyEnsembleClassifier
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from rarebit.classifiers import BaggedSVC
from rarebit.metrics import g_mean_scorer
from rarebit.papers._folds import Fold, FoldExperiment, make_fold, score_labels
from rarebit.papers._rows import Row
from rarebit.papers.bagging._published import METHODS as PAPER_METHODS
from rarebit.rivals import BalanceCascadeClassifier, OversampledClassifier
from rarebit.svm import KernelSVC

FOLDS, INNER_FOLDS, QUICK_INNER_FOLDS = 5, 5, 2
C_GRID = (0.1, 1.0, 10.0, 100.0)
GAMMA_GRID = (0.03, 0.1, 0.3, 1.0)  # times 1 / n_features
BAGS, SEARCH_BAGS = 100, 30
# Of EasyEnsemble and BalanceCascade, as their authors have them: sets, and rounds of AdaBoost.
STAGES, ROUNDS = 4, 10
# As many synthetic rows as make the classes equal, whatever the imbalance.
UNTIL_BALANCED = 1e9

# Combiners that the paper does not tabulate, its own without any search, and a cascade whose
# stages add up as they are.
MORE_METHODS = (
    "weighted vote", "plain vote", "BWBC, default C and gamma", "cascade without thresholds",
)  # fmt: skip
METHODS = (*PAPER_METHODS, *MORE_METHODS)
COMBINERS = {
    "BWBC": "balanced", "BAVC": "average", "weighted vote": "weighted", "plain vote": "vote",
}  # fmt: skip

MEASURES = ("C", "gamma", "sensitivity", "specificity", "g_mean", "accuracy", "seconds")


def _machine(kind: str, seed: int) -> Any:
    """Return what has C and gamma: a plain machine, one with SMOTE, or bags for the search."""
    if kind == "SVM":
        return KernelSVC()
    if kind == "SMOTE":
        return OversampledClassifier(KernelSVC(), percent=UNTIL_BALANCED, random_state=seed)
    return BaggedSVC(SEARCH_BAGS, random_state=seed)


@lru_cache(maxsize=4)
def choose(
    kind: str, task: str, seed: int, fold: int, rows: int | None
) -> tuple[Fold, dict[str, Any]]:
    """Choose C and gamma by cross-validation of the training rows of a fold."""
    data = make_fold(FoldExperiment(task, kind, seed, fold, rows), FOLDS)
    inner = INNER_FOLDS if rows is None else QUICK_INNER_FOLDS
    prefix = "machine__estimator__" if kind == "SMOTE" else "machine__"
    grid = {
        f"{prefix}C": C_GRID,
        f"{prefix}gamma": [g / data.X.shape[1] for g in GAMMA_GRID],
    }
    search = GridSearchCV(
        Pipeline([("scale", StandardScaler()), ("machine", _machine(kind, seed))]),
        grid,
        scoring="accuracy" if kind == "SVM" else g_mean_scorer,
        cv=StratifiedKFold(inner, shuffle=True, random_state=seed),
        refit=False,
    ).fit(data.X, data.y)
    return data, dict(search.best_params_)


def make_method(experiment: FoldExperiment) -> tuple[Fold, Any]:
    """Return the rows of an experiment and its estimator, not fitted."""
    name, seed = experiment.method, experiment.seed
    place = (experiment.task, seed, experiment.fold, experiment.rows)
    if name in ("SVM", "SMOTE") or name in COMBINERS:
        kind = name if name in ("SVM", "SMOTE") else "bags"
        data, chosen = choose(kind, *place)
        model = Pipeline([("scale", StandardScaler()), ("machine", _machine(kind, seed))])
        model.set_params(**chosen)
        if name in COMBINERS:
            model.set_params(machine__combiner=COMBINERS[name], machine__n_estimators=BAGS)
        return data, model
    data = make_fold(experiment, FOLDS)
    boosted = AdaBoostClassifier(n_estimators=ROUNDS)
    cascade = BalanceCascadeClassifier(boosted, STAGES, random_state=seed)
    machine = {
        "EasyEnsemble": EasyEnsembleClassifier(STAGES, boosted, random_state=seed),
        "BalanceCascade": cascade,
        "cascade without thresholds": cascade,
        "BWBC, default C and gamma": BaggedSVC(BAGS, random_state=seed),
    }[name]
    return data, Pipeline([("scale", StandardScaler()), ("machine", machine)])


def run(experiment: FoldExperiment) -> Row:
    """Fit one method on one fold; the clock runs during the last ``fit`` only."""
    data, model = make_method(experiment)
    start = time.perf_counter()
    model.fit(data.X, data.y)
    seconds = time.perf_counter() - start
    machine = model.named_steps["machine"]
    if experiment.method == "cascade without thresholds":
        cascade = machine.runs_[0]
        cascade.thresholds = [0.0] * len(cascade.thresholds)
    settings = machine.estimator if isinstance(machine, OversampledClassifier) else machine
    return {
        "C": getattr(settings, "C", None),
        "gamma": getattr(settings, "gamma", None),
        **score_labels(data.y_test, model.predict(data.X_test)),
        "seconds": seconds,
    }
