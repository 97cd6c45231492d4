"""The error on columns that are missing: which of the others may be meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rarebit.tables import ColumnsMismatchError, as_table, read_table

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


def test_parts_of_a_text_may_be_renamed(tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("Title,Abstract,Year\na b,c d,2001\ne f,g h,2002\n", encoding="utf-8")
    schema = {"title + abstract": "text", "year": "number"}
    with pytest.raises(ColumnsMismatchError) as caught:
        read_table(path, text="title + abstract", schema=schema)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "new.csv lacks 3 of 3 columns: 'title', 'abstract', 'year'; add them, or rename 'Title' to "
        "'title', 'Abstract' to 'abstract', 'Year' to 'year'."
    )
