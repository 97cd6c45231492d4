"""Partitions of a pool: files that workers read one at a time, with global row numbers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from rarebit.tables import TableError

_ENDINGS = (".parquet", ".pq", ".csv", ".tsv", ".jsonl", ".ndjson")


@dataclass(frozen=True)
class Partition:
    """One file of a pool.

    Attributes
    ----------
    number : int
        Position among all files.
    path : str
        The file, as every worker sees it.
    n_rows : int
        Number of rows.
    start : int
        Global number of its first row.
    """

    number: int
    path: str
    n_rows: int
    start: int

    @property
    def name(self) -> str:
        """Name of the file."""
        return Path(self.path).name


@dataclass(frozen=True)
class Partitions:
    """All files of a pool, in the order of their global row numbers.

    Attributes
    ----------
    files : tuple of Partition
        Each begins where the one before it ends.

    Examples
    --------
    >>> from rarebit.distributed import Partition, Partitions
    >>> pool = Partitions((Partition(0, "a.csv", 3, 0), Partition(1, "b.csv", 2, 3)))
    >>> pool.n_rows
    5
    >>> pool.locate(4)
    (Partition(number=1, path='b.csv', n_rows=2, start=3), 1)
    """

    files: tuple[Partition, ...]

    @property
    def n_rows(self) -> int:
        """Number of rows of the pool."""
        last = self.files[-1]
        return last.start + last.n_rows

    def locate(self, row: int) -> tuple[Partition, int]:
        """Return the file that holds a global row number, and the position in it.

        Parameters
        ----------
        row : int
            Global row number.

        Returns
        -------
        tuple of Partition and int
            The file and the position.
        """
        if not 0 <= row < self.n_rows:
            raise IndexError(f"row must be between 0 and {self.n_rows - 1:,}, got {row:,}.")
        part = self.files[bisect_right([part.start for part in self.files], row) - 1]
        return part, row - part.start


def list_files(source: str | PathLike[str] | Sequence[str | PathLike[str]]) -> list[Path]:
    """Return the files of a pool: those of a folder in the order of their names, or those given.

    Parameters
    ----------
    source : path or sequence of paths
        A folder of Parquet, CSV or JSON-lines files, one such file, or several.

    Returns
    -------
    list of Path
        At least one.

    Raises
    ------
    TableError
        There is no such file.
    """
    given = [Path(source)] if isinstance(source, str | PathLike) else [Path(s) for s in source]
    files: list[Path] = []
    for path in given:
        if path.is_dir():
            found = sorted(each for each in path.iterdir() if each.suffix.lower() in _ENDINGS)
        else:
            found = [path] if path.is_file() and path.suffix.lower() in _ENDINGS else []
        if not found:
            raise TableError(
                f"{path.name} holds no partitions: give a folder of files, or files, whose names "
                f"end in {', '.join(_ENDINGS)}."
            )
        files += [each.resolve() for each in found]
    return files


def number_rows(files: Sequence[str | PathLike[str]], counts: Sequence[int]) -> Partitions:
    """Give the rows of files global numbers.

    Parameters
    ----------
    files : sequence of path
        In order.
    counts : sequence of int
        Number of rows of each file.

    Returns
    -------
    Partitions
        Files without rows are left out.

    Raises
    ------
    TableError
        No file has a row.
    """
    parts: list[Partition] = []
    start = 0
    for path, n_rows in zip(files, counts, strict=True):
        if n_rows:
            parts.append(Partition(len(parts), str(path), n_rows, start))
            start += n_rows
    if not parts:
        raise TableError("The partitions have no rows: give files with rows.")
    return Partitions(tuple(parts))
