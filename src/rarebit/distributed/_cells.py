"""Cells of a partition as they were understood, in a file of the worker beside its features.

Rows are named and shown one at a time, and understanding a file for each of them would take
seconds. So the worker that encodes a partition also writes its cells as they were understood, in an
Arrow file that is mapped: a row then costs one look. As they are written, cells are read again from
the partition itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit._whole_files import replaced_whole
from rarebit.tables import Table

_ID, _TARGET = "id", "target"


class CellsWriter(Protocol):
    """Takes the batches of a partition, in their order."""

    def __call__(self, table: Table) -> None:
        """Write the cells of a batch."""
        ...


@contextmanager
def cells_writer(path: Path) -> Iterator[CellsWriter]:
    """Write the cells of a partition, batch by batch; the file is there when all are.

    Parameters
    ----------
    path : Path
        Where.

    Yields
    ------
    function of Table
        Writes a batch.
    """
    import pyarrow as pa

    with replaced_whole(path) as partial, partial.open("wb") as stream:
        writer: Any = None
        schema: Any = None

        def write(table: Table) -> None:
            nonlocal writer, schema
            rows = as_frame(table).to_arrow()
            if writer is None:
                schema = rows.schema
                writer = pa.ipc.new_file(stream, schema)
            writer.write_table(rows.cast(schema))

        yield write
        if writer is not None:
            writer.close()


def read_cells(path: Path, positions: NDArray[np.intp], names: list[str] | None) -> pl.DataFrame:
    """Return cells of rows by position, in that order.

    Parameters
    ----------
    path : Path
        As `cells_writer` wrote it.
    positions : ndarray of int
        Rows.
    names : list of str or None
        Columns; None for all.
    """
    import pyarrow as pa

    with pa.memory_map(str(path)) as mapped:
        batches = pa.ipc.open_file(mapped)
        ends = np.cumsum([batches.get_batch(i).num_rows for i in range(batches.num_record_batches)])
        owner = np.searchsorted(ends, positions, side="right")
        pieces, places = [], []
        for number in np.unique(owner).tolist():
            batch = batches.get_batch(number)
            batch = batch if names is None else batch.select(names)
            mine = np.flatnonzero(owner == number)
            start = int(ends[number]) - batch.num_rows
            pieces.append(batch.take(pa.array(positions[mine] - start)))
            places.append(mine)
        frame = pl.DataFrame(pa.Table.from_batches(pieces))
        return frame[np.argsort(np.concatenate(places))]


def as_frame(table: Table) -> pl.DataFrame:
    """Return the cells of a table as one frame; columns are named by their positions."""
    numbers = np.asarray(table.numbers, dtype=np.float64)
    columns: dict[str, Any] = {f"n{j}": numbers[:, j] for j in range(numbers.shape[1])}
    columns |= {f"r{j}": table.records[name] for j, name in enumerate(table.records.columns)}
    columns |= {f"a{j}": table.aside[name] for j, name in enumerate(table.aside.columns)}
    columns[_ID] = [str(name) for name in table.ids.tolist()]
    if table.target is not None:
        columns[_TARGET] = table.target.tolist()
    return pl.DataFrame(columns)


def as_rows(frame: pl.DataFrame, like: Table, ids: NDArray[Any]) -> Table:
    """Return cells as rows of a table.

    Parameters
    ----------
    frame : polars.DataFrame
        As `as_frame` makes it.
    like : Table
        Any rows of the same files.
    ids : ndarray of shape (n,)
        Names of the rows.
    """
    numbers = [f"n{j}" for j in range(len(like.number_names))]
    records = {f"r{j}": name for j, name in enumerate(like.records.columns)}
    aside = {f"a{j}": name for j, name in enumerate(like.aside.columns)}
    target = None
    if like.target is not None:
        target = np.array(frame[_TARGET].to_list(), dtype=np.str_)
    return replace(
        like,
        ids=ids,
        numbers=frame.select(numbers).to_numpy() if numbers else np.empty((frame.height, 0)),
        records=frame.select(list(records)).rename(records) if records else pl.DataFrame(),
        aside=frame.select(list(aside)).rename(aside) if aside else pl.DataFrame(),
        target=target,
        raw=None,
        checksum=None,
        written=None,
    )
