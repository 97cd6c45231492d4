"""The label file as a whole: its lines, which of them are good, and what was not finished.

The first line is the header: it says which data the labels belong to. Every other line is an
answer. A header may come again further down; the last one counts. Files of version 1 have neither
checksums nor numbers; one that is continued gets a header of version 2 after its last line, and
all lines after that have both.

Only a text after the last end of a line can be a write that was cut off. Anything else that cannot
be read has been damaged, and is an error here and never dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from rarebit._journal.encoding import decode_line, encode_line, has_checksum, whole_lines_in
from rarebit._journal.line import ANSWERS, KINDS, OLD_KINDS, Line

VERSION = 2
MARK = "rarebit-labels"
_START = f'{{"{MARK}":'.encode()

_OLD_FIELDS = {"what", "row", "id", "label", "how", "by", "at"}
_FIELDS = _OLD_FIELDS | {"n", "of"}


@dataclass(frozen=True)
class BadLine:
    """A line that cannot be used.

    Attributes
    ----------
    number : int
        Its number in the file, from 1.
    problem : str
        What is wrong with it, as half a sentence.
    text : bytes
        What it holds.
    n_saved : int
        Good lines in it that are among the answers all the same.
    """

    number: int
    problem: str
    text: bytes
    n_saved: int = 0


@dataclass
class Journal:
    """What was read.

    Attributes
    ----------
    header : dict or None
        The last good header; None without one.
    events : list of Line
        Answers as they come, those inside bad lines too. An undo knows the number of the answer
        that it takes back.
    lines : list of int
        Line number of each answer.
    bad : list of BadLine
        Lines that cannot be used.
    tail : bytes
        What follows the last end of a line and was never finished.
    tail_is_whole : bool
        Whether only its end of the line lacks; its answer is among the events.
    n_unprotected : int
        Answers of version 1, which have no checksum.
    """

    header: dict[str, Any] | None = None
    events: list[Line] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)
    tail: bytes = b""
    tail_is_whole: bool = False
    n_unprotected: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is no header, nor anything but a header that was never finished."""
        return self.header is None and not self.bad and not self.events


def read_journal(content: bytes) -> Journal:
    """Read a label file.

    Parameters
    ----------
    content : bytes
        Everything that is in it.

    Returns
    -------
    Journal
        Good lines and bad ones; nothing is raised.

    Examples
    --------
    >>> line = encode_line(event_record(Line("label", 7, "a-7", "fraud", number=1)))
    >>> journal = read_journal(header_line("pool.csv", "f1", 9) + line + line[:20])
    >>> [event.label for event in journal.events], journal.tail == line[:20]
    (['fraud'], True)
    """
    reader = _Reader()
    *whole, tail = content.split(b"\n")
    for number, line in enumerate(whole, start=1):
        reader.read(number, line)
    if tail:
        reader.read_tail(len(whole) + 1, tail)
    journal = reader.journal
    if journal.header is None and journal.events and not journal.bad:
        journal.bad.append(
            BadLine(1, "the header is missing before it", content.split(b"\n")[0], 1)
        )
    return journal


def header_line(source: str, fingerprint: str | None, rows: int | None) -> bytes:
    """Return the line that says which data the labels belong to.

    Without a fingerprint and a number of rows, which a recovered file may have lost, the labels fit
    all data that has their rows and ids.
    """
    record = {MARK: VERSION, "data": source, "fingerprint": fingerprint, "rows": rows}
    return encode_line(record)


def event_record(event: Line) -> dict[str, Any]:
    """Return the fields of an answer in the order in which they are written."""
    record = {name: getattr(event, name) for name in ("what", "row", "id", "label", "how", "by")}
    record |= {"at": event.at, **event.extra, "n": event.number}
    if event.of is not None:
        record["of"] = event.of
    return record


def starts_like_ours(text: bytes) -> bool:
    """Whether a text begins as a label file does, as far as it goes."""
    return bool(text) and (text.startswith(_START) or _START.startswith(text))


class _Reader:
    """Takes line after line; remembers where checksums began and which answers stand."""

    def __init__(self) -> None:
        self.journal = Journal()
        self._standing: list[Line] = []
        self._last = 0  # the highest number of an answer
        self._has_sums = False
        self._gap = False  # a bad line may have been an answer

    def read(self, number: int, line: bytes) -> None:
        """Take a line; one that is bad may hold good ones, where the end of a line was changed."""
        try:
            problem = self._take(number, line)
            n_saved = 1
        except ValueError as error:
            problem = str(error)
            self._gap = True
            n_saved = sum(self._take_inner(number, inner) for inner in whole_lines_in(line))
        if problem:
            self.journal.bad.append(BadLine(number, problem, line, n_saved))

    def read_tail(self, number: int, tail: bytes) -> None:
        """Take what follows the last end of a line: all of a line, part of one, or damage."""
        journal = self.journal
        try:
            _, is_whole = decode_line(tail)
        except ValueError:
            is_whole = False
        # More than a line is not a write that was cut off: the end of the line was changed.
        is_more = has_checksum(tail) or (journal.header is None and not starts_like_ours(tail))
        if is_whole or is_more:
            n_bad = len(journal.bad)
            self.read(number, tail)
            journal.tail_is_whole = len(journal.bad) == n_bad
        else:
            journal.tail = tail

    def _take_inner(self, number: int, line: bytes) -> bool:
        try:
            self._take(number, line)
        except ValueError:
            return False
        return True

    def _take(self, number: int, line: bytes) -> str:
        """Take a good line, and return what is wrong with its place; a bad one raises."""
        record, has_sum = decode_line(line)
        if self._has_sums and not has_sum:
            raise ValueError("it has no checksum, which every line here must have")
        if MARK in record:
            self._take_header(record, has_sum)
            return ""
        event = _as_event(record, has_sum)
        if not has_sum:
            event = replace(event, number=self._last + 1)
        problem = self._misplaced(event.number)
        self._last = max(self._last, event.number)
        self._gap = False
        self.journal.n_unprotected += not has_sum
        self.journal.events.append(self._resolved(event))
        self.journal.lines.append(number)
        return problem

    def _take_header(self, record: dict[str, Any], has_sum: bool) -> None:
        if record[MARK] == VERSION and not has_sum:
            raise ValueError("its checksum is missing")
        if not {"data", "fingerprint", "rows"} <= record.keys():
            raise ValueError("it is not a header that rarebit wrote")
        self._has_sums = has_sum
        self.journal.header = record

    def _misplaced(self, number: int) -> str:
        if number <= self._last:
            return f"it is answer {number}, which was there before"
        if number > self._last + 1 and not self._gap:
            return f"it is answer {number}, and answer {self._last + 1} is missing before it"
        return ""

    def _resolved(self, event: Line) -> Line:
        """Keep an answer as standing, or find the one that an undo takes back."""
        if event.what in ANSWERS:
            self._standing.append(event)
        if event.what != "undo":
            return event
        for i in reversed(range(len(self._standing))):
            other = self._standing[i]
            # Version 1 names the row only.
            if other.number == event.of if event.of is not None else other.row == event.row:
                del self._standing[i]
                return replace(event, of=other.number)
        return replace(event, of=event.of or 0)


def _as_event(record: dict[str, Any], has_sum: bool) -> Line:
    """Make an answer of a line's fields; without a checksum there may be no unknown ones."""
    known = _FIELDS if has_sum else _OLD_FIELDS
    extra = {name: value for name, value in record.items() if name not in known}
    number = record.get("n", 0)
    # A right checksum says that rarebit wrote it, perhaps a version with further kinds of answers.
    is_known = record.get("what") in (KINDS if has_sum else OLD_KINDS)
    good = (
        {"what", "row", "id"} <= record.keys()
        and (type(record["row"]) is int if is_known else has_sum)
        and (has_sum or not extra)
        and type(number) is int
        and (number > 0) == has_sum
        and type(record.get("of")) in (int, type(None))
        and all(isinstance(record.get(name, ""), str) for name in ("how", "by", "at"))
    )
    if not good:
        raise ValueError("it is not an answer that rarebit wrote")
    fields = {name: record[name] for name in _OLD_FIELDS if name in record}
    return Line(**fields, number=number, of=record.get("of"), extra=extra)
