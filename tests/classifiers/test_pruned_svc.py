"""PrunedSVC: the path against refits, points to choose from, the curve of both arms."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import auc, roc_curve
from sklearn.svm import SVC

from rarebit import KernelSVC, PrunedSVC
from rarebit.classifiers import OperatingPoint, upper_hull
from rarebit.classifiers._operating import choose
from rarebit.metrics import g_mean_score, sensitivity_score, specificity_score

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]


def rare_cloud(n: int = 150, rare: int = 30, seed: int = 0) -> tuple[Floats, Labels]:
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < rare).astype(np.intp)
    X = rng.normal(size=(n, 2)) + 1.2 * y[:, None]
    order = rng.permutation(n)
    return X[order], y[order]


def refit_search(X: Floats, y: Labels, rounds: int) -> tuple[list[int], list[tuple[float, float]]]:
    """Return rows removed and (sensitivity, specificity), with SVC fitted anew in every trial."""
    options = {"C": 2.0, "gamma": 0.5, "tol": 1e-6}
    svc = SVC(**options).fit(X, y)
    left = [i for i in svc.support_ if y[i] == 0]
    rare = np.flatnonzero(y == 1).tolist()
    removed = []
    rates = [(sensitivity_score(y, svc.predict(X)), specificity_score(y, svc.predict(X)))]
    side = np.where(y == 1, 1.0, -1.0)
    for _ in range(rounds):
        trials = []
        for k in left:
            rows = [i for i in left if i != k] + rare
            trial = SVC(**options).fit(X[rows], y[rows])
            values = trial.decision_function(X)
            right, wrong = np.mean(values[y == 1] > 0), np.mean(values[y == 0] > 0)
            ratio = np.inf if wrong == 0 else right / wrong
            slack = np.mean(np.maximum(0, 1 - side * values))
            trials.append((ratio, right, -slack, k, 1 - wrong))
        best = max(trials)
        left.remove(best[3])
        removed.append(int(best[3]))
        rates.append((best[1], best[4]))
    return removed, rates


@pytest.mark.parametrize("seed", [0, 1])
def test_the_path_is_that_of_refits(seed: int) -> None:
    X, y = rare_cloud(seed=seed)
    removed, rates = refit_search(X, y, 6)
    model = PrunedSVC(
        0, max_removals=6, validation_fraction=0.0, C=2.0, gamma=0.5, tol=1e-5
    ).fit(X, y)  # fmt: skip
    assert [point.removed for point in model.path_] == [None, *removed]
    assert_allclose(
        [(p.training_sensitivity, p.training_specificity) for p in model.path_], rates, atol=1e-9
    )
    assert [point.n_removed for point in model.path_] == list(range(7))


def test_no_removal_is_the_plain_machine() -> None:
    X, y = rare_cloud()
    model = PrunedSVC(0, validation_fraction=0.0, gamma=0.5, tol=1e-5).fit(X, y)
    plain = KernelSVC(gamma=0.5, tol=1e-5).fit(X, y)
    assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-3)
    assert model.n_removed_ == 0


def test_removals_give_way_to_the_rare_class() -> None:
    X, y = rare_cloud()
    model = PrunedSVC(validation_fraction=0.0, gamma=0.5).fit(X, y)
    first, last = model.path_[0], model.path_[-1]
    assert last.sensitivity > first.sensitivity
    assert last.specificity < first.specificity
    n_majority = int(np.sum(y[KernelSVC(gamma=0.5).fit(X, y).support_] == 0))
    assert abs(len(model.path_) - n_majority) <= 1


def test_points_are_measured_on_rows_set_aside() -> None:
    X, y = rare_cloud(300, 60)
    model = PrunedSVC(gamma=0.5, random_state=4).fit(X, y)
    rng = np.random.RandomState(4)
    held = np.concatenate(
        [rng.permutation(np.flatnonzero(y == c))[: round(0.2 * np.sum(y == c))] for c in (0, 1)]
    )
    for number in (0, 5, len(model.path_) - 1):
        predicted = model.at(number).predict(X[held])
        point = model.path_[number]
        assert point.sensitivity == pytest.approx(sensitivity_score(y[held], predicted))
        assert point.specificity == pytest.approx(specificity_score(y[held], predicted))
    assert not set(model.at(3).support_.tolist()) & set(held.tolist())


# Choosing


def points(*rates: tuple[float, float]) -> list[OperatingPoint]:
    return [OperatingPoint(i, None, a, b, 0.0, 0.0) for i, (a, b) in enumerate(rates)]


def test_choices_by_hand() -> None:
    path = points((0.5, 1.0), (0.8, 0.9), (0.9, 0.7), (0.9, 0.8), (1.0, 0.5))
    assert choose(path, "g_mean") == 1 or choose(path, "g_mean") == 3
    assert path[choose(path, "g_mean")].g_mean == max(p.g_mean for p in path)
    assert choose(path, 2) == 2
    assert choose(path, {"sensitivity": 0.85}) == 3
    assert choose(path, {"specificity": 0.85}) == 1
    assert choose(path, {"sensitivity": 1}) == 4
    with pytest.raises(ValueError, match=r"5 majority.*has 4 removals.*0 to 4"):
        choose(path, 5)
    with pytest.raises(ValueError, match=r"specificity of 0\.9.*best has 0\.5.*lower the target"):
        choose(points((1.0, 0.5)), {"specificity": 0.9})


@pytest.mark.parametrize(
    "select",
    ["best", -1, 1.5, True, {}, {"accuracy": 0.5}, {"sensitivity": 2.0}, None,
     {"sensitivity": 0.5, "specificity": 0.5}],
)  # fmt: skip
def test_choices_that_mean_nothing(select: object) -> None:
    X, y = rare_cloud()
    with pytest.raises(ValueError, match=r"select.*'g_mean', a number of removals"):
        PrunedSVC(select).fit(X, y)


def test_another_point_needs_no_fit_and_leaves_the_first_alone() -> None:
    X, y = rare_cloud(300, 60)
    model = PrunedSVC(gamma=0.5, random_state=0).fit(X, y)
    before = model.decision_function(X)
    other = model.at({"sensitivity": 0.99})
    assert other.path_[other.n_removed_].sensitivity >= 0.99
    assert other.select == {"sensitivity": 0.99}
    assert_array_equal(model.decision_function(X), before)
    assert_array_equal(model.at("g_mean").decision_function(X), before)
    again = clone(model).set_params(select=other.n_removed_).fit(X, y)
    assert_array_equal(again.decision_function(X), other.decision_function(X))
    assert_array_equal(pickle.loads(pickle.dumps(model)).at(3).predict(X), model.at(3).predict(X))


def test_nothing_left_to_prune() -> None:
    X = np.array([[0.0], [0.2], [5.0], [5.2]])
    y = np.array([0, 0, 1, 1])
    model = PrunedSVC(validation_fraction=0.0, kernel="linear").fit(X, y)
    assert len(model.path_) == 1  # one majority support vector, and one must stay
    assert_array_equal(model.predict(X), y)
    with pytest.raises(ValueError, match=r"cannot be removed.*0 removals"):
        model.at(1)


# The curve


def test_hull_by_hand() -> None:
    hull = upper_hull(np.array([0.2, 0.2, 0.5, 0.4]), np.array([0.4, 0.6, 0.7, 0.9]))
    assert_allclose(hull, [[0, 0], [0.2, 0.6], [0.4, 0.9], [1, 1]])
    assert_allclose(upper_hull(np.array([0.0]), np.array([1.0])), [[0, 1], [1, 1]])


def test_the_curve_has_both_arms() -> None:
    X, y = rare_cloud()
    model = PrunedSVC(validation_fraction=0.0, gamma=0.5).fit(X, y)
    curve = model.roc_points_
    assert np.all(np.diff(curve, axis=0) >= 0.0)
    assert_allclose(curve[-1], [1.0, 1.0])
    scores = model.path_scores(X)
    assert scores.shape == (150, len(model.path_))
    # Every threshold of every machine lies on or below it.
    for column in scores.T:
        fpr, tpr, _ = roc_curve(y, column)
        assert np.all(np.interp(fpr, curve[:, 0], curve[:, 1]) >= tpr - 1e-9)
    assert_allclose(scores[:, model.n_removed_], model.minority_score(X), atol=1e-5)


# Other input


def test_floating_search_is_at_least_as_good() -> None:
    X, y = rare_cloud()
    backward = PrunedSVC(validation_fraction=0.0, gamma=0.5).fit(X, y)
    floating = PrunedSVC(search="floating", validation_fraction=0.0, gamma=0.5).fit(X, y)
    assert len(floating.path_) == len(backward.path_)
    assert floating.n_trials_ > backward.n_trials_
    area = [auc(*m.roc_points_.T) for m in (backward, floating)]
    assert area[1] >= area[0] - 0.02


@pytest.mark.parametrize("labels", [("rare", "rest"), ("yes", "no")])
def test_the_rare_class_may_sort_first_or_last(labels: tuple[str, str]) -> None:
    X, y = rare_cloud()
    named = np.where(y == 1, labels[0], labels[1])
    model = PrunedSVC(0, validation_fraction=0.0, gamma=0.5, tol=1e-4).fit(X, named)
    numbers = PrunedSVC(0, validation_fraction=0.0, gamma=0.5, tol=1e-4).fit(X, y)
    assert model.minority_class_ == labels[0]
    assert_allclose(model.minority_score(X), numbers.minority_score(X), atol=3e-3)
    assert {y[point.removed] for point in model.path_[1:]} == {0}
    assert model.path_[-1].sensitivity > model.path_[0].sensitivity
    scores = model.path_scores(X)
    assert np.mean(scores[y == 1, -1] > 0) == pytest.approx(model.path_[-1].sensitivity)


def test_sparse_frames_and_three_classes() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = rare_cloud()
    X[np.abs(X) < 0.3] = 0.0
    dense = PrunedSVC(3, validation_fraction=0.0, gamma=0.5, tol=1e-5).fit(X, y)
    sparse = PrunedSVC(3, validation_fraction=0.0, gamma=0.5, tol=1e-5).fit(sp.csr_matrix(X), y)
    assert_allclose(sparse.decision_function(X), dense.decision_function(X), atol=2e-2)
    frame = pandas.DataFrame(X, columns=["a", "b"])
    assert_array_equal(clone(dense).fit(frame, y).predict(frame), dense.predict(X))
    rng = np.random.default_rng(0)
    three = np.repeat([0, 1, 2], [90, 60, 20])
    Z = rng.normal(size=(170, 2)) + np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[three]
    model = PrunedSVC(random_state=0).fit(Z, three)
    assert len(model.path_) == len(model.n_removed_) == 3
    assert g_mean_score(three, model.predict(Z)) > 0.8
    with pytest.raises(ValueError, match="two classes"):
        model.path_scores(Z)
