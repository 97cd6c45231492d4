"""A frame that says that a column of numbers is one of categories is believed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rarebit.models import train_model
from rarebit.tables import TableEncoder, TableError, as_table, read_table

CODES = np.arange(60) % 3 + 100


def _frames() -> dict[str, Any]:
    x = np.arange(60) % 7.0
    missing = pd.Series(CODES, dtype="Int64").mask(np.arange(60) == 4)
    return {
        "pandas": pd.DataFrame({"code": pd.Categorical(CODES), "x": x}),
        "nullable": pd.DataFrame({"code": missing.astype("category"), "x": x}),
        "floats": pd.DataFrame({"code": pd.Categorical(CODES * 1.0), "x": x}),
        "arrow": pa.table({"code": pa.array(CODES).dictionary_encode(), "x": x}),
    }


@pytest.mark.parametrize("kind", ["pandas", "nullable", "floats", "arrow"])
def test_numbers_of_a_category_are_names(kind: str) -> None:
    frame = _frames()[kind]
    encoder = TableEncoder().fit(frame)
    assert encoder.schema_ == {"code": "text", "x": "number"}
    assert {"code_100", "code_101", "code_102"} <= set(encoder.get_feature_names_out())
    # The same codes as plain numbers are the same names.
    plain = pl.DataFrame({"code": CODES[6:9], "x": [6.0, 0.0, 1.0]})
    features = encoder.transform(frame)
    np.testing.assert_array_equal(encoder.transform(plain), features[6:9])


def test_true_and_false_of_a_category_are_names() -> None:
    frame = pd.DataFrame({"paid": pd.Categorical([True, False, True] * 9), "x": np.arange(27) % 5})
    names = list(TableEncoder().fit(frame).get_feature_names_out())
    assert {"paid_true", "paid_false"} <= set(names)


def test_a_person_decides_and_classes_keep_their_type() -> None:
    frame = _frames()["pandas"]
    assert as_table(frame, columns={"code": "number"}).number_names == ("code", "x")
    assert as_table(frame, drop=["code"]).columns == ("x",)
    classes = frame.assign(kind=pd.Categorical((CODES == 101).astype(int)))
    model = train_model(classes.drop(columns="code"), target="kind", method="kernel", folds=2)
    assert model.predict(classes)[:2].dtype == np.int64


def test_a_model_of_numbers_reads_numbers_of_a_category(tmp_path: Any) -> None:
    frame = _frames()["pandas"]
    frame.astype({"code": int}).to_csv(tmp_path / "codes.csv", index=False)
    wish = {"code": "number"}
    encoder = TableEncoder().fit(read_table(tmp_path / "codes.csv", columns=wish))
    numbers = encoder.transform(frame.astype({"code": int}))
    words = frame.astype({"code": str}).astype({"code": "category"})
    for given in (frame, words, words.astype({"code": pd.CategoricalDtype(["102", "101", "100"])})):
        np.testing.assert_array_equal(encoder.transform(given), numbers)
    other = frame.assign(code=pd.Categorical(["low", "high"] * 30))
    with pytest.raises(TableError, match=r"'code' of the frame must hold numbers.*'low'"):
        encoder.transform(other)


def test_classes_of_one_column_are_taken_and_of_several_refused() -> None:
    x = np.arange(60) % 7.0
    kind = np.where(CODES == 101, "b", "a")
    column = as_table({"x": x}, target=kind.reshape(-1, 1))
    assert column.target is not None
    assert column.target.tolist() == kind.tolist()
    for several in (np.column_stack([kind, kind]), [["a", "b"]] * 60):
        with pytest.raises(ValueError, match=r"must be one column, got .*: give one class per row"):
            as_table({"x": x}, target=several)
