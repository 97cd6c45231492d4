r"""Text cells of CSV files that a spreadsheet would run as formulas.

An apostrophe before such a cell makes spreadsheets show it as text. Our own readers take it away
again, so that a file written and read by rarebit holds the same cells. One rule decides for both
directions: a cell is *active* if it begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage
return, after any apostrophes, and is neither a number nor a lone dash, which files write for a
missing value. Writing puts an apostrophe before active cells; reading takes one away where what
follows is active. No text is changed by both together.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

# In the words that Python's and polars' regular expressions share.
_ACTIVE = r"^'*[=+\-@\t\r]"
_NUMBER = r"^([+-]?[.,]*[0-9][0-9.,]*([eE][+-]?[0-9]+)?%?|-)$"
_ACTIVE_PATTERN = re.compile(_ACTIVE)
_NUMBER_PATTERN = re.compile(_NUMBER.replace("$", r"\Z"))


def is_active(cell: str) -> bool:
    """Return whether a spreadsheet may run a cell as a formula.

    Examples
    --------
    >>> is_active("=1+1"), is_active("-1.5"), is_active("+3e4"), is_active("-"), is_active("fraud")
    (True, False, False, False, False)
    """
    return bool(_ACTIVE_PATTERN.match(cell)) and not _NUMBER_PATTERN.match(cell)


def guarded(cell: str) -> str:
    """Return a text cell that no spreadsheet runs.

    Examples
    --------
    >>> guarded("=HYPERLINK(1)"), guarded("-1.5"), guarded("'=1")
    ("'=HYPERLINK(1)", '-1.5', "''=1")
    """
    return "'" + cell if is_active(cell) else cell


def restored(cell: str) -> str:
    """Return the text that `guarded` was given.

    Examples
    --------
    >>> restored("'=HYPERLINK(1)"), restored("'tis")
    ('=HYPERLINK(1)', "'tis")
    """
    return cell[1:] if cell.startswith("'") and is_active(cell[1:]) else cell


def timed_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose durations are texts in ISO 8601: CSV has no cells for them."""
    import polars as pl

    return frame.with_columns(pl.selectors.duration().dt.to_string("iso"))


def guarded_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame whose text cells and names of columns are `guarded`."""
    import polars as pl

    text = pl.selectors.string()
    active = text.str.contains(_ACTIVE) & ~text.str.contains(_NUMBER)
    cells = frame.with_columns(pl.when(active).then("'" + text).otherwise(text).name.keep())
    return cells.rename({name: guarded(name) for name in cells.columns})


def restored_cells(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Return a frame whose text cells are `restored`; names of columns stay."""
    import polars as pl

    text = pl.selectors.string()
    rest = text.str.slice(1)
    active = text.str.starts_with("'") & rest.str.contains(_ACTIVE) & ~rest.str.contains(_NUMBER)
    return frame.with_columns(pl.when(active).then(rest).otherwise(text).name.keep())
