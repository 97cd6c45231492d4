"""Pools for discovery."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rarebit.datasets import list_pools, load_pool
from rarebit.datasets._features import scale_unit
from rarebit.datasets._pools import POOLS

Need = Callable[..., None]


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow if n == "kddcup99" else ()) for n in list_pools()],
)
def test_every_pool_is_well_formed(name: str, need: Need) -> None:
    need(POOLS[name].source)
    X, y = load_pool(name)
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert X.flags.writeable
    assert X.shape[0] == len(y) == POOLS[name].n_rows
    assert X.min() == 0.0
    assert X.max() == 1.0


def test_shuttle_is_the_set_of_the_paper(need: Need) -> None:
    need("shuttle_train")
    X, y = load_pool("shuttle-4515", random_state=3)
    classes, counts = np.unique(y, return_counts=True)
    assert dict(zip(classes.tolist(), counts.tolist(), strict=True)) == {
        1: 3410, 2: 37, 3: 132, 4: 674, 5: 245, 6: 6, 7: 11,
    }  # fmt: skip
    assert X.shape == (4515, 9)
    assert round(100 * counts.max() / 4515, 2) == 75.53
    assert round(100 * counts.min() / 4515, 2) == 0.13


def test_shuttle_draw_repeats_and_differs_by_seed(need: Need) -> None:
    need("shuttle_train")
    first, again, other = (load_pool("shuttle-4515", s, scale=False)[0] for s in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_abalone_20_has_the_published_shares(need: Need) -> None:
    need("abalone")
    X, y = load_pool("abalone-20")
    _, counts = np.unique(y, return_counts=True)
    assert X.shape == (4177, 7)
    assert len(counts) == 20
    assert round(100 * counts.max() / 4177, 2) == 16.5
    assert round(100 * counts.min() / 4177, 2) == 0.34


def test_unscaled_pool_is_the_raw_table(need: Need) -> None:
    need("glass")
    X, y = load_pool("glass", scale=False)
    assert X[0, 0] == 1.52101
    assert X.flags.writeable
    assert y.dtype == np.int64


def test_a_constant_column_becomes_zero() -> None:
    assert scale_unit(np.array([[5.0, 1.0], [5.0, 3.0]])).tolist() == [[0.0, 0.0], [0.0, 1.0]]


def test_unknown_pool_lists_the_names() -> None:
    with pytest.raises(ValueError, match="no pool 'iris': choose one of abalone, "):
        load_pool("iris")
