"""Measurements of the ensembles: what one process does for the suite of that name."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.contenders import use_one_thread
from benchmarks.jobs import Job
from benchmarks.meters import metered
from benchmarks.settings import CACHE_MB, PRUNE_CALLS, TOLERANCE
from rarebit import BaggedSVC, BoostedSVC, KernelSVC, PrunedSVC
from rarebit.datasets import load_task
from rarebit.metrics import g_mean_score

BAGS = 100
PRUNE_C, PRUNE_GAMMA = 10.0, 1.0 / 8  # for standardised features
BOOST_RATE = 0.02  # small enough for all forty rounds


def run(job: Job) -> dict[str, Any]:
    """Measure one contender of one kind on one task."""
    from rarebit._core import Kernel, Rows

    Kernel("rbf", 1.0, 0.0, 3, Rows.dense(np.eye(2)))
    use_one_thread(job.contender)
    return {"bag": _bag, "prune": _prune, "boost": _boost}[job.kind](job)


def _bag(job: Job) -> dict[str, Any]:
    """Fit and predict with bags; a rival's few bags count for a hundred, being independent."""
    task = load_task(job.set)
    machine = {"C": task.C, "gamma": task.gamma, "tol": TOLERANCE, "cache_size": CACHE_MB}
    bags = job.rows or BAGS
    model: Any
    if job.contender == "imbalanced-learn":
        from imblearn.ensemble import BalancedBaggingClassifier

        model = BalancedBaggingClassifier(
            SVC(**machine), n_estimators=bags, replacement=True, random_state=job.round
        )
    else:
        model = BaggedSVC(bags, job.contender.split()[1], **machine, random_state=job.round)
    warm = np.concatenate([np.flatnonzero(task.y_train == c)[:100] for c in (0, 1)])
    model.fit(task.X_train[warm], task.y_train[warm]).predict(task.X_test[:100])
    fit = metered(lambda: model.fit(task.X_train, task.y_train))
    start = time.perf_counter()
    predicted = model.predict(task.X_test)
    predict = time.perf_counter() - start
    scale = BAGS / bags
    facts = {
        **fit.facts(),
        "seconds": fit.seconds * scale,
        "predict": predict * scale,
        "g_mean": g_mean_score(task.y_test, predicted),
    }
    if isinstance(model, BaggedSVC):
        facts |= {
            "steps": float(np.mean(model.n_iter_)),
            "union": len(model.support_),
            "kernel_share": model._kernel_seconds / fit.seconds,
            "values": model.n_kernel_values_ / len(task.y_train) ** 2,
        }
    else:
        facts["steps"] = float(np.mean([e.steps[-1][1].n_iter_[0] for e in model.estimators_]))
    return facts


def _prune(job: Job) -> dict[str, Any]:
    """Remove all majority support vectors but one."""
    task = load_task(job.set)
    X, y = StandardScaler().fit_transform(task.X_train), task.y_train
    warm = np.concatenate([np.flatnonzero(y == c)[:50] for c in (0, 1)])
    if job.contender == "PrunedSVC":
        model = PrunedSVC(0, validation_fraction=0.0, C=PRUNE_C, gamma=PRUNE_GAMMA)
        model.fit(X[warm], y[warm])
        # A call takes hundredths of a second, less than the machine's own noise.
        readings = [metered(lambda: model.fit(X, y)) for _ in range(PRUNE_CALLS)]
        reading = sorted(readings, key=lambda each: each.seconds)[PRUNE_CALLS // 2]
        return {
            **reading.facts(),
            "trials": model.n_trials_,
            "removed": [point.removed for point in model.path_[1:]],
        }
    removed: list[int] = []
    trials = 0

    def search() -> None:
        nonlocal trials
        side = np.where(y == 1, 1.0, -1.0)
        first = SVC(C=PRUNE_C, gamma=PRUNE_GAMMA, tol=TOLERANCE).fit(X, y)
        left = [i for i in first.support_.tolist() if y[i] == 0]
        rare = np.flatnonzero(y == 1).tolist()
        while len(left) > 1:
            best: tuple[float, float, float, int] | None = None
            for k in left:
                rows = [i for i in left if i != k] + rare
                machine = SVC(C=PRUNE_C, gamma=PRUNE_GAMMA, tol=TOLERANCE).fit(X[rows], y[rows])
                values = machine.decision_function(X)
                right, wrong = np.mean(values[y == 1] > 0), np.mean(values[y == 0] > 0)
                slack = np.mean(np.maximum(0.0, 1.0 - side * values))
                trial = (np.inf if wrong == 0 else right / wrong, right, -slack, k)
                best = trial if best is None else max(best, trial)
                trials += 1
            assert best is not None
            left.remove(best[3])
            removed.append(best[3])

    SVC(C=PRUNE_C, gamma=PRUNE_GAMMA, tol=TOLERANCE).fit(X[warm], y[warm])
    reading = metered(search)
    return {**reading.facts(), "trials": trials, "removed": removed}


def _boost(job: Job) -> dict[str, Any]:
    """Boost forty rounds, or fit the one machine of the first round on all rows."""
    task = load_task(job.set)
    X, y = StandardScaler().fit_transform(task.X_train), task.y_train
    if job.contender == "BoostedSVC":
        boosted = BoostedSVC(40, BOOST_RATE, tol=TOLERANCE, random_state=job.round)
        reading = metered(lambda: boosted.fit(X, y))
        return {**reading.facts(), "rounds": len(boosted.scores_)}
    ratio = float(np.sum(y == 0) / np.sum(y == 1))
    machine = KernelSVC("linear", class_weight={1: ratio}, tol=TOLERANCE, cache_size=CACHE_MB)
    reading = metered(lambda: machine.fit(X, y))
    return {**reading.facts(), "rounds": 1}
