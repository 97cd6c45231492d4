"""How a file is to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rarebit.tables._roles import Role

# What stands for a missing cell in text files, beside the empty cell.
MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>", "#N/A")


@dataclass(frozen=True)
class Options:
    """Choices of the caller of `read_table`, as given there."""

    target: str | None = None
    id: str | None = None
    text: str | None = None
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    delimiter: str | None = None
    encoding: str | None = None
    header: bool = True
    image_size: int = 32
    schema: Mapping[str, Role] | None = None
    # Numbers of a large table go to a temporary file, for a reader who looks at single rows.
    spill: bool = False
    # The id where the file has such a column and no other is given.
    usual_id: str | None = None
