"""The classes that were found, and rows described in a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from rarebit.tables import Shown, Table

_MOST_FIELDS = 12
_MOST_LETTERS = 200


@dataclass(frozen=True)
class ClassProgress:
    """A class that was met.

    Attributes
    ----------
    name : str, int, float or bool
        The class.
    first_seen_at : int
        Number of labels when it was first seen; 0 for classes known from the start.
    first_row : str or int
        Id of the row by which it was first seen.
    position : int
        Position of that row.
    labelled : int
        Number of rows that have this label.
    """

    name: Any
    first_seen_at: int
    first_row: Any
    position: int
    labelled: int

    def to_json(self) -> dict[str, Any]:
        """Return the class as values that JSON has."""
        return {
            "class": self.name,
            "first_seen_at": self.first_seen_at,
            "first_row": self.first_row,
            "labelled": self.labelled,
        }


def found_classes(
    table: Table, labels: Mapping[int, Any], discovered: Mapping[Any, int]
) -> tuple[ClassProgress, ...]:
    """Return the classes in the order in which they were seen.

    Parameters
    ----------
    table : Table
        The data.
    labels : mapping of int to class
        Row to class, in the order labelled.
    discovered : mapping of class to int
        Class to the number of labels when it was first seen.

    Returns
    -------
    tuple of ClassProgress
        One per class.
    """
    counts = Counter(labels.values())
    first: dict[Any, int] = {}
    for row, label in labels.items():
        first.setdefault(label, row)
    return tuple(
        ClassProgress(name, at, _plain(table.ids[first[name]]), first[name], counts[name])
        for name, at in sorted(discovered.items(), key=lambda pair: pair[1])
        if name in first
    )


def describe_rows(table: Table, rows: Sequence[int]) -> tuple[list[str], list[Any] | None]:
    """Describe rows in a line each, and return their images if they are images.

    Cells are those of the file (`Table.seen_cells`), which may be read again for it: give all rows
    at once.

    Parameters
    ----------
    table : Table
        The data.
    rows : sequence of int
        Positions of rows.

    Returns
    -------
    tuple of list of str and list of ndarray or None
        Descriptions and images.
    """
    texts, images = [], []
    for shown in show_rows(table, rows):
        cells = list(shown.fields.items())[:_MOST_FIELDS]
        fields = ", ".join(f"{name} {short_value(cell)}" for name, cell in cells)
        text = shown.text if shown.text is not None else fields
        texts.append(text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…")
        images.append(shown.image)
    return texts, images if images and all(image is not None for image in images) else None


def show_rows(table: Table, rows: Sequence[int]) -> list[Shown]:
    """Return rows for people to look at, their cells as in the file.

    Parameters
    ----------
    table : Table
        The data.
    rows : sequence of int
        Positions of rows.

    Returns
    -------
    list of Shown
        One per row.
    """
    found = [table.show(row) for row in rows]
    own = table.seen_cells(rows) if any(shown.fields for shown in found) else None
    if own is None:
        return found
    return [shown.with_cells(own.row(i, named=True)) for i, shown in enumerate(found)]


def short_value(value: Any) -> str:
    """Return a cell as people write it: few digits, days without a time.

    Examples
    --------
    >>> from datetime import datetime
    >>> from rarebit.projects import short_value
    >>> short_value(0.123456789), short_value(datetime(2026, 5, 26)), short_value(None)
    ('0.123457', '2026-05-26', 'missing')
    """
    if value is None:
        return "missing"
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
