"""Arrays: NPY, NPZ and SVMlight. Their columns have no names but numbers."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarebit.tables._checksum import checksum_of
from rarebit.tables._errors import TableError
from rarebit.tables._matrix import SPILLED
from rarebit.tables._options import MISSING, Options
from rarebit.tables._roles import Role
from rarebit.tables._table import BATCH_ROWS, Table
from rarebit.tables._text_file import open_text

# Names that people give to arrays of an NPZ file, the most usual first.
_FEATURES = ("X", "x", "data", "features", "images", "arr_0")
_TARGETS = ("y", "Y", "target", "targets", "label", "labels", "class")
_IDS = ("ids", "id")


@dataclass(eq=False)
class ArrayScan:
    """A table whose numbers are there already, in memory or mapped."""

    table: Table

    @property
    def columns(self) -> dict[str, Role]:
        """Columns that can become features, and what they are."""
        return dict.fromkeys(self.table.number_names, "number")

    @property
    def notes(self) -> list[str]:
        """What was guessed."""
        return list(self.table.notes)

    @property
    def n_expected(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    def batches(self, n_rows: int | None = None) -> Iterator[Table]:
        """Yield some rows at a time."""
        for start in range(0, self.table.n_rows, n_rows or BATCH_ROWS):
            yield self.table.take(slice(start, start + (n_rows or BATCH_ROWS)))

    def read(self, advance: Callable[[int], None] = lambda rows: None) -> Table:
        """Return all rows."""
        advance(self.table.n_rows)
        return self.table


def scan_npy(path: Path, options: Options) -> ArrayScan:
    """Open one array; it is mapped, not read. The target is the name of a second NPY file."""
    target = None
    if options.target is not None:
        beside = [Path(options.target), path.parent / options.target]
        found = next((each for each in beside if each.suffix == ".npy" and each.is_file()), None)
        if found is None:
            raise TableError(
                f"An NPY file has no columns of names, so that the target must be a second NPY "
                f"file, got {options.target!r}; give its path, or use an NPZ file with X and y."
            )
        with _readable(found):
            target = np.load(found, allow_pickle=False)
    with _readable(path):
        X = np.load(path, mmap_mode="r", allow_pickle=False)
    return _scan(path, X, target, options.target, None, options)


def scan_npz(path: Path, options: Options) -> ArrayScan:
    """Open an archive of arrays: features, classes, perhaps ids."""
    with _readable(path), np.load(path, allow_pickle=False) as archive:
        if {"indptr", "indices", "shape"} <= set(archive.files):
            return _scan(path, sparse.csr_array(sparse.load_npz(path)), None, None, None, options)
        names = archive.files
        features = _choose(names, _FEATURES, None, "features", path.name)
        tables = [name for name in names if archive[name].ndim > 1] if features is None else []
        if features is None and len(tables) != 1:
            raise TableError(
                f"{path.name} holds the arrays {', '.join(names) or 'none'}, and none of them is "
                f"called {_FEATURES[0]}: save the features under that name."
            )
        target = _choose(names, _TARGETS, options.target, "target", path.name)
        ids = _choose(names, _IDS, options.id, "id", path.name)
        return _scan(
            path,
            archive[features or tables[0]],
            None if target is None else archive[target],
            target,
            None if ids is None else archive[ids],
            options,
        )


def scan_svmlight(path: Path, options: Options) -> ArrayScan:
    """Open a file of sparse rows; a feature is named by its number in the file."""
    from sklearn.datasets import load_svmlight_file

    file = open_text(path, options.encoding)
    try:
        X, y = load_svmlight_file(str(file.path), zero_based=True)
    except ValueError as error:
        raise TableError(
            f"{path.name} is no SVMlight file ({error}): lines must look like "
            "'label number:value number:value'; correct it."
        ) from error
    # A file of few rows may lack the last features.
    known = [int(name[1:]) for name in options.schema or () if name[1:].isdigit()]
    X = sparse.csr_array(X)
    X.resize((X.shape[0], max(X.shape[1], *(number + 1 for number in known), 1)))
    return _scan(path, X, y, "label", None, options, letter="f")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn errors of reading arrays into ours."""
    try:
        yield
    except TableError:
        raise
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise TableError(
            f"{path.name} cannot be read as an array of numbers or text ({error}): it may be cut "
            "off, or hold Python objects; save it again as plain arrays."
        ) from error


def _choose(
    names: list[str], usual: tuple[str, ...], wanted: str | None, what: str, source: str
) -> str | None:
    if wanted is None:
        return next((name for name in usual if name in names), None)
    if wanted not in names:
        raise TableError(
            f"{source} has no {what} array {wanted!r}: it has {', '.join(names)}; give one of them."
        )
    return wanted


def _scan(
    path: Path,
    X: Any,
    y: Any,
    target: str | None,
    ids: Any,
    options: Options,
    letter: str = "x",
) -> ArrayScan:
    """Check arrays and make a table of them."""
    if X.ndim < 2 or not (np.issubdtype(X.dtype, np.number) or X.dtype == bool):
        raise TableError(
            f"The features of {path.name} must be numbers, a row or an image each, got an array of "
            f"shape {X.shape} and type {X.dtype}; save them as rows of numbers."
        )
    if not X.shape[0] or not X.shape[1]:
        raise TableError(f"{path.name} has no rows or no columns (shape {X.shape}): give some.")
    for what, other in (("classes", y), ("ids", ids)):
        if other is not None and other.shape != (X.shape[0],):
            raise TableError(
                f"{path.name} has {X.shape[0]:,} rows and {what} of shape {other.shape}: one for "
                "every row is needed; correct the file."
            )
    shape = _image_shape(X)
    pixels = shape is not None and X.dtype == np.uint8
    numbers = X if X.ndim == 2 else X.reshape(len(X), -1)
    width = numbers.shape[1]
    # SVMlight counts in the file itself from 0 or 1; arrays are counted from 1.
    first = 0 if letter == "f" else 1

    def image(row: int) -> NDArray[Any]:
        return np.asarray(numbers[row]).reshape(shape)

    table = Table(
        source=path.name,
        ids=np.arange(X.shape[0]) if ids is None else ids.astype(np.str_).astype(object),
        id_name="row" if ids is None else (options.id or "id"),
        numbers=numbers,
        number_names=tuple(f"{letter}{j + first}" for j in range(width)),
        target=None if y is None else _as_text(y),
        target_name=None if y is None else target,
        pixels=pixels,
        spilled=options.spill and isinstance(X, np.memmap) and X.nbytes > SPILLED,
        image=image if shape is not None else None,
        checksum=lambda: checksum_of(path),
    )
    return ArrayScan(table)


def _image_shape(X: Any) -> tuple[int, ...] | None:
    """Return the shape of one image, or None where rows are no images."""
    if X.ndim > 2:
        shape = X.shape[1:]
        return shape[:2] if len(shape) == 3 and shape[2] == 1 else shape
    side = isqrt(X.shape[1])
    if X.dtype == np.uint8 and side * side == X.shape[1] and side >= 8:
        return (side, side)
    return None


def _as_text(y: NDArray[Any]) -> NDArray[np.str_]:
    """Return classes as text: 1, not 1.0."""
    if np.issubdtype(y.dtype, np.floating):
        known = ~np.isnan(y)
        if np.all(y[known] == np.trunc(y[known])):
            text = np.where(known, y, 0).astype(np.int64).astype(np.str_)
        else:
            text = y.astype(np.str_)
        return np.where(known, text, "")
    text = y.astype(np.str_)
    return np.where(np.isin(text, MISSING), "", text)
