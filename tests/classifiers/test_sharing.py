"""Kernel values that bags share: counted, and changing nothing but the count."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from rarebit import BaggedSVC
from rarebit.classifiers._shared_solver import SharedSolver

# A gram that stays in the caches, one that does not, and bags too small to need either.
SIZES = {"gram": (900, 90), "columns": (2400, 200), "alone": (2400, 20)}


def rare_cloud(n: int, rare: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    y = (np.arange(n) < rare).astype(int)
    order = rng.permutation(n)
    return (rng.normal(size=(n, 5)) + 0.9 * y[:, None])[order], y[order]


def bagged(**changes: Any) -> BaggedSVC:
    return BaggedSVC(**{"n_estimators": 100, "combiner": "vote", "random_state": 0, **changes})


def fitted_with(provider: str, monkeypatch: pytest.MonkeyPatch) -> tuple[BaggedSVC, list[str]]:
    providers: list[str] = []
    solve_part = SharedSolver._solve_part

    def watched(self: SharedSolver, subproblems: Any, threads: int = 1) -> Any:
        solved = solve_part(self, subproblems, threads)
        providers.append(type(self._provider).__name__)
        return solved

    monkeypatch.setattr(SharedSolver, "_solve_part", watched)
    return bagged().fit(*rare_cloud(*SIZES[provider])), providers


@pytest.mark.parametrize(
    ("size", "provider"),
    [("gram", "Gram"), ("columns", "SharedColumnsProvider"), ("alone", "DirectProvider")],
)
def test_a_hundred_bags_compute_no_more_than_one_gram(
    size: str, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, providers = fitted_with(size, monkeypatch)
    assert providers == ["DirectProvider", provider]  # the pilot, then all others
    assert 0 < model.n_kernel_values_ <= SIZES[size][0] ** 2


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("size", ["gram", "columns"])
def test_machines_are_those_of_bags_that_share_nothing(
    size: str, sparse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = rare_cloud(*SIZES[size])
    rows = sp.csr_matrix(X) if sparse else X
    shared = bagged(tol=1e-4, combiner="average").fit(rows, y)
    monkeypatch.setattr(SharedSolver, "share", lambda *_: None)
    apart = bagged(tol=1e-4, combiner="average").fit(rows, y)
    assert shared.n_kernel_values_ < 0.8 * apart.n_kernel_values_
    assert_allclose(shared.decision_function(rows), apart.decision_function(rows), atol=1e-3)
    assert np.all(shared.optimality_gap_ <= 1e-4)


@pytest.mark.parametrize("size", ["gram", "columns"])
def test_threads_and_processes_share_the_same_values(size: str) -> None:
    X, y = rare_cloud(*SIZES[size])
    models = [bagged(n_estimators=40, n_jobs=jobs).fit(X, y) for jobs in (1, 2)]
    with joblib.parallel_backend("loky", n_jobs=2):
        models.append(bagged(n_estimators=40).fit(X, y))
    for model in models[1:]:
        assert_array_equal(model.dual_coef_, models[0].dual_coef_)
        assert_array_equal(model.intercept_, models[0].intercept_)
    # Threads compute nothing twice, two processes have a copy each.
    one, threads, processes = (model.n_kernel_values_ for model in models)
    assert one == threads
    assert one < processes <= 2.1 * one


def test_bags_that_do_not_fit_the_budget_share_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rare_cloud(*SIZES["columns"])
    wide, tight = bagged().fit(X, y), bagged(cache_size=1).fit(X, y)
    assert tight.n_kernel_values_ > wide.n_kernel_values_
    assert_allclose(tight.intercept_, wide.intercept_, atol=5e-3)


def test_auto_shares_when_bags_become_many() -> None:
    X, y = rare_cloud(*SIZES["gram"])
    model = bagged(n_estimators="auto", combiner="balanced", C=0.05).fit(X, y)
    again = bagged(n_estimators="auto", combiner="balanced", C=0.05, n_jobs=2).fit(X, y)
    assert_array_equal(model.dual_coef_, again.dual_coef_)
    # Values for weighing the machines come on top.
    assert model.n_kernel_values_ <= 900**2 + 2 * model.n_estimators_ // 10 * 900 * 180
