"""Saved states of a learner: what they say of the labels, and how answers are taken out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarebit.active._pool_record import PoolRecord
from rarebit.active._queries import QueryReason
from rarebit.active.border._history import ENGINE_REASONS

# What the engine notes of a query, where nothing is known of it but the row and the reason.
_UNKNOWN = {"probability": 0.0, "distance": 0.0, "drawn": 0, "inside": 0, "machine": 0,
            "expected": -1}  # fmt: skip


def pool_record_of(state: Mapping[str, Any]) -> PoolRecord:
    """Return the record that a state of `BorderLearner.state` describes."""
    log, pending = state["log"], state["pending"]
    asked = state.get("queries")
    if asked is None:  # written before the order asked was kept: answers tell most of it
        known = [*zip(log["row"], log["way"], strict=True)]
        known += zip(pending["row"], pending["way"], strict=True)
        asked = [[row, ENGINE_REASONS[way]] for row, way in known if way != 0]
    record = PoolRecord(int(state["n_rows"]), dict.fromkeys(state.get("given", ())))
    for row, reason in asked:
        record.ask(int(row), QueryReason(reason))
    record.pending = dict.fromkeys(int(row) for row in pending["row"])
    for row, number in zip(log["row"], log["label"], strict=True):
        record.record(int(row), state["classes"][number])
    record.skip(int(row) for row in state["skipped"])
    return record


def without_rows(state: Mapping[str, Any], rows: Mapping[int, int]) -> dict[str, Any]:
    """Remove the answers of rows from a state of `BorderLearner.state`; the rows wait again.

    ``rows`` maps each row to the engine's number of the reason for which it was asked for.
    """
    log = {name: np.asarray(column) for name, column in state["log"].items()}
    gone = np.isin(log["row"], list(rows))
    place = {row: at for at, row in enumerate(log["row"].tolist())}
    noted = [
        {name: log[name][place[row]].item() for name in state["pending"]}
        if row in place
        else {**_UNKNOWN, "row": row, "way": way}
        for row, way in rows.items()
    ]
    queries = {name: [query[name] for query in noted] for name in state["pending"]}
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
        "skipped": [row for row in state["skipped"] if row not in rows],
        "looks": looks,
        "next_look": min([state["next_look"], *dropped]),
        "reasons": {},
    }


def _renumber(predicted: Sequence[int], renumbered: NDArray[np.int64]) -> list[int]:
    # A class that is no longer known was predicted nowhere before it was met.
    return np.maximum(renumbered[np.asarray(predicted, dtype=np.int64)], 0).tolist()
