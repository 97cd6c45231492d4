"""The state of a learner as if some rows had not been answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def without_rows(state: Mapping[str, Any], rows: Sequence[int]) -> dict[str, Any]:
    """Remove the answers of rows from a state of `BorderLearner.state`; told rows wait again."""
    log = {name: np.asarray(column) for name, column in state["log"].items()}
    gone = np.isin(log["row"], rows)
    queries = {name: log[name][gone].tolist() for name in state["pending"]}
    kept = {name: column[~gone] for name, column in log.items()}
    # Classes in the order in which the remaining labels name them.
    numbers, first = np.unique(kept["label"], return_index=True)
    order = numbers[np.argsort(first)].tolist()
    renumbered = np.full(len(state["classes"]) + 1, -1, dtype=np.int64)  # -1 stays -1
    renumbered[order] = np.arange(len(order))
    pending = {name: [*column, *queries[name]] for name, column in state["pending"].items()}
    n_machines = len(order) if len(order) > 2 else 1
    for columns in (kept, pending):
        for name in ("label", "expected"):
            if name in columns:
                columns[name] = renumbered[np.asarray(columns[name], dtype=np.int64)].tolist()
        machines = np.asarray(columns["machine"], dtype=np.int64)
        columns["machine"] = np.minimum(machines, n_machines - 1).tolist()
    # Looks of the stop rule were taken by machines that had learned the rows; earlier ones hold.
    valid = int(np.argmax(gone)) if gone.any() else len(gone)
    looks = [[n, _renumber(predicted, renumbered)] for n, predicted in state["looks"] if n <= valid]
    dropped = [n for n, _ in state["looks"] if n > valid]
    return {
        **state,
        "classes": [state["classes"][number] for number in order],
        "log": {name: np.asarray(column).tolist() for name, column in kept.items()},
        "pending": pending,
        "skipped": [row for row in state["skipped"] if row not in set(rows)],
        "looks": looks,
        "next_look": min([state["next_look"], *dropped]),
        "reasons": {},
    }


def _renumber(predicted: Sequence[int], renumbered: NDArray[np.int64]) -> list[int]:
    # A class that is no longer known was predicted nowhere before it was met.
    return np.maximum(renumbered[np.asarray(predicted, dtype=np.int64)], 0).tolist()
