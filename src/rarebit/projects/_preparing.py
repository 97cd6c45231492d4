"""Features of the data: what learning begins with, whoever learns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rarebit.projects._sentences import left_out
from rarebit.projects._settings import Settings
from rarebit.tables import Table, TableEncoder


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data that are encoded; depends on the data, the seed and the columns left out only.

    Attributes
    ----------
    encoder : TableEncoder
        Fitted to the data.
    features : array or CSR matrix of shape (n_rows, n_features)
        Features of all rows.
    notes : list of str
        What was left out, for people.
    """

    encoder: TableEncoder
    features: Any
    notes: list[str]


def prepare(table: Table, settings: Settings) -> Prepared:
    """Encode data.

    Parameters
    ----------
    table : Table
        The data.
    settings : Settings
        With ``seed``, and the columns ``imported``, whose labels are known: they are no features.

    Returns
    -------
    Prepared
        Encoder and features.
    """
    for column in settings.imported:
        table = without_column(table, column)
    encoder = TableEncoder(random_state=settings.seed).fit(table)
    return Prepared(encoder, encoder.transform(table), left_out(encoder.dropped_))


def without_column(table: Table, column: str) -> Table:
    """Return data without one of its columns; the same data if they have no such column."""
    numbers, names = table.numbers, table.number_names
    if column in names:
        kept = [j for j, name in enumerate(names) if name != column]
        numbers, names = numbers[:, kept], tuple(names[j] for j in kept)
    records = table.records.drop(column) if column in table.records.columns else table.records
    text = table.text if table.text != column else None
    return replace(table, numbers=numbers, number_names=names, records=records, text=text)
