"""What was asked, what was answered and what the SVMs became, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active._columns import ColumnTable
from rarebit.active._queries import QueryReason

# Why a row was asked for, in the engine's numbering.
ENGINE_REASONS = (
    QueryReason.GIVEN,
    QueryReason.START,
    QueryReason.BORDER,
    QueryReason.EXPLORE,
    QueryReason.RANDOM,
    QueryReason.RANDOM_START,
)
_NAMES = np.array([str(reason) for reason in ENGINE_REASONS])
_EXPLORATORY = (QueryReason.EXPLORE, QueryReason.RANDOM)


class History(ColumnTable):
    """A `ColumnTable` with a row per label learned, and what stop rules need besides.

    Columns: ``n_labels`` (labels so far), ``row``, ``label``, ``how`` the row was chosen
    (a `QueryReason` such as ``"border"``), the ``probability``
    of this row given how, ``expected`` (the class the SVM expected; None before there was
    one), ``distance`` to the border in units of the margin, ``drawn`` random unlabelled rows
    looked at and how many of them were ``inside`` the margin, ``in_margin`` (that share over the
    last hundred queries), ``n_support_<class>`` for each class and ``sv_ratio``, the support
    vectors of the usual class for each one of the others.

    Attributes
    ----------
    checks : ColumnTable
        One row per check of the stop rule: ``n_labels`` then, and ``changed_since``, how far
        the predicted classes of watched rows have moved from that look to the last one (0 for
        not at all, 1 for no predicted row in common).
    n_rows_in_pool : int
        Number of rows of the pool.
    n_unseen : int
        Number of rows that were not asked for.
    explore : float
        The share of queries that was to look away from the border.
    """

    def __init__(
        self,
        columns: Mapping[str, NDArray[Any]],
        checks: ColumnTable,
        n_rows_in_pool: int,
        n_unseen: int,
        explore: float,
        class_numbers: tuple[NDArray[np.int32], NDArray[np.int32]],
    ) -> None:
        super().__init__(columns)
        self._numbers = class_numbers  # of label and expected: comparing them is quick
        self.checks = checks
        self.n_rows_in_pool = n_rows_in_pool
        self.n_unseen = n_unseen
        self.explore = explore

    @property
    def n_labels(self) -> int:
        """Number of labels learned so far."""
        return self.n_rows

    @property
    def exploratory(self) -> NDArray[np.bool_]:
        """Which rows were chosen without regard to the border."""
        return np.isin(self["how"], [str(reason) for reason in _EXPLORATORY])

    @property
    def surprises(self) -> NDArray[np.bool_]:
        """Exploratory rows of an unusual class that the SVM was sure to be of another.

        Such a row tells of a part of the class that the border does not see.
        """
        label, expected = self._numbers
        exploratory = self.exploratory
        if not exploratory.any():
            return exploratory
        usual = np.argmax(np.bincount(label[exploratory]))
        sure = self["distance"] >= 1.0
        return exploratory & (expected >= 0) & (label != expected) & sure & (label != usual)


def make_history(
    log: Mapping[str, Any],
    classes: NDArray[Any],
    checks: ColumnTable,
    n_rows_in_pool: int,
    n_unseen: int,
    explore: float,
) -> History:
    """Turn the engine's log into a history; ``classes`` are labels by class number."""
    n = len(log["row"])
    named = np.empty(len(classes) + 1, dtype=object)  # class number -1 is None
    named[:-1] = classes.tolist()
    inside, drawn = (np.cumsum(log[name], dtype=np.float64) for name in ("inside", "drawn"))
    before = np.maximum(np.arange(n) - 100, -1)
    recent = [total - np.where(before >= 0, total[before], 0.0) for total in (inside, drawn)]
    support = np.asarray(log["support"])
    columns: dict[str, NDArray[Any]] = {
        "n_labels": np.arange(1, n + 1),
        "row": log["row"],
        "label": named[log["label"]],
        "how": _NAMES[log["way"]],
        "probability": log["probability"],
        "expected": named[log["expected"]],
        "distance": log["distance"],
        "drawn": log["drawn"],
        "inside": log["inside"],
        "in_margin": np.divide(recent[0], recent[1], out=np.full(n, np.nan), where=recent[1] > 0.0),
    }
    for number, name in enumerate(classes.tolist()):
        columns[f"n_support_{name}"] = support[:, number]
    columns["sv_ratio"] = _support_ratio(support, log)
    numbers = (log["label"], log["expected"])
    return History(columns, checks, n_rows_in_pool, n_unseen, explore, numbers)


def _support_ratio(support: NDArray[np.int32], log: Mapping[str, Any]) -> NDArray[np.float64]:
    """Support vectors of the usual class for each one of the others."""
    n = len(support)
    # Labels asked for on the border are balanced on purpose and do not tell which class is usual.
    elsewhere = log["way"] != ENGINE_REASONS.index(QueryReason.BORDER)
    counted = log["label"][elsewhere] if elsewhere.any() else log["label"]
    usual = int(np.argmax(np.bincount(counted, minlength=1))) if n else 0
    usuals = support[:, usual].astype(np.float64) if n else np.empty(0)
    others = support.sum(axis=1) - usuals
    return np.divide(usuals, others, out=np.full(n, np.nan), where=others > 0.0)
