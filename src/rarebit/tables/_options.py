"""How a file is to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rarebit.tables._forms import Form
from rarebit.tables._roles import Role

# What stands for a missing cell in text files, beside the empty cell.
MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>", "#N/A")


@dataclass(frozen=True)
class Options:
    """Choices of the caller of `read_table`, as given there."""

    target: str | None = None
    id: str | None = None
    text: str | Sequence[str] | None = None
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    # Columns that are kept as text beside the others and do not become features.
    aside: Sequence[str] = ()
    # Whether columns that a schema does not need are kept aside too, to be written again.
    keep_rest: bool = False
    # Whether batches also have their cells as the file has them, to be shown or written again.
    as_written: bool = False
    delimiter: str | None = None
    encoding: str | None = None
    # Whether the first line holds names; None detects it.
    header: bool | None = None
    sheet: str | None = None
    image_size: int = 32
    # What images of a folder become: local descriptors, or pixels.
    image_features: str = "local"
    schema: Mapping[str, Role] | None = None
    # What people say that columns are, by name.
    columns: Mapping[str, str] = field(default_factory=dict)
    # How the columns of the schema were written, as `Form` or its JSON; None where nobody knows.
    forms: Mapping[str, Form | str] | None = None
    # Numbers of a large table go to a temporary file, for a reader who looks at single rows.
    spill: bool = False
    # What becomes of rows that are there more than once: keep, first or drop.
    duplicates: str = "keep"
    # Bytes that a packed file may become; None for a limit by the size of the file.
    max_unpacked: int | None = None
    # The id where the file has such a column and no other is given.
    usual_id: str | None = None
    # What turns the text into vectors, instead of its words.
    embed: str | None = None
