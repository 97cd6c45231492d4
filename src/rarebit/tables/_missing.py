"""Strings that stand for missing cells, by one list for files and frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import polars as pl
import polars.selectors as cs

from rarebit.tables._options import MISSING

OpenFrame = Callable[[dict[str, Any]], pl.LazyFrame]
_NAMED = 5  # columns that a note names


def without_stand_ins(open_frame: OpenFrame) -> OpenFrame:
    """Return a reader whose strings such as N/A are missing cells, as those of text files are.

    Parameters
    ----------
    open_frame : function of dict
        Opens a frame whose columns have types of their own, by the types that are wanted.

    Returns
    -------
    function of dict
        The same, with null in the place of such strings.
    """
    strings = cs.string() | cs.categorical() | cs.enum()

    def opened(types: dict[str, Any]) -> pl.LazyFrame:
        return open_frame(types).with_columns(
            pl.when(~strings.cast(pl.String).is_in(MISSING)).then(strings).name.keep()
        )

    return opened


def tell_stand_ins(frame: pl.DataFrame, names: Iterable[str]) -> list[str]:
    """Say in which columns strings count as missing cells.

    Parameters
    ----------
    frame : DataFrame
        Its cells as they were given.
    names : iterable of str
        Columns of words; numbers and dates have no other way to say that a cell is missing.

    Returns
    -------
    list of str
        One sentence, or none.

    Examples
    --------
    >>> frame = pl.DataFrame({"country": ["DE", "N/A", "NA"]})
    >>> tell_stand_ins(frame, ["country"])
    ["Strings that stand for missing cells count as missing, as in files: 2 in country ('N/A')."]
    """
    found = []
    for name in names:
        if frame.schema[name] in (pl.String, pl.Categorical, pl.Enum):
            cells = frame[name].cast(pl.String)
            cells = cells.filter(cells.is_in(MISSING))
            if len(cells):
                found.append(f"{len(cells):,} in {name} ({cells[0]!r})")
    if not found:
        return []
    more = ", …" if len(found) > _NAMED else ""
    return [
        "Strings that stand for missing cells count as missing, as in files: "
        f"{', '.join(found[:_NAMED])}{more}."
    ]
