"""Rows of results: figures by name, and the text that they are in a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = dict[str, Any]


def as_text(value: Any) -> str:
    """Write a cell; None is empty, and a float keeps nine digits."""
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        return f"{value:.9g}"
    return str(value)


def as_value(text: str) -> Any:
    """Read a cell: None, a whole number, a number or text."""
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class Results(Sequence[Row]):
    """Rows that are finished, in the order of the plan.

    Parameters
    ----------
    rows : sequence of dict
        The rows, each with the fields of its experiment and what was measured.
    about : mapping of str to str, optional
        Where they were measured.

    Examples
    --------
    >>> from rarebit.papers import Results
    >>> rows = Results([{"task": "a", "seed": 0, "g": 0.5}, {"task": "b", "seed": 0, "g": 0.7}])
    >>> rows.only(task="b")["g"].tolist(), rows.different("task")
    ([0.7], ['a', 'b'])
    """

    def __init__(self, rows: Sequence[Row], about: Mapping[str, str] | None = None) -> None:
        self.rows = list(rows)
        self.about = dict(about or {})

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, name: Any) -> Any:
        """A column by its name, a row by its number."""
        if isinstance(name, str):
            return self.column(name)
        return self.rows[name]

    def column(self, name: str) -> NDArray[Any]:
        """Values of one column; a missing number is NaN."""
        values = [row[name] for row in self.rows]
        if any(isinstance(value, str) for value in values):
            return np.array(values, dtype=object)
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    def only(self, **wanted: Any) -> Results:
        """Rows whose columns have these values."""
        rows = [row for row in self.rows if all(row[name] == v for name, v in wanted.items())]
        return Results(rows, self.about)

    def different(self, name: str) -> list[Any]:
        """Values of a column, each once, in the order in which they come."""
        return list(dict.fromkeys(row[name] for row in self.rows))

    def curve(self, x: str, y: str) -> dict[Any, NDArray[Any]]:
        """Samples of one column at each value of another that all runs share, in rising order.

        Missing numbers are left out, and places where there are nothing but missing numbers.
        """
        places: dict[Any, list[Any]] = {}
        for row in self.rows:
            places.setdefault(row[x], []).append(row[y])
        shared = max(map(len, places.values()), default=0)
        known = {
            place: np.array([value for value in places[place] if value is not None])
            for place in sorted(places)
            if len(places[place]) == shared
        }
        return {place: sample for place, sample in known.items() if sample.size}
