"""The error on columns that are missing: which of the others may be meant."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from rarebit.tables import ColumnsMismatchError, as_table

SCHEMA = {"hour": "number", "amount": "number", "country": "text"}
ROWS: dict[str, list[Any]] = {"hour": [1.5, 2], "amount": [3.0, 4.5], "country": ["DE", "FR"]}


def refusal(without: tuple[str, ...], **others: list[Any]) -> str:
    rows = {name: cells for name, cells in ROWS.items() if name not in without} | others
    with pytest.raises(ColumnsMismatchError) as caught:
        as_table(pl.DataFrame(rows), schema=SCHEMA, name="new")
    return str(caught.value)


def test_similar_names_may_be_renamed() -> None:
    said = refusal(("hour", "amount"), Hours=[1, 2], AMOUNT=[1, 2], code=["x", "y"])
    assert said == (
        "new lacks 2 of 3 columns: 'hour', 'amount' (it has 'code', which is not needed); add "
        "them, or rename 'Hours' to 'hour', 'AMOUNT' to 'amount'."
    )


def test_a_column_of_another_kind_is_not_meant() -> None:
    assert refusal(("hour",), code=["x", "y"]) == (
        "new lacks 1 of 3 columns: 'hour' (it has 'code', which is not needed); add it."
    )


def test_the_only_new_column_may_be_meant() -> None:
    assert refusal(("hour",), clock=[1, 2]) == (
        "new lacks 1 of 3 columns: 'hour'; add it, or rename 'clock' to 'hour' if it is that "
        "column."
    )


def test_one_of_several_is_not_guessed() -> None:
    said = refusal(("hour", "amount"), clock=[1, 2])
    assert said.endswith("'amount' (it has 'clock', which is not needed); add them.")
