"""The protocols that everything keeps that asks for labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rarebit.active._queries import Query
from rarebit.active._status import Status
from rarebit.exceptions import InputTypeError


@runtime_checkable
class Asker(Protocol):
    """What chooses the rows of a pool that people label.

    `BaseAsker` implements all of it but the choice of rows; `rarebit.testing.check_asker` tells
    whether an implementation keeps the protocol.
    """

    def start(self, X: Any, labels: Mapping[int, Any] | None = None) -> Self:
        """Begin on a pool of shape (n_rows, n_features), with the labels known already."""
        ...

    def ask(self, n: int = 1) -> NDArray[np.intp]:
        """Choose up to ``n`` rows that were never asked for; none when `done`."""
        ...

    def tell(self, rows: ArrayLike, labels: Any, *, replace: bool = False) -> None:
        """Learn the labels of rows, asked for or not."""
        ...

    def skip(self, rows: ArrayLike) -> None:
        """Leave rows unlabelled; they are not asked for again."""
        ...

    def retract(self, rows: ArrayLike) -> None:
        """Take back labels or skips; the rows wait for an answer again."""
        ...

    def status(self) -> Status:
        """Counts, classes found, and what comes next; ``str`` turns it into sentences."""
        ...

    @property
    def done(self) -> bool:
        """Whether there is nothing left to ask."""
        ...

    @property
    def pending_(self) -> NDArray[np.intp]:
        """Rows that wait for an answer, in the order asked."""
        ...

    @property
    def labels_(self) -> dict[int, Any]:
        """Row to class, in the order told."""
        ...

    @property
    def queries_(self) -> list[Query]:
        """Every row ever asked for, in the order asked, with the reason."""
        ...


@runtime_checkable
class Learner(Asker, Protocol):
    """An `Asker` that learns a classifier from the labels."""

    @property
    def classifier_(self) -> Any:
        """A classifier fitted on the rows labelled so far."""
        ...

    @property
    def history_(self) -> Mapping[str, NDArray[Any]]:
        """Columns by name, a row per label: ``n_labels``, ``row``, ``label`` and ``how``."""
        ...

    @property
    def stop_reasons_(self) -> dict[str, str]:
        """Why there is nothing more to ask, in sentences by name; empty while there is."""
        ...


_ASKER = ("start", "ask", "tell", "skip", "retract", "status", "done", "pending_", "labels_",
          "queries_")  # fmt: skip
_LEARNER = ("classifier_", "history_", "stop_reasons_")


def check_protocol(asker: Any, *, learner: bool, parameter: str) -> None:
    """Check that an object has all that the protocol asks for, and name what is missing.

    Attributes are looked up on the class: those of an object that was not started may raise.
    """
    if isinstance(asker, type):
        raise InputTypeError(
            f"The {parameter} parameter must be an object, got the class {asker.__name__}: pass "
            f"{asker.__name__}(), or None."
        )
    if isinstance(asker, str):
        made = "BorderLearner()" if learner else "Scout(), Alice(...) or Malice(...)"
        raise InputTypeError(
            f"The {parameter} parameter must be an object, got the text {asker!r}: pass {made} "
            "from rarebit, or None."
        )
    wanted = (*_ASKER, *_LEARNER, "get_params") if learner else (*_ASKER, "get_params")
    missing = [name for name in wanted if not hasattr(type(asker), name)]
    if missing:
        raise InputTypeError(
            f"The {parameter} parameter must keep the {'learner' if learner else 'asker'} "
            f"protocol, got {asker!r} without {', '.join(missing)}: derive its class from "
            "rarebit.active.BaseAsker, or pass None."
        )
