"""Room for numbers: in memory while it fits, else in a temporary file that is mapped."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Share of the free memory that one matrix may take.
SHARE = 0.5


def free_memory() -> int:
    """Bytes of memory that can be had without swapping; 8 GB where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 8 << 30


def make_matrix(shape: tuple[int, int], dtype: Any = np.float64) -> NDArray[Any]:
    """Return an array that is not filled; a memory map where memory is too small for it.

    Examples
    --------
    >>> make_matrix((3, 2)).shape
    (3, 2)
    """
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    if size <= SHARE * free_memory():
        return np.empty(shape, dtype)
    with tempfile.NamedTemporaryFile(prefix="rarebit-", suffix=".bin") as file:
        # Blocks are reserved now: a full disk shows here and not as a crash in the middle.
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        # The file has no name any more when this function returns, and goes with the array.
        return np.memmap(file, dtype, "w+", shape=shape)


class Rows:
    """A matrix that grows while rows arrive.

    Parameters
    ----------
    n_columns : int
        Width.
    expected : int
        Rows that are expected; more are welcome. Memory that is never written costs nothing.
    """

    def __init__(self, n_columns: int, expected: int) -> None:
        self._rows = make_matrix((max(expected, 1), n_columns))
        self.n_rows = 0

    def append(self, block: NDArray[Any]) -> None:
        """Add rows."""
        end = self.n_rows + len(block)
        if end > len(self._rows):
            larger = max(end, int(len(self._rows) * 1.1) + 1)
            if isinstance(self._rows, np.memmap):
                moved = make_matrix((larger, self._rows.shape[1]))
                moved[: self.n_rows] = self._rows[: self.n_rows]
                self._rows = moved
            else:
                # In place where the allocator can: two copies at a time would double the peak.
                self._rows.resize((larger, self._rows.shape[1]), refcheck=False)
        self._rows[self.n_rows : end] = block
        self.n_rows = end

    def finish(self) -> NDArray[Any]:
        """Return the matrix."""
        if isinstance(self._rows, np.memmap):
            return self._rows[: self.n_rows]
        self._rows.resize((self.n_rows, self._rows.shape[1]), refcheck=False)
        return self._rows
