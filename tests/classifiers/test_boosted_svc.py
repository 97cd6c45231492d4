"""BoostedSVC: the rounds by hand, the round that is kept, and the two ways of solving."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC

from rarebit import BoostedSVC, KernelSVC
from rarebit.classifiers._boosted import carry_over
from rarebit.classifiers._rounds import round_kept
from rarebit.metrics import g_mean_score
from rarebit.svm import solve_linear

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]


def rare_cloud(n: int = 300, rare: int = 40, seed: int = 0) -> tuple[Floats, Labels]:
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < rare).astype(np.intp)
    X = rng.normal(size=(n, 3)) + 1.1 * y[:, None]
    order = rng.permutation(n)
    return X[order], y[order]


def held_out(y: Labels, seed: int) -> NDArray[np.intp]:
    rng = np.random.RandomState(seed)
    return np.sort(
        np.concatenate(
            [rng.permutation(np.flatnonzero(y == c))[: round(0.2 * np.sum(y == c))] for c in (0, 1)]
        )
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_rounds_by_hand(kernel: str) -> None:
    """Weights, errors, votes and the round kept, with SVC as the component."""
    X, y = rare_cloud()
    model = BoostedSVC(
        3, 0.3, kernel=kernel, C=0.5, gamma=0.4, tol=1e-5, random_state=2
    ).fit(X, y)  # fmt: skip
    validation = held_out(y, 2)
    train = np.setdiff1d(np.arange(len(y)), validation)
    side = np.where(y[train] == 1, 1.0, -1.0)
    ratio = np.sum(side < 0) / np.sum(side > 0)
    w, votes, scores, errors = np.ones(len(train)), np.zeros(len(validation)), [], []
    for _ in range(3):
        svc = SVC(C=0.5, kernel=kernel, gamma=0.4, tol=1e-6)
        svc.fit(X[train], side, sample_weight=w * np.where(side > 0, ratio, 1.0))
        wrong = svc.predict(X[train]) != side
        error = w[wrong].sum() / w.sum()
        a = 0.3 * np.log((1 - error) / error)
        votes += a * svc.predict(X[validation])
        scores.append(g_mean_score(y[validation], (votes > 0).astype(int)))
        errors.append(error)
        w *= np.exp(a * wrong)
        w /= w.mean()
    assert_allclose(model.errors_, errors, atol=1e-9)
    assert_allclose(model.scores_, scores, atol=1e-9)
    assert model.n_estimators_ == int(np.argmax(scores)) + 1
    want = [0.3 * np.log((1 - e) / e) for e in errors][: model.n_estimators_]
    assert_allclose(model.estimator_weights_, want)
    assert model.stop_reason_ == "n_estimators rounds were made"


def test_votes_of_the_kept_rounds_decide() -> None:
    X, y = rare_cloud()
    model = BoostedSVC(8, 0.2, random_state=1).fit(X, y)
    signs = np.where(X @ model.coef_.T + model.intercept_ > 0, 1.0, -1.0)
    assert signs.shape[1] == model.n_estimators_
    shares = model.estimator_weights_ / model.estimator_weights_.sum()
    want = signs @ shares
    # Decision values rank rows with the same votes: they weigh a thousandth of the votes.
    within = np.tanh((X @ model.coef_.T + model.intercept_) @ shares)
    assert_allclose(model.decision_function(X), (want + 1e-3 * within) / 1.001, rtol=1e-9)
    assert len(np.unique(want)) < len(np.unique(model.decision_function(X)))
    assert_array_equal(model.decision_function(X) > 0, want > 0)
    assert np.all(np.abs(want) <= 1.0)
    assert_array_equal(model.predict(X), (want > 0).astype(int))
    assert not set(model.support_.tolist()) & set(held_out(y, 1).tolist())


def test_a_round_without_error_is_the_last() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(12, 2)) + 9.0])
    y = np.repeat([0, 1], [60, 12])
    model = BoostedSVC(random_state=0).fit(X, y)
    assert model.errors_.tolist() == [0.0]
    assert model.n_estimators_ == 1
    assert model.stop_reason_ == "a round made no error"
    assert g_mean_score(y, model.predict(X)) == 1.0


def test_an_error_of_one_half_ends_the_run() -> None:
    X, y = rare_cloud()
    model = BoostedSVC(40, 1.0, random_state=0).fit(X, y)
    assert model.stop_reason_ == "the weighted error reached one half"
    assert len(model.scores_) < 40
    assert np.all(model.errors_ < 0.5)


def test_a_hopeless_first_round_is_still_a_classifier() -> None:
    X = np.zeros((60, 2))
    y = (np.arange(60) < 10).astype(int)
    model = BoostedSVC(5, random_state=0).fit(X, y)
    assert model.n_estimators_ == 1
    assert np.all(np.isfinite(model.decision_function(X)))


def test_three_classes() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [150, 80, 20])
    X = rng.normal(size=(250, 2)) + np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[y]
    model = BoostedSVC(5, 0.1, random_state=0).fit(X, y)
    assert len(model.n_estimators_) == len(model.scores_) == 3
    assert model.dual_coef_.shape[0] == sum(model.n_estimators_)
    assert model.decision_function(X).shape == (250, 3)
    assert g_mean_score(y, model.predict(X)) > 0.8


def test_sparse_frames_and_seeds() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = rare_cloud()
    X[np.abs(X) < 0.5] = 0.0
    dense = BoostedSVC(4, 0.1, tol=1e-5, random_state=0).fit(X, y)
    sparse = BoostedSVC(4, 0.1, tol=1e-5, random_state=0).fit(sp.csr_matrix(X), y)
    assert_allclose(sparse.scores_, dense.scores_, atol=0.02)
    assert np.mean(sparse.predict(sp.csr_matrix(X)) == dense.predict(X)) > 0.99
    frame = pandas.DataFrame(X, columns=list("abc"))
    named = clone(dense).fit(frame, y)
    assert_array_equal(named.dual_coef_, dense.dual_coef_)
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]


def test_rounds_share_kernel_values() -> None:
    X, y = rare_cloud()
    n = len(y) - len(held_out(y, 0))
    several = BoostedSVC(10, 0.05, kernel="rbf", random_state=0).fit(X, y)
    # Training takes each value once for all rounds; deciding on the training rows takes the rest.
    training = several.n_kernel_values_ - sum(
        n * np.count_nonzero(row) for row in several.dual_coef_
    )
    assert len(several.scores_) == 10
    assert training <= n * n + n * 10 * n


# Warm starts


def test_carried_coefficients_fit_their_boxes_and_sum_to_zero() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        y = np.where(rng.random(30) < 0.3, 1.0, -1.0)
        old = rng.uniform(0.5, 2.0, 30)
        alpha = y * old * rng.choice([0.0, 0.5, 1.0], 30)
        cost = old * rng.uniform(0.3, 3.0, 30)
        moved = carry_over(y, cost, old, alpha, rng.normal(size=30))
        assert np.all(moved * y >= -1e-12)
        assert np.all(moved * y <= cost + 1e-12)
        assert abs(moved.sum()) < 1e-9


# The interior-point method


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_interior_points_find_the_machine(C: float, seed: int) -> None:
    X, y = rare_cloud(seed=seed)
    side = np.where(y == 1, 1.0, -1.0)
    cost = C * np.where(side > 0, 6.5, 1.0) * np.random.default_rng(seed).uniform(0.2, 5.0, len(y))
    solved = solve_linear(X, side, cost, 1e-8)
    exact = KernelSVC("linear", C=1.0, tol=1e-6).fit(X, y, sample_weight=cost)
    assert solved.converged
    assert solved.objective == pytest.approx(exact.dual_objective_, rel=5e-5)
    assert_allclose(solved.alpha @ X, exact.coef_[0], atol=1e-3 * np.abs(exact.coef_).max())
    assert abs(solved.alpha.sum()) < 1e-6 * np.abs(solved.alpha).sum()
    assert np.all((solved.alpha * side >= 0.0) & (np.abs(solved.alpha) <= cost))
    # Rows outside the margin have no coefficient.
    assert abs(np.count_nonzero(solved.alpha) - len(exact.support_)) <= 3


@pytest.mark.parametrize("X", [np.zeros((20, 2)), np.repeat([[1.0, 2.0], [3.0, 4.0]], 10, axis=0)])
def test_interior_points_where_rows_coincide(X: Any) -> None:
    side = np.where(np.arange(20) % 5 == 0, 1.0, -1.0)
    solved = solve_linear(X, side, np.ones(20), 1e-8)
    assert np.all(np.isfinite(solved.alpha))
    assert np.isfinite(solved.bias)


def test_a_round_is_kept_only_if_it_beats_the_first_beyond_chance() -> None:
    few, many = (np.repeat([1.0, -1.0], sizes) for sizes in ((4, 40), (400, 4000)))
    scores = [0.80, 0.84, 0.86, 0.85]
    assert round_kept(scores, few) == 1  # four rare rows: steps of twelve points
    assert round_kept(scores, many) == 3
    assert round_kept([0.0, 0.7], few) == 2
    assert round_kept([0.9, 0.8], many) == 1


def test_rows_with_the_same_votes_are_ranked() -> None:
    X, y = rare_cloud(600, 60, seed=3)
    model = BoostedSVC(5, random_state=0).fit(X, y)
    assert len(np.unique(model.decision_function(X))) > 500
    assert roc_auc_score(y, model.decision_function(X)) > 0.85


def test_boosting_is_not_behind_its_first_round_in_the_mean() -> None:
    """Twenty rare rows, four of which choose the round."""
    gains = []
    for seed in range(6):
        X, y = rare_cloud(220, 20, seed)
        X_test, y_test = rare_cloud(1000, 90, seed + 100)
        first, boosted = (
            BoostedSVC(n, kernel="rbf", random_state=seed).fit(X, y).predict(X_test)
            for n in (1, 20)
        )
        gains.append(g_mean_score(y_test, boosted) - g_mean_score(y_test, first))
    assert np.mean(gains) >= -1e-9
