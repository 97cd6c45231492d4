"""KernelSVC as its users see it: attributes, classes, weights, frames, files, warnings."""

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
from sklearn.svm import SVC

from rarebit import KernelSVC

Floats = NDArray[np.float64]
Labels = NDArray[Any]


def two_classes(n: int = 200, d: int = 3, rare: float = 0.2) -> tuple[Floats, Labels]:
    rng = np.random.default_rng(0)
    y = (np.arange(n) < round(rare * n)).astype(int)
    X = rng.normal(size=(n, d)) + y[:, None]
    order = rng.permutation(n)
    return X[order], y[order]


def three_classes() -> tuple[Floats, Labels]:
    rng = np.random.default_rng(1)
    y = np.repeat(["ham", "egg", "tea"], [60, 45, 20])
    centres = {"ham": [0.0, 0.0], "egg": [2.0, 0.0], "tea": [1.0, 2.0]}
    X = rng.normal(size=(125, 2)) + np.array([centres[c] for c in y])
    order = rng.permutation(125)
    return X[order], y[order]


# Attributes


@pytest.mark.parametrize("sparse", [False, True])
def test_attributes_of_two_classes(sparse: bool) -> None:
    X, y = two_classes()
    given = sp.csr_matrix(X) if sparse else X
    model = KernelSVC().fit(given, y)
    n_support = len(model.support_)
    assert_array_equal(model.classes_, [0, 1])
    assert model.minority_class_ == 1
    assert model.dual_coef_.shape == (1, n_support)
    assert model.intercept_.shape == model.n_iter_.shape == (1,)
    assert model.support_vectors_.shape == (n_support, 3)
    vectors = model.support_vectors_.toarray() if sparse else model.support_vectors_
    assert_array_equal(vectors, X[model.support_])
    assert_array_equal(model.n_support_, np.bincount(y[model.support_]))
    assert_array_equal(np.sign(model.dual_coef_[0]), 2 * y[model.support_] - 1)
    assert model.n_features_in_ == 3
    assert isinstance(model.dual_objective_, float)
    assert isinstance(model.optimality_gap_, float)
    assert model.optimality_gap_ <= model.tol
    assert model.decision_function(given).shape == (200,)


def test_decision_is_the_expansion() -> None:
    X, y = two_classes()
    model = KernelSVC(gamma=0.5).fit(X, y)
    squares = ((X[:, None] - model.support_vectors_[None]) ** 2).sum(axis=2)
    expected = np.exp(-0.5 * squares) @ model.dual_coef_[0] + model.intercept_
    assert_allclose(model.decision_function(X), expected, atol=1e-4)
    assert_array_equal(model.predict(X), (model.decision_function(X) > 0).astype(int))


def test_more_classes_are_one_against_the_rest() -> None:
    X, y = three_classes()
    model = KernelSVC(gamma=0.5, tol=1e-6).fit(X, y)
    values = model.decision_function(X)
    assert_array_equal(model.classes_, ["egg", "ham", "tea"])
    assert values.shape == (125, 3)
    assert model.dual_coef_.shape == (3, len(model.support_))
    assert model.intercept_.shape == model.n_iter_.shape == (3,)
    assert np.shape(model.dual_objective_) == np.shape(model.optimality_gap_) == (3,)
    assert model.n_support_.shape == (3,)
    for column, name in enumerate(model.classes_):
        alone = KernelSVC(gamma=0.5, tol=1e-6).fit(X, y == name)
        assert_allclose(values[:, column], alone.decision_function(X), atol=1e-4)
        reached = np.asarray(model.dual_objective_)[column]
        assert reached == pytest.approx(alone.dual_objective_, rel=1e-6)
    assert_array_equal(model.predict(X), model.classes_[values.argmax(axis=1)])
    assert model.minority_class_ == "tea"
    assert_array_equal(model.minority_score(X), values[:, 2])


def test_more_classes_without_room_for_a_shared_gram() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(600, 3)), rng.integers(0, 3, size=600)
    X[:, 0] += y
    shared = KernelSVC(gamma=0.5, tol=1e-5, cache_size=64).fit(X, y)
    alone = KernelSVC(gamma=0.5, tol=1e-5, cache_size=1).fit(X, y)
    assert_allclose(shared.dual_objective_, alone.dual_objective_, rtol=1e-6)
    assert_allclose(shared.decision_function(X), alone.decision_function(X), atol=1e-3)


def test_the_rare_class_may_sort_first() -> None:
    X, y = two_classes()
    names = np.where(y == 1, "attack", "normal")
    model, plain = KernelSVC().fit(X, names), KernelSVC().fit(X, y)
    assert model.minority_class_ == "attack"
    assert_array_equal(model.classes_, ["attack", "normal"])
    assert_array_equal(model.minority_score(X), -model.decision_function(X))
    assert_allclose(model.minority_score(X), plain.minority_score(X), atol=5e-3)
    assert model.minority_score(X)[y == 1].mean() > model.minority_score(X)[y == 0].mean()
    assert set(model.predict(X)) == {"attack", "normal"}


def test_of_equally_rare_classes_the_last_is_meant() -> None:
    X, _ = two_classes(20)
    assert KernelSVC().fit(X, np.tile(["a", "b"], 10)).minority_class_ == "b"


@pytest.mark.parametrize("dtype", [bool, np.int8, object])
def test_types_of_labels(dtype: Any) -> None:
    X, y = two_classes()
    labels = np.where(y == 1, "yes", "no").astype(object) if dtype is object else y.astype(dtype)
    model = KernelSVC().fit(X, labels)
    assert model.predict(X).dtype == labels.dtype
    assert set(model.predict(X).tolist()) <= set(labels.tolist())


# Weights


def test_class_weights_are_costs_of_rows() -> None:
    X, y = two_classes()
    by_class = KernelSVC(gamma=0.5, class_weight={1: 4.0}).fit(X, y)
    by_row = KernelSVC(gamma=0.5).fit(X, y, sample_weight=np.where(y == 1, 4.0, 1.0))
    assert_array_equal(by_class.dual_coef_, by_row.dual_coef_)
    assert by_class.intercept_ == by_row.intercept_
    assert_array_equal(by_class.class_weight_, [1.0, 4.0])
    assert by_class.dual_coef_.max() <= 4.0
    assert by_class.dual_coef_.max() > 1.0


def test_balanced_weights_even_the_classes() -> None:
    X, y = two_classes()
    plain = KernelSVC(gamma=0.5).fit(X, y)
    balanced = KernelSVC(gamma=0.5, class_weight="balanced").fit(X, y)
    by_row = KernelSVC(gamma=0.5).fit(X, y, sample_weight=np.where(y == 1, 2.5, 0.625))
    assert_allclose(balanced.class_weight_, [0.625, 2.5])
    assert_allclose(balanced.decision_function(X), by_row.decision_function(X), atol=5e-3)
    found = [(m.predict(X)[y == 1] == 1).mean() for m in (plain, balanced)]
    assert found[1] > found[0]


def test_balanced_weights_count_the_weights_of_rows() -> None:
    X, y = two_classes()
    weights = np.where(y == 1, 3.0, 1.0)
    model = KernelSVC(class_weight="balanced").fit(X, y, sample_weight=weights)
    totals = np.array([160.0, 120.0])
    assert_allclose(model.class_weight_, totals.sum() / (2 * totals))


# The linear kernel


# Sparse rows are not centred: rows far from zero are for the dense case.
@pytest.mark.parametrize(("sparse", "shift"), [(False, 0.0), (False, 1000.0), (True, 0.0)])
def test_linear_weights_agree_with_svc(sparse: bool, shift: float) -> None:
    X, y = two_classes()
    X = X + shift * np.array([1.0, 0.0, -1.0])
    given = sp.csr_matrix(X) if sparse else X
    model = KernelSVC("linear", tol=1e-5).fit(given, y)
    centred = X - X.mean(axis=0)  # for SVC, whose own precision suffers far from zero
    svc = SVC(kernel="linear", tol=1e-5).fit(centred, y)
    assert_allclose(model.coef_, svc.coef_, atol=1e-3)
    assert_allclose(
        model.intercept_, svc.intercept_ - svc.coef_ @ X.mean(axis=0), atol=1e-3 * (1 + shift)
    )
    by_hand = X @ model.coef_[0] + model.intercept_
    assert_allclose(model.decision_function(given), by_hand, atol=1e-9 + 1e-8 * shift)
    assert_allclose(model.decision_function(given), svc.decision_function(centred), atol=2e-3)


# Frames


def test_pandas_frames_keep_their_names() -> None:
    pd = pytest.importorskip("pandas")
    X, y = two_classes()
    frame = pd.DataFrame(X, columns=["age", "dose", "rate"])
    model = KernelSVC().fit(frame, pd.Series(y))
    assert_array_equal(model.feature_names_in_, ["age", "dose", "rate"])
    assert_array_equal(model.decision_function(frame), KernelSVC().fit(X, y).decision_function(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"dose": "amount"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)


def test_polars_frames_keep_their_names() -> None:
    pl = pytest.importorskip("polars")
    X, y = two_classes()
    frame = pl.DataFrame(X, schema=["age", "dose", "rate"])
    model = KernelSVC().fit(frame, pl.Series(y))
    assert_array_equal(model.feature_names_in_, ["age", "dose", "rate"])
    assert_array_equal(model.decision_function(frame), KernelSVC().fit(X, y).decision_function(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename({"dose": "amount"}))


# Numbers


@pytest.mark.parametrize("number", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_rows_keep_their_precision(number: Any, sparse: bool) -> None:
    X, y = two_classes()
    given = sp.csr_matrix(X.astype(number)) if sparse else X.astype(number)
    before = given.copy()
    model = KernelSVC().fit(given, y)
    assert model.support_vectors_.dtype == number
    assert model.decision_function(given).dtype == np.float64
    assert (given != before).sum() == 0


def test_mixed_precision_at_prediction() -> None:
    X, y = two_classes()
    narrow = X.astype(np.float32)
    model = KernelSVC(gamma=0.5).fit(narrow, y)
    assert_allclose(
        model.decision_function(narrow.astype(np.float64)),
        model.decision_function(narrow),
        atol=1e-6,
    )


def test_sparse_index_types() -> None:
    X, y = two_classes()
    S = sp.csr_matrix(X)
    expected = KernelSVC(gamma=0.5).fit(S, y).decision_function(S)
    wide = S.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    mixed = S.copy()
    mixed.indptr = mixed.indptr.astype(np.int64)
    for given in (wide, mixed, sp.csc_matrix(S), sp.coo_matrix(S), sp.csr_array(S)):
        model = KernelSVC(gamma=0.5).fit(given, y)
        assert_allclose(model.decision_function(given), expected, atol=1e-9)


# Warnings and progress


def test_a_warning_tells_when_steps_ran_out() -> None:
    X, y = two_classes()
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3 .*gap.*tol=0\.001.*raise max_iter"):
        model = KernelSVC(max_iter=3).fit(X, y)
    assert model.n_iter_[0] <= 3
    assert model.optimality_gap_ > 1e-3
    assert model.predict(X).shape == (200,)


def test_the_warning_points_at_the_call_of_fit() -> None:
    X, y = two_classes()
    with pytest.warns(ConvergenceWarning) as caught:
        KernelSVC(max_iter=3).fit(X, y)
    assert caught[0].filename == __file__


def test_short_fits_are_silent(capfd: pytest.CaptureFixture[str]) -> None:
    X, y = two_classes()
    KernelSVC(verbose=True).fit(X, y).predict(X)
    assert capfd.readouterr() == ("", "")


def test_long_fits_report_on_standard_error(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10_000, 2))  # two seconds pass between any two looks at the clock
    monkeypatch.setattr("rarebit._engine.progress.time.monotonic", lambda: float(next(clock)))
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 20)), rng.integers(0, 2, size=4000)
    KernelSVC(verbose=True).fit(X, y)
    out, err = capfd.readouterr()
    assert out == ""
    assert "rarebit fit:" in err
    assert "of 4,000" in err


# Copies and files


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
def test_copies_decide_alike(kernel: str, sparse: bool) -> None:
    X, y = three_classes()
    if kernel == "precomputed":
        X = X @ X.T
        sparse = False
    given = sp.csr_matrix(X) if sparse else X
    model = KernelSVC(kernel).fit(given, y)
    expected = model.decision_function(given)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert_array_equal(other.decision_function(given), expected)
        assert other.get_params() == model.get_params()


def test_clone_forgets_the_fit() -> None:
    X, y = two_classes()
    model = KernelSVC(C=3.0, class_weight={1: 2.0}).fit(X, y)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "dual_coef_")


@pytest.mark.parametrize("sparse", [False, True])
def test_skops_files(sparse: bool) -> None:
    io = pytest.importorskip("skops.io")
    X, y = two_classes()
    given = sp.csr_matrix(X) if sparse else X
    model = KernelSVC().fit(given, y)
    saved = io.dumps(model)
    unknown = io.get_untrusted_types(data=saved)
    assert all(name.startswith(("rarebit.svm.", "scipy.sparse.")) for name in unknown), unknown
    loaded = io.loads(saved, trusted=unknown)
    assert_array_equal(loaded.decision_function(given), model.decision_function(given))


def test_refitting_forgets_the_rows_before() -> None:
    X, y = two_classes()
    model = KernelSVC().fit(np.hstack([X, X]), y).fit(X, y)
    assert model.n_features_in_ == 3
    assert_array_equal(model.decision_function(X), KernelSVC().fit(X, y).decision_function(X))


def test_the_same_fit_gives_the_same_bits() -> None:
    X, y = two_classes(1500)
    first, second = KernelSVC().fit(X, y), KernelSVC().fit(X, y)
    assert_array_equal(first.dual_coef_, second.dual_coef_)
    assert_array_equal(first.intercept_, second.intercept_)


def test_cells_written_twice_count_once() -> None:
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(60, 4))
    y = (dense[:, 0] > 0).astype(int)
    cells = np.indices(dense.shape).reshape(2, -1)
    halves = (np.tile(dense.ravel() / 2, 2), np.tile(cells, 2))
    rows = np.repeat(np.arange(60), 8)
    order = np.argsort(np.tile(cells[0], 2), kind="stable")
    twice = sp.csr_matrix(
        (halves[0][order], halves[1][1][order], np.searchsorted(rows, np.arange(61))),
        shape=dense.shape,
    )
    assert not twice.has_canonical_format
    once = KernelSVC(gamma=0.5, tol=1e-6).fit(dense, y)
    got = KernelSVC(gamma=0.5, tol=1e-6).fit(twice, y)
    np.testing.assert_allclose(
        got.decision_function(twice), once.decision_function(dense), atol=1e-4
    )
    assert not twice.has_canonical_format  # the caller's matrix is left as it was
