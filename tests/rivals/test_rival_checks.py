"""Rivals follow scikit-learn, and the list of them holds what it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from rarebit import BoostedSVC, KernelSVC
from rarebit.metrics import g_mean_score
from rarebit.rivals import (
    AdaCostClassifier,
    AsymmetricCostClassifier,
    BalanceCascadeClassifier,
    DataBoostClassifier,
    LinearComponent,
    OversampledClassifier,
    SMOTEBoostClassifier,
    list_rivals,
    make_rival,
)

RIVALS = [
    AdaCostClassifier(n_estimators=2),
    SMOTEBoostClassifier(n_estimators=2),
    DataBoostClassifier(n_estimators=2),
    BalanceCascadeClassifier(n_estimators=2),
    OversampledClassifier(AsymmetricCostClassifier()),
    AsymmetricCostClassifier(),
    LinearComponent(),
]

REASON = "weights and copies agree to the tolerance of a solver, not to the last bits"


def expected_failures(estimator: Any) -> dict[str, str]:
    if not isinstance(estimator, LinearComponent):
        return {}
    return {"check_sample_weight_equivalence_on_sparse_data": REASON}


@parametrize_with_checks(RIVALS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def rare_cloud(seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = (np.arange(240) < 40).astype(int)
    X = rng.normal(size=(240, 3)) + 1.8 * y[:, None]
    order = rng.permutation(240)
    return X[order], y[order]


@pytest.mark.parametrize("name", list_rivals())
def test_every_rival_of_the_list_finds_the_rare_class(name: str) -> None:
    X, y = rare_cloud()
    model = make_rival(name, random_state=0).fit(X[:160], y[:160])
    assert g_mean_score(y[160:], model.predict(X[160:])) > 0.65
    again = make_rival(name, random_state=0).fit(X[:160], y[:160])
    assert_array_equal(model.predict(X), again.predict(X))


@pytest.mark.parametrize("name", list_rivals())
def test_every_rival_takes_another_component(name: str) -> None:
    X, y = rare_cloud()
    model = make_rival(name, KernelSVC(gamma=0.3), random_state=0).fit(X, y)
    assert g_mean_score(y, model.predict(X)) > 0.65


def test_unknown_rivals_are_named() -> None:
    with pytest.raises(ValueError, match="no rival 'Ada': choose one of AdaCost"):
        make_rival("Ada")


@pytest.mark.parametrize("rival", RIVALS[:6], ids=lambda r: type(r).__name__)
def test_sparse_rows_frames_and_label_names(rival: Any) -> None:
    pandas = pytest.importorskip("pandas")
    X, y = rare_cloud()
    X[np.abs(X) < 0.3] = 0.0
    dense = clone(rival).set_params(random_state=0).fit(X, y)
    sparse = clone(rival).set_params(random_state=0).fit(sp.csr_matrix(X), y)
    assert np.mean(dense.predict(X) == sparse.predict(sp.csr_matrix(X))) > 0.95
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    framed = clone(rival).set_params(random_state=0).fit(frame, np.where(y == 1, "a", "b"))
    assert framed.minority_class_ == "a"
    assert_allclose(framed.decision_function(frame), -dense.decision_function(X))
    assert framed.feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("component", [KNeighborsClassifier(3), GaussianNB()])
@pytest.mark.parametrize("rival", RIVALS[:6], ids=lambda r: type(r).__name__)
def test_components_without_weights_or_decision_values(rival: Any, component: Any) -> None:
    X, y = rare_cloud()
    model = clone(rival).set_params(estimator=component, random_state=0).fit(X, y)
    assert g_mean_score(y, model.predict(X)) > 0.7


@pytest.mark.parametrize("rival", RIVALS, ids=lambda r: type(r).__name__)
def test_one_class_cannot_be_learnt(rival: Any) -> None:
    X, _ = rare_cloud()
    with pytest.raises(ValueError, match="one class"):
        clone(rival).fit(X, np.zeros(240))


def test_a_lone_rare_row() -> None:
    X, _ = rare_cloud()
    y = (np.arange(240) == 7).astype(int)
    for rival in RIVALS[:6]:
        model = clone(rival).set_params(random_state=0).fit(X, y)
        assert model.predict(X).shape == (240,)


def test_the_linear_component_is_the_machine_that_it_says() -> None:
    X, y = rare_cloud()
    weights = np.random.default_rng(1).uniform(0.0, 3.0, 240)
    weights[:5] = 0.0
    exact = KernelSVC("linear", C=0.7, tol=1e-6).fit(X, y, sample_weight=weights)
    for rows in (X, sp.csr_matrix(X)):
        component = LinearComponent(0.7).fit(rows, y, sample_weight=weights)
        assert_allclose(component.coef_, exact.coef_, atol=2e-3)
        assert_allclose(component.decision_function(rows), exact.decision_function(X), atol=5e-3)


def test_costs_of_rivals_have_the_scale_of_boosting() -> None:
    """C for the larger class and C·n₋/n₊ for the smaller, here as in the search for C."""
    X, y = rare_cloud()
    ratio = np.sum(y == 0) / np.sum(y == 1)
    exact = LinearComponent(0.05, {0: 1.0, 1: ratio}).fit(X, y)
    component = LinearComponent(0.05)
    alone = AsymmetricCostClassifier(component).fit(X, y)
    assert_allclose(alone.decision_function(X), exact.decision_function(X), atol=1e-6)
    first = AdaCostClassifier(component, n_estimators=1).fit(X, y).runs_[0].components[0]
    assert_allclose(first.decision_function(X), exact.decision_function(X), atol=1e-6)
    # Rows on the wrong side reach the limits of the first round of boosting.
    boosted = BoostedSVC(1, C=0.05, random_state=0).fit(X, y)
    limits = [np.abs(boosted.dual_coef_[0])[y[boosted.support_] == k].max() for k in (0, 1)]
    assert_allclose(limits, [0.05, 0.05 * ratio], rtol=1e-4)
