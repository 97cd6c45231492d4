"""Columns of equal length by name: the form of histories and curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray


class ColumnTable(Mapping[str, NDArray[Any]]):
    """Columns of equal length by name; ``pandas.DataFrame(table)`` and polars take it as it is.

    Parameters
    ----------
    columns : mapping of str to ndarray
        The columns.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.active import ColumnTable
    >>> table = ColumnTable({"n_labels": np.array([1, 2, 3]), "row": np.array([7, 2, 9])})
    >>> len(table["row"]), table.n_rows
    (3, 3)
    >>> print(table)
    n_labels  row
           1    7
           2    2
           3    9
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def n_rows(self) -> int:
        """Number of rows of the table."""
        return len(next(iter(self._columns.values()), ()))

    def tail(self, n: int = 10) -> ColumnTable:
        """Return the last rows.

        Parameters
        ----------
        n : int, default=10
            Number of rows.

        Returns
        -------
        ColumnTable
            The same columns, shorter.
        """
        start = max(0, self.n_rows - n)
        return ColumnTable({name: column[start:] for name, column in self.items()})

    def __str__(self) -> str:
        cells = [
            [name, *(_shown(value) for value in column.tolist())] for name, column in self.items()
        ]
        widths = [max(len(cell) for cell in column) for column in cells]
        lines = zip(*cells, strict=True)
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        )

    def __repr__(self) -> str:
        return f"ColumnTable of {self.n_rows:,} rows: {', '.join(self)}"


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
