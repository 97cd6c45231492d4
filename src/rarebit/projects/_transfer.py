"""Labels in and out of a project: files of ids and classes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarebit._text import counted
from rarebit._whole_files import replaced_whole
from rarebit.exceptions import InputTypeError, RarebitError
from rarebit.projects._label_formats import (
    PAPERS,
    LabelImportError,
    check_export_name,
    write_records,
)
from rarebit.projects._papers import taken_back, write_papers
from rarebit.projects._row_marks import marks_of
from rarebit.projects.stores import CURRENT, Event
from rarebit.tables import Table

if TYPE_CHECKING:
    import polars as pl

# Options of reading that decide how the column of ids is read.
_OF_FILES = ("id", "delimiter", "encoding", "header", "sheet", "max_unpacked")
_DETAILS = ("annotator", "reason", "order", "source", "at", "note")


def read_labels(
    path: str | PathLike[str] | Any,
    table: Table,
    *,
    id: str | None = None,
    label: str | None = None,
    skip: Callable[[list[str]], None] | None = None,
) -> dict[int, str]:
    """Read labels that were given elsewhere.

    Parameters
    ----------
    path : path, or a pandas, polars or Arrow frame
        One row per label; a file in any format that `rarebit.tables.read_table` reads.
    table : Table
        The data that they belong to.
    id : str or None, default=None
        Column of ids; None for the name of the id column of the data.
    label : str or None, default=None
        Column of classes; None for ``"label"``, or for the other one of two columns.
    skip : function of list of str or None, default=None
        Called with the ids that the data do not have, which are then left out; None refuses them.

    Returns
    -------
    dict of int to str
        Row to class, without blanks around it; cells without a class are left out.
    """
    source, given, names = _columns_of(path, id or table.id_name, label)
    ids, answers = (given[name].to_list() for name in names)
    place = {str(name): row for row, name in enumerate(table.ids)}
    unknown = [str(name) for name in ids if str(name) not in place]
    if unknown and skip is not None:
        skip(unknown)
    elif unknown:
        shown = ", ".join(unknown[:5]) + (", …" if len(unknown) > 5 else "")
        raise LabelImportError(
            f"{source} has {counted(len(unknown), 'id that is', 'ids that are')} not in "
            f"{table.source} ({shown}): give a file whose ids are those of the data, name their "
            "column, or take the others alone (rarebit labels import --skip-unknown, or Columns "
            "and unknown ids on the page)."
        )
    found: dict[int, str] = {}
    for name, cell in zip(ids, answers, strict=True):
        row, answer = place.get(str(name)), "" if cell is None else str(cell).strip()
        if row is None or not answer:
            continue
        if found.get(row, answer) != answer:
            raise LabelImportError(
                f"{source} gives row {str(name)!r} two classes, {found[row]!r} and "
                f"{answer!r}: keep one of them."
            )
        found[row] = answer
    return found


def in_types(found: Mapping[int, str], kind: str, known: Collection[Any]) -> dict[int, Any]:
    """Return classes that were read as texts in the types of the known ones, or in their own."""
    texts = {each for each in known if isinstance(each, str)}
    typed = {str(each): each for each in known if not isinstance(each, str)}
    typed |= {name.lower(): each for name, each in typed.items()}
    readers: dict[str, Callable[[str], Any]] = {"int": int, "bool": _is_true}
    own = readers.get(kind, str)
    return {
        row: name if name in texts else typed[name] if name in typed else own(name)
        for row, name in found.items()
    }


def _is_true(cell: str) -> bool:
    return cell.lower() == "true"


def class_kind(source: Any, table: Table, *, id: str | None, label: str | None) -> str:
    """Return the type of the classes of a frame, as `Table.target_kind` has it; texts in files."""
    from rarebit.tables import as_table, is_frame, with_index_column

    if not is_frame(source):
        return "str"
    _, _, names = _columns_of(source, id or table.id_name, label)
    return as_table(with_index_column(source, names[0]), target=names[1]).target_kind


def _columns_of(
    source: Any, id: str, label: str | None
) -> tuple[str, pl.DataFrame, tuple[str, str]]:
    """Return what rows are called, the rows, and the columns of ids and classes.

    In a file of two columns the other one has the classes.
    """
    from rarebit.tables import as_table, is_frame, read_table, scan_table, with_index_column

    framed = is_frame(source)
    if not framed and not isinstance(source, str | PathLike):
        raise InputTypeError(
            "Labels are imported from a file or from a frame of pandas, polars or Arrow, got "
            f"{type(source).__name__}: give one of these."
        )
    if framed:
        source = with_index_column(source, id)
        name, columns = "The frame", list(as_table(source).order)
    else:
        name, columns = Path(source).name, list(scan_table(Path(source)).columns)
    if label is None and "label" not in columns and len(columns) == 2 and id in columns:
        label = next(each for each in columns if each != id)
    for each, what, option, argument in (
        (id, "ids", "--id-column", "id"),
        (label or "label", "classes", "--column", "label"),
    ):
        if each not in columns:
            raise LabelImportError(
                f"{name} has no column {each!r} of {what}: it has {', '.join(columns[:8])}; "
                f"say which one it is ({option} in commands, {argument} in Python)."
            )
    names = (id, label or "label")
    # Both columns are read as text: a file may hold nothing beside them.
    read = as_table if framed else read_table
    return name, read(source if framed else Path(source), categorical=names).records, names


def label_events(
    found: Mapping[int, Any],
    table: Table,
    known: Mapping[int, Any],
    *,
    annotator: str = "",
    source: str = "import",
) -> list[Event]:
    """Return labels as events of a store, without those that it has already.

    Parameters
    ----------
    found : mapping of int to class
        Row to class.
    table : Table
        The data.
    known : mapping of int to class
        Labels that the store has.
    annotator : str, default=""
        Name of the annotator who gave them.
    source : str, default="import"
        Where they come from.

    Returns
    -------
    list of Event
        Labels, and corrections of rows that have another one.
    """
    new = {
        row: name
        for row, name in found.items()
        if known.get(row) is None or str(known[row]) != str(name)
    }
    return [
        Event(
            0, "label" if known.get(row) is None else "correction", row=row, label=name,
            annotator=annotator, source=source, reason="given", settings=CURRENT, data=dict(marks),
        )
        for (row, name), marks in zip(new.items(), marks_of(table, list(new)), strict=True)
    ]  # fmt: skip


def with_written_ids(
    events: Sequence[Event], path: str | PathLike[str], reading: Mapping[str, Any]
) -> list[Event]:
    """Return events with ids as a file has them: whole numbers, which stores keep as texts.

    Parameters
    ----------
    events : sequence of Event
        Of a store.
    path : path
        The data; where the file is gone or cannot be read, ids stay texts.
    reading : mapping
        How the project reads it.

    Returns
    -------
    list of Event
        In the order given.
    """
    ids = [event.id for event in events]
    if all(isinstance(each, str) and _is_number(each) for each in ids) and _whole(path, reading):
        return [replace(event, id=int(event.id)) for event in events]
    return list(events)


def _is_number(text: str) -> bool:
    """Whether a text is a whole number as programs write it; one with zeros before it is a name."""
    digits = text.removeprefix("-")
    return digits.isdecimal() and digits.isascii() and (digits == "0" or digits[0] != "0")


def _whole(path: str | PathLike[str], reading: Mapping[str, Any]) -> bool:
    """Whether the column of ids of a file holds whole numbers."""
    from rarebit.tables import scan_table

    if not reading.get("id") or not Path(path).is_file():
        return False
    given = {name: value for name, value in reading.items() if name in _OF_FILES}
    try:
        first = next(iter(scan_table(path, **given).batches(100)), None)
    except (RarebitError, OSError):
        return False
    return first is not None and first.whole_ids


def export_labels(
    path: str | PathLike[str],
    table: Table,
    labels: Mapping[int, Any],
    answers: Mapping[str, Mapping[int, Event]],
    *,
    details: bool,
    raw: bool,
    events: Iterable[Event] = (),
) -> int:
    """Write labels to a file: ``.csv``, ``.tsv``, ``.jsonl``, ``.parquet`` or ``.xlsx``.

    Data that were read from ``.ris`` or ``.bib`` can also be written back in that format.

    Parameters
    ----------
    path : path
        Where; an earlier file is replaced as a whole.
    table : Table
        The data.
    labels : mapping of int to class
        Row to the label that counts.
    answers : mapping
        Annotator to row to standing answer, for the details.
    details : bool
        Whether each answer is written with annotator, reason, order asked, source, time and note;
        otherwise one line per row with its id and the label that counts.
    raw : bool
        Whether CSV and TSV hold texts as they are, also those that a spreadsheet would run.
    events : iterable of Event, default=()
        The history: its notes stand beside the answers of the person who wrote them, and a paper
        whose given label was taken back loses the decision that its file has.

    Returns
    -------
    int
        Number of labels, or of answers where there are details.
    """
    file = Path(path)
    check_export_name(file, table.source)
    if file.suffix.lower() in PAPERS:
        return write_papers(file, table, labels, taken_back(events, labels))
    records = list(_records(table, labels, with_notes(answers, events), details))
    names = [table.id_name, "label", *(_DETAILS if details else ())]
    with replaced_whole(file) as partial:
        write_records(partial, file.suffix.lower(), names, records, raw=raw)
    return len(records)


def with_notes(
    answers: Mapping[str, Mapping[int, Event]], events: Iterable[Event]
) -> dict[str, dict[int, Event]]:
    """Return standing answers with all that their annotators wrote on the rows.

    Parameters
    ----------
    answers : mapping
        Annotator to row to standing answer.
    events : iterable of Event
        The history.

    Returns
    -------
    dict
        The same, notes joined with the one of the answer by semicolons, in the order written.
    """
    written: dict[tuple[str, int | None], list[str]] = {}
    for event in events:
        if event.what == "note" and event.note:
            written.setdefault((event.annotator, event.row), []).append(event.note)
    return {
        annotator: {
            row: _joined(event, written.get((annotator, row), [])) for row, event in rows.items()
        }
        for annotator, rows in answers.items()
    }


def _joined(answer: Event, notes: list[str]) -> Event:
    texts = dict.fromkeys([*notes, answer.note] if answer.note else notes)
    return replace(answer, note="; ".join(texts)) if notes else answer


def _records(
    table: Table,
    labels: Mapping[int, Any],
    answers: Mapping[str, Mapping[int, Event]],
    details: bool,
) -> Iterator[list[Any]]:
    if not details:
        ids = table.written_ids(list(labels))
        yield from ([id, label] for id, label in zip(ids, labels.values(), strict=True))
        return
    standing = [event for rows in answers.values() for event in rows.values()]
    standing.sort(key=lambda each: each.number)
    ids = table.written_ids([row for event in standing if (row := event.row) is not None])
    for id, event in zip(ids, standing, strict=True):  # every answer has a row
        told = [getattr(event, name) for name in _DETAILS]
        yield [id, None if event.what == "skip" else event.label, *told]
