"""Explanations as two columns: what adds to a score, and which training rows it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from rarebit.models import Model
    from rarebit.tables import Table

_COLUMNS = 5
_ROWS = 3


def with_reasons(frame: pl.DataFrame, model: Model, table: Table) -> pl.DataFrame:
    """Return decisions with the columns ``because`` and ``like``.

    Parameters
    ----------
    frame : DataFrame
        As `rarebit.models.decision_frame` returns it.
    model : Model
        Model that decides.
    table : Table
        The same rows.
    """
    from rarebit.models import explain

    found = explain(model, table, n_columns=_COLUMNS, n_rows=_ROWS) if table.n_rows else []
    because = [str(each) for each in found]
    # Ids stand as they are; rows of a file without ids are counted.
    what = "row " if model.manifest["id"] is None else ""
    like = [
        "; ".join(f"{what}{row} {label} {part:+.3g}" for row, label, part in each.rows)
        for each in found
    ]
    width = frame.columns.index("score") + 1
    added = [pl.Series("because", because, pl.String), pl.Series("like", like, pl.String)]
    taken = {"because", "like"} & set(frame.columns)
    frame = frame.rename({name: f"{name} (file)" for name in taken})
    return frame.select(frame.columns[:width]).hstack(added).hstack(frame[:, width:].get_columns())
