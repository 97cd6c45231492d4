"""Sets from the network, through scikit-learn, kept parsed in its data home."""

from __future__ import annotations

import json
import os
import socket
import warnings
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import fetch_kddcup99, fetch_openml, get_data_home

from rarebit.datasets._info import (
    DataMismatchError,
    DataNotFoundError,
    OpenML,
    SetInfo,
    check_counts,
)
from rarebit.datasets._watch import Watch

_KDDCUP99 = "kddcup99_10pct"  # scikit-learn fetches it from elsewhere
# Seconds without a byte after which a connection is given up.
SILENCE = 30.0

Fetched = tuple[NDArray[Any], NDArray[np.str_], dict[int, tuple[str, ...]]]


def kept_file(info: SetInfo) -> Path:
    """Return where the parsed rows of a fetched set are kept."""
    return Path(get_data_home()) / "rarebit" / f"{info.name}.npz"


def fetch_set(info: SetInfo) -> Fetched:
    """Fetch a set: features, class names and what the codes of its named columns mean.

    scikit-learn keeps the downloaded file and compares its checksum with the one that OpenML
    gives. Parsing ARFF takes minutes for the largest sets, so the parsed arrays are kept as well,
    in the folder ``rarebit`` of scikit-learn's data home.
    """
    kept = kept_file(info)
    if kept.is_file():
        try:
            return _read_kept(kept)
        except (OSError, KeyError, ValueError, BadZipFile):
            kept.unlink()  # cut short or changed: fetched anew
    fetched = _download(info)
    check_counts(info, fetched[0], fetched[1])
    _keep(kept, fetched)
    return fetched


def _download(info: SetInfo) -> Fetched:
    if info.openml is None and info.name != _KDDCUP99:
        raise DataNotFoundError(
            f"Data set {info.name!r} is not on OpenML with the same rows: get it from "
            f"{info.origin}, save it as {info.file} in the form that the guide to data sets "
            "describes, and set RAREBIT_DATA to its directory."
        )
    before = socket.getdefaulttimeout()
    # scikit-learn sets no limit: a connection that is swallowed somewhere would hang.
    socket.setdefaulttimeout(SILENCE)
    try:
        with (
            Watch(f"Fetching {info.name} ({info.n_rows:,} rows)", Path(get_data_home())),
            warnings.catch_warnings(),
        ):
            # Each of its attempts is announced; the error below says it once.
            warnings.filterwarnings("ignore", "A network error occurred|Retry downloading")
            if info.openml is None:
                return _from_kddcup99(info)
            return _from_openml(info, info.openml)
    except OSError as error:
        raise DataNotFoundError(
            f"Data set {info.name!r} is not in the data directory and could not be fetched "
            f"({error}): connect to the network, or set RAREBIT_DATA to a directory that holds "
            f"{info.file}."
        ) from error
    except ValueError as error:
        # scikit-learn has tried twice: a wrong checksum, or rows that are not as announced.
        raise DataMismatchError(
            f"Data set {info.name!r} was fetched but is damaged or another edition ({error}): try "
            f"again later, or set RAREBIT_DATA to a directory that holds {info.file}."
        ) from error
    finally:
        socket.setdefaulttimeout(before)


def _from_openml(info: SetInfo, openml: OpenML) -> Fetched:
    # This parser needs no pandas and returns the codes of nominal columns with their names.
    bunch = fetch_openml(data_id=openml.data_id, as_frame=False, parser="liac-arff")
    rows = slice(None) if openml.rows is None else slice(*openml.rows)
    X = np.array(bunch.data[rows], dtype=np.float64)
    categories: dict[int, tuple[str, ...]] = {}
    for j, column in enumerate(bunch.feature_names):
        values = bunch.categories.get(column)
        if values is None:
            continue
        names = [str(value).strip("'\" ") for value in values]
        if j in info.categorical:
            X[:, j], categories[j] = _sorted_codes(X[:, j], names)
        else:
            # A number that the ARFF file declares as a list of values.
            known = ~np.isnan(X[:, j])
            X[known, j] = np.array(names, dtype=float)[X[known, j].astype(int)]
    y = [_plain_label(label) for label in bunch.target[rows].tolist()]
    if info.kind == "images":
        X = X.astype(np.uint8 if X.min() >= 0 and X.max() > 1 else np.float32)
    return X, np.array([openml.labels.get(label, label) for label in y], dtype=np.str_), categories


def _from_kddcup99(info: SetInfo) -> Fetched:
    bunch = fetch_kddcup99(percent10=True)
    X = np.empty(bunch.data.shape, dtype=np.float64)
    categories: dict[int, tuple[str, ...]] = {}
    for j in range(X.shape[1]):
        column = bunch.data[:, j]
        if j in info.categorical:
            names, X[:, j] = np.unique(column.astype("S").astype(np.str_), return_inverse=True)
            categories[j] = tuple(names.tolist())
        else:
            X[:, j] = column.astype(np.float64)
    y = np.char.rstrip(bunch.target.astype("S").astype(np.str_), ".")
    return X, y, categories


def _sorted_codes(
    codes: NDArray[np.float64], names: list[str]
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Recode a column so that codes follow the sorted names; a missing name is ``?``."""
    cells = np.array([*names, "?"], dtype=np.str_)
    values = cells[np.where(np.isnan(codes), len(names), codes).astype(int)]
    found, inverse = np.unique(values, return_inverse=True)
    return inverse.astype(np.float64), tuple(found.tolist())


def _plain_label(label: Any) -> str:
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label).strip("'\" ")


def _keep(path: Path, fetched: Fetched) -> None:
    X, y, categories = fetched
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.stem}.{os.getpid()}.npz")
    np.savez_compressed(partial, X=X, y=y, categories=np.array(json.dumps(categories)))
    partial.replace(path)


def _read_kept(path: Path) -> Fetched:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        names = json.loads(str(arrays["categories"]))
        return arrays["X"], arrays["y"], {int(j): tuple(v) for j, v in names.items()}
