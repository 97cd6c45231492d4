"""scikit-learn's conformance checks for the ensembles, and messages for input they cannot take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics import accuracy_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from rarebit import BaggedSVC, BoostedSVC, PrunedSVC
from rarebit.classifiers import BlendedClassifier

ESTIMATORS = [
    BaggedSVC(4),
    BaggedSVC(3, "average", kernel="linear"),
    BoostedSVC(5),
    BoostedSVC(3, kernel="rbf"),
    PrunedSVC(max_removals=5),
    BlendedClassifier(n_trees=5),
    PrunedSVC(search="floating", validation_fraction=0.0, kernel="linear", max_removals=4),
]


# scikit-learn excuses its own TunedThresholdClassifierCV from the same check in these words. The
# rest of what the check asks stands in test_a_blend_decides_by_its_threshold.
THRESHOLD = "Threshold at probability 0.5 does not hold"


def expected_failures(estimator: Any) -> dict[str, str]:
    blended = isinstance(estimator, BlendedClassifier)
    return {"check_classifiers_train": THRESHOLD} if blended else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_blend_decides_by_its_threshold(n_classes: int, dtype: type) -> None:
    rows, labels = make_blobs(100 * n_classes, centers=n_classes, random_state=0)
    rows = rows.astype(dtype)
    rows.flags.writeable = labels.flags.writeable = False
    model = BlendedClassifier(n_trees=5, random_state=0).fit(rows, labels)
    said, values = model.predict(rows), model.decision_function(rows)
    assert accuracy_score(labels, said) > 0.83
    assert_array_equal(said, values > 0.0 if n_classes == 2 else values.argmax(axis=1))
    probability = model.predict_proba(rows)
    assert probability.shape == (len(rows), n_classes)
    assert_allclose(probability.sum(axis=1), 1.0)
    if n_classes == 2:
        # Probabilities rank rows as decision values do; the threshold moves neither.
        assert_array_equal(np.argsort(probability[:, 1]), np.argsort(values))
    for ask in (model.predict, model.decision_function, model.predict_proba):
        with pytest.raises(ValueError, match="features"):
            ask(rows.T)


X = np.random.default_rng(0).normal(size=(40, 3))
y = (np.arange(40) < 8).astype(int)


def expect(words: str, model: Any, rows: Any = X, labels: Any = y) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the words are compared below
        model.fit(rows, labels)
    for word in words.split("|"):
        assert word.lower() in str(error.value).lower(), str(error.value)


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_what_no_ensemble_can_learn_from(model: Any) -> None:
    bad = X.copy()
    bad[1, 1] = np.nan
    expect("NaN", model, bad)
    expect("one class|add rows", model, X, np.zeros(40))
    expect("0 sample", model, X[:0], y[:0])
    expect("y to be passed", model, X, None)


@pytest.mark.parametrize(
    "model", [BaggedSVC(5), BaggedSVC("auto", "vote"), BoostedSVC(5), PrunedSVC()], ids=repr
)
def test_a_class_of_one_row_cannot_be_validated(model: Any) -> None:
    lonely = np.where(np.arange(40) == 0, "odd", "rest")
    expect("at least 2|'odd'|has 1|add rows", model, X, lonely)


def test_a_class_of_one_row_can_be_bagged_without_validation() -> None:
    lonely = (np.arange(40) == 0).astype(int)
    model = BaggedSVC(3, "vote", random_state=0).fit(X, lonely)
    assert model.minority_class_ == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"n_estimators": "many"}, "n_estimators"),
        ({"combiner": "mean"}, "combiner|balanced"),
        ({"validation_fraction": 1.0}, "validation_fraction"),
        ({"kernel": "precomputed"}, "kernel"),
        ({"C": 0.0}, "'C'"),
        ({"n_jobs": "all"}, "n_jobs"),
    ],
)
def test_parameters_of_bags(options: dict[str, Any], words: str) -> None:
    expect(words, BaggedSVC(**options))
