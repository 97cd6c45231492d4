"""Features of the data: what learning begins with, whoever learns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from rarebit.projects._sentences import left_out, may_be_ids
from rarebit.projects._settings import Settings
from rarebit.tables import Table

if TYPE_CHECKING:
    from rarebit.active import Hunt
    from rarebit.tables import TableEncoder


@dataclass(frozen=True, eq=False)
class Prepared:
    """Data that are encoded; depends on the data, the seed, `missing` and the columns left out.

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


@runtime_checkable
class RowsElsewhere(Protocol):
    """A table whose rows no single computer holds: they are encoded and asked for where they are.

    Examples
    --------
    >>> import polars as pl
    >>> from rarebit.projects import RowsElsewhere
    >>> from rarebit.tables import as_table
    >>> isinstance(as_table(pl.DataFrame({"a": [1.0]})), RowsElsewhere)
    False
    """

    @property
    def sample(self) -> Table:
        """Some of the rows, drawn uniformly: they tell what is usual."""
        ...

    def prepared(self, settings: Settings) -> Prepared:
        """Return encoder and features, which know how to fetch rows."""
        ...

    def make_asker(self, settings: Settings) -> Hunt:
        """Return what asks over these features, not started."""
        ...


def prepare(table: Table, settings: Settings) -> Prepared:
    """Encode data.

    Parameters
    ----------
    table : Table
        The data.
    settings : Settings
        With ``seed``, ``missing``, and the columns ``imported``, whose labels are known: they are
        not features.

    Returns
    -------
    Prepared
        Encoder and features.
    """
    if isinstance(table, RowsElsewhere):
        return table.prepared(settings)
    # They bring scikit-learn, which a first row needs not.
    from rarebit.tables import TableEncoder, find_possible_ids

    for column in settings.imported:
        table = without_column(table, column)
    indicate = settings.missing == "indicate"
    encoder = TableEncoder(indicate_missing=indicate, random_state=settings.seed).fit(table)
    notes = left_out(encoder.dropped_) + may_be_ids(find_possible_ids(table), encoder.schema_)
    return Prepared(encoder, encoder.transform(table), notes)


def without_column(table: Table, column: str) -> Table:
    """Return data without one of its columns; the same data if they have no such column."""
    numbers, names = table.numbers, table.number_names
    if column in names:
        kept = [j for j, name in enumerate(names) if name != column]
        numbers, names = numbers[:, kept], tuple(names[j] for j in kept)
    records = table.records.drop(column) if column in table.records.columns else table.records
    text = table.text if table.text != column else None
    return replace(table, numbers=numbers, number_names=names, records=records, text=text)
