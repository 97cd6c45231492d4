"""What somebody who trains on a frame must know of how it was read: guesses, and rows left out."""

from __future__ import annotations

from rarebit._text import counted
from rarebit.tables import Table


class ReadingWarning(UserWarning):
    """Cells were understood by a guess, rows without a class left out, or columns are empty."""


def reading_warning(table: Table, n_without: int) -> str:
    """Return what was guessed, and how many rows have no class; empty where all is clear.

    Parameters
    ----------
    table : Table
        The frame, as it was understood.
    n_without : int
        Number of rows without a class.

    Examples
    --------
    >>> from rarebit.tables import as_table
    >>> frame = as_table({"x": [1.0, 2.5, 2.0]})
    >>> reading_warning(frame, 0), reading_warning(frame, 1)
    ('', '1 row without a class is left out.')
    """
    unsure = [name for name, form in table.forms.items() if form.doubt or len(form.units) > 1]
    said = [note for note in table.notes if note.startswith(tuple(f"{name}: " for name in unsure))]
    if n_without:
        rows = counted(n_without, "row without a class is", "rows without a class are")
        said.append(f"{rows} left out.")
    return " ".join(said)
