"""Papers written back in the format they came in, with the decisions of a project."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from rarebit._whole_files import replaced_whole
from rarebit.projects.stores import Event
from rarebit.tables import Table


def write_papers(
    file: Path, table: Table, labels: Mapping[int, Any], undone: Collection[int]
) -> int:
    """Write all papers back, those that were judged with the label.

    Others keep the decision that an earlier export gave them, but for those undone here.

    Parameters
    ----------
    file : Path
        Where, with the ending of the file that the papers come from.
    table : Table
        Papers.
    labels : mapping of int to class
        Row to the label that counts.
    undone : collection of int
        As `taken_back` returns them.

    Returns
    -------
    int
        Number of labels.
    """
    from rarebit.tables import with_decision

    assert table.raw is not None
    suffix = file.suffix.lower()
    with replaced_whole(file) as partial, partial.open("w", encoding="utf-8") as stream:
        for row in range(table.n_rows):
            stream.write(with_decision(table.raw(row), decided(row, labels, undone), suffix))
    return sum(labels.get(row) is not None for row in range(table.n_rows))


def decided(row: int, labels: Mapping[int, Any], undone: Collection[int]) -> str | None:
    """Return what is written of a paper, as `rarebit.tables.with_decision` takes it."""
    label = labels.get(row)
    if label is None:
        return "" if row in undone else None
    return str(label)


def taken_back(events: Iterable[Event], labels: Mapping[int, Any]) -> set[int]:
    """Return the rows whose given label was taken over and has been taken back since."""
    given = {each.row for each in events if each.what == "label" and each.reason == "given"}
    return {row for row in given if row is not None and labels.get(row) is None}


def kept_decisions(table: Table, labels: Mapping[int, Any], events: Iterable[Event]) -> int:
    """Count the papers without a label that keep the decision which their file has.

    Parameters
    ----------
    table : Table
        Papers, read from a file that can be written back.
    labels : mapping of int to class
        Row to the label that counts.
    events : iterable of Event
        The history.

    Returns
    -------
    int
        Those that `export_labels` leaves as they are.
    """
    from rarebit.tables import decision_of

    raw, undone = table.raw, taken_back(events, labels)
    if raw is None:
        return 0
    rows = (row for row in range(table.n_rows) if decided(row, labels, undone) is None)
    return sum(bool(decision_of(raw(row), Path(table.source).suffix.lower())) for row in rows)
