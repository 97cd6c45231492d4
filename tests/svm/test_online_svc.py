"""OnlineSVC as its users see it: seeds, epochs, pieces, saved machines, growth."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rarebit import KernelSVC, OnlineSVC

Floats = NDArray[np.float64]
Labels = NDArray[Any]


def two_classes(n: int = 600, d: int = 4, rare: float = 0.2) -> tuple[Floats, Labels]:
    rng = np.random.default_rng(0)
    y = (np.arange(n) < round(rare * n)).astype(int)
    X = rng.normal(size=(n, d)) + 0.9 * y[:, None]
    order = rng.permutation(n)
    return X[order], y[order]


def three_classes(n: int = 300) -> tuple[Floats, Labels]:
    rng = np.random.default_rng(1)
    y = rng.choice(["ham", "egg", "tea"], p=[0.5, 0.35, 0.15], size=n)
    centres = {"ham": [0.0, 0.0], "egg": [2.0, 0.0], "tea": [1.0, 2.0]}
    return rng.normal(size=(n, 2)) + np.array([centres[c] for c in y]), y


def rows(X: Floats, sparse: bool) -> Any:
    return sp.csr_matrix(np.where(np.abs(X) < 0.3, 0.0, X)) if sparse else X


# Fit


@pytest.mark.parametrize("sparse", [False, True])
def test_attributes(sparse: bool) -> None:
    X, y = two_classes()
    given = rows(X, sparse)
    model = OnlineSVC(random_state=0).fit(given, y)
    n_support = len(model.support_)
    assert model.n_samples_seen_ == 600
    assert model.minority_class_ == 1
    assert model.dual_coef_.shape == (1, n_support)
    assert model.intercept_.shape == model.n_iter_.shape == (1,)
    assert isinstance(model.dual_objective_, float)
    assert_array_equal(model.n_support_, np.bincount(y[model.support_]))
    difference = model.support_vectors_ - given[model.support_]
    assert np.abs(difference).sum() == 0.0
    assert_array_equal(np.sign(model.dual_coef_[0]), 2 * y[model.support_] - 1)
    assert np.abs(model.dual_coef_).max() <= 1.0
    assert abs(model.dual_coef_.sum()) <= 1e-9


def test_one_pass_is_nearly_exact() -> None:
    X, y = two_classes(1500)
    exact = KernelSVC(gamma=0.2).fit(X, y)
    online = OnlineSVC(gamma=0.2, random_state=0).fit(X, y)
    assert 0.97 * exact.dual_objective_ <= online.dual_objective_
    assert online.dual_objective_ <= exact.dual_objective_ * (1.0 + 1e-3)
    assert np.mean(online.predict(X) == exact.predict(X)) >= 0.98


def test_the_seed_decides_on_the_order() -> None:
    X, y = two_classes(1000)
    first, again, other = (OnlineSVC(gamma=0.2, random_state=s).fit(X, y) for s in (3, 3, 4))
    assert_array_equal(first.dual_coef_, again.dual_coef_)
    assert_array_equal(first.support_, again.support_)
    assert_array_equal(first.intercept_, again.intercept_)
    assert first.n_iter_ != other.n_iter_
    assert first.score(X, y) == pytest.approx(other.score(X, y), abs=0.02)


def test_fitting_again_starts_anew() -> None:
    X, y = two_classes()
    model = OnlineSVC(gamma=0.2, random_state=0)
    before = model.fit(X, y).decision_function(X)
    assert_array_equal(model.fit(X, y).decision_function(X), before)
    assert model.n_samples_seen_ == 600


def test_epochs_come_nearer_to_the_optimum() -> None:
    X, y = two_classes()
    best = KernelSVC(gamma=0.2, tol=1e-4).fit(X, y).dual_objective_
    reached = [
        OnlineSVC(gamma=0.2, tol=1e-4, n_epochs=n, random_state=0).fit(X, y).dual_objective_
        for n in (1, 4)
    ]
    assert reached[0] < reached[1]
    assert reached[1] == pytest.approx(best, rel=1e-3)


def test_finishing_is_optional() -> None:
    X, y = two_classes()
    raw = OnlineSVC(gamma=0.2, finish=False, random_state=0).fit(X, y)
    done = OnlineSVC(gamma=0.2, finish=True, random_state=0).fit(X, y)
    assert raw.dual_objective_ < done.dual_objective_
    assert raw.n_iter_ < done.n_iter_


def test_a_machine_may_be_finished_later() -> None:
    X, y = two_classes()
    late = OnlineSVC(gamma=0.2, finish=False).partial_fit(X[:400], y[:400])
    before = late.dual_objective_
    late.set_params(finish=True).partial_fit(X[400:], y[400:])
    at_once = OnlineSVC(gamma=0.2).partial_fit(X, y)
    assert late.dual_objective_ > before
    assert late.dual_objective_ == pytest.approx(at_once.dual_objective_, rel=0.02)


def test_a_warning_tells_when_steps_ran_out() -> None:
    X, y = two_classes()
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 .*gap.*tol=0\.001.*raise max_iter"):
        OnlineSVC(max_iter=2, random_state=0).fit(X, y)


def test_more_classes_are_one_against_the_rest() -> None:
    X, y = three_classes()
    model = OnlineSVC(gamma=0.5, n_epochs=8, tol=1e-4, random_state=0).fit(X, y)
    exact = KernelSVC(gamma=0.5, tol=1e-4).fit(X, y)
    assert model.decision_function(X).shape == (300, 3)
    assert model.dual_coef_.shape == (3, len(model.support_))
    assert_allclose(model.dual_objective_, exact.dual_objective_, rtol=2e-3)
    assert np.mean(model.predict(X) == exact.predict(X)) >= 0.98
    assert model.minority_class_ == "tea"
    assert_array_equal(model.minority_score(X), model.decision_function(X)[:, 2])
    assert_array_equal(model.n_support_, [np.sum(y[model.support_] == c) for c in model.classes_])


def test_the_rare_class_may_sort_first() -> None:
    X, y = two_classes()
    model = OnlineSVC(random_state=0).fit(X, np.where(y == 1, "attack", "normal"))
    assert model.minority_class_ == "attack"
    assert_array_equal(model.minority_score(X), -model.decision_function(X))
    assert model.minority_score(X)[y == 1].mean() > model.minority_score(X)[y == 0].mean()


def test_precomputed_kernel() -> None:
    X, y = two_classes(300)
    K = np.exp(-0.2 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    options: dict[str, Any] = {"n_epochs": 6, "tol": 1e-4, "random_state": 0}
    model = OnlineSVC("precomputed", **options).fit(K, y)
    from_rows = OnlineSVC(gamma=0.2, **options).fit(X, y)
    assert model.dual_objective_ == pytest.approx(from_rows.dual_objective_, rel=1e-3)
    assert_allclose(model.decision_function(K), from_rows.decision_function(X), atol=0.05)


def test_linear_weights() -> None:
    X, y = two_classes()
    model = OnlineSVC("linear", n_epochs=6, tol=1e-4, random_state=0).fit(X + 50.0, y)
    exact = KernelSVC("linear", tol=1e-4).fit(X + 50.0, y)
    assert_allclose(model.coef_, exact.coef_, atol=0.02)
    by_hand = (X + 50.0) @ model.coef_[0] + model.intercept_
    assert_allclose(model.decision_function(X + 50.0), by_hand, atol=1e-8)


def test_class_weights_are_costs_of_rows() -> None:
    X, y = two_classes()
    by_class = OnlineSVC(gamma=0.2, class_weight={1: 4.0}, random_state=0).fit(X, y)
    weights = np.where(y == 1, 4.0, 1.0)
    by_row = OnlineSVC(gamma=0.2, random_state=0).fit(X, y, sample_weight=weights)
    assert_array_equal(by_class.dual_coef_, by_row.dual_coef_)
    balanced = OnlineSVC(gamma=0.2, class_weight="balanced", random_state=0).fit(X, y)
    assert_allclose(balanced.class_weight_, [0.625, 2.5])
    pieces = OnlineSVC(gamma=0.2, class_weight={1: 4.0}).partial_fit(X, y)
    assert 1.0 < pieces.dual_coef_.max() <= 4.0


@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_rows_keep_their_precision(number: Any, sparse: bool) -> None:
    X, y = two_classes()
    model = OnlineSVC(random_state=0).fit(rows(X, sparse).astype(number), y)
    assert model.support_vectors_.dtype == number


# Pieces


@pytest.mark.parametrize("sparse", [False, True])
def test_pieces_are_as_good_as_one(sparse: bool) -> None:
    X, y = two_classes()
    given = rows(X, sparse)
    whole = OnlineSVC(gamma=0.2, finish=False).partial_fit(given, y)
    pieces = OnlineSVC(gamma=0.2, finish=False)
    for at in range(0, 600, 75):
        pieces.partial_fit(given[at : at + 75], y[at : at + 75])
    assert pieces.n_samples_seen_ == whole.n_samples_seen_ == 600
    assert pieces.dual_objective_ == pytest.approx(whole.dual_objective_, rel=0.02)
    assert np.mean(pieces.predict(given) == whole.predict(given)) >= 0.98
    difference = pieces.support_vectors_ - given[pieces.support_]
    assert np.abs(difference).sum() == 0.0  # row numbers count on


def test_rows_are_added_to_a_fit() -> None:
    X, y = two_classes()
    model = OnlineSVC(gamma=0.2, random_state=0).fit(X[:300], y[:300])
    before = model.score(X[300:], y[300:])
    model.partial_fit(X[300:], y[300:])
    assert model.n_samples_seen_ == 600
    assert model.support_.max() >= 300
    assert model.score(X[300:], y[300:]) >= before - 0.01


def test_one_row_at_a_time() -> None:
    X, y = two_classes(120)
    model = OnlineSVC(gamma=0.2)
    for k in range(120):
        model.partial_fit(X[k : k + 1], y[k : k + 1], classes=[0, 1])
        assert np.isfinite(model.decision_function(X[:3])).all()
    assert model.score(X, y) >= 0.8


def test_a_class_may_come_late() -> None:
    X, y = three_classes()
    model = OnlineSVC(gamma=0.5)
    known = y != "tea"
    model.partial_fit(X[known], y[known], classes=["ham", "egg", "tea"])
    assert set(model.predict(X)) == {"ham", "egg"}
    model.partial_fit(X[~known], y[~known])
    assert (model.predict(X[~known]) == "tea").mean() > 0.5
    assert model.minority_class_ == "tea"


def test_layouts_may_change_between_pieces() -> None:
    X, y = two_classes()
    S = rows(X, True)
    mixed = OnlineSVC(gamma=0.2).partial_fit(S[:300], y[:300])
    mixed.partial_fit(S[300:].toarray(), y[300:])
    sparse = OnlineSVC(gamma=0.2).partial_fit(S[:300], y[:300]).partial_fit(S[300:], y[300:])
    assert_allclose(mixed.decision_function(S), sparse.decision_function(S), atol=1e-9)
    assert_allclose(mixed.decision_function(S.toarray()), mixed.decision_function(S), atol=1e-9)


def test_later_rows_may_lie_far_away() -> None:
    """The first rows fit float32; the later ones need float64, and get it."""
    rng = np.random.default_rng(0)
    near, far = rng.normal(size=(200, 2)), rng.normal(size=(200, 2)) + 1e5
    y = (near[:, 0] > 0).astype(int)
    model = OnlineSVC(gamma=0.5).partial_fit(near, y)
    model.partial_fit(far, (far[:, 0] > 1e5).astype(int))
    assert model.score(far, far[:, 0] > 1e5) >= 0.9
    assert model.score(near, y) >= 0.9


def test_memory_of_dropped_rows_is_returned() -> None:
    rng = np.random.default_rng(0)
    model = OnlineSVC("linear", gamma=1.0)
    for _ in range(30):
        X = sp.csr_matrix(rng.normal(size=(400, 3)))
        model.partial_fit(X, (X.toarray()[:, 0] > 0).astype(int))
    kept = len(model._states[0]["tags"])
    assert model._machines[0].garbage <= 1000 + 2 * max(kept, 1) + 400
    assert model.n_samples_seen_ == 12_000


# Copies and files


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("how", ["pickle", "deepcopy"])
def test_a_saved_machine_goes_on_alike(sparse: bool, number: Any, how: str) -> None:
    X, y = two_classes()
    given = rows(X, sparse).astype(number)
    straight, saved = OnlineSVC(gamma=0.2), OnlineSVC(gamma=0.2)
    for at in range(0, 600, 150):
        part = slice(at, at + 150)
        straight.partial_fit(given[part], y[part])
        saved.partial_fit(given[part], y[part])
        saved = pickle.loads(pickle.dumps(saved)) if how == "pickle" else copy.deepcopy(saved)
        assert saved.dual_objective_ == straight.dual_objective_
        assert_array_equal(saved.decision_function(given), straight.decision_function(given))


@pytest.mark.parametrize("sparse", [False, True])
def test_saving_changes_no_bit_of_what_follows(sparse: bool) -> None:
    X, y = two_classes()
    given = rows(X, sparse)
    straight = OnlineSVC(gamma=0.2).partial_fit(given[:300], y[:300])
    saved = pickle.loads(pickle.dumps(straight))
    for model in (straight, saved):
        model.partial_fit(given[300:], y[300:])
    assert_array_equal(saved.support_, straight.support_)
    assert_array_equal(saved.dual_coef_, straight.dual_coef_)
    assert_array_equal(saved.decision_function(given), straight.decision_function(given))


def test_a_copy_does_not_share_its_machine() -> None:
    X, y = two_classes()
    model = OnlineSVC(gamma=0.2).partial_fit(X[:300], y[:300])
    before = model.decision_function(X)
    for other in (copy.copy(model), copy.deepcopy(model)):
        other.partial_fit(X[300:], y[300:])
        assert model.n_samples_seen_ == 300
        assert_array_equal(model.decision_function(X), before)
    model.partial_fit(X[300:350], y[300:350])
    assert model.n_samples_seen_ == 350


def test_clone_forgets_the_fit() -> None:
    X, y = two_classes()
    fresh = clone(OnlineSVC(n_epochs=2).fit(X, y))
    assert fresh.n_epochs == 2
    assert not hasattr(fresh, "classes_")


@pytest.mark.parametrize("sparse", [False, True])
def test_skops_files(sparse: bool) -> None:
    io = pytest.importorskip("skops.io")
    X, y = two_classes()
    given = rows(X, sparse)
    model = OnlineSVC(random_state=0).fit(given, y)
    saved = io.dumps(model)
    unknown = io.get_untrusted_types(data=saved)
    assert all(name.startswith(("rarebit.svm.", "scipy.sparse.")) for name in unknown), unknown
    loaded = io.loads(saved, trusted=unknown)
    assert_array_equal(loaded.decision_function(given), model.decision_function(given))
    assert loaded.partial_fit(given[:10], y[:10]).n_samples_seen_ == 610


def test_an_interrupted_piece_does_not_hide_later_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row numbers of the broken call must not be taken for rows that are known already."""
    from rarebit.svm import _online_svc

    X, y = two_classes(1500)
    model = OnlineSVC(gamma=0.2).partial_fit(X[:300], y[:300])

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_online_svc, "observer", lambda *_: interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X[300:900], y[300:900])
    model.partial_fit(X[900:], y[900:])
    numbers = model.support_[model.support_ >= 300]
    assert model.n_samples_seen_ == 900
    assert_array_equal(model.support_vectors_[model.support_ >= 300], X[600 + numbers])
