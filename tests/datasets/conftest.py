"""Fixtures: tests that read a set are skipped where its file is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from rarebit.datasets import DataNotFoundError, load_raw
from rarebit.datasets._features import reuters_features
from rarebit.datasets._raw import _load


@pytest.fixture
def need() -> Callable[..., None]:
    """Skip the test unless the files of all named sets are in the data directory."""

    def check(*names: str) -> None:
        for name in names:
            try:
                load_raw(name, download=False)
            except DataNotFoundError as error:
                pytest.skip(str(error))

    return check


@pytest.fixture
def fresh_cache() -> Iterator[None]:
    """Forget loaded sets before and after a test that changes where they come from."""
    for cached in (_load, reuters_features):
        cached.cache_clear()
    yield
    for cached in (_load, reuters_features):
        cached.cache_clear()
