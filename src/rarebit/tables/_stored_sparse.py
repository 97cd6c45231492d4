"""Sparse rows of an NPZ file, checked before compiled code follows their indices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarebit.tables._errors import TableError
from rarebit.tables._limits import in_words, unpacked_limit
from rarebit.tables._options import Options


@contextmanager
def readable_arrays(path: Path) -> Iterator[None]:
    """Turn errors of reading arrays into ours."""
    try:
        yield
    except (TableError, ModuleNotFoundError):
        raise
    except MemoryError as error:
        raise TableError(
            f"{path.name} says that it holds more than there is memory for: it is damaged, or must "
            "be read on a larger computer."
        ) from error
    # NumPy and zipfile raise a dozen types for damaged bytes, SyntaxError and struct.error among
    # them; only calls into them stand inside.
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None and error.errno != _INVALID:
            raise
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise TableError(
            f"{path.name} cannot be read as an array of numbers or text ({why}): it may be cut "
            "off, or hold Python objects; save it again as plain arrays."
        ) from error


# What seeking to a place before the start of a file gives.
_INVALID = 22


def load_sparse(path: Path, options: Options) -> Any:
    """Read the rows that `scipy.sparse.save_npz` wrote.

    Parameters
    ----------
    path : Path
        The file.
    options : Options
        For the limit of what it may become.

    Returns
    -------
    CSR array
        With every index in its range and no place twice.
    """
    with readable_arrays(path):
        loaded = sparse.load_npz(path)
    if loaded.ndim != 2 or loaded.dtype.kind not in "biuf":
        raise TableError(
            f"The features of {path.name} must be rows of numbers, got shape {loaded.shape} and "
            f"type {loaded.dtype}: save a matrix of numbers."
        )
    # Other layouts may have rows without end that cost nothing until they are CSR.
    limit = unpacked_limit(path, options.max_unpacked, memory=True)
    if 8 * loaded.shape[0] > max(limit, path.stat().st_size):
        raise TableError(
            f"{path.name} has {loaded.shape[0]:,} rows, and {in_words(limit)} are allowed for a "
            "file of its size: save it as CSR, or allow more with --max-unpacked (max_unpacked in "
            "Python)."
        )
    try:
        # The check of SciPy takes any width; empty columns are left out before the engine looks.
        # It skips the order of row starts where the last of them is negative.
        starts = getattr(loaded, "indptr", None)
        if starts is not None and (np.diff(starts.astype(np.int64)) < 0).any():
            raise ValueError("row starts (indptr) must not fall")
        if hasattr(loaded, "check_format"):
            loaded.check_format(full_check=True)
        rows = sparse.csr_array(loaded)
        rows.data = rows.data.astype(rows.dtype.newbyteorder("="), copy=False)
        rows.sum_duplicates()
    except (ValueError, TypeError, IndexError, MemoryError) as error:
        why = " ".join(str(error).split())[:200]
        raise TableError(
            f"{path.name} holds sparse rows whose indices do not fit their shape ({why}): save it "
            "again with scipy.sparse.save_npz."
        ) from error
    return rows


def leave_out_empty_columns(
    rows: Any, needed: Sequence[int], source: str
) -> tuple[Any, list[int], str]:
    """Keep only columns that some row has, where there are so many that naming all would cost.

    Parameters
    ----------
    rows : CSR array
        The rows.
    needed : sequence of int
        Columns that are kept though no row has them.
    source : str
        Name of the file.

    Returns
    -------
    tuple of CSR array, list of int and str
        Narrower rows, the columns they had before, and a note for people.
    """
    width = rows.shape[1]
    places: NDArray[np.int64] = np.unique(
        np.concatenate([rows.indices, [j for j in needed if 0 <= j < width]]).astype(np.int64)
    )
    indices = np.searchsorted(places, rows.indices)
    shape = (rows.shape[0], max(len(places), 1))
    narrow = sparse.csr_array((rows.data, indices, rows.indptr), shape=shape)
    note = (
        f"{source} numbers its columns up to {width:,}, and its rows have {len(places):,} of them: "
        "the others are left out."
    )
    return narrow, places.tolist() or [0], note
