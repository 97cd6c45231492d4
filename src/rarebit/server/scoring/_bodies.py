"""Bodies of requests become frames: records or columns in JSON, or an Arrow stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rarebit.models import Model
from rarebit.server._columns import column_of
from rarebit.server._replies import fail
from rarebit.server.scoring._arrow import ARROW, read_stream
from rarebit.server.scoring._limits import Limits

JSON = "application/json"
_MOST_MARKS = 10_000_000
_CELL = {
    "anyOf": [
        {"type": "number"},
        {"type": "string"},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "number"}},
        {"type": "null"},
    ]
}
_RECORD = {"type": "object", "additionalProperties": _CELL}
_COLUMN = {"type": "array", "items": _CELL}
# What OpenAPI says of a body; the route reads it itself, because it may be no JSON.
REQUEST_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        JSON: {
            "schema": {
                "oneOf": [
                    {
                        "type": "object",
                        "title": "Records",
                        "properties": {
                            "records": {"type": "array", "items": _RECORD, "minItems": 1}
                        },
                        "required": ["records"],
                        "additionalProperties": False,
                    },
                    {
                        "type": "object",
                        "title": "Columns",
                        "properties": {
                            "columns": {"type": "object", "additionalProperties": _COLUMN}
                        },
                        "required": ["columns"],
                        "additionalProperties": False,
                    },
                ]
            }
        },
        ARROW: {"schema": {"type": "string", "format": "binary"}},
    },
}


class RowsBody(BaseModel):
    """Rows in JSON: one object per row, or one list per column."""

    model_config = ConfigDict(extra="forbid")

    records: Annotated[list[dict[str, Any]], Field(min_length=1)] | None = None
    columns: Annotated[dict[str, list[Any]], Field(min_length=1)] | None = None


def read_rows(body: bytes, kind: str, model: Model, limits: Limits) -> pl.DataFrame:
    """Return the rows of a request, with the columns that the model needs.

    Parameters
    ----------
    body : bytes
        As it came.
    kind : str
        Its content type.
    model : Model
        Whose columns they are.
    limits : Limits
        How many rows there may be.
    """
    if kind == ARROW:
        frame = read_stream(body, limits, needed_columns(model))
    else:
        frame = _read_json(body, model, limits)
    if not frame.width:
        names = ", ".join(list(model.encoder.schema_)[:8])
        raise fail(400, f"The rows have no column of the model: give {names}.")
    if not frame.height:
        raise fail(400, "The request has no rows: give at least one.")
    _check_vectors(frame, model)
    return frame


def _check_vectors(frame: pl.DataFrame, model: Model) -> None:
    """Refuse lists that are no vectors of the model, before each number becomes a column."""
    schema = model.encoder.schema_
    for column in frame:
        if not column.dtype.is_nested():
            continue
        wanted = sum(name.startswith(f"{column.name}_") for name in schema)
        if not wanted or not isinstance(column.dtype, pl.List | pl.Array):
            raise fail(
                400,
                f"Cells of column {column.name!r} must be single values, got lists or objects: see "
                "/schema.",
            )
        lengths = column.arr.len() if isinstance(column.dtype, pl.Array) else column.list.len()
        longest = int(lengths.fill_null(0).to_numpy().max(initial=0))
        if longest > wanted:
            raise fail(
                400,
                f"Lists in column {column.name!r} must have the numbers of a vector of the model, "
                f"{wanted:,} of them, got {longest:,}: see /schema.",
            )


def needed_columns(model: Model) -> set[str]:
    """Return the names of columns that a row may have for a model."""
    text = model.reading["text"]
    parts = text.split(" + ") if isinstance(text, str) else list(text or ())
    # A column of vectors is, to the model, one column per number.
    vectors = {name.removesuffix("_1") for name in model.encoder.schema_ if name.endswith("_1")}
    return {*model.encoder.schema_, *vectors, *parts, *filter(None, (text, model.manifest["id"]))}


def _read_json(body: bytes, model: Model, limits: Limits) -> pl.DataFrame:
    # A cell of two letters becomes an object of 64 bytes: the marks between cells bound them.
    marks = sum(body.count(mark) for mark in b",[{")
    if marks > _MOST_MARKS:
        raise fail(
            413,
            f"A request may have {_MOST_MARKS:,} cells, as far as commas tell: send fewer rows.",
        )
    try:
        rows = RowsBody.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the request"
        raise fail(422, f"{place}: {first['msg']}.") from None
    if (rows.records is None) == (rows.columns is None):
        raise fail(422, "The request must have either records or columns.")
    known, roles = needed_columns(model), model.encoder.schema_
    if rows.records is not None:
        records = rows.records
        limits.check_rows(len(records))
        # One pass over the cells: records may have other names each, by the hundred thousand.
        names: dict[str, None] = {}
        for record in records:
            names.update((name, None) for name in record if name in known)
        cells: Mapping[str, Sequence[Any]] = {
            name: [record.get(name) for record in records] for name in names
        }
    else:
        cells = rows.columns or {}
        heights = {len(column) for column in cells.values()}
        if len(heights) > 1:
            raise fail(422, "The columns must have one length each, the number of rows.")
        limits.check_rows(max(heights))
        cells = {name: column for name, column in cells.items() if name in known}
    return pl.DataFrame(
        [column_of(name, column, roles.get(name)) for name, column in cells.items()]
    )
