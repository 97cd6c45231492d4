"""A learner's saved state from outside: checked as a whole before anything is built from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active.border._history import ENGINE_REASONS
from rarebit.active.border._stopping import next_check
from rarebit.exceptions import RarebitError

STATE_VERSION = 1

_QUERY_INTEGERS = ("row", "way", "drawn", "inside", "machine", "expected")
_QUERY_REALS = ("probability", "distance")
_LARGEST = np.iinfo(np.int32).max
_KEYS = (
    "n_rows",
    "seed",
    "random_state",
    "classes",
    "log",
    "pending",
    "skipped",
    "looks",
    "next_look",
    "reasons",
)


class StateError(RarebitError, ValueError):
    """A saved state that `BorderLearner.restore` cannot take."""


def check_state(state: Any, n_rows: int, n_watched: int) -> None:
    """Refuse a state that `BorderLearner.state` cannot have written for this pool.

    Parameters
    ----------
    state : object
        What came from outside.
    n_rows : int
        Rows of the pool.
    n_watched : int
        Rows whose predicted classes the stop rule compares.

    Raises
    ------
    StateError
        With one sentence that names the first field that is wrong.
    """
    if not isinstance(state, Mapping):
        raise StateError(
            f"A state must be a mapping as BorderLearner.state returns it, got "
            f"{type(state).__name__}: pass what state returned."
        )
    version = state.get("version")
    if not isinstance(version, int) or version != STATE_VERSION:
        raise StateError(
            f"This state has version {version!r}, but version {STATE_VERSION} is needed: restore "
            "it with the version of rarebit that wrote it."
        )
    missing = [name for name in _KEYS if name not in state]
    if missing:
        raise _damaged(missing[0], "is missing")
    if _integer(state["n_rows"], "n_rows", 0, _LARGEST) != n_rows:
        raise StateError(
            f"The state belongs to a pool of {state['n_rows']:,} rows, got one of {n_rows:,}: pass "
            "the pool that it was taken on."
        )
    _integer(state["seed"], "seed", 0, 2**64 - 1)
    _check_words(state["random_state"])
    n_classes = _check_classes(state["classes"])
    told = _check_queries(state["log"], "log", n_rows, n_classes)
    waiting = _check_queries(state["pending"], "pending", n_rows, n_classes)
    skipped = _integers(state["skipped"], "skipped", 0, n_rows - 1)
    rows = np.concatenate([told, waiting, skipped])
    if len(np.unique(rows)) < len(rows):
        raise _damaged("log, pending and skipped", "name a row twice")
    _integers(state.get("given", []), "given", 0, n_rows - 1)
    _check_order_asked(state.get("queries", []), n_rows)
    _check_looks(state["looks"], len(told), n_watched, n_classes)
    _integer(state["next_look"], "next_look", 1, next_check(n_rows))
    _check_tuned(state.get("tuned"))
    reasons = state["reasons"]
    if not isinstance(reasons, Mapping) or not all(
        isinstance(part, str) for item in reasons.items() for part in item
    ):
        raise _damaged("reasons", "must be sentences by name")


def _check_tuned(tuned: Any) -> None:
    if tuned is None:
        return
    if not isinstance(tuned, list | tuple) or len(tuned) != 3:
        raise _damaged("tuned", f"must hold C, gamma and a number of labels, got {_brief(tuned)}")
    for value in tuned[:2]:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and 0.0 < value < np.inf):
            raise _damaged("tuned", f"must hold positive numbers, got {_brief(value)}")
    _integer(tuned[2], "tuned", 1, _LARGEST)


def _check_order_asked(queries: Any, n_rows: int) -> None:
    if not isinstance(queries, list | tuple):
        raise _damaged("queries", f"must be a list, got {_brief(queries)}")
    reasons = {str(reason) for reason in ENGINE_REASONS}
    for query in queries:
        if not isinstance(query, list | tuple) or len(query) != 2:
            raise _damaged("queries", f"must hold pairs of row and reason, got {_brief(query)}")
        _integer(query[0], "queries", 0, n_rows - 1)
        if not isinstance(query[1], str) or query[1] not in reasons:
            raise _damaged("queries", f"must name reasons, got {_brief(query[1])}")


def _damaged(name: str, wrong: str) -> StateError:
    return StateError(
        f"The state of a BorderLearner is damaged: {name} {wrong}; take an earlier one, or start "
        "again and tell the labels again."
    )


def _integer(value: Any, name: str, low: int, high: int) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise _damaged(name, f"must be an integer, got {_brief(value)}")
    if not low <= int(value) <= high:
        raise _damaged(name, f"must be from {low} to {high}, got {_brief(value)}")
    return int(value)


def _column(values: Any, name: str, kinds: str, what: str, length: int | None) -> NDArray[Any]:
    if not isinstance(values, list | tuple | np.ndarray):
        raise _damaged(name, f"must be a list, got {_brief(values)}")
    try:
        made = np.asarray(values)
    except (ValueError, OverflowError, TypeError, RecursionError):
        made = np.empty((0, 0))
    if made.shape == (0,):
        made = made.astype(np.int64)
    elif made.ndim != 1 or made.dtype.kind not in kinds:
        raise _damaged(name, f"must hold {what}, got {_brief(values)}")
    elif any(isinstance(value, bool) for value in values):
        raise _damaged(name, f"must hold {what}, got True or False among them")
    if length is not None and len(made) != length:
        raise _damaged(name, f"must have {length} entries, got {len(made)}")
    return made


def _integers(
    values: Any, name: str, low: int, high: int, length: int | None = None
) -> NDArray[np.int64]:
    made = _column(values, name, "iu", "integers", length)
    if made.size and (made.min() < low or made.max() > high):
        wrong = made.min() if made.min() < low else made.max()
        raise _damaged(name, f"must hold integers from {low} to {high}, got {wrong}")
    return made.astype(np.int64)


def _check_words(words: Any) -> None:
    if not isinstance(words, list | tuple) or len(words) != 4:
        raise _damaged("random_state", f"must be a list of four integers, got {_brief(words)}")
    numbers = [_integer(word, "random_state", 0, 2**64 - 1) for word in words]
    if not any(numbers):
        raise _damaged("random_state", "must not be all zeros")


def _check_classes(classes: Any) -> int:
    if not isinstance(classes, list | tuple):
        raise _damaged("classes", f"must be a list of labels, got {_brief(classes)}")
    try:
        different = len(set(classes))
    except TypeError:
        raise _damaged("classes", "must hold labels, got something that cannot be one") from None
    if different < len(classes) or any(label is None or label != label for label in classes):
        raise _damaged("classes", "must hold different labels, none of them missing")
    if len({isinstance(label, str) for label in classes}) > 1:
        raise _damaged("classes", "must hold labels that can be sorted, all text or all numbers")
    return len(classes)


def _check_queries(columns: Any, name: str, n_rows: int, n_classes: int) -> NDArray[np.int64]:
    """Check a table of queries and return its rows."""
    wanted = {*_QUERY_INTEGERS, *_QUERY_REALS, *(("label",) if name == "log" else ())}
    if not isinstance(columns, Mapping) or set(columns) != wanted:
        raise _damaged(name, f"must have the columns {', '.join(sorted(wanted))}")
    rows = _integers(columns["row"], f"{name}.row", 0, n_rows - 1)
    known = max(1, n_classes)
    limits = {
        "way": (0, len(ENGINE_REASONS) - 1),
        "drawn": (0, _LARGEST),
        "inside": (0, _LARGEST),
        "machine": (0, known - 1),
        "expected": (-1, known - 1),
    }
    found = {
        column: _integers(columns[column], f"{name}.{column}", *limit, len(rows))
        for column, limit in limits.items()
    }
    if np.any(found["inside"] > found["drawn"]):
        raise _damaged(f"{name}.inside", "must not be above the rows drawn")
    for column, high in (("probability", 1.0), ("distance", np.inf)):
        values = _column(columns[column], f"{name}.{column}", "fiu", "numbers", len(rows))
        if not np.all((values >= 0.0) & (values <= high)):
            raise _damaged(f"{name}.{column}", f"must hold numbers from 0 to {high:g}")
    if name == "log":
        _integers(columns["label"], "log.label", 0, n_classes - 1, len(rows))
    return rows


def _check_looks(looks: Any, n_labels: int, n_watched: int, n_classes: int) -> None:
    if not isinstance(looks, list | tuple):
        raise _damaged("looks", f"must be a list, got {_brief(looks)}")
    before = 0
    for look in looks:
        if not isinstance(look, list | tuple) or len(look) != 2:
            raise _damaged("looks", f"must hold pairs of labels and classes, got {_brief(look)}")
        before = _integer(look[0], "looks", before + 1, n_labels)
        _integers(look[1], "looks", 0, max(n_classes, 2) - 1, n_watched)


def _brief(value: Any) -> str:
    """Show the start of a value; a state from outside may hold a very long one."""
    try:
        shown = repr(value)
    except (ValueError, RecursionError):  # an integer of too many digits, a list within itself
        shown = type(value).__name__
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
