"""Frames as they really are: what cannot be read is named by its column, in one sentence."""

from __future__ import annotations

import datetime
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from rarebit.tables import (
    ColumnsMismatchError,
    TableEncoder,
    TableError,
    as_table,
    look,
    read_table,
)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([1, "a", 2.5], "mixes types (float, int, str), and must have one"),
        ([b"x", "a", 2.5], "mixes types (bytes, float, str)"),
        ([object(), object(), object()], "holds cells of the type object"),
        ([1 + 2j, 3j, 4j], "holds cells of the type complex"),
        ([10**30, 5, 6], "more than 64 bits"),
    ],
)
def test_a_column_that_cannot_be_read_is_named(cells: list[Any], said: str) -> None:
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0], "odd": pd.Series(cells, dtype=object)})
    with pytest.raises(TableError) as caught:
        as_table(frame)
    assert "Column 'odd' of the frame" in str(caught.value)
    assert said in str(caught.value)


def test_decimals_of_any_width_are_numbers() -> None:
    wide = [Decimal(10) ** 60, Decimal(3), None]
    assert as_table(pd.DataFrame({"a": wide})).numbers[0, 0] == 1e60
    arrow = pa.table({"a": pa.array(wide, pa.decimal256(70, 0))})
    assert as_table(arrow).numbers[1, 0] == 3.0
    narrow = as_table(pd.DataFrame({"a": [Decimal("1.25"), Decimal("3"), None]}))
    np.testing.assert_array_equal(narrow.numbers[:, 0], [1.25, 3.0, np.nan])


def test_sparse_frames_of_pandas_are_read() -> None:
    rows = sparse.random(30, 4, 0.3, random_state=0, format="csr")
    frame = pd.DataFrame.sparse.from_spmatrix(rows)
    np.testing.assert_array_equal(as_table(frame).numbers, rows.toarray())


def test_one_column_is_no_frame_and_names_are_unique() -> None:
    for one in (pd.Series([1, 2], name="a"), pl.Series("a", [1, 2])):
        with pytest.raises(TableError, match="named columns, got one Series"):
            as_table(one)
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(ColumnsMismatchError, match="two columns named 'a'"):
        as_table(twice)
    with pytest.raises(TableError, match="'b' must be a list of cells, got int"):
        as_table({"a": [1, 2], "b": 3})


def test_missing_classes_are_missing_however_they_are_written() -> None:
    rows = {"a": [1.0, 2.0, 3.0, 4.0]}
    for missing in (None, np.nan, float("nan"), pd.NA, pd.NaT):
        table = as_table(rows, target=["x", missing, "y", "x"])
        assert table.target is not None
        assert table.target.tolist() == ["x", "", "y", "x"]


def test_classes_have_one_name_in_a_column_and_beside_the_frame() -> None:
    for classes, names, kind in (
        ([1, 0, 1], ["1", "0", "1"], "int"),
        ([1.0, 0.0, np.nan], ["1", "0", ""], "float"),
        ([True, False, True], ["true", "false", "true"], "bool"),
        (["a", "b", "a"], ["a", "b", "a"], "str"),
    ):
        frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": classes})
        for table in (
            as_table(frame, target="y"),
            as_table(frame[["x"]], target=classes),
            as_table(frame[["x"]], target=frame["y"]),
            as_table(frame[["x"]], target=np.array(classes)),
            as_table(pl.from_pandas(frame), target="y"),
        ):
            assert table.target is not None
            assert table.target.tolist() == names
            assert table.target_kind == kind


def test_columns_named_by_numbers() -> None:
    frame = pd.DataFrame({0: [1.0, 2.0], 7: ["a", "b"]})
    table = as_table(frame, target=7)
    assert table.target_name == "7"
    assert table.columns == ("0",)
    with pytest.raises(ColumnsMismatchError, match="no column '8'"):
        as_table(frame, target=8)


def test_classes_in_another_order_than_the_rows_are_refused() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    classes = pd.Series(["a", "b", "c"])
    assert as_table(frame, target=classes).target is not None
    with pytest.raises(TableError, match=r"in another order.*target\.loc\[frame\.index\]"):
        as_table(frame, target=classes[::-1])
    # Another index says nothing about the order.
    assert as_table(frame, target=classes.set_axis([10, 11, 12])).target is not None


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        (slice(0, 4), slice(1, 5)),  # the frame has the default index
        (slice(1, 5), slice(0, 4)),  # the classes have it
        (slice(0, 5, 2), slice(0, 3)),
    ],
)
def test_classes_of_some_other_rows_are_refused(rows: slice, labels: slice) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0]})
    classes = pd.Series(["a", "b", "c", "d", "e"])
    with pytest.raises(TableError, match=r"another index than the frame.*target\.to_numpy\(\)"):
        as_table(frame[rows], target=classes[labels])
    by_position = as_table(frame[rows], target=classes[labels].to_numpy()).target
    assert by_position is not None
    assert by_position.tolist() == classes[labels].tolist()
    as_table(frame[rows], target=classes.loc[frame[rows].index])


def test_classes_whose_index_is_of_another_kind_are_taken_by_position() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.MultiIndex.from_tuples([(0, 1), (0, 2)]))
    assert as_table(frame, target=pd.Series(["a", "b"])).target is not None
    named = pd.DataFrame({"x": [1.0, 2.0]}, index=["p", "q"])
    assert as_table(named, target=pd.Series(["a", "b"])).target is not None


def test_durations_mean_the_same_in_every_unit() -> None:
    spans = pd.Series(pd.to_timedelta([1, 5, 90], unit="s"))
    encoder = TableEncoder().fit(pd.DataFrame({"wait": spans, "x": [1.0, 2.0, 4.0]}))
    units = [
        encoder.transform(pd.DataFrame({"wait": spans.astype(f"timedelta64[{unit}]"), "x": 1.0}))
        for unit in ("s", "ms", "us", "ns")
    ]
    for other in units[1:]:
        np.testing.assert_array_equal(other, units[0])


@pytest.mark.parametrize(
    "written",
    [
        "2026-05-05 20:30",
        "2026-05-05T20:30",
        "2026-05-05T20:30:00",
        "2026-05-05T20:30:00.000",
        "2026-05-05T20:30:00Z",
        "2026-05-05T20:30:00.000Z",
        "2026-05-05T22:30:00+02:00",
        "2026-05-05 22:30:00.000000+0200",
    ],
)
def test_a_moment_of_iso_8601_is_read_however_its_time_is_written(written: str) -> None:
    trained = {"opened": ["2026-01-01 05:00:00", "2026-02-01 06:00:00", "2026-03-01 20:30:00"]}
    known = as_table(trained)
    found = as_table({"opened": [written]}, schema={"opened": "date"}, forms=known.forms)
    assert found.records["opened"][0] == datetime.datetime(2026, 5, 5, 20, 30)


def test_other_orders_of_day_and_month_stay_errors() -> None:
    known = as_table({"opened": ["31/12/2025", "30/11/2025"]})
    with pytest.raises(TableError, match="of the form 'date, day first"):
        as_table({"opened": ["2026-05-05"]}, schema={"opened": "date"}, forms=known.forms)
    known = as_table({"opened": ["2025-12-31", "2025-11-30"]})
    with pytest.raises(TableError, match="of the form 'date, year first"):
        as_table({"opened": ["05/05/2026"]}, schema={"opened": "date"}, forms=known.forms)


def test_columns_aside_and_repeated_rows_of_a_frame() -> None:
    frame = {"x": [1.0, 1.0, 2.0], "who": ["a", "a", "b"]}
    table = as_table(frame, aside=["who"], duplicates="first")
    assert table.columns == ("x",)
    assert table.n_rows == 2
    assert table.aside["who"].to_list() == ["a", "b"]


def test_bands_and_months_of_pandas_are_learned_from() -> None:
    months = pd.period_range("2024-01", periods=6, freq="M")
    frame = pd.DataFrame(
        {
            "band": pd.cut([1.0, 5.0, 9.0, 2.0, 6.0, np.nan], 3),
            "plain": pd.arrays.IntervalArray.from_breaks([0, 1, 2, 3, 4, 5, 6]),
            "month": months,
            "x": range(6),
        }
    )
    table = as_table(frame)
    encoder = TableEncoder().fit(frame)
    assert {"band", "plain", "month"} <= set(table.columns)
    assert encoder.missing_["band"] == 1
    assert "band" in encoder.schema_
    assert str(table.records["month"][0]).startswith("2024-01-01")


@pytest.mark.parametrize("cells", [[["a"], ["b"], ["c"]], [b"a", b"b", b"c"]])
def test_columns_that_cannot_be_learned_from_are_named(cells: list[object]) -> None:
    frame = pl.DataFrame({"odd": cells, "x": [1.0, 2.0, 3.0]})
    assert "cells of the type" in TableEncoder().fit(frame).dropped_["odd"]


def test_a_column_that_was_left_out_is_not_taken_for_a_renamed_one() -> None:
    rows = pl.DataFrame({"same": [7.0] * 4, "age": [1.0, 4.0, 2.0, 8.0], "x": [0.5, 0.1, 0.2, 0.9]})
    encoder = TableEncoder().fit(rows)
    with pytest.raises(ColumnsMismatchError) as refusal:
        encoder.transform(rows.drop("age"))
    assert "'age'" in str(refusal.value)
    assert "rename" not in str(refusal.value)


def test_columns_without_a_value_are_refused_without_a_warning() -> None:
    empty = pd.DataFrame({"a": [np.nan] * 4, "b": [np.nan] * 4})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TableError, match="can be learned from"):
            TableEncoder().fit(empty)


def test_words_in_a_column_of_true_and_false_are_named() -> None:
    encoder = TableEncoder().fit(pd.DataFrame({"new": [True, False, True], "x": [1.0, 2.0, 4.0]}))
    with pytest.raises(TableError, match="must hold true or false, or numbers, and one cell is"):
        encoder.transform(pd.DataFrame({"new": ["yes", "no"], "x": [1.0, 2.0]}))


def test_notes_on_frames_name_parameters_of_python() -> None:
    zips = pd.DataFrame({"zip": ["01067", "99084", "10115"], "x": [1.0, 2.0, 4.0]})
    (note,) = as_table(zips).notes
    assert "columns={'zip': 'number'} makes it one" in note
    twice = pd.DataFrame({"id": [1, 1], "x": [1.0, 2.0]})
    with pytest.raises(TableError, match="duplicates='first' in Python"):
        as_table(twice, id="id")


def test_a_frame_is_looked_at_and_no_file() -> None:
    frame = pd.DataFrame({"paid": ["€1,50", "€2,75"], "n": [1.5, 2.0]})
    assert {column.name: column.kind for column in look(frame).columns}["paid"].startswith("money")
    with pytest.raises(TableError, match="read a file with read_table"):
        look("payments.csv")
    with pytest.raises(TypeError, match=r"got DataFrame: give its path, or .* as_table"):
        read_table(frame)  # type: ignore[arg-type]
