"""BorderSVC: conformance, which labels are read, and which rows are asked for."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from sklearn.datasets import make_blobs, make_classification
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from rarebit import BorderSVC, KernelSVC
from rarebit._engine.reference import kkt_gap
from rarebit.metrics import g_mean_score

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]


def rare_problem(n: int = 3000, seed: int = 0, weight: float = 0.95) -> tuple[Floats, Labels]:
    X, y = make_classification(
        n_samples=n,
        n_features=6,
        n_informative=4,
        weights=[weight],
        class_sep=1.5,
        flip_y=0.0,
        random_state=seed,
    )
    return X, y


@parametrize_with_checks(
    [
        BorderSVC(),
        BorderSVC(search="full"),
        BorderSVC(search="random"),
        BorderSVC(explore=0.0, stop="support"),
        BorderSVC("linear", stop=None),
        BorderSVC("precomputed"),
        BorderSVC(C="tuned", gamma="tuned"),
    ]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("search", ["pool", "full", "random"])
def test_labels_that_were_not_asked_for_have_no_influence(search: str) -> None:
    X, y = rare_problem()
    fitted = BorderSVC(search=search, max_labels=300, random_state=1).fit(X, y)
    other = y.copy()
    unread = np.setdiff1d(np.arange(len(y)), fitted.queried_)
    other[unread] = 1 - other[unread]
    again = BorderSVC(search=search, max_labels=300, random_state=1).fit(X, other)
    assert_array_equal(again.queried_, fitted.queried_)
    assert_array_equal(again.dual_coef_, fitted.dual_coef_)
    assert_array_equal(again.intercept_, fitted.intercept_)
    assert_array_equal(again.support_vectors_, fitted.support_vectors_)
    assert again.stop_reasons_ == fitted.stop_reasons_
    assert again.minority_class_ == fitted.minority_class_


def test_unread_labels_may_even_be_of_unknown_classes() -> None:
    X, y = rare_problem(1500)
    fitted = BorderSVC(max_labels=200, random_state=0).fit(X, y)
    other = y.copy()
    unread = np.setdiff1d(np.arange(len(y)), fitted.queried_)
    other[unread] = np.arange(len(unread)) % 7 - 3
    again = BorderSVC(max_labels=200, random_state=0).fit(X, other)
    assert_array_equal(again.queried_, fitted.queried_)
    assert_array_equal(again.dual_coef_, fitted.dual_coef_)
    assert_array_equal(again.classes_, [0, 1])


def test_the_classifier_is_the_exact_machine_of_the_rows_asked_for() -> None:
    X, y = rare_problem()
    fitted = BorderSVC(C=3.0, gamma=0.2, max_labels=250, random_state=2, tol=1e-4).fit(X, y)
    rows = fitted.queried_
    assert len(np.unique(rows)) == fitted.n_labels_ == 250
    kernel = rbf_kernel(X[rows], gamma=0.2)
    alpha = np.zeros(len(rows))
    place = {int(row): i for i, row in enumerate(rows)}
    for row, value in zip(fitted.support_, fitted.dual_coef_[0], strict=True):
        alpha[place[int(row)]] = value
    targets = np.where(y[rows] == 1, 1.0, -1.0)
    assert kkt_gap(kernel, targets, np.full(len(rows), 3.0), alpha) < 2e-4
    batch = KernelSVC(C=3.0, gamma=0.2, tol=1e-4).fit(X[rows], y[rows])
    assert fitted.dual_objective_ == pytest.approx(batch.dual_objective_, rel=1e-5)


def test_full_search_asks_for_the_row_closest_to_the_border() -> None:
    X, y = rare_problem(700)
    gamma, C = 0.3, 2.0
    machine = BorderSVC(
        C=C, gamma=gamma, search="full", explore=0.0, stop=None, max_labels=120, random_state=3
    ).fit(X, y)
    history = machine.history_
    border = np.flatnonzero(history["how"] == "border")
    assert len(border) > 60
    # Every query against brute force over all unseen rows, by a machine that stops just before.
    for at in border[5:60:6]:
        known = machine.queried_[:at]
        before = BorderSVC(
            C=C,
            gamma=gamma,
            search="full",
            explore=0.0,
            stop=None,
            max_labels=int(at),
            random_state=3,
        )
        session = before._open(before._check_rows(X, reset=True))
        session.run(y.astype(np.int32), np.array([0, 1]))
        now = session.engine.solution(0)
        unseen = np.setdiff1d(np.arange(len(y)), known)
        values = np.abs(rbf_kernel(X[unseen], X[now.rows], gamma=gamma) @ now.alpha + now.bias)
        assert values[np.flatnonzero(unseen == machine.queried_[at])[0]] <= values.min() + 1e-5
        assert history["distance"][at] == pytest.approx(values.min(), abs=1e-5)
        assert history["inside"][at] == np.count_nonzero(values < 1.0)


def test_full_search_between_explored_rows_equals_brute_force() -> None:
    X, y = rare_problem(700)
    searching = BorderSVC(C=2.0, gamma=0.3, search="full", explore=0.4, stop=None, random_state=1)
    session = searching._open(searching._check_rows(X, reset=True))
    seen = np.zeros(len(y), dtype=bool)
    border = 0
    for _ in range(150):
        now = session.engine.solution(0) if session.engine.machines else None
        row = session.engine.ask()
        query = {name: column[-1] for name, column in session.engine.pending().items()}
        if now is not None and query["way"] == 2:
            border += 1
            kernel = rbf_kernel(X[~seen], X[now.rows], gamma=0.3)
            values = np.abs(kernel @ now.alpha + now.bias)
            chosen = np.count_nonzero(~seen[:row])
            assert values[chosen] <= values.min() + 1e-5
            assert query["distance"] == pytest.approx(values.min(), abs=1e-5)
            assert query["inside"] == np.count_nonzero(values < 1.0)
        seen[row] = True
        session.learn(row, int(y[row]))
    assert 30 < border < 140


def test_full_search_without_memory_asks_the_same_and_says_so() -> None:
    X, y = rare_problem(4000)
    options: dict[str, Any] = {"search": "full", "stop": None, "max_labels": 150, "random_state": 0}
    ample = BorderSVC(**options).fit(X, y)
    with pytest.warns(RuntimeWarning, match="raise cache_size, or use search='pool'"):
        short = BorderSVC(**options, cache_size=1).fit(X, y)
    # Sums are added in another order, so near ties may fall otherwise after a while.
    assert_array_equal(ample.queried_[:40], short.queried_[:40])
    assert np.mean(ample.predict(X) == short.predict(X)) > 0.97


def test_pool_search_takes_a_close_row_and_random_search_does_not() -> None:
    X, y = rare_problem()
    distance = {}
    for search in ("pool", "full", "random"):
        fitted = BorderSVC(search=search, explore=0.0, stop=None, max_labels=200, random_state=0)
        history = fitted.fit(X, y).history_
        distance[search] = float(np.median(history["distance"][40:70]))
    assert distance["full"] < distance["pool"] < distance["random"]


def test_border_labels_are_more_balanced_than_the_pool() -> None:
    X, y = rare_problem(weight=0.97)
    fitted = BorderSVC(max_labels=200, explore=0.0, stop=None, random_state=0).fit(X, y)
    assert y[fitted.queried_].mean() > 3 * y.mean()
    # Balanced labels must not make the wrong class the rare one.
    assert fitted.minority_class_ == 1


def test_few_labels_nearly_reach_the_machine_of_all_labels() -> None:
    X, y = rare_problem(6000, seed=5)
    train, test = np.arange(4000), np.arange(4000, 6000)
    full = KernelSVC().fit(X[train], y[train])
    fitted = BorderSVC(random_state=0).fit(X[train], y[train])
    assert fitted.n_labels_ < 2000
    reached = g_mean_score(y[test], fitted.predict(X[test]))
    assert reached > g_mean_score(y[test], full.predict(X[test])) - 0.03


@pytest.mark.parametrize("search", ["pool", "full"])
def test_csr_and_dense_rows_ask_the_same(search: str) -> None:
    X, y = rare_problem(800)
    X = np.where(np.abs(X) < 0.5, 0.0, np.round(X, 1))
    options: dict[str, Any] = {"gamma": 0.2, "search": search, "max_labels": 100, "random_state": 4}
    dense = BorderSVC(**options).fit(X, y)
    sparse = BorderSVC(**options).fit(sp.csr_matrix(X), y)
    # Kernel values differ in their last bits, so near ties may fall otherwise after a while.
    assert_array_equal(dense.queried_[:8], sparse.queried_[:8])
    assert np.mean(dense.predict(X) == sparse.predict(sp.csr_matrix(X))) > 0.97


def test_precomputed_kernel_asks_what_the_kernel_asks() -> None:
    X, y = rare_problem(500)
    gram = rbf_kernel(X, gamma=0.25)
    by_rows = BorderSVC(gamma=0.25, max_labels=80, random_state=0).fit(X, y)
    by_gram = BorderSVC("precomputed", max_labels=80, random_state=0).fit(gram, y)
    assert_array_equal(by_rows.queried_[:15], by_gram.queried_[:15])
    assert np.mean(by_rows.predict(X) == by_gram.predict(gram)) > 0.95


def test_memory_mapped_pools_are_read_in_place(tmp_path: Path) -> None:
    X, y = rare_problem(2000)
    np.save(tmp_path / "pool.npy", X.astype(np.float32))
    pool = np.load(tmp_path / "pool.npy", mmap_mode="r")
    machine = BorderSVC(max_labels=100, random_state=0)
    session = machine._open(machine._check_rows(pool, reset=True))
    assert np.shares_memory(session.pool, pool)
    mapped = BorderSVC(max_labels=100, random_state=0).fit(pool, y)
    loaded = BorderSVC(max_labels=100, random_state=0).fit(X.astype(np.float32), y)
    assert_array_equal(mapped.queried_, loaded.queried_)


def test_more_than_two_classes_are_all_found() -> None:
    X, y = make_blobs([900, 60, 40], n_features=4, cluster_std=1.5, random_state=2)
    fitted = BorderSVC(random_state=0).fit(X, y)
    assert_array_equal(fitted.classes_, [0, 1, 2])
    assert fitted.minority_class_ == 2
    assert fitted.dual_coef_.shape[0] == 3
    assert np.mean(fitted.predict(X) == y) > 0.97
    assert {f"n_support_{c}" for c in (0, 1, 2)} <= set(fitted.history_)


def test_class_weights_reach_the_classifier() -> None:
    X, y = rare_problem(1000)
    heavy = BorderSVC(class_weight={0: 1.0, 1: 7.0}, max_labels=150, random_state=0).fit(X, y)
    assert_array_equal(heavy.class_weight_, [1.0, 7.0])
    balanced = BorderSVC(class_weight="balanced", max_labels=150, random_state=0).fit(X, y)
    asked = np.bincount(y[balanced.queried_])
    assert_array_equal(balanced.class_weight_, 150 / (2 * asked))


def test_same_seed_same_queries() -> None:
    X, y = rare_problem(1000)
    first, second, other = (BorderSVC(random_state=seed).fit(X, y) for seed in (7, 7, 8))
    assert_array_equal(first.queried_, second.queried_)
    assert not np.array_equal(first.queried_[:20], other.queried_[:20])


# Bad input


def test_one_class_is_an_error_after_all_rows_were_asked_for() -> None:
    X, _ = rare_problem(100)
    with pytest.raises(ValueError, match="at least two classes"):
        BorderSVC().fit(X, np.zeros(100, dtype=int))


def test_too_few_labels_for_a_second_class_name_the_next_step() -> None:
    X, y = rare_problem(500)
    with pytest.raises(ValueError, match=r"All 2 labels asked for are of one class.*max_labels"):
        BorderSVC(max_labels=2, search="random", random_state=0).fit(X, y)


def test_support_ratio_is_the_usual_class_over_the_others() -> None:
    X, y = rare_problem(2000)
    history = BorderSVC(max_labels=200, random_state=0).fit(X, y).history_
    wanted = history["n_support_0"][50:] / history["n_support_1"][50:]
    np.testing.assert_allclose(history["sv_ratio"][50:], wanted)


@pytest.mark.parametrize("pool_size", [(0.05,), (0.0, 0.05), (0.05, 1.0)])
def test_pool_size_must_be_a_number_or_two_shares(pool_size: tuple[float, ...]) -> None:
    X, y = rare_problem(100)
    with pytest.raises(ValueError, match="a pair \\(p, eta\\)"):
        BorderSVC(pool_size=pool_size).fit(X, y)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"search": "best"}, {"explore": 1.5}, {"stop": "soon"}, {"max_labels": 0}]
)
def test_wrong_parameters_are_named(wrong: dict[str, Any]) -> None:
    X, y = rare_problem(100)
    with pytest.raises(ValueError, match=next(iter(wrong))):
        BorderSVC(**wrong).fit(X, y)


def test_more_labels_than_rows_asks_for_all() -> None:
    X, y = rare_problem(60)
    fitted = BorderSVC(max_labels=1000, stop=None).fit(X, y)
    assert_array_equal(np.sort(fitted.queried_), np.arange(60))
    assert list(fitted.stop_reasons_) == ["exhausted"]


def test_frames_are_learned_without_a_warning_on_their_names() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.1).astype(int)
    rows = pd.DataFrame(rng.normal(size=(600, 3)) + 2.0 * y[:, None], columns=["a", "b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = BorderSVC(random_state=0, max_labels=60).fit(rows, y)
        machine.predict(rows)
    assert machine.minority_class_ == 1
