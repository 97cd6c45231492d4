"""What is known of every raw set: its file, its size, its class counts, where OpenML keeps it.

The counts are what makes a set *the* set: they are asserted after every load, whichever way the
rows came in, so that a truncated download or another edition of a set never passes silently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rarebit.exceptions import RarebitError

Kind = Literal["table", "images", "text"]


class DataNotFoundError(RarebitError, FileNotFoundError, ValueError):
    """A set is neither in the data directory nor to be fetched; the message says what to do."""


class DataMismatchError(RarebitError, ValueError):
    """A set was read but is not the one expected: row count, class counts or checksum differ."""


@dataclass(frozen=True)
class OpenML:
    """Where OpenML keeps a set.

    ``rows`` are the first row and the row after the last one of the OpenML set that make up ours
    (OpenML joins training and test files), None for all; ``labels`` maps OpenML's class names to
    ours where they differ.
    """

    data_id: int
    rows: tuple[int, int] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SetInfo:
    """One raw set.

    Attributes
    ----------
    name, file : str
        Name of the set, and of its file in the data directory.
    kind : {"table", "images", "text"}
        CSV of numbers and categories, NPZ of pixels, or CSV of documents.
    n_rows, n_features : int
        Size; ``n_features`` is 0 for documents.
    class_counts : mapping of str to int
        Rows of each class; for Reuters, documents of its ten largest topics.
    sha256 : str
        Checksum of the file.
    categorical : tuple of int
        Columns whose cells are names, not numbers.
    n_train : int or None
        Length of the training part when file order is training rows, then test rows.
    openml : OpenML or None
        None when OpenML does not hold the same rows.
    origin : str
        Where to get the file by hand.

    Examples
    --------
    >>> from rarebit.datasets import set_info
    >>> set_info("glass").class_counts["6"]
    9
    """

    name: str
    file: str
    kind: Kind
    n_rows: int
    n_features: int
    class_counts: Mapping[str, int]
    sha256: str
    categorical: tuple[int, ...] = ()
    n_train: int | None = None
    openml: OpenML | None = None
    origin: str = "the UCI Machine Learning Repository (https://archive.ics.uci.edu)"

    @property
    def row_shape(self) -> tuple[int, ...]:
        """Shape of one row: empty for a document."""
        return (self.n_features,) if self.n_features else ()


def check_counts(info: SetInfo, X: NDArray[Any], y: NDArray[np.str_]) -> None:
    """Raise `DataMismatchError` unless rows, features and class counts are those of the set."""
    if len(X) != info.n_rows or len(y) != info.n_rows or X.shape[1:] != info.row_shape:
        raise DataMismatchError(
            f"Data set {info.name!r} must have shape {(info.n_rows, *info.row_shape)}, got "
            f"{X.shape}: replace {info.file} by a complete copy."
        )
    # A Reuters document has several topics.
    found = Counter(name for label in y.tolist() for name in label.split("|"))
    wrong = {c: found[c] for c, count in info.class_counts.items() if found[c] != count}
    if wrong:
        expected = {c: info.class_counts[c] for c in wrong}
        raise DataMismatchError(
            f"Data set {info.name!r} must have class counts {expected}, got {wrong}: replace "
            f"{info.file} by the edition that the table of sets describes."
        )
