"""Check a label file without its data, and save what is good of a damaged one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from rarebit._journal.disk import GrowingFile
from rarebit._journal.encoding import encode_line
from rarebit._journal.line import ANSWERS, LabelFileError, Line, why_refused
from rarebit._journal.reading import (
    MARK,
    VERSION,
    BadLine,
    Journal,
    event_record,
    header_line,
    read_journal,
    starts_like_ours,
)
from rarebit._whole_files import replaced_whole, sync_folder


@dataclass(frozen=True)
class FileCheck:
    """What is in a label file.

    Attributes
    ----------
    path : Path
        The file.
    version : int or None
        Version of its format; None where the header cannot be read.
    source : str
        Name of the data that the labels belong to.
    events : sequence of Line
        Lines that can be read: answers, and the questions and settings of projects beside them.
    n_unprotected : int
        Answers without a checksum, of version 1.
    bad : sequence of BadLine
        Lines that are damaged, or not where they belong; each has `number`, `problem`, `text` and
        `n_saved`, the good answers in it.
    unfinished : bytes
        Text after the last end of a line; the next writer cuts it off.
    passed_over : dict of int to str
        Line number of answers that no asker can learn, such as NaN, and why.
    """

    path: Path
    version: int | None
    source: str
    events: Sequence[Line]
    n_unprotected: int
    bad: Sequence[BadLine]
    unfinished: bytes
    passed_over: dict[int, str]

    @property
    def n_answers(self) -> int:
        """Labels, skips and corrections, also those that an undo took back."""
        return _count_answers(self.events)

    @property
    def is_good(self) -> bool:
        """Whether no line is damaged."""
        return not self.bad


@dataclass(frozen=True)
class Recovery:
    """What was saved.

    Attributes
    ----------
    check : FileCheck
        The file as it was found.
    path : Path
        Where the good lines are.
    kept : Path
        Where the damaged file is.
    n_saved : int
        Lines saved.
    n_answers : int
        Answers among them.
    lost_undos : sequence of Line
        Undos left out, because the answers that they take back are damaged.
    knows_data : bool
        Whether the header could be saved; without it rows are matched by id alone.
    """

    check: FileCheck
    path: Path
    kept: Path
    n_saved: int
    n_answers: int
    lost_undos: Sequence[Line] = field(default_factory=list)
    knows_data: bool = True


def check_label_file(path: str | Path) -> FileCheck:
    """Look for damage in a label file; the data is not needed, and nothing is changed.

    Parameters
    ----------
    path : str or Path
        A label file; a process may have it open.

    Returns
    -------
    FileCheck
        Good answers and bad lines.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarebit.projects.stores import LabelFile, check_label_file
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "pool.labels.jsonl"
    >>> with LabelFile(path, ids=["a", "b", "c"]) as store:
    ...     store.add(2, "fraud")
    ...     store.add(0, "ok")
    >>> _ = path.write_bytes(path.read_bytes().replace(b"fraud", b"froud"))
    >>> [(line.number, line.problem) for line in check_label_file(path).bad]
    [(2, 'its checksum does not match')]
    >>> folder.cleanup()
    """
    place = Path(path)
    if place.exists() and not place.is_file():
        raise LabelFileError(f"{place} is not an ordinary file: give the name of a label file.")
    journal = read_journal(place.read_bytes())
    if journal.bad and not journal.events and not starts_like_ours(journal.bad[0].text):
        raise LabelFileError(
            f"{place} is not a file of labels: give one that rarebit wrote, such as "
            "NAME.labels.jsonl."
        )
    return _checked(place, journal)


def recover_label_file(path: str | Path, out: str | Path | None = None) -> Recovery:
    """Save every good line of a damaged label file.

    Parameters
    ----------
    path : str or Path
        A label file that no process has open.
    out : str or Path, optional
        Where the good lines go, a file that does not exist yet. Without it they take the place of
        the file, which is kept under its name and ``.damaged``.

    Returns
    -------
    Recovery
        What was saved, and where the damaged file is.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarebit.projects.stores import LabelFile, recover_label_file
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "pool.labels.jsonl"
    >>> with LabelFile(path, ids=["a", "b", "c"]) as store:
    ...     store.add(2, "fraud")
    ...     store.add(0, "ok")
    >>> _ = path.write_bytes(path.read_bytes().replace(b"fraud", b"froud"))
    >>> saved = recover_label_file(path)
    >>> saved.n_saved, saved.kept.name
    (1, 'pool.labels.jsonl.damaged')
    >>> with LabelFile(path, ids=["a", "b", "c"]) as store:
    ...     store.labels
    {0: 'ok'}
    >>> folder.cleanup()
    """
    place = Path(path)
    os.stat(place)  # a file that does not exist must not be made
    file = GrowingFile(place)  # locked until the good lines are where they belong
    try:
        journal = read_journal(file.content)
        check = _checked(place, journal)
        if journal.header is None and not journal.events:
            raise LabelFileError(f"{place} has no line that rarebit wrote: restore it from a copy.")
        events, lost = _renumbered(journal.events)
        content = _content(journal, events)
        if out is not None:
            _create(Path(out), content)
            target, kept = Path(out), place
        else:
            target, kept = place, _copy_beside(place, file.content)
            with replaced_whole(place) as partial:
                partial.write_bytes(content)
    finally:
        file.close()
    n_answers = _count_answers(events)
    return Recovery(check, target, kept, len(events), n_answers, lost, journal.header is not None)


def _count_answers(lines: Sequence[Line]) -> int:
    return sum(line.what in ANSWERS for line in lines)


def _checked(path: Path, journal: Journal) -> FileCheck:
    header = journal.header or {MARK: None, "data": ""}
    return FileCheck(
        path=path,
        version=header[MARK],
        source=str(header["data"] or ""),
        events=journal.events,
        n_unprotected=journal.n_unprotected,
        bad=journal.bad,
        unfinished=journal.tail,
        passed_over={
            line: reason
            for event, line in zip(journal.events, journal.lines, strict=True)
            if (reason := why_refused(event))
        },
    )


def _renumbered(events: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """Put answers in their order, without repetitions and without undos of what is lost."""
    saved: list[Line] = []
    lost: list[Line] = []
    numbers: dict[int, int] = {}
    seen: list[Line] = []
    for event in sorted(events, key=lambda event: event.number):
        if seen and seen[-1].number == event.number and event in seen:
            continue
        seen = [*(seen if seen and seen[-1].number == event.number else []), event]
        if event.what == "undo" and event.of not in numbers:
            lost.append(event)
            continue
        numbers[event.number] = len(saved) + 1
        of = None if event.of is None else numbers.get(event.of, 0)
        saved.append(replace(event, number=len(saved) + 1, of=of))
    return saved, lost


def _content(journal: Journal, events: Sequence[Line]) -> bytes:
    first = header_line("", None, None)
    if journal.header is not None:
        first = encode_line({**journal.header, MARK: VERSION})
    return first + b"".join(encode_line(event_record(event)) for event in events)


def _copy_beside(path: Path, content: bytes) -> Path:
    """Keep what a file holds under a name that nothing has yet."""
    for n in count(1):
        copy = path.with_name(f"{path.name}.damaged{'' if n == 1 else f'.{n}'}")
        if not copy.exists():
            break
    _create(copy, content)
    return copy


def _create(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise LabelFileError(
            f"{path} exists already, and recovery replaces nothing: give the name of a new file."
        ) from None
    sync_folder(path.parent)
