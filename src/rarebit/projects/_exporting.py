"""What a desk gives out: labels, a ranked list, a model, a report; and what it takes in."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rarebit._later import is_sparse
from rarebit._text import counted
from rarebit.projects._desk import Desk
from rarebit.projects._errors import ProjectError
from rarebit.projects._papers import taken_back
from rarebit.projects._preparing import without_column
from rarebit.projects._ranked import has_cells, write_all_rows, write_ranked_rows
from rarebit.projects._rare_classes import RareClasses, rare_classes
from rarebit.projects._settings import Settings
from rarebit.projects._transfer import export_labels, read_labels
from rarebit.projects.stores import Event, open_store
from rarebit.tables import Table

_MOST_NAMED = 6  # rare classes that the sentence on a simulation names


def write_labels(desk: Desk, path: str | PathLike[str], *, details: bool) -> int:
    """Write the labels of a desk to a file, as `export_labels` does; return the lines."""
    answers, labels = desk.board.answers, dict(desk.board.labels)
    return export_labels(
        path, desk.table, labels, answers.by_annotator(), details=details, raw=False,
        events=list(answers.events),
    )  # fmt: skip


def write_ranked(desk: Desk, path: str | PathLike[str]) -> int:
    """Write all rows: those found to be rare, then those without a label by decreasing score.

    Parameters
    ----------
    desk : Desk
        With a model.
    path : path
        Where; a CSV file.

    Returns
    -------
    int
        Number of lines.
    """
    is_rare, table, labels = desk.insight.rare, desk.table, desk.board.labels
    if desk.insight.version is None:
        raise ProjectError("A ranked list needs two classes: label more rows first.")
    unseen = np.array([row for row in range(table.n_rows) if row not in labels], dtype=np.intp)
    scores = desk.insight.scores(unseen)
    assert scores is not None
    shares = desk.insight.shares(unseen)
    undone = taken_back(desk.board.answers.events, labels)
    return write_ranked_rows(
        path, table, labels, is_rare, unseen, scores, probability=shares, undone=undone
    )


def write_rows(desk: Desk, path: str | PathLike[str]) -> int:
    """Write all rows with their ids and columns to a CSV file, for the model; return the lines."""
    return write_all_rows(path, desk.table)


def can_write_rows(desk: Desk) -> bool:
    """Whether `write_rows` can: rows that are images of a folder stay in their folder."""
    return has_cells(desk.table)


def write_model(desk: Desk, path: str | PathLike[str]) -> None:
    """Write the model that the labels make."""
    desk.learner.call("model", str(path))


def write_report(desk: Desk, path: str | PathLike[str]) -> None:
    """Write the report of the project."""
    desk.learner.call("report", str(path))


# --- labels from elsewhere ----------------------------------------------------------------


def take_labels(desk: Desk, labels: Mapping[int, Any], annotator: str, key: str) -> int:
    """Store labels that were given elsewhere, in one transaction; return how many are new.

    Parameters
    ----------
    desk : Desk
        The project.
    labels : mapping of int to str
        Row to class.
    annotator : str
        Who gives them.
    key : str
        Idempotency key of the whole.

    Returns
    -------
    int
        Number of labels that changed something.
    """
    same = set(rows_labelled_so(desk, labels, annotator))
    events = [
        Event(0, "label", row=row, label=str(label), annotator=annotator, source="import",
              reason="given", key=f"{key}/{row}")
        for row, label in labels.items()
        if row not in same
    ]  # fmt: skip
    if events:
        desk.store.append_many(events)
    desk.taken_in()
    return len(events)


def rows_labelled_so(desk: Desk, labels: Mapping[int, Any], annotator: str) -> list[int]:
    """Return the rows to which a person has given these very labels already."""
    standing = desk.board.answers.by_annotator().get(annotator, {})
    return [
        row for row, label in labels.items()
        if row in standing and str(standing[row].label) == str(label)
    ]  # fmt: skip


def labels_of_file(
    desk: Desk,
    path: str | PathLike[str],
    id: str | None,
    label: str | None,
    skip: Callable[[list[str]], None] | None = None,
) -> dict[int, str]:
    """Read labels from a file whose ids are those of the data, as `read_labels` does."""
    return read_labels(path, desk.table, id=id, label=label, skip=skip)


def labels_of_column(desk: Desk, column: str) -> dict[int, str]:
    """Return the labels that a column of the data holds; empty cells are none.

    From then on the column is not a feature: it would reveal the answers to the learner.
    """
    labels = {row: name for row, name in enumerate(_cells(desk.table, column)) if name}
    if column not in desk.settings.imported and column in desk.table.columns:
        desk.change_settings({"imported": (*desk.settings.imported, column)})
    return labels


def _cells(table: Table, column: str) -> list[str]:
    if column == table.target_name and table.target is not None:
        return [str(name) for name in table.target]
    if column in table.records.columns:
        cells = table.records[column].to_list()
        return ["" if cell is None else str(cell).strip() for cell in cells]
    if column in table.number_names:
        place = table.number_names.index(column)
        numbers = table.numbers[:, [place]]
        dense = numbers.toarray() if is_sparse(numbers) else numbers
        values = np.asarray(dense, dtype=np.float64).ravel()
        return ["" if v != v else f"{v:g}" for v in values.tolist()]
    raise ProjectError(f"There is no column {column!r}: choose one of those that are listed.")


# --- simulation ---------------------------------------------------------------------------


def trial_of(desk: Desk, column: str, max_labels: int) -> tuple[Table, dict[str, Any]]:
    """Return the data and settings of a simulation in which a column answers.

    Parameters
    ----------
    desk : Desk
        The project.
    column : str
        Column that holds the classes; it is not a feature in the simulation.
    max_labels : int
        Number of labels.

    Returns
    -------
    tuple of Table and dict
        Both can be sent to another process, for `run_trial`.
    """
    table = desk.table
    target = np.array(_cells(table, column), dtype=np.str_)
    if len(set(target.tolist()) - {""}) < 2:
        raise ProjectError(f"Column {column!r} holds fewer than two classes: choose another one.")
    rest = without_column(table, column)
    numbers = rest.numbers
    if not is_sparse(numbers):
        numbers = np.array(numbers)  # what is mapped from a file goes as values
    stripped = dataclasses.replace(
        rest,
        numbers=numbers,
        target=target,
        target_name=column,
        image=None,
        checksum=None,
        written=None,
    )
    settings = desk.settings.with_changes(oracle=column, max_labels=max_labels)
    return stripped, settings.to_json()


def run_trial(
    advance: Callable[[float], None], table: Table, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Let a column answer as people would, and return what it would have brought.

    Parameters
    ----------
    advance : function of float
        Called with the share that is done.
    table, settings
        As `trial_of` returns them.

    Returns
    -------
    dict
        Values that JSON has.
    """
    from rarebit.projects._project import Project  # what learns comes with it

    given = Settings.from_json(settings)
    limit = given.max_labels or 200
    done = 0

    def step(n: int) -> None:
        nonlocal done
        done += n
        advance(min(0.99, done / limit))

    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "trial.labels.db", ids=table.ids, source=table.source)
        with Project(table, store, given) as project:
            project.answer_from_column(step)
            labels = list(project.labels.values())
            first = project.discovered
    assert table.target is not None
    names, counts = np.unique(table.target[table.target != ""], return_counts=True)
    is_rare, called = _rare_in_trial(given, dict(zip(names.tolist(), counts.tolist(), strict=True)))
    n_rare = int(counts[[is_rare(name) for name in names]].sum())
    n_rows = int(counts.sum())
    total, seen, curve = 0, set(), []
    step_size = max(1, len(labels) // 100)
    for n, label in enumerate(labels, 1):
        total += is_rare(label)
        seen.add(label)
        if n % step_size == 0 or n == len(labels):
            curve.append({"labels": n, "found": len(seen), "rare_found": int(total)})
    expected = len(labels) * n_rare / max(1, n_rows)
    return {
        "column": table.target_name,
        "labels": len(labels),
        "classes": [
            {
                "class": str(name), "rows": int(count), "first_seen_at": first.get(str(name)),
                "at_random": round((n_rows + 1) / (int(count) + 1), 1), "rare": is_rare(name),
            }
            for name, count in zip(names, counts, strict=True)
        ],
        "curve": curve,
        "rare_classes": [str(name) for name in names if is_rare(name)],
        "rare_rows": n_rare,
        "sentence": f"With {counted(len(labels), 'label')} {int(total)} of "
        f"{counted(n_rare, 'row')} of {called} would have been found; labels at random find "
        f"{expected:.1f} on average.",
    }  # fmt: skip


def _rare_in_trial(settings: Settings, rows: Mapping[str, int]) -> tuple[RareClasses, str]:
    """Return the rare classes of a column: those of the project, or its rarest; and their name."""
    named = rare_classes(settings)
    members = named.members(rows)
    if not members or len(members) == len(rows):
        rarest = min(rows, key=lambda name: rows[name])
        return RareClasses(rare=frozenset([rarest])), f"the rarest class {rarest!r}"
    if len(members) > _MOST_NAMED:
        return named, f"the {len(members)} rare classes"
    shown = [repr(name) for name in members]
    listed = " and ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)
    return named, f"the rare {'classes' if shown[1:] else 'class'} {listed}"
