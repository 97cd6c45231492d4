"""Arrow streams from strangers: checked before their cells become a frame."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rarebit.server._replies import fail
from rarebit.server.scoring._limits import Limits

ARROW = "application/vnd.apache.arrow.stream"
_COMPRESSION = 3  # field of a RecordBatch in Arrow's Message.fbs
_VIEW = 4  # numbers of a view of a text; the first is its length


def read_stream(body: bytes, limits: Limits, known: Collection[str]) -> pl.DataFrame:
    """Return the rows of an Arrow IPC stream.

    Parameters
    ----------
    body : bytes
        The stream, uncompressed: a few bytes could become any number of them.
    limits : Limits
        Rows, and bytes of cells.
    known : collection of str
        Names of the columns that are wanted.
    """
    try:
        _check_messages(body)
        with pa.ipc.open_stream(pa.py_buffer(body)) as reader:
            _check_types(reader.schema)
            table = pa.Table.from_batches(_checked(reader, limits), reader.schema)
    except (pa.ArrowException, struct.error, OSError, ValueError, OverflowError) as error:
        why = " ".join(str(error).split())[:200]
        raise fail(400, f"The body is not an Arrow IPC stream that can be read ({why}).") from error
    names = [name for name in table.column_names if name in known]
    table = table.select(names)
    try:
        plain = [_plain(column) for column in table.columns]
        return pl.DataFrame(pl.from_arrow(pa.Table.from_arrays(plain, names)))
    except (pa.ArrowException, pl.exceptions.PolarsError, ValueError) as error:
        why = " ".join(str(error).split())[:200]
        raise fail(400, f"The cells of the Arrow stream cannot be read ({why}).") from error


def write_stream(frame: pl.DataFrame, notes: list[str]) -> bytes:
    """Return a frame as an Arrow IPC stream; notes go to its metadata."""
    table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
    if notes:
        table = table.replace_schema_metadata({"rarebit.notes": "\n".join(notes)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _check_messages(body: bytes) -> None:
    """Refuse compressed buffers, which Arrow would unpack to the size that they claim."""
    for message in pa.ipc.MessageReader.open_stream(pa.py_buffer(body)):
        head = message.metadata.to_pybytes()
        batch = _child(head, struct.unpack_from("<I", head, 0)[0], 2)
        if message.type == "dictionary" and batch is not None:
            batch = _child(head, batch, 1)
        if message.type != "schema" and batch is not None and _field(head, batch, _COMPRESSION):
            raise fail(400, "The Arrow stream is compressed: send it without compression.")


def _field(head: bytes, table: int, number: int) -> int:
    """Return where a field of a flatbuffer table is, 0 where it is absent."""
    vtable = table - struct.unpack_from("<i", head, table)[0]
    place = 4 + 2 * number
    if vtable < 0 or place >= struct.unpack_from("<H", head, vtable)[0]:
        return 0
    offset = struct.unpack_from("<H", head, vtable + place)[0]
    return table + offset if offset else 0


def _child(head: bytes, table: int, number: int) -> int | None:
    place = _field(head, table, number)
    return place + struct.unpack_from("<I", head, place)[0] if place else None


def _check_types(schema: pa.Schema) -> None:
    if len(set(schema.names)) < len(schema.names):
        raise fail(400, "Two columns of the Arrow stream have one name: rename one.")
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if _is_list(kind):
            kind = kind.value_type if _is_number(kind.value_type) else pa.struct([])
        if not (_is_number(kind) or _is_text(kind) or _is_moment(kind) or pa.types.is_null(kind)):
            raise fail(
                400,
                f"Column {field.name!r} of the Arrow stream is of the type {field.type}: numbers, "
                "text, dates and lists of numbers are allowed.",
            )


def _is_number(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
                or types.is_decimal128(kind))  # fmt: skip


def _is_moment(kind: Any) -> bool:
    return bool(pa.types.is_temporal(kind) and not pa.types.is_interval(kind))


def _is_text(kind: Any) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _is_list(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _checked(reader: Any, limits: Limits) -> Iterator[pa.RecordBatch]:
    n_rows = n_bytes = 0
    for batch in reader:
        n_rows += batch.num_rows
        limits.check_rows(n_rows)
        batch.validate(full=True)
        n_bytes += sum(_size(column) for column in batch.columns)
        if n_bytes > 4 * limits.max_bytes:
            most = 4 * limits.max_bytes >> 20
            raise fail(413, f"The cells of a request may take {most:,} MB: send fewer rows.")
        yield batch


def _size(column: Any) -> int:
    """Bytes of a column when every cell has its own."""
    own = 8 * len(column)
    if pa.types.is_dictionary(column.type):
        if not _is_text(column.type.value_type):
            return own
        places = column.indices.drop_null().to_numpy(zero_copy_only=False)
        return own + int(_lengths(column.dictionary)[places].sum())
    if pa.types.is_string_view(column.type):
        return own + int(_lengths(column).sum())
    return max(own, int(column.nbytes))


def _lengths(column: Any) -> NDArray[np.int64]:
    """Bytes of each text, found without copying any."""
    valid = column.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_string_view(column.type):
        numbers = np.frombuffer(column.buffers()[1] or b"", dtype=np.int32)
        sizes = numbers[_VIEW * column.offset :: _VIEW][: len(column)]
    else:
        sizes = pc.fill_null(pc.binary_length(column), 0).to_numpy(zero_copy_only=False)
    return np.where(valid, sizes, 0).astype(np.int64)


def _plain(column: Any) -> Any:
    """Return a column without dictionaries and views."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    return column
