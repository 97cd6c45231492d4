"""BaggedSVC: bags, weights, combiners, sharing, and the same answer however it is run."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.svm import SVC

from rarebit import BaggedSVC
from rarebit.classifiers._combiners import accuracy_weights, harmonic_weights, vote
from rarebit.metrics import g_mean_score

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]


def rare_cloud(n: int = 400, rare: int = 40, seed: int = 0) -> tuple[Floats, Labels]:
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < rare).astype(np.intp)
    X = rng.normal(size=(n, 3)) + 1.3 * y[:, None]
    order = rng.permutation(n)
    return X[order], y[order]


def three_clouds(seed: int = 0) -> tuple[Floats, NDArray[np.str_]]:
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [150, 80, 20])
    centres = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])
    return rng.normal(size=(250, 2)) + centres[y], np.array(["a", "b", "rare"])[y]


def bag_of(model: BaggedSVC, machine: int) -> Labels:
    return model.support_[model.dual_coef_[machine] != 0.0]


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_machine_is_the_exact_machine_of_its_bag(kernel: str) -> None:
    X, y = rare_cloud()
    model = BaggedSVC(5, "vote", kernel=kernel, C=2.0, gamma=0.5, tol=1e-4, random_state=3)
    model.fit(X, y)
    # The same draws: every row of the rare class, and as many others with replacement.
    rng = np.random.RandomState(3)
    for values in model._machine_values(X).T:
        drawn = rng.choice(np.flatnonzero(y == 0), int(y.sum()))
        bag = np.concatenate([np.flatnonzero(y == 1), drawn])
        svc = SVC(kernel=kernel, C=2.0, gamma=0.5, tol=1e-6).fit(X[bag], y[bag])
        assert_allclose(values, svc.decision_function(X), atol=2e-3)
    assert np.all(model.optimality_gap_ <= 1e-4)


def test_bags_hold_all_rare_rows_and_as_many_others() -> None:
    X, y = rare_cloud()
    model = BaggedSVC(8, "vote", C=1e-6, gamma=0.5, random_state=0).fit(X, y)
    # With a tiny cost every row of a bag is a support vector at its limit.
    for machine in range(8):
        rows = bag_of(model, machine)
        assert set(np.flatnonzero(y == 1)) <= set(rows)
        draws = np.abs(model.dual_coef_[machine][model.dual_coef_[machine] < 0.0]) / 1e-6
        assert_allclose(draws.sum(), y.sum(), rtol=1e-6)
        assert_allclose(draws, np.round(draws), atol=1e-3)
    assert not np.array_equal(bag_of(model, 0), bag_of(model, 1))


def test_weights_come_from_rows_set_aside() -> None:
    X, y = rare_cloud()
    model = BaggedSVC(10, random_state=1).fit(X, y)
    used = set(model.support_.tolist())
    rng = np.random.RandomState(1)
    held = np.concatenate([rng.permutation(np.flatnonzero(y == c))[: 72 if c == 0 else 8]
                           for c in (0, 1)])  # fmt: skip
    assert not used & set(held.tolist())
    answers = (model._machine_values(X[np.sort(held)]) > 0).astype(np.intp)
    assert_allclose(model.weights_, harmonic_weights(answers, y[np.sort(held)], 2))
    assert np.all((model.weights_ > 0.0) & (model.weights_ <= 1.0))


def test_harmonic_weights_by_hand() -> None:
    truth = np.array([0, 0, 0, 0, 1, 1])
    answers = np.array([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0], [0, 0, 0, 0, 0, 0]]).T
    # Accuracies (1, 1), (3/4, 1/2) and (1, 0).
    assert_allclose(harmonic_weights(answers, truth, 2), [1.0, 2 * 0.375 / 1.25, 0.0])
    assert_allclose(accuracy_weights(answers, truth, 2), [1.0, 4 / 6, 4 / 6])
    three = np.array([0, 1, 2, 2])
    given = np.array([[0, 1, 2, 0]]).T
    assert_allclose(harmonic_weights(given, three, 3), [3 / (1 + 1 + 2)])


def test_votes_by_hand() -> None:
    answers = np.array([[0, 1, 1], [2, 2, 0]])
    shares = vote(answers, np.array([0.5, 0.25, 0.25]), 3)
    assert_allclose(shares, [[0.5, 0.5, 0.0], [0.25, 0.0, 0.75]])


@pytest.mark.parametrize("combiner", ["balanced", "weighted", "vote", "average"])
def test_decision_values_are_what_the_combiner_says(combiner: str) -> None:
    X, y = rare_cloud()
    model = BaggedSVC(7, combiner, random_state=0).fit(X, y)
    values = model._machine_values(X)
    if combiner == "average":
        want = values.mean(axis=1)
    else:
        want = np.sign(values) @ model.weights_ / model.weights_.sum()
    assert_allclose(model.decision_function(X), want, atol=1e-9)
    assert_array_equal(model.predict(X), (want > 0).astype(int))
    if combiner == "vote":
        assert_allclose(model.weights_, 1.0)
    assert g_mean_score(y, model.predict(X)) > 0.75


def test_a_machine_that_misses_a_class_has_no_say() -> None:
    X, y = rare_cloud()
    model = BaggedSVC(6, random_state=0).fit(X, y)
    model.intercept_[:3] = -1e6  # these now answer 0 always
    model._weigh(X, y, np.arange(len(y)))
    assert_allclose(model.weights_[:3], 0.0)
    assert np.all(model.weights_[3:] > 0.0)


def test_when_all_machines_miss_a_class_all_weigh_the_same() -> None:
    X = np.zeros((40, 1))
    y = (np.arange(40) < 6).astype(int)
    model = BaggedSVC(3, kernel="linear", random_state=0).fit(X, y)
    assert_allclose(model.weights_, 1.0)
    assert np.all(np.isfinite(model.decision_function(X)))


# More than two classes


@pytest.mark.parametrize("combiner", ["balanced", "weighted", "vote", "average"])
def test_three_classes(combiner: str) -> None:
    X, y = three_clouds()
    model = BaggedSVC(9, combiner, random_state=0).fit(X, y)
    assert model.minority_class_ == "rare"
    assert model.dual_coef_.shape[0] == 27
    assert model.weights_.shape == (9,)
    values = model.decision_function(X)
    assert values.shape == (250, 3)
    if combiner != "average":
        assert_allclose(values.sum(axis=1), 1.0)
    assert g_mean_score(y, model.predict(X)) > 0.85
    assert_allclose(model.minority_score(X), values[:, 2])


def test_the_balanced_combiner_is_native_for_three_classes() -> None:
    X, y = three_clouds()
    model = BaggedSVC(6, "balanced", random_state=2).fit(X, y)
    answers = model._machine_values(X).reshape(250, 6, 3).argmax(axis=2)
    shares = np.stack([(answers == c) @ model.weights_ for c in range(3)], axis=1)
    assert_array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])


# The number of bags


def test_auto_stops_when_resampled_ensembles_agree() -> None:
    X, y = rare_cloud()
    easy = BaggedSVC("auto", random_state=0).fit(X, y)
    assert 11 <= easy.n_estimators_ < 100
    assert easy.n_estimators_ % 10 == 1  # the pilot and whole batches
    assert easy.weights_.shape == (easy.n_estimators_,)
    assert BaggedSVC(4, "vote", random_state=0).fit(X, y).n_estimators_ == 4
    assert BaggedSVC(1, random_state=0).fit(X, y).n_estimators_ == 1


def test_auto_needs_more_bags_where_machines_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rare_cloud(seed=4)
    monkeypatch.setattr("rarebit.classifiers._bagged._AUTO_SPREAD", 0.002)
    strict = BaggedSVC("auto", random_state=0).fit(X, y)
    monkeypatch.setattr("rarebit.classifiers._bagged._AUTO_SPREAD", 0.5)
    assert strict.n_estimators_ > BaggedSVC("auto", random_state=0).fit(X, y).n_estimators_


# However it is run


@pytest.mark.parametrize("data", [rare_cloud, three_clouds])
def test_any_number_of_jobs_and_processes_give_the_same_bits(data: Any) -> None:
    X, y = data()
    base = BaggedSVC(12, random_state=5, n_jobs=1).fit(X, y)
    others = [BaggedSVC(12, random_state=5, n_jobs=n).fit(X, y) for n in (2, 3)]
    with joblib.parallel_backend("loky", n_jobs=2):
        others.append(BaggedSVC(12, random_state=5).fit(X, y))
    for other in others:
        assert_array_equal(other.dual_coef_, base.dual_coef_)
        assert_array_equal(other.intercept_, base.intercept_)
        assert_array_equal(other.weights_, base.weights_)
        assert_array_equal(other.decision_function(X), base.decision_function(X))


def test_the_same_seed_replays_and_another_does_not() -> None:
    X, y = rare_cloud()
    first = BaggedSVC(4, random_state=0).fit(X, y)
    again = clone(first).fit(X, y)
    assert_array_equal(first.dual_coef_, again.dual_coef_)
    other = BaggedSVC(4, random_state=1).fit(X, y)
    assert not np.array_equal(first.support_, other.support_)


def test_sparse_rows_give_the_machines_of_dense_ones() -> None:
    X, y = rare_cloud()
    X[np.abs(X) < 0.4] = 0.0
    dense = BaggedSVC(5, "average", gamma=0.4, random_state=0).fit(X, y)
    sparse = BaggedSVC(5, "average", gamma=0.4, random_state=0).fit(sp.csr_matrix(X), y)
    assert sp.issparse(sparse.support_vectors_)
    assert_allclose(
        sparse.decision_function(sp.csr_matrix(X)), dense.decision_function(X), atol=5e-3
    )
    assert_allclose(sparse.decision_function(X), sparse.decision_function(sp.csr_matrix(X)))


def test_frames_keep_their_names() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = rare_cloud()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = BaggedSVC(3, random_state=0).fit(frame, pandas.Series(y))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert_array_equal(model.predict(frame), BaggedSVC(3, random_state=0).fit(X, y).predict(X))


def test_kernel_values_are_counted() -> None:
    X, y = rare_cloud()
    model = BaggedSVC(20, "vote", gamma=0.5, random_state=0).fit(X, y)
    assert model.n_kernel_values_ > 0
    # Far less than one block of kernel values for each bag.
    assert model.n_kernel_values_ <= 20 * 80 * 80 * 1.2 + 400 * 80
    with joblib.parallel_backend("loky", n_jobs=2):
        apart = BaggedSVC(20, "vote", gamma=0.5, random_state=0).fit(X, y)
    assert apart.n_kernel_values_ > 0


def test_a_limit_of_steps_is_told() -> None:
    from sklearn.exceptions import ConvergenceWarning

    X, y = rare_cloud()
    with pytest.warns(ConvergenceWarning, match="max_iter=3.*raise max_iter"):
        BaggedSVC(4, max_iter=3, random_state=0).fit(X, y)
