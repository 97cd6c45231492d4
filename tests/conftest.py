"""Fixtures shared by every test."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

SEED = 20260


@pytest.fixture(autouse=True)
def _seed_global_generators() -> None:
    """Pin the global generators, which third-party code may read."""
    random.seed(SEED)
    np.random.seed(SEED)  # noqa: NPY002


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator that starts at the same place in every test."""
    return np.random.default_rng(SEED)


@pytest.fixture
def require_task() -> Callable[..., Any]:
    """Return a loader of named tasks that skips the test where the data is absent."""

    def load(name: str, **options: Any) -> Any:
        from rarebit.datasets import load_task

        if not os.environ.get("RAREBIT_DATA"):
            pytest.skip(f"task {name!r} needs data: set RAREBIT_DATA to its directory")
        try:
            return load_task(name, **options)
        except OSError as error:
            pytest.skip(f"the data of task {name!r} is absent: {error}")

    return load
