"""A pool may be a frame: classifiers know its names, and no warning tells people of our calls."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rarebit import Hunt


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_frame_is_asked_about_as_an_array_is(make: Any) -> None:
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = (X[:, 0] > 1.0).astype(int)
    asked = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for pool in (X, make({name: X[:, j] for j, name in enumerate("abc")})):
            hunt = Hunt(random_state=0).start(pool)
            rows: list[int] = []
            for _ in range(8):
                chosen = hunt.ask(5)
                hunt.tell(chosen, y[chosen])
                rows += chosen.tolist()
            hunt.certify(recall=0.5)
            hunt.ask(5)
            asked.append(rows)
            assert hunt.classifier_.predict(pool).shape == (200,)
    assert asked[0] == asked[1]
