"""Columns that are several or one: vectors become numbers, texts are joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from rarebit.tables._errors import TableError
from rarebit.tables._limits import MAX_COLUMNS
from rarebit.tables._roles import check_names

OpenFrame = Callable[[dict[str, Any]], pl.LazyFrame]
JOINED = " + "


def text_columns(text: str | Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """Return the columns that a text is of: several for names that are joined by ``" + "``."""
    if text is None or not isinstance(text, str):
        return list(text or ())
    return [text] if text in names else text.split(JOINED)


def join_texts(
    open_frame: OpenFrame, text: str | Sequence[str] | None, names: Sequence[str], source: str
) -> tuple[OpenFrame, str | None]:
    """Return a frame where several columns of text are one, and its name.

    Parameters
    ----------
    open_frame : function
        Gives the frame.
    text : str, sequence of str or None
        The columns; a name of several joined by ``" + "`` counts as these.
    names : sequence of str
        Columns of the frame.
    source : str
        Name of the file, for errors.
    """
    if text is None or text in names:
        return open_frame, text  # type: ignore[return-value]
    parts = text_columns(text, names)
    if len(parts) < 2:
        return open_frame, parts[0] if parts else None
    check_names(parts, names, source, "text")
    joined = JOINED.join(parts)

    def open_joined(types: dict[str, Any]) -> pl.LazyFrame:
        given = {name: kind for name, kind in types.items() if name != joined}
        # Parts that look like numbers are text all the same.
        frame = open_frame({**given, **dict.fromkeys(parts, pl.String)})
        cells = [pl.col(part).cast(pl.String) for part in parts]
        whole = pl.concat_str(cells, separator="\n", ignore_nulls=True).replace("", None)
        return frame.with_columns(whole.alias(joined)).drop(parts)

    return open_joined, joined


def spread_vectors(open_frame: OpenFrame, source: str) -> OpenFrame:
    """Return a frame where each column of vectors is a column for each of their numbers."""
    types = open_frame({}).collect_schema()
    vectors = {name: kind for name, kind in types.items() if _is_vector(kind)}
    if not vectors:
        return open_frame
    widths = {name: _width(open_frame, name, kind, source) for name, kind in vectors.items()}
    if sum(widths.values()) > MAX_COLUMNS:
        raise TableError(
            f"The vectors of {source} have {sum(widths.values()):,} numbers together, and up to "
            f"{MAX_COLUMNS:,} are possible: leave some out."
        )

    def open_spread(types: dict[str, Any]) -> pl.LazyFrame:
        frame = open_frame({name: kind for name, kind in types.items() if name in known})
        wanted: list[Any] = []
        for name in known:
            if name not in vectors:
                wanted.append(pl.col(name))
                continue
            column = pl.col(name)
            if isinstance(vectors[name], pl.List):
                column = column.list.to_array(widths[name])
            wanted += [
                column.arr.get(j).cast(pl.Float64).alias(f"{name}_{j + 1}")
                for j in range(widths[name])
            ]
        return frame.select(wanted)

    known = list(types)
    return open_spread


def _is_vector(kind: Any) -> bool:
    return isinstance(kind, (pl.List, pl.Array)) and kind.inner.is_numeric()


def _width(open_frame: OpenFrame, name: str, kind: Any, source: str) -> int:
    if isinstance(kind, pl.Array):
        return int(kind.size)
    lengths = open_frame({}).select(
        low=pl.col(name).list.len().min(), high=pl.col(name).list.len().max()
    )
    low, high = lengths.collect().row(0)
    if low != high or not high:
        raise TableError(
            f"The vectors in column {name!r} of {source} must have one length, and they have from "
            f"{low or 0:,} to {high or 0:,} numbers: make them equal, or leave the column out."
        )
    return int(high)
