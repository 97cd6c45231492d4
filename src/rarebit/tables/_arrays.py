"""Arrays: NPY, NPZ and SVMlight. Their columns have no names but numbers."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rarebit._text import counted
from rarebit.tables._checksum import checksum_of
from rarebit.tables._errors import TableError
from rarebit.tables._limits import MAX_COLUMNS, too_large, unpacked_limit
from rarebit.tables._matrix import SPILLED
from rarebit.tables._options import MISSING, Options
from rarebit.tables._roles import Role
from rarebit.tables._stored_sparse import leave_out_empty_columns, load_sparse, readable_arrays
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
                f"file, got {options.target!r}: give its path, or use an NPZ file with X and y."
            )
        target = _load(found)
    return _scan(path, _load(path, mapped=True), target, options.target, None, options)


def scan_npz(path: Path, options: Options) -> ArrayScan:
    """Open an archive of arrays: features, classes, perhaps ids."""
    _check_unpacked(path, options)
    with readable_arrays(path):
        archive = np.load(path, allow_pickle=False)
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise TableError(f"{path.name} is not an NPZ archive: call it .npy, or save it again.")
    with archive:
        names = archive.files
        if {"indptr", "indices", "shape"} <= set(names):
            return _scan(path, load_sparse(path, options), None, None, None, options)

        def get(name: str | None) -> Any:
            if name is None:
                return None
            with readable_arrays(path):
                return np.asarray(archive[name])

        features = _choose(names, _FEATURES, None, "features", path.name)
        tables = [name for name in names if get(name).ndim > 1] if features is None else []
        if features is None and len(tables) != 1:
            raise TableError(
                f"{path.name} holds the arrays {', '.join(names[:20]) or 'none'}, and none of them "
                f"is called {_FEATURES[0]}: save the features under that name."
            )
        target = _choose(names, _TARGETS, options.target, "target", path.name)
        ids = _choose(names, _IDS, options.id, "id", path.name)
        return _scan(path, get(features or tables[0]), get(target), target, get(ids), options)


def scan_svmlight(path: Path, options: Options) -> ArrayScan:
    """Open a file of sparse rows; a feature is named by its number in the file."""
    from sklearn.datasets import load_svmlight_file

    file = open_text(path, options.encoding, options.max_unpacked)
    try:
        X, y = load_svmlight_file(str(file.path), zero_based=True)
    except (ValueError, OverflowError, IndexError) as error:
        why = " ".join(str(error).split())[:200]
        raise TableError(
            f"{path.name} is not an SVMlight file ({why}): lines must look like "
            "'label number:value number:value', with numbers up to 2,147,483,647."
        ) from error
    # A file of few rows may lack the last features.
    known = _numbers_in(options.schema or ())
    X = sparse.csr_array(X)
    X.resize((X.shape[0], max(X.shape[1], *(number + 1 for number in known), 1)))
    return _scan(path, X, y, "label", None, options, letter="f")


def _numbers_in(names: Iterable[str]) -> list[int]:
    return [int(name[1:]) for name in names if name[1:].isdecimal() and len(name) < 12]


def _load(path: Path, *, mapped: bool = False) -> NDArray[Any]:
    with readable_arrays(path):
        loaded = np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
    if not isinstance(loaded, np.ndarray):
        raise TableError(f"{path.name} is an archive of arrays and no array: call it .npz.")
    return loaded


def _check_unpacked(path: Path, options: Options) -> None:
    """Refuse an archive of too much; a member never unpacks to more than it says."""
    with readable_arrays(path), zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    limit = unpacked_limit(path, options.max_unpacked, memory=True)
    if size > max(limit, path.stat().st_size):
        raise too_large(path, limit, options.max_unpacked, memory=True)


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
    if X.ndim < 2 or X.dtype.kind not in "biuf":
        raise TableError(
            f"The features of {path.name} must be numbers, a row or an image each, got an array of "
            f"shape {X.shape} and type {X.dtype}: save them as rows of numbers."
        )
    if not all(X.shape):
        raise TableError(f"{path.name} has no rows or no columns (shape {X.shape}): give some.")
    for what, other in (("classes", y), ("ids", ids)):
        if other is not None and other.shape != (X.shape[0],):
            raise TableError(
                f"{path.name} has {counted(X.shape[0], 'row')} and {what} of shape {other.shape}: "
                "one for every row is needed; save one per row."
            )
    shape = _image_shape(X)
    pixels = shape is not None and X.dtype == np.uint8
    numbers = X if X.ndim == 2 else X.reshape(len(X), -1)
    # SVMlight counts in the file itself from 0 or 1; arrays are counted from 1.
    first = 0 if letter == "f" else 1
    notes: tuple[str, ...] = ()
    places: Iterable[int] = range(numbers.shape[1])
    if numbers.shape[1] > MAX_COLUMNS:
        if not sparse.issparse(numbers):
            raise TableError(
                f"{path.name} has {numbers.shape[1]:,} columns, and dense rows may have up to "
                f"{MAX_COLUMNS:,}: save fewer of them, or sparse rows (SVMlight, scipy.sparse)."
            )
        needed = [number - first for number in _numbers_in(options.schema or ())]
        numbers, places, note = leave_out_empty_columns(numbers, needed, path.name)
        notes = (note,)

    def image(row: int) -> NDArray[Any]:
        return np.asarray(numbers[row]).reshape(shape)

    table = Table(
        source=path.name,
        ids=np.arange(X.shape[0]) if ids is None else _plain_text(ids, path).astype(object),
        id_name="row" if ids is None else (options.id or "id"),
        whole_ids=ids is not None and ids.dtype.kind in "iu",
        numbers=numbers,
        number_names=tuple(f"{letter}{j + first}" for j in places),
        target=None if y is None else _as_text(y, path),
        target_name=None if y is None else target,
        pixels=pixels,
        notes=notes,
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


def _as_text(y: NDArray[Any], path: Path) -> NDArray[np.str_]:
    """Return classes as text: 1, not 1.0."""
    if np.issubdtype(y.dtype, np.floating):
        known = ~np.isnan(y)
        whole = (y == np.trunc(y)) & (np.abs(y) < 2**53)
        if np.all(whole[known]):
            text = np.where(known, y, 0).astype(np.int64).astype(np.str_)
        else:
            text = y.astype(np.str_)
        return np.where(known, text, "")
    text = _plain_text(y, path)
    return np.where(np.isin(text, MISSING), "", text)


def _plain_text(values: NDArray[Any], path: Path) -> NDArray[np.str_]:
    """Return values as text that can be written and printed."""
    try:
        texts = values.astype(np.str_).tolist()
        "".join(texts).encode()
    except (ValueError, TypeError) as error:
        raise TableError(
            f"{path.name} holds classes or ids of type {values.dtype} that are not valid text: "
            "save them as plain text or whole numbers."
        ) from error
    return np.array(texts, dtype=np.str_)
