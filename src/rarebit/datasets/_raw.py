"""Raw sets: from the data directory when it has the file, else from OpenML."""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.datasets._fetch import fetch_set, kept_file
from rarebit.datasets._info import DataMismatchError, DataNotFoundError, SetInfo, check_counts
from rarebit.datasets._registry import set_info

DATA_VARIABLE = "RAREBIT_DATA"


@dataclass(frozen=True, eq=False)
class RawSet:
    """One set as its source has it, with names turned into codes.

    Attributes
    ----------
    name : str
        Name of the set.
    X : ndarray
        ``(n_rows, n_features)`` numbers, or ``(n_rows,)`` documents. A missing number is NaN.
    y : ndarray of str
        Class names; for Reuters the topics of a document joined by ``|``.
    categories : dict of int to tuple of str
        For a column of names, what its codes 0, 1, … in `X` stand for.
    train : ndarray of bool or None
        True for training rows, when one file holds both parts.

    Examples
    --------
    >>> import numpy as np
    >>> from rarebit.datasets import RawSet
    >>> RawSet("tiny", np.zeros((3, 2)), np.array(["a", "b", "b"]))
    RawSet('tiny', 3 rows, 2 features, 2 classes)
    """

    name: str
    X: NDArray[Any]
    y: NDArray[np.str_]
    categories: dict[int, tuple[str, ...]] = field(default_factory=dict)
    train: NDArray[np.bool_] | None = None

    def __repr__(self) -> str:
        what = "documents" if self.X.ndim == 1 else f"{self.X.shape[1]} features"
        n_classes = len(np.unique(self.y))
        return f"RawSet({self.name!r}, {self.X.shape[0]} rows, {what}, {n_classes} classes)"


def load_raw(name: str, *, verify: bool = False, download: bool = True) -> RawSet:
    """Load a set as its source has it.

    The file is looked for in the directory named by the environment variable ``RAREBIT_DATA``;
    if it is not there the same rows are fetched from OpenML and kept in scikit-learn's data
    home. Row counts and class counts are asserted either way.

    Parameters
    ----------
    name : str
        One of `list_sets`.
    verify : bool, default=False
        Also compare the SHA-256 of a local file with the recorded one.
    download : bool, default=True
        Whether the network may be used.

    Returns
    -------
    RawSet
        Its arrays are shared by later calls and therefore read-only.

    Raises
    ------
    DataNotFoundError
        No local file, and no way to fetch it.
    DataMismatchError
        The rows are not those of the set.

    Examples
    --------
    >>> from rarebit.datasets import load_raw
    >>> load_raw("iris")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: There is no data set 'iris': choose one of a9a_test, ..., yeast.
    """
    info = set_info(name)
    path = find_file(info)
    if path is not None and verify:
        _check_sha256(info, path)
    if path is None and not download:
        raise DataNotFoundError(
            f"Data set {name!r} has no local file: put {info.file} into the directory named by "
            f"the environment variable {DATA_VARIABLE}, or allow the download."
        )
    return _load(name, path)


def fetch(name: str) -> Path:
    """Make sure that a set is on this computer, before it is needed without a network.

    Parameters
    ----------
    name : str
        One of `list_sets`.

    Returns
    -------
    Path
        The file: that of the data directory if it is there, else what was fetched and kept.

    Raises
    ------
    DataNotFoundError
        The set is on neither, and the message says where to get it.

    Examples
    --------
    >>> from rarebit.datasets import fetch
    >>> fetch("iris")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: There is no data set 'iris': choose one of a9a_test, ..., yeast.
    """
    info = set_info(name)
    path = find_file(info)
    if path is not None:
        return path
    fetch_set(info)
    return kept_file(info)


def find_file(info: SetInfo) -> Path | None:
    """Return the path of a set's file in the data directory.

    Parameters
    ----------
    info : SetInfo
        The set, from `set_info`.

    Returns
    -------
    Path or None
        None if the file is not there.

    Examples
    --------
    >>> from rarebit.datasets import find_file, set_info
    >>> find_file(set_info("glass"))  # doctest: +SKIP
    PosixPath('/data/glass.csv')
    """
    directory = os.environ.get(DATA_VARIABLE)
    if not directory:
        return None
    if not Path(directory).is_dir():
        raise DataNotFoundError(
            f"{DATA_VARIABLE} is set to {directory!r}, which is not a directory: correct it, or "
            "unset it to fetch the sets from OpenML."
        )
    path = Path(directory) / info.file
    return path if path.is_file() else None


@lru_cache(maxsize=4)
def _load(name: str, path: Path | None) -> RawSet:
    info = set_info(name)
    if path is None:
        X, y, categories = fetch_set(info)
    elif info.kind == "images":
        with np.load(path, allow_pickle=False) as arrays:
            raw = RawSet(
                name, arrays["X"], arrays["y"].astype(np.str_), {}, arrays["split"] == "train"
            )
        return _checked(info, raw)
    elif info.kind == "text":
        return _checked(info, _read_documents(info, path))
    else:
        X, y, categories = _read_table(info, path)
    train = None if info.n_train is None else np.arange(len(y)) < info.n_train
    return _checked(info, RawSet(name, X, y, categories, train))


def _read_table(
    info: SetInfo, path: Path
) -> tuple[NDArray[np.float64], NDArray[np.str_], dict[int, tuple[str, ...]]]:
    """Read a CSV whose last column is the label; names become codes in sorted order."""
    codes: dict[int, dict[str, int]] = {j: {} for j in (*info.categorical, info.n_features)}

    def coder(seen: dict[str, int]) -> Any:
        return lambda cell: seen.setdefault(cell, len(seen))

    converters: dict[int | str, Any] = {j: coder(seen) for j, seen in codes.items()}
    for j in range(info.n_features):
        if info.n_rows < 1000 and j not in converters:
            # Only small sets have empty cells, and a Python call a cell is slow.
            converters[j] = lambda cell: float(cell) if cell else np.nan
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        cells = np.loadtxt(
            lines, delimiter=",", skiprows=1, comments=None, converters=converters, ndmin=2
        )
    decoded: dict[int, tuple[str, ...]] = {}
    for j, seen in codes.items():
        decoded[j] = tuple(sorted(seen))
        rank = {cell: position for position, cell in enumerate(decoded[j])}
        cells[:, j] = np.array([rank[cell] for cell in seen], dtype=float)[cells[:, j].astype(int)]
    names = np.array(decoded.pop(info.n_features), dtype=np.str_)
    labels = names[cells[:, -1].astype(int)]
    return np.ascontiguousarray(cells[:, :-1]), labels, decoded


def _read_documents(info: SetInfo, path: Path) -> RawSet:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    X = np.array([row["text"] for row in rows], dtype=object)
    y = np.array([row.get("label") or row.get("topics", "") for row in rows], dtype=np.str_)
    train = None
    if rows and "split" in rows[0]:
        train = np.array([row["split"] == "train" for row in rows])
    return RawSet(info.name, X, y, {}, train)


def _checked(info: SetInfo, raw: RawSet) -> RawSet:
    check_counts(info, raw.X, raw.y)
    for array in (raw.X, raw.y, raw.train):
        if array is not None:
            array.setflags(write=False)
    return raw


def _check_sha256(info: SetInfo, path: Path) -> None:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != info.sha256:
        raise DataMismatchError(
            f"{info.file} has SHA-256 {digest}, expected {info.sha256}: get the file again."
        )
