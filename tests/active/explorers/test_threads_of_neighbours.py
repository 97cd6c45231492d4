"""Explorers ask for the same rows whatever the number of threads that look for neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from rarebit import BorderLearner, Hunt, Malice, Scout
from rarebit.active.explorers._projected_trees import projected_kth
from rarebit.active.explorers._telling_columns import telling_kth


def _sparse(rng: np.random.Generator) -> Any:
    rows = rng.random((3000, 400)) * (rng.random((3000, 400)) < 0.02)
    return sp.csr_matrix(rows)


def test_projected_trees_are_equal_to_the_bit(rng: np.random.Generator) -> None:
    points = rng.normal(size=(20_000, 30))
    found = [
        projected_kth(*points.shape, lambda chosen: points[chosen], [2, 7], threads=threads)
        for threads in (1, 2, 5)
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_sparse_products_are_equal_to_the_bit(rng: np.random.Generator) -> None:
    rows = _sparse(rng)
    norms = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    found = [telling_kth(rows, norms, [2, 7], threads=threads) for threads in (1, 3)]
    assert np.array_equal(*found)


@pytest.mark.parametrize("form", ["narrow", "wide", "sparse"])
def test_the_same_rows_are_asked_for(form: str, rng: np.random.Generator) -> None:
    X: Any = _sparse(rng)
    if form != "sparse":
        X = rng.normal(size=(3000, 5 if form == "narrow" else 25))
    for make in (Scout, lambda n_jobs: Malice([0.01], n_jobs=n_jobs)):
        asked = []
        for n_jobs in (None, 3, -1):
            explorer = make(n_jobs=n_jobs).start(X)
            rows = []
            for _ in range(8):
                row = explorer.ask()
                explorer.tell(row, ["a"])
                rows += row.tolist()
            asked.append(rows)
        assert asked[0] == asked[1] == asked[2]


def test_the_explorer_of_a_hunt_has_the_threads_of_its_learner(rng: np.random.Generator) -> None:
    hunt = Hunt(learner=BorderLearner(n_jobs=2)).start(rng.normal(size=(50, 3)))
    assert hunt.explorer_.n_jobs == 2


def test_no_threads_are_refused(rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="n_jobs must be None, a number of threads"):
        Scout(n_jobs=0).start(rng.normal(size=(50, 3)))
