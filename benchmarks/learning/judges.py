"""Who judges: a classifier fitted to the rows asked for, with the threshold that it comes with."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.svm import SVC

from benchmarks.learning.askers import AsReviewModel
from benchmarks.learning.pools import Pool
from rarebit import BaggedSVC
from rarebit.classifiers import final_classifier
from rarebit.metrics import g_mean_scorer

Verdict = tuple[NDArray[np.float64], NDArray[Any]]
Judge = Callable[[Pool, NDArray[np.intp], Sequence[str], int], Verdict]

_FOLDS = 5
_FEWEST = 4  # rare labels from which on rivals get a threshold by cross-validation


def final(pool: Pool, rows: NDArray[np.intp], reasons: Sequence[str], seed: int) -> Verdict:
    """`rarebit.models.final_classifier`."""
    labels = {int(row): int(pool.y[row]) for row in rows}
    history = dict(zip(labels, reasons, strict=True))
    model = final_classifier(pool.X, labels, history=history, random_state=seed)
    turn = 1.0 if model.minority_class_ == 1 else -1.0
    return turn * model.minority_score(pool.X_test), model.predict(pool.X_test)


def bags(pool: Pool, rows: NDArray[np.intp], reasons: Sequence[str], seed: int) -> Verdict:
    """Balanced bags with C=1: the final classifier of earlier versions."""
    model = BaggedSVC(
        combiner="average", kernel="linear" if sparse.issparse(pool.X) else "rbf", random_state=seed
    ).fit(pool.X[rows], pool.y[rows])
    return model.decision_function(pool.X_test), model.predict(pool.X_test)


def _rival(make: Callable[[Pool, int], Any]) -> Judge:
    """A rival's own classifier; its threshold has the best cross-validated g-mean."""

    def judge(pool: Pool, rows: NDArray[np.intp], reasons: Sequence[str], seed: int) -> Verdict:
        X, y = pool.X[rows], pool.y[rows]
        model = make(pool, seed)
        n_folds = min(_FOLDS, int(y.sum()), int((1 - y).sum()))
        if n_folds >= _FEWEST:
            model = TunedThresholdClassifierCV(model, scoring=g_mean_scorer, cv=n_folds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(X, y)
            except ValueError:  # boosting has no split in few labels, and no threshold to choose
                model = make(pool, seed).fit(X, y)
            # A forest has an estimator_ of its own, which is not fitted.
            tuned = isinstance(model, TunedThresholdClassifierCV)
            inner = model.estimator_ if tuned else model
            if hasattr(inner, "predict_proba"):
                scores = inner.predict_proba(pool.X_test)[:, 1]
            else:
                scores = inner.decision_function(pool.X_test)
            return scores, model.predict(pool.X_test)

    return judge


def _logistic(pool: Pool, seed: int) -> Any:
    strength = 10.0 if sparse.issparse(pool.X) else 1.0
    return LogisticRegression(C=strength, class_weight="balanced", max_iter=500)


def _forest(pool: Pool, seed: int) -> Any:
    return RandomForestClassifier(200, class_weight="balanced_subsample", random_state=seed)


def _boosting(pool: Pool, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, verbose=-1, n_jobs=1, class_weight="balanced")


def _asreview(pool: Pool, seed: int) -> Any:
    return AsReviewModel(loss="squared_hinge", C=0.11, random_state=seed)


def tuned_svc(pool: Pool, rows: NDArray[np.intp], reasons: Sequence[str], seed: int) -> Verdict:
    """scikit-learn's SVC with C and gamma from a grid, then a threshold as the others have."""
    texts = sparse.issparse(pool.X)
    grid = {"C": [0.1, 1.0, 10.0, 100.0]} | ({} if texts else {"gamma": [0.01, 0.1, "scale"]})
    machine = SVC(kernel="linear" if texts else "rbf", class_weight="balanced", cache_size=500)
    search = GridSearchCV(machine, grid, scoring="average_precision", cv=3, refit=False)
    best = search.fit(pool.X[rows], pool.y[rows]).best_params_
    return _rival(lambda pool, seed: clone(machine).set_params(**best))(pool, rows, reasons, seed)


def boosting_seconds(pool: Pool, seed: int) -> float:
    """Return the processor seconds of one LightGBM fit to all labels of a pool."""
    start = time.process_time()
    _boosting(pool, seed).fit(pool.X, pool.y)
    return time.process_time() - start


JUDGES: dict[str, Judge] = {
    "final": final,
    "bags": bags,
    "logistic": _rival(_logistic),
    "forest": _rival(_forest),
    "boosting": _rival(_boosting),
    "ASReview": _rival(_asreview),
    "tuned SVC": tuned_svc,
}
# Who judges the rows of whom: ours by everybody, each rival by what it is used with.
PAIRS: dict[str, tuple[str, ...]] = {
    "random": ("boosting",),
    "uncertainty, forest": ("forest", "boosting"),
    "uncertainty, logistic": ("logistic",),
    "uncertainty, boosting": ("boosting",),
    "committee": ("forest", "boosting"),
    "greedy": ("boosting",),
    "isolation": ("forest",),
    "hunt": ("final", "bags", "logistic", "forest", "boosting"),
}
# Texts: trees rank them badly, and nobody would choose them.
TEXT_PAIRS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("random", "uncertainty, logistic", "committee", "greedy", "isolation"), ("logistic",)
    ),
    "ASReview": ("logistic", "ASReview"),
    "hunt": ("final", "bags", "logistic"),
}
