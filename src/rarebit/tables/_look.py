"""A first look at a table: what each column is taken for, and what may be wrong with it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse

from rarebit._text import counted
from rarebit.tables._counters import ALMOST_COUNTER, COUNTER, find_possible_ids
from rarebit.tables._duplicates import count_duplicates
from rarebit.tables._encoder import TableEncoder
from rarebit.tables._errors import TableError
from rarebit.tables._frames import as_table
from rarebit.tables._leaks import RareRows, find_leak, number_cells, rare_rows
from rarebit.tables._puzzles import find_puzzle
from rarebit.tables._table import Table
from rarebit.tables._understanding import locale_of

LEFT_OUT = "left out as you said"
_KINDS = {"category": "category", "letters": "short strings", "words": "text", "date": "date"}


@dataclass(frozen=True)
class ColumnLook:
    """What is known of one column.

    Attributes
    ----------
    name : str
        The column.
    kind : str
        What it is taken for, in a few words.
    missing : int or None
        Missing cells; None for a column that was left out unread.
    distinct : int or None
        Different values; None for the pixels and arrays, where nobody asks, and for columns left
        out unread.
    used : bool
        Whether it becomes features.
    remark : str
        Why it is not used, or what may be wrong with it; empty for most.
    """

    name: str
    kind: str
    missing: int | None
    distinct: int | None
    used: bool
    remark: str = ""


@dataclass(frozen=True)
class Look:
    """What `look` returns.

    Attributes
    ----------
    source : str
        Name of the file.
    n_rows : int
        Number of rows.
    columns : tuple of ColumnLook
        In the order of the file, numbers first.
    duplicates : int
        Rows that are copies of an earlier one.
    locale : str
        Decimal mark that was found; empty if no column shows one.
    classes : dict of str to int
        Rows of each class, if there is a target.
    notes : tuple of str
        What was guessed while reading.
    """

    source: str
    n_rows: int
    columns: tuple[ColumnLook, ...]
    duplicates: int
    locale: str
    classes: dict[str, int]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return it as values that JSON has."""
        return asdict(self) | {"columns": [asdict(column) for column in self.columns]}


def look(table: Any, left_out: Iterable[str] = (), rare: Iterable[str] = ()) -> Look:
    """Say what each column of a table is taken for, and what may be wrong with it.

    Parameters
    ----------
    table : Table, or a pandas, polars or Arrow frame
        All rows; with a target, columns that leak it are reported.
    left_out : iterable of str, default=()
        Columns of the file that a person left out, to be listed as such.
    rare : iterable of str, default=()
        Classes that are sought, for columns that leak them; empty for all but the commonest.

    Returns
    -------
    Look
        Plain values.

    Examples
    --------
    >>> from rarebit.tables import as_table, look
    >>> found = look(as_table({"paid": ["€1.234,50", "€3,00", None], "n": [1.5, 2.0, 7.0]}))
    >>> found.columns[0].kind, found.columns[0].missing
    ('money, €, decimal comma, thousands as in 1.234', 1)
    """
    table = as_table(table)
    encoder = TableEncoder()
    try:
        dropped = encoder.fit(table).dropped_
        kinds: dict[str, str] = dict(encoder.records_.kinds_)
    except TableError as error:
        # Nothing can be learned from it, and that is worth a look.
        dropped, kinds = dict.fromkeys(table.columns, str(error).split(":")[0]), {}
    sought = rare_rows(table.target, rare)
    ids = find_possible_ids(table)
    vectors = _vector_names(table)
    columns = [
        _look_at_number(table, j, name, dropped, sought, ids)
        for j, name in enumerate(table.number_names)
        if name not in vectors
    ] if not _is_of_arrays(table) else [
        _look_at_all(table)
    ]  # fmt: skip
    columns += [
        _look_at_record(table, name, kinds, dropped, sought) for name in table.records.columns
    ]
    if vectors:
        columns.append(_look_at_vectors(table, len(vectors)))
    known = {column.name for column in columns}
    columns += [
        ColumnLook(name, "", None, None, False, LEFT_OUT)
        for name in dict.fromkeys(left_out)
        if name not in known and name in table.order
    ]
    place = {name: j for j, name in enumerate(table.order)}
    columns.sort(key=lambda column: place.get(column.name, len(place)))
    classes: dict[str, int] = {}
    if table.target is not None:
        counts = pl.Series(table.target[table.target != ""]).value_counts().rows()
        classes = dict(sorted(counts))
    mark = locale_of(table.forms.values())
    return Look(
        source=table.source,
        n_rows=table.n_rows,
        columns=tuple(columns),
        duplicates=count_duplicates(table),
        locale={None: "", ",": "decimal comma", ".": "decimal point"}[mark],
        classes=classes,
        notes=table.notes,
    )


def _is_of_arrays(table: Table) -> bool:
    return table.pixels or table.image is not None or sparse.issparse(table.numbers)


def _look_at_all(table: Table) -> ColumnLook:
    n = len(table.number_names)
    if sparse.issparse(table.numbers):
        return ColumnLook(counted(n, "column"), "sparse numbers", 0, None, True)
    kind = "pixels of images" if table.pixels else "images"
    remark = "" if table.pixels else f"{n:,} features: gradients, light, textures, spots"
    if table.embedded is not None:
        remark = f"{n:,} features: a vector by {table.embedded[1]}"
    return ColumnLook("images" if remark else counted(n, "column"), kind, 0, None, True, remark)


def _vector_names(table: Table) -> set[str]:
    """Return the columns that were made from a text by an embedding: no column of the file."""
    text = None if table.embedded is None else table.embedded[0]
    present = set(table.number_names)
    names: set[str] = set()
    while text is not None and (name := f"{text}_{len(names) + 1}") in present:
        names.add(name)
    return names


def _look_at_vectors(table: Table, n: int) -> ColumnLook:
    assert table.embedded is not None
    text, package = table.embedded
    cells = table.aside[str(text)]
    remark = f"{n:,} features: a vector by {package}"
    known = cells.drop_nulls()
    return ColumnLook(str(text), "text", cells.null_count(), known.n_unique(), True, remark)


def _look_at_number(
    table: Table,
    j: int,
    name: str,
    dropped: dict[str, str],
    rare: list[RareRows],
    ids: dict[str, str],
) -> ColumnLook:
    values = np.asarray(table.numbers[:, j], dtype=np.float64)
    known = np.isfinite(values)
    form = table.forms.get(name)
    remark = dropped.get(name, "")
    if remark in (COUNTER, ALMOST_COUNTER):
        kept = shlex.quote(f"{name}=number")
        remark += f" and is left out as an id; --as {kept} keeps it"
    if not remark:
        leak = find_leak(number_cells(values), rare)
        remark = ids.get(name, "") if leak is None else leak.remark
    return ColumnLook(
        name,
        "number" if form is None else form.sentence(name),
        int((~known).sum()),
        pl.Series(values[known]).n_unique(),
        name not in dropped,
        remark,
    )


def _look_at_record(
    table: Table,
    name: str,
    kinds: dict[str, str],
    dropped: dict[str, str],
    rare: list[RareRows],
) -> ColumnLook:
    column, form = table.records[name], table.forms.get(name)
    kind = _KINDS.get(kinds.get(name, ""), "strings")
    if form is not None:
        kind = form.sentence(name)
    remark = dropped.get(name, "")
    by_id = remark.startswith("nearly every")
    puzzle = find_puzzle(name, column) if form is None and name != table.text else ""
    if by_id and puzzle:
        remark = f"left out: it is {puzzle}"
    elif by_id or (remark and name in table.left_out):
        remark += " and is left out as an id"
    missing = column.is_null().to_numpy()
    if not remark:
        leak = find_leak(column, rare)
        remark = puzzle if leak is None else leak.remark
    return ColumnLook(
        name, kind, int(missing.sum()), column.drop_nulls().n_unique(), name not in dropped, remark
    )
