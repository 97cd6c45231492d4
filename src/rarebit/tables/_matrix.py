"""Room for numbers: in memory while it fits, else in a temporary file that is mapped."""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Share of the free memory that one matrix may take.
SHARE = 0.5
# Bytes of numbers from which a table that is only looked at row by row goes to a file.
SPILLED = 256 << 20
# Bytes of a mapped file that are read or written before they are let go.
LET_GO = 64 << 20


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


def make_matrix(
    shape: tuple[int, int], dtype: Any = np.float64, *, spill: bool = False
) -> NDArray[Any]:
    """Return an array that is not filled; a memory map where memory is too small for it.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    dtype : dtype, default=float64
        Of the numbers.
    spill : bool, default=False
        Whether a file is wanted for a large array also where memory is large enough.

    Returns
    -------
    ndarray or memmap
        The array.

    Examples
    --------
    >>> make_matrix((3, 2)).shape
    (3, 2)
    """
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    fits = size <= SHARE * free_memory()
    if fits and not (spill and size > SPILLED):
        return np.empty(shape, dtype)
    try:
        return _map_file(shape, dtype, size)
    except OSError:
        # No room for a file; only where memory is too small as well is that an error.
        if not fits:
            raise
        return np.empty(shape, dtype)


def _map_file(shape: tuple[int, int], dtype: Any, size: int) -> NDArray[Any]:
    # Without a name, or (not on Linux) with one for a moment only: it goes with the array, and
    # with the process where that is killed.
    with tempfile.TemporaryFile(prefix="rarebit-") as file:
        # Blocks are reserved now: a full disk shows here and not as a crash in the middle.
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        return np.memmap(file, dtype, "w+", shape=shape)


def let_go(matrix: Any) -> None:
    """Let what is in memory of a mapped matrix leave it; it is read again when it is wanted."""
    mapped = getattr(matrix, "_mmap", None)
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


class GrowingMatrix:
    """A matrix that grows while rows arrive.

    Parameters
    ----------
    n_columns : int
        Width.
    expected : int
        Rows that are expected; more are welcome. Memory that is never written costs nothing.
    spill : bool, default=False
        Whether a large matrix goes to a temporary file.
    """

    def __init__(self, n_columns: int, expected: int, *, spill: bool = False) -> None:
        self._spill = spill
        self._rows = make_matrix((max(expected, 1), n_columns), spill=spill)
        self._held = 0  # bytes written since a mapped matrix was let go
        self.n_rows = 0

    def append(self, block: NDArray[Any]) -> None:
        """Add rows."""
        end = self.n_rows + len(block)
        if end > len(self._rows):
            larger = max(end, int(len(self._rows) * 1.1) + 1)
            if isinstance(self._rows, np.memmap):
                moved = make_matrix((larger, self._rows.shape[1]), spill=self._spill)
                moved[: self.n_rows] = self._rows[: self.n_rows]
                self._rows = moved
            else:
                # In place where the allocator can: two copies at a time would double the peak.
                self._rows.resize((larger, self._rows.shape[1]), refcheck=False)
        self._rows[self.n_rows : end] = block
        self.n_rows = end
        self._held += block.nbytes
        if self._held > LET_GO:
            let_go(self._rows)
            self._held = 0

    def finish(self) -> NDArray[Any]:
        """Return the matrix."""
        if isinstance(self._rows, np.memmap):
            return self._rows[: self.n_rows]
        self._rows.resize((self.n_rows, self._rows.shape[1]), refcheck=False)
        return self._rows
