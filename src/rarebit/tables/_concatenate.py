"""Tables one below the other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit._later import is_sparse
from rarebit.tables._checksum import FrameChecksum
from rarebit.tables._errors import ColumnsMismatchError, TableError
from rarebit.tables._table import Table
from rarebit.tables._written import JoinedCells


def concatenate(tables: Sequence[Table]) -> Table:
    """Put the rows of tables with the same columns below each other.

    Parameters
    ----------
    tables : sequence of Table
        At least one. Their ids must differ; rows without an id column are numbered through.

    Returns
    -------
    Table
        With the rows of all, in their order.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarebit.tables import concatenate, read_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "small.csv"
    >>> _ = path.write_text("amount,age\\n1.5,20\\n900,30\\n")
    >>> table = read_table(path)
    >>> concatenate([table, table]).n_rows
    4
    >>> folder.cleanup()
    """
    first = tables[0]
    if len(tables) == 1:
        return first
    for other in tables[1:]:
        _check_alike(first, other)
    numbered = first.counts_rows
    ids = (
        np.arange(sum(table.n_rows for table in tables))
        if numbered
        else np.concatenate([np.asarray(table.ids) for table in tables])
    )
    if not numbered and len(set(ids.tolist())) < len(ids):
        raise TableError(
            f"The ids of {' and '.join(table.source for table in tables)} overlap in the column "
            f"{first.id_name!r}: give files whose ids differ."
        )
    parts = [table.numbers for table in tables]
    targets = [table.target for table in tables if table.target is not None]
    return replace(
        first,
        source=" + ".join(table.source for table in tables),
        ids=ids,
        numbers=_below_each_other(parts),
        records=pl.concat([table.records for table in tables], how="vertical_relaxed")
        if first.records.width
        else first.records,
        aside=pl.concat([table.aside for table in tables]) if first.aside.width else first.aside,
        target=np.concatenate(targets) if len(targets) == len(tables) else None,
        notes=tuple(dict.fromkeys(note for table in tables for note in table.notes)),
        image=None if first.image is None else _Images(tables),
        place=None,
        raw=None,
        written=_written_below(tables),
        checksum=_joined_checksum(tables),
    )


def _joined_checksum(tables: Sequence[Table]) -> Callable[[], str]:
    """Return the checksum of tables below each other; frames are then as good as one frame."""
    own = [table.checksum for table in tables if isinstance(table.checksum, FrameChecksum)]
    if len(own) == len(tables):
        return FrameChecksum(tuple(frame for each in own for frame in each.frames))
    checksums = [table.fingerprint for table in tables]
    return lambda: hashlib.sha256(" ".join(checksums).encode()).hexdigest()


def _below_each_other(parts: Sequence[Any]) -> Any:
    """Return the rows of matrices below each other."""
    if not is_sparse(parts[0]):
        return np.concatenate(parts)
    from scipy import sparse

    return sparse.vstack(parts, format="csr")


def _written_below(tables: Sequence[Table]) -> JoinedCells | None:
    parts = [table.written for table in tables if table.written is not None]
    if len(parts) < len(tables):
        return None
    return JoinedCells(parts, np.cumsum([table.n_rows for table in tables]))


class _Images:
    """Images of the rows of several tables."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = list(tables)
        self._ends = np.cumsum([table.n_rows for table in tables])

    def __call__(self, row: int) -> NDArray[np.uint8]:
        number = int(np.searchsorted(self._ends, row, side="right"))
        start = 0 if number == 0 else int(self._ends[number - 1])
        image = self._tables[number].image
        assert image is not None
        return image(row - start)


def _check_zones(first: Table, other: Table) -> None:
    """Refuse dates in local times of different zones."""
    for name, form in first.forms.items():
        zones = [form.local_zone, other.forms[name].local_zone if name in other.forms else ""]
        if form.kind == "date" and zones[0] != zones[1]:
            said = [f"in {zone}" if zone else "without a time zone" for zone in zones]
            raise ColumnsMismatchError(
                f"Column {name!r} has times {said[1]} in {other.source} and {said[0]} in "
                f"{first.source}: convert them to one zone."
            )


def _check_durations(first: Table, other: Table) -> None:
    """Refuse numbers below durations, which are microseconds, and durations below numbers."""
    for name in first.number_names:
        forms = [table.forms.get(name) for table in (first, other)]
        spans = [form is not None and form.kind == "duration" for form in forms]
        if spans[0] != spans[1] and name in other.number_names:
            said = ["durations" if each else "numbers" for each in spans]
            raise ColumnsMismatchError(
                f"Column {name!r} has {said[1]} in {other.source} and {said[0]} in {first.source}: "
                f"read {other.source} as the first table was (schema=..., forms=first.forms)."
            )


def _check_alike(first: Table, other: Table) -> None:
    _check_zones(first, other)
    _check_durations(first, other)
    same = (
        first.number_names == other.number_names
        and first.records.columns == other.records.columns
        and first.id_name == other.id_name
        and first.text == other.text
    )
    if not same:
        missing = [name for name in first.columns if name not in other.columns]
        strange = [name for name in other.columns if name not in first.columns]
        difference = "; ".join(
            f"{what}: {', '.join(names[:5])}"
            for what, names in (("missing", missing), ("unknown", strange))
            if names
        )
        raise ColumnsMismatchError(
            f"{other.source} does not have the columns of {first.source} "
            f"({difference or 'their types differ'}): give a file with the same columns."
        )
