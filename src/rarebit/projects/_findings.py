"""The classes that were found, and rows described in a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

from rarebit.tables import Shown, Table

_MOST_FIELDS = 12
_MOST_LETTERS = 200
# Numbers whose digits fill a line: more than six of them behind a point.
_MANY_DIGITS = re.compile(r"[-+]?(?<!\d)\d+\.\d{7,}(e[-+]?\d+)?", re.IGNORECASE)


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
        Id of the row by which it was first seen, as `Question` has it.
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


def why_search_may_end(labels: Mapping[int, Any], given: Collection[int]) -> dict[str, str]:
    """Return the reasons for which no further class need be sought.

    Parameters
    ----------
    labels : mapping of int to class
        Row to class, in the order labelled.
    given : collection of int
        Rows whose label was known and not asked for: they were no search, and their classes no
        finds.

    Returns
    -------
    dict of str to str
        What `stop_when_dry` says of the search; empty to continue.

    Examples
    --------
    >>> why_search_may_end({row: row % 2 for row in range(90)}, range(80))
    {}
    """
    from rarebit.active import stop_when_dry  # a team is served without what learns

    asked = count_asked(labels, given)
    return stop_when_dry(first_seen(labels, given), max(asked.values(), default=0))


def count_asked(labels: Mapping[int, Any], given: Collection[int]) -> dict[int, int]:
    """Return the number of each label among those that were not given beforehand, 0 for given ones.

    Parameters
    ----------
    labels : mapping of int to class
        Row to class, in the order labelled.
    given : collection of int
        Rows whose label was known and not asked for.

    Examples
    --------
    >>> count_asked({7: "ok", 2: "rare", 5: "ok"}, {7})
    {7: 0, 2: 1, 5: 2}
    """
    numbers, n_asked = {}, 0
    for row in labels:
        n_asked += row not in given
        numbers[row] = 0 if row in given else n_asked
    return numbers


def first_seen(labels: Mapping[int, Any], given: Collection[int]) -> dict[Any, int]:
    """Return by class the number of its first label, as `count_asked` counts them."""
    found: dict[Any, int] = {}
    for row, number in count_asked(labels, given).items():
        found.setdefault(labels[row], number)
    return found


def describe_rows(
    table: Table, rows: Sequence[int], words: str = "", first: Collection[str] = ()
) -> tuple[list[str], list[Any] | None]:
    """Describe rows in a line each, and return their images if they are images.

    Cells are those of the file (`Table.seen_cells`), which may be read again for it: give all rows
    at once. Numbers of many digits are rounded.

    Parameters
    ----------
    table : Table
        The data.
    rows : sequence of int
        Positions of rows.
    words : str, default=""
        Words that were searched for: cells that hold one come first, and long texts are cut so
        that it is seen.
    first : collection of str, default=()
        Columns that come first, because they were searched.

    Returns
    -------
    tuple of list of str and list of ndarray or None
        Descriptions and images.
    """
    terms, numbers = words.lower().split(), set(table.number_names)
    texts, images = [], []
    for shown in show_rows(table, rows):
        cells = {
            name: _rounded(cell) if name in numbers and isinstance(cell, str) else short_value(cell)
            for name, cell in shown.fields.items()
        }
        hits = [name for name, cell in cells.items() if name in first or _place(cell, terms) >= 0]
        told = [f"{name} {_around(cells[name], terms, _MOST_LETTERS // 2)}" for name in hits]
        if shown.text is None:
            told += [f"{name} {cell}" for name, cell in cells.items() if name not in hits]
        else:
            told.append(_around(shown.text, terms, _MOST_LETTERS))
        texts.append(_cut(", ".join(told[: max(_MOST_FIELDS, len(hits))])))
        images.append(shown.image)
    return texts, images if images and all(image is not None for image in images) else None


def _place(text: str, terms: Sequence[str]) -> int:
    """Return where the first of some words is, -1 where none is."""
    lower = text.lower()
    return min((at for term in terms if (at := lower.find(term)) >= 0), default=-1)


def _around(text: str, terms: Sequence[str], most: int) -> str:
    """Return a text, or the part of a long one in which a word is that was searched for."""
    at = _place(text, terms)
    if len(text) <= most or at < most // 2:
        return _cut(text, most)
    return "…" + _cut(text[at - most // 4 :], most - 1)


def _cut(text: str, most: int = _MOST_LETTERS) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _rounded(number: str) -> str:
    """Return a number as the file has it, but with few digits behind the point."""
    if not _MANY_DIGITS.fullmatch(number.strip()):
        return number
    whole, _, behind = number.strip().partition(".")
    if "e" in behind.lower() or whole.strip("+-0") == "":
        return f"{float(number):.6g}"
    return f"{float(number):.{max(0, 6 - len(whole.strip('+-')))}f}"


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


def rows_with_text(
    table: Table, rows: Sequence[int], wanted: str, beside: Sequence[str] | None = None
) -> list[bool]:
    """Say which rows hold a text in their id or in any cell, capitals or not.

    Cells are searched in full and as they are shown, also those for which a line has no room.
    Names of columns are not searched, and blanks and ends of lines are the same.

    Parameters
    ----------
    table : Table
        The data.
    rows : sequence of int
        Positions of rows; give all at once, as in `describe_rows`.
    wanted : str
        The text; every row holds an empty one.
    beside : sequence of str or None, default=None
        What else is searched with each row, such as its class and a note.

    Returns
    -------
    list of bool
        One per row.

    Examples
    --------
    >>> import polars as pl
    >>> from rarebit.projects import rows_with_text
    >>> from rarebit.tables import as_table
    >>> table = as_table(pl.DataFrame({"amount": [1.5, 2.5], "land": ["FR", "XK"]}))
    >>> rows_with_text(table, [0, 1], "xk"), rows_with_text(table, [0, 1], "odd", ["odd", ""])
    ([False, True], [True, False])
    """
    sought = _folded(wanted)
    if not sought or not rows:
        return [True] * len(rows)
    # Pictures hold no text: they are not opened for it.
    shown = show_rows(table, rows) if table.image is None else [None] * len(rows)
    more = beside if beside is not None else [""] * len(rows)
    return [
        any(sought in _folded(part) for part in (str(table.ids[row]), also, *_searched(each)))
        for row, also, each in zip(rows, more, shown, strict=True)
    ]


def _searched(shown: Shown | None) -> Iterator[str]:
    """Yield the text and the cells of a row, numbers and days in full and as they are shown."""
    if shown is None:
        return
    yield shown.text or ""
    for cell in shown.fields.values():
        if cell is not None:
            yield str(cell)
            if not isinstance(cell, str):
                yield short_value(cell)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


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
