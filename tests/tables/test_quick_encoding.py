"""Shortcuts of the encoder give what the parts of scikit-learn give for every cell."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rarebit.tables import TableEncoder, as_table


def test_categories_are_those_of_one_hot_encoding() -> None:
    seen = ["x", None, "y", "", "z", "x", "é"] * 30
    fitted = TableEncoder().fit(as_table({"a": seen, "n": np.arange(210.0) % 7}))
    part = fitted.records_.parts_["a"]
    cells = np.array([each or "(missing)" for each in seen], dtype=object).reshape(-1, 1)
    assert part.categories_[0].tolist() == OneHotEncoder().fit(cells).categories_[0].tolist()
    new = ["z", "never seen", None, "x"]
    found = fitted.transform(as_table({"a": new, "n": [1.0, 2.0, 3.0, 4.0]}))
    asked = np.array([each or "(missing)" for each in new], dtype=object).reshape(-1, 1)
    expected = part.transform(asked).toarray()
    first = fitted.records_.feature_names_.index(f"a_{part.categories_[0][0]}")
    start = found.shape[1] - len(fitted.records_.feature_names_) + first
    np.testing.assert_array_equal(found[:, start : start + expected.shape[1]], expected)


def test_ranges_of_dates_are_those_of_all_scaled_cells() -> None:
    days = [dt.datetime(2024, 1, 1, 5) + dt.timedelta(hours=37 * i) for i in range(200)]
    cells = [None if i % 9 == 0 else day for i, day in enumerate(days)]
    fitted = TableEncoder().fit(as_table({"when": cells, "n": np.arange(200.0) % 7}))
    column = pl.Series("when", cells, dtype=pl.Datetime("us"))
    features = fitted.records_.parts_["when"].transform(column).to_numpy().astype(np.float64)
    scaled = np.nan_to_num(StandardScaler().fit(features).transform(features), nan=0.0)
    expected = np.vstack([scaled.min(axis=0), scaled.max(axis=0)])
    np.testing.assert_array_equal(fitted.records_.ranges_["when"], expected)
