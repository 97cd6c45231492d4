"""The machines inside scikit-learn's tools: pipelines, searches, calibration, thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rarebit import KernelSVC, OnlineSVC
from rarebit.metrics import (
    g_mean_score,
    g_mean_scorer,
    minority_auc_scorer,
    prbep_scorer,
    sensitivity_scorer,
    specificity_scorer,
)

MACHINES = [KernelSVC(), OnlineSVC(random_state=0)]
kinds = pytest.mark.parametrize("machine", MACHINES, ids=lambda m: type(m).__name__)


@pytest.fixture
def data() -> tuple[NDArray[np.float64], NDArray[Any]]:
    """One row in ten is an attack, which sorts before "normal"; columns differ in scale."""
    rng = np.random.default_rng(0)
    rare = np.arange(400) < 40
    X = (rng.normal(size=(400, 4)) + 1.6 * rare[:, None]) * [1.0, 10.0, 100.0, 0.1]
    order = rng.permutation(400)
    return X[order], np.where(rare, "attack", "normal")[order]


@kinds
def test_pipeline(machine: Any, data: Any) -> None:
    X, y = data
    pipeline = make_pipeline(StandardScaler(), clone(machine)).fit(X, y)
    by_hand = clone(machine).fit(StandardScaler().fit_transform(X), y)
    scaled = StandardScaler().fit_transform(X)
    assert_array_equal(pipeline.decision_function(X), by_hand.decision_function(scaled))
    assert_array_equal(pipeline.predict(X), by_hand.predict(scaled))
    assert pipeline.score(X, y) > 0.9


@kinds
@pytest.mark.parametrize(
    "scorer", [g_mean_scorer, sensitivity_scorer, prbep_scorer, minority_auc_scorer], ids=str
)
def test_cross_validation_with_our_scorers(machine: Any, scorer: Any, data: Any) -> None:
    X, y = data
    pipeline = make_pipeline(StandardScaler(), clone(machine).set_params(class_weight="balanced"))
    scores = cross_val_score(pipeline, X, y, cv=StratifiedKFold(4), scoring=scorer)
    assert scores.shape == (4,)
    assert ((scores > 0.5) & (scores <= 1.0)).all()


@kinds
def test_grid_search(machine: Any, data: Any) -> None:
    X, y = data
    pipeline = make_pipeline(StandardScaler(), clone(machine))
    name = pipeline.steps[-1][0]
    grid = {f"{name}__C": [1e-3, 10.0], f"{name}__class_weight": [None, "balanced"]}
    scoring = {"g_mean": g_mean_scorer, "specificity": specificity_scorer, "auc": "roc_auc"}
    search = GridSearchCV(pipeline, grid, scoring=scoring, refit="g_mean", cv=3).fit(X, y)
    assert search.best_params_ != {f"{name}__C": 1e-3, f"{name}__class_weight": None}
    assert search.best_score_ > 0.8
    results = search.cv_results_
    assert np.isfinite(results["mean_test_g_mean"]).all()
    assert np.isfinite(results["mean_test_specificity"]).all()
    best = results["mean_test_g_mean"][search.best_index_]
    assert best == results["mean_test_g_mean"].max()
    assert search.predict(X).shape == (400,)


@kinds
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(machine: Any, method: str, data: Any) -> None:
    X, y = data
    pipeline = make_pipeline(StandardScaler(), clone(machine))
    model = CalibratedClassifierCV(pipeline, method=method, cv=3).fit(X, y)
    chances = model.predict_proba(X)
    assert chances.shape == (400, 2)
    assert ((chances >= 0.0) & (chances <= 1.0)).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    attack = chances[:, list(model.classes_).index("attack")]
    assert attack[y == "attack"].mean() > 0.5 > attack[y == "normal"].mean()
    assert attack.mean() == pytest.approx(0.1, abs=0.05)
    assert minority_auc_scorer(model, X, y) > 0.95


@kinds
def test_threshold_tuning(machine: Any, data: Any) -> None:
    X, y = data
    pipeline = make_pipeline(StandardScaler(), clone(machine).set_params(C=0.05))
    tuned = TunedThresholdClassifierCV(pipeline, scoring=g_mean_scorer, cv=3).fit(X, y)
    plain = clone(pipeline).fit(X, y)
    assert g_mean_score(y, tuned.predict(X)) > g_mean_score(y, plain.predict(X)) + 0.05
    assert g_mean_score(y, tuned.predict(X)) > 0.85


@kinds
def test_decisions_out_of_fold(machine: Any, data: Any) -> None:
    X, y = data
    pipeline = make_pipeline(StandardScaler(), clone(machine))
    values = cross_val_predict(pipeline, X, y, cv=3, method="decision_function")
    assert values.shape == (400,)
    assert values[y == "attack"].mean() < values[y == "normal"].mean()


@kinds
def test_threads(machine: Any, data: Any) -> None:
    X, y = data
    bag = BaggingClassifier(clone(machine), n_estimators=4, random_state=0)
    alone = clone(bag).fit(X, y).predict(X)
    assert_array_equal(clone(bag).set_params(n_jobs=2).fit(X, y).predict(X), alone)


@kinds
def test_parameters_are_read_and_set(machine: Any, data: Any) -> None:
    X, y = data
    model = clone(machine).set_params(C=3.0, kernel="linear", class_weight={"attack": 2.0})
    assert model.get_params()["C"] == 3.0
    assert clone(model).get_params() == model.get_params()
    assert model.fit(StandardScaler().fit_transform(X), y).coef_.shape == (1, 4)
    with pytest.raises(ValueError, match="Invalid parameter 'cost'"):
        model.set_params(cost=3.0)
    assert "C=3.0" in repr(model)


@kinds
def test_precomputed_kernels_are_cut_along_both_sides(machine: Any, data: Any) -> None:
    X, y = data
    X = StandardScaler().fit_transform(X)
    K = np.exp(-0.25 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    folds = StratifiedKFold(3)
    from_rows = cross_val_score(clone(machine).set_params(gamma=0.25), X, y, cv=folds)
    looked_up = cross_val_score(clone(machine).set_params(kernel="precomputed"), K, y, cv=folds)
    np.testing.assert_allclose(looked_up, from_rows, atol=0.02)


def test_several_classes_one_against_the_rest(data: Any) -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, size=200)
    X = rng.normal(size=(200, 2)) + 2.0 * np.column_stack([y == 1, y == 2])
    ours = KernelSVC(gamma=0.5, tol=1e-6).fit(X, y)
    wrapped = OneVsRestClassifier(KernelSVC(gamma=0.5, tol=1e-6)).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), wrapped.decision_function(X), atol=1e-3)
