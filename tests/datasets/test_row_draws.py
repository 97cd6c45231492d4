"""Thinned classes and given imbalance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rarebit.datasets import set_imbalance, thin_class
from rarebit.datasets._sampling import as_generator

X = np.arange(40.0).reshape(20, 2)
Y = np.array(["rare"] * 8 + ["common"] * 12)


def test_thin_class_keeps_order_and_the_other_rows() -> None:
    kept, labels = thin_class(X, Y, "rare", 3, random_state=0)
    assert np.sum(labels == "rare") == 3
    assert np.all(np.diff(kept[:, 0]) > 0)
    np.testing.assert_array_equal(kept[3:], X[8:])


def test_thin_class_takes_sparse_rows() -> None:
    kept, labels = thin_class(sparse.csr_matrix(X), Y, "rare", 0, random_state=0)
    assert kept.shape == (12, 2)
    assert set(labels.tolist()) == {"common"}


@pytest.mark.parametrize("seed", [0, np.random.RandomState, np.random.default_rng])
def test_thin_class_repeats(seed: object) -> None:
    first, again = (
        thin_class(X, Y, "rare", 4, random_state=seed(7) if callable(seed) else seed)[0]
        for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)


def test_thin_class_errors() -> None:
    with pytest.raises(ValueError, match="has 8 rows, so between 0 and 8"):
        thin_class(X, Y, "rare", 9)
    with pytest.raises(ValueError, match="Class 'none' is not in y"):
        thin_class(X, Y, "none", 1)
    with pytest.raises(ValueError, match="same number of rows"):
        thin_class(X, Y[:5], "rare", 1)


@pytest.mark.parametrize(("ratio", "kept"), [(1.5, 8), (2, 6), (6, 2), (100, 1)])
def test_set_imbalance_reaches_the_ratio(ratio: float, kept: int) -> None:
    _, labels = set_imbalance(X, Y, "rare", ratio, random_state=0)
    assert np.sum(labels == "rare") == kept
    assert np.sum(labels == "common") == 12


@pytest.mark.parametrize("ratio", [1.0, 0.0, -2.0])
def test_set_imbalance_only_removes_minority_rows(ratio: float) -> None:
    with pytest.raises(ValueError, match=r"at least the present 1\.5"):
        set_imbalance(X, Y, "rare", ratio)


def test_set_imbalance_needs_two_classes() -> None:
    with pytest.raises(ValueError, match="at least one other"):
        set_imbalance(X, np.ones(20), 1, 2.0)


def test_a_generator_is_passed_through() -> None:
    rng = np.random.default_rng(0)
    assert as_generator(rng) is rng
