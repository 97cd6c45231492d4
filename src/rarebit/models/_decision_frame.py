"""Decisions of a model as a frame: id, class and scores of each row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rarebit.models._decisions import Decisions
from rarebit.tables import Form, Table


def decision_frame(
    table: Table,
    made: Decisions,
    rows: Any = None,
    *,
    columns: bool = False,
    typed: bool = False,
) -> pl.DataFrame:
    """Return id, class and scores of rows, the id first.

    Parameters
    ----------
    table : Table
        The rows.
    made : Decisions
        What the model says of them.
    rows : ndarray of int or None, default=None
        Positions of the rows wanted; None for all.
    columns : bool, default=False
        Whether the cells of the rows follow.
    typed : bool, default=False
        As in `cells_of`.

    Returns
    -------
    DataFrame
        One row each.
    """
    chosen = np.arange(table.n_rows) if rows is None else np.asarray(rows)
    frame = pl.DataFrame(
        {
            table.id_name: table.written_ids(chosen),
            "predicted": made.classes[chosen],
            "score": made.scores[chosen],
        }
    )
    if len(made.each) > 1:
        frame = frame.with_columns(
            pl.Series(f"score_{name}", own[chosen]) for name, own in made.each.items()
        )
    if made.probabilities:
        frame = frame.with_columns(
            pl.Series(name, column[chosen]) for name, column in made.probabilities.items()
        )
    if columns:
        cells = cells_of(table.take(chosen), typed=typed)
        taken = set(frame.columns)
        frame = frame.hstack(
            [
                column.alias(f"{column.name} (file)") if column.name in taken else column
                for column in cells.get_columns()
            ]
        )
    return frame


def cells_of(table: Table, *, typed: bool = False) -> pl.DataFrame:
    """Return the cells of rows in the order of the file and, where it can be read again, as in it.

    Otherwise as people read them: whole numbers have no decimal point, times of day and days are
    written as such; columns that rows were not judged by are texts.

    Parameters
    ----------
    table : Table
        The rows.
    typed : bool, default=False
        Whether they go to a format that has types: plain numbers and days of a text file are then
        no texts. Money, percent and other dates are texts in any format.
    """
    cells = _understood(table)
    own = table.written_cells() if cells.width else None
    if own is None:
        return cells
    names = own.columns
    parts = table.text_parts
    if (
        table.text not in names and parts and {*parts} <= {*names}
    ):  # they were joined to be read only
        at = cells.columns.index(str(table.text))
        columns = cells.get_columns()
        cells = pl.DataFrame([*columns[:at], *own.select(parts), *columns[at + 1 :]])
    if typed and table.written is not None and not table.written.typed:
        names = [name for name in names if name in table.forms and _is_peculiar(table.forms[name])]
    known = set(cells.columns)
    return cells.with_columns(own.select([name for name in names if name in known]))


def _is_peculiar(form: Form) -> bool:
    """Return whether people would miss the text: all but plain numbers and days."""
    if form.role == "text":
        return False
    has_time = form.kind == "time" or "|" in form.pattern
    return has_time or not replace(form, given=False, doubt="").plain


def _understood(table: Table) -> pl.DataFrame:
    if table.image is not None or table.pixels or not isinstance(table.numbers, np.ndarray):
        return pl.DataFrame()  # descriptors, pixels and words of a bag are for machines
    numbers = pl.DataFrame(
        {name: table.numbers[:, i] for i, name in enumerate(table.number_names)}
    ).fill_nan(None)
    whole = [
        name
        for name in numbers.columns
        if bool((numbers[name].drop_nulls() % 1 == 0).all())
        and bool((numbers[name].drop_nulls().abs() < 2**53).all())
    ]
    numbers = numbers.with_columns(pl.col(whole).cast(pl.Int64)) if whole else numbers
    times = [name for name in numbers.columns if _is(table, name, "time")]
    days = [n for n in table.records.columns if _is(table, n, "date") and _has_days_only(table, n)]
    # One list, because a frame without numbers, or without records, has no height to add to.
    columns = [
        *numbers.with_columns(pl.col(times).cast(pl.Int64).cast(pl.Time)),
        *table.records.with_columns(pl.col(days).cast(pl.Date)),
    ]
    known = {column.name for column in columns}
    cells = pl.DataFrame([*columns, *(each for each in table.aside if each.name not in known)])
    return cells.select([n for n in table.order or cells.columns if n in cells.columns])


def _is(table: Table, name: str, kind: str) -> bool:
    return name in table.forms and table.forms[name].kind == kind


def _has_days_only(table: Table, name: str) -> bool:
    pattern = table.forms[name].pattern
    return bool(pattern) and "|" not in pattern and pattern not in ("s", "ms")
