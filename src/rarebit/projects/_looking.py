"""Looking back and looking up: standing answers, the history of a row, search in the pool."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rarebit.projects._conditions import rows_that_meet
from rarebit.projects._desk import Desk
from rarebit.projects._errors import ProjectError
from rarebit.projects._preparing import RowsElsewhere
from rarebit.projects._transfer import with_notes
from rarebit.projects.stores import Event
from rarebit.tables import Table

_TERMS = re.compile(r'["“”„]([^"“”„]+)["“”„]|(\S+)')  # a phrase in quotation marks, or a word


def standing_answers(
    desk: Desk,
    visible: Callable[[Event], bool],
    *,
    label: str | None = None,
    annotator: str | None = None,
    reason: str | None = None,
    what: str | None = None,
    since: str | None = None,
    until: str | None = None,
    words: str = "",
    disagrees: bool = False,
    sort: str = "newest",
    offset: int = 0,
    limit: int = 50,
) -> dict[str, Any]:
    """Return the answers that stand, filtered and sorted.

    Parameters
    ----------
    desk : Desk
        The project.
    visible : function of Event
        Whether the caller may see an answer.
    label, annotator, reason, what : str or None
        Only answers with these.
    since, until : str or None
        Only answers from and before these times, ISO 8601 in UTC.
    words : str
        Only rows that hold these words.
    disagrees : bool
        Only answers to which the model prefers another class, the most doubtful first.
    sort : {"newest", "oldest", "doubt"}
        Order.
    offset, limit : int
        Part of the list.

    Returns
    -------
    dict
        ``total``, ``answers``, how many the caller may not see yet (``hidden``), and the
        ``annotators`` of all answers that the caller may see.
    """
    wanted = {"annotator": annotator, "reason": reason}
    history = desk.board.answers
    standing = with_notes(history.by_annotator(), list(history.events))
    given = [event for rows in standing.values() for event in rows.values()]
    seen = [event for event in given if visible(event)]
    events = [
        event
        for event in seen
        if (label is None or (event.what != "skip" and str(event.label) == label))
        and (what is None or (event.what == "skip") == (what == "skip"))
        and all(value is None or getattr(event, name) == value for name, value in wanted.items())
        and (since is None or event.at >= since)
        and (until is None or event.at < until)
    ]
    if words.strip():
        matching = set(matching_rows(desk, words).tolist())
        events = [event for event in events if event.row in matching]
    doubts: dict[int, tuple[str | None, float | None]] = {}
    if disagrees or sort == "doubt":
        labelled = [event for event in events if event.what != "skip"]
        doubts = _doubts(desk, labelled)
        if disagrees:
            events = [
                event
                for event in labelled
                if doubts[event.number][0] not in (None, str(event.label))
            ]
    if disagrees or sort == "doubt":
        events.sort(key=lambda event: -(doubts.get(event.number, (None, None))[1] or -1e9))
    else:
        events.sort(key=lambda event: event.number, reverse=sort != "oldest")
    page = events[offset : offset + limit]
    if not doubts:
        doubts = _doubts(desk, [event for event in page if event.what != "skip"])
    summaries = desk.display.summaries([event.row or 0 for event in page], words)
    return {
        "total": len(events),
        "hidden": len(given) - len(seen),
        "annotators": list(dict.fromkeys(event.annotator for event in seen)),
        "answers": [
            {
                **event_json(event),
                "counts": _text(desk.board.labels.get(event.row or 0)),
                "model": doubts.get(event.number, (None, None))[0],
                "doubt": doubts.get(event.number, (None, None))[1],
                "summary": summary,
            }
            for event, summary in zip(page, summaries, strict=True)
        ],
    }


def _doubts(desk: Desk, events: Sequence[Event]) -> dict[int, tuple[str | None, float | None]]:
    found = desk.insight.doubts(
        [event.row or 0 for event in events], [event.label for event in events]
    )
    return {event.number: doubt for event, doubt in zip(events, found, strict=True)}


def event_json(event: Event) -> dict[str, Any]:
    """Return an answer as values that JSON has."""
    return {
        "number": event.number, "row": event.row, "id": event.id, "what": event.what,
        "label": _text(event.label), "annotator": event.annotator, "at": event.at,
        "reason": event.reason or "given", "note": event.note, "source": event.source,
    }  # fmt: skip


def row_history(desk: Desk, row: int, visible: Callable[[Event], bool]) -> list[dict[str, Any]]:
    """Return what happened to a row, oldest first, as far as the caller may see it."""
    answers = desk.board.answers
    stands = {event.number for event in answers.of_row(row).values()}
    return [
        {**event_json(event), "stands": event.number in stands}
        for event in answers.events
        if event.row == row
        and event.what in ("label", "skip", "correction", "undo", "note")
        and visible(event)
    ]


# --- search -----------------------------------------------------------------------------


def matching_rows(desk: Desk, words: str) -> NDArray[np.intp]:
    """Return rows that hold all words in their texts, categories or ids, best match first.

    Words in quotation marks must stand beside each other.
    """
    table = _in_memory(desk)
    terms = [phrase or word for phrase, word in _TERMS.findall(words.lower())][:20]
    total = np.zeros(table.n_rows)
    every = np.ones(table.n_rows, dtype=bool)
    columns = [
        table.records[name].str.to_lowercase()
        for name in table.records.columns
        if table.records[name].dtype == pl.String
    ]
    columns.append(pl.Series("id", [str(value) for value in table.ids]).str.to_lowercase())
    for term in terms:
        counts = np.zeros(table.n_rows)
        for column in columns:
            counts += column.str.count_matches(term, literal=True).fill_null(0).to_numpy()
        every &= counts > 0
        total += np.log1p(counts)
    rows = np.flatnonzero(every)
    return rows[np.argsort(-total[rows], kind="stable")]


def _in_memory(desk: Desk) -> Table:
    """Return the data, which must be here to be searched."""
    if isinstance(desk.table, RowsElsewhere):
        raise ProjectError(
            "Rows on a cluster cannot be searched by words and conditions: look at single rows by "
            "their id."
        )
    return desk.table


def search(
    desk: Desk,
    *,
    words: str = "",
    where: Sequence[Mapping[str, Any]] = (),
    labelled: str = "any",
    label: str | None = None,
    sort: str = "match",
    offset: int = 0,
    limit: int = 50,
    hidden: Callable[[int], bool] = lambda row: False,
) -> tuple[int, list[tuple[int, float | None]]]:
    """Return the number of rows that meet all conditions, and a part of them with scores.

    Parameters
    ----------
    desk : Desk
        The project.
    words : str
        All of them must be in a row.
    where : sequence of mapping
        Conditions: ``column``, ``op`` and ``value``.
    labelled : {"any", "yes", "no"}
        Whether rows have a label.
    label : str or None
        Only rows of a class.
    sort : {"match", "score", "row"}
        Order; without words, ``"match"`` is that of the rows.
    offset, limit : int
        Part of the list.
    hidden : function of int
        Rows whose label must not be told count as unlabelled.

    Returns
    -------
    tuple of int and list of tuple of int and float or None
        Total, and rows with the score of the rare class.
    """
    n_rows = desk.table.n_rows
    rows = matching_rows(desk, words) if words.strip() else np.arange(n_rows)
    keep = np.ones(n_rows, dtype=bool)
    for condition in where:
        keep &= rows_that_meet(_in_memory(desk), condition)
    if labelled != "any" or label is not None:
        known = {row: str(each) for row, each in desk.board.labels.items() if not hidden(row)}
        has = np.zeros(n_rows, dtype=bool)
        has[list(known)] = True
        if labelled != "any":
            keep &= has == (labelled == "yes")
        if label is not None:
            of_class = np.zeros(n_rows, dtype=bool)
            of_class[[row for row, each in known.items() if each == label]] = True
            keep &= of_class
    rows = rows[keep[rows]]
    if sort == "row":
        rows = np.sort(rows)
    scores = None
    if sort == "score" and len(rows):
        scores = desk.insight.scores(rows)
        if scores is not None:
            order = np.argsort(-scores, kind="stable")
            rows, scores = rows[order], scores[order]
    page = rows[offset : offset + limit]
    if scores is None:
        scores_of_page = desk.insight.scores(page) if len(page) else None
    else:
        scores_of_page = scores[offset : offset + limit]
    values = [None] * len(page) if scores_of_page is None else scores_of_page.tolist()
    return len(rows), list(zip(page.tolist(), values, strict=True))


def rows_of_ids(desk: Desk, ids: Sequence[Any]) -> tuple[list[int | None], list[str]]:
    """Return the row of each id, None where there is none, and the ids without a row."""
    places = {str(name): row for row, name in enumerate(desk.table.ids.tolist())}
    found = [places.get(str(name)) for name in ids]
    return found, [str(name) for name, row in zip(ids, found, strict=True) if row is None]


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
