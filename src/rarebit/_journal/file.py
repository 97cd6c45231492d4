"""One file of labels: a line per answer, on the disk before anybody is told that it was taken.

The first line says which data the labels belong to. Every other line is an event: a label, a skip,
or the undoing of the last of these that still stands. Nothing is ever rewritten, so that a process
killed at any moment leaves at most part of a line at the end, which the next writer cuts off.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from numpy.typing import NDArray

from rarebit._journal.disk import GrowingFile
from rarebit._journal.encoding import encode_line
from rarebit._journal.line import (
    ANSWERS,
    KINDS,
    NO_ROW,
    LabelFileError,
    Line,
    OtherLabelsError,
    as_plain,
    check_label,
    why_refused,
)
from rarebit._journal.reading import (
    MARK,
    VERSION,
    Journal,
    event_record,
    header_line,
    read_journal,
    starts_like_ours,
)
from rarebit._text import counted


class LabelFile:
    """A file of labels that belongs to one data file.

    Parameters
    ----------
    path : str or Path
        The file; it is made when it does not exist, and continued when it does.
    ids : sequence
        Id of each row of the data, in its order.
    source : str, default=""
        Name of the data, for people.
    fingerprint : str, default=""
        Tells data apart, such as the SHA-256 of the file. A file of labels made for other data is
        refused.

    Attributes
    ----------
    events : list of Line
        Everything that was written, in its order.
    labels : dict of int to object
        Row to class, of labels that still stand, in the order told.
    skipped : list of int
        Rows skipped that still are.
    n_dropped : int
        Lines at the end that were never finished and were cut off at the start: 0 or 1.
    passed_over : dict of int to str
        Line number of answers that no asker can learn, such as NaN, and why. They are among the
        events, and not among the labels.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarebit.projects.stores import LabelFile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "pool.labels.jsonl"
    >>> with LabelFile(path, ids=["a", "b", "c"], fingerprint="1f3") as store:
    ...     store.add(2, "fraud")
    ...     store.add(0, "ok")
    ...     taken_back = store.undo()
    >>> with LabelFile(path, ids=["a", "b", "c"], fingerprint="1f3") as store:
    ...     store.labels
    {2: 'fraud'}
    >>> folder.cleanup()
    """

    def __init__(
        self,
        path: str | Path,
        ids: Sequence[Any] | NDArray[Any],
        *,
        source: str = "",
        fingerprint: str = "",
    ) -> None:
        self.path = Path(path)
        self._ids = ids
        self._header = header_line(source, fingerprint, len(ids))
        self.events: list[Line] = []
        self._standing: list[Line] = []
        self.labels: dict[int, Any] = {}
        self.skipped: list[int] = []
        self.n_dropped = 0
        self.passed_over: dict[int, str] = {}
        self._lock = threading.RLock()
        self._before_next = b""  # a header that the next answer brings with it
        self._file = GrowingFile(self.path)
        try:
            self._begin(self._file.content, source, fingerprint)
        except BaseException:
            self._file.close()
            raise

    # --- answers ------------------------------------------------------------------------

    def add(self, row: int, label: Any, *, how: str = "person", by: str = "") -> None:
        """Write a label; it is on the disk when this returns.

        Parameters
        ----------
        row : int
            Position of the row.
        label : str, int, float or bool
            Its class; not NaN.
        how, by : str
            Who answered, and what asked.
        """
        label = as_plain(label)
        check_label(label)
        self._write("label", row, label, how, by)

    def skip(self, row: int, *, how: str = "person", by: str = "") -> None:
        """Write that nobody can label a row.

        Parameters
        ----------
        row : int
            Position of the row.
        how, by : str
            Who answered, and what asked.
        """
        self._write("skip", row, None, how, by)

    def undo(self) -> Line | None:
        """Take back the last answer that still stands.

        Returns
        -------
        Line or None
            The answer taken back; None where there is none.
        """
        with self._lock:
            if not self._standing:
                return None
            last = self._standing[-1]
            self._write("undo", last.row, None, last.how, last.by, of=last.number)
            return last

    # --- for projects -------------------------------------------------------------------

    def append(self, events: Sequence[Line], *, data: tuple[str, str, int] | None = None) -> None:
        """Write lines of any kind together; they are on the disk when this returns.

        Parameters
        ----------
        events : sequence of Line
            Numbered from the last one on, with the ids of their rows.
        data : tuple of (str, str, int), optional
            Name, checksum and number of rows of the data, where rows have been added to them: a new
            header then comes before the lines.
        """
        with self._lock:
            header = self._before_next if data is None else header_line(*data)
            lines = b"".join(encode_line(event_record(event)) for event in events)
            self._file.append(header + lines)
            self._before_next = b""
            for event in events:
                self._take(event)

    # --- the file -----------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _begin(self, content: bytes, source: str, fingerprint: str) -> None:
        journal = read_journal(content)
        if journal.is_empty:  # new, or killed while the first line was written
            self._file.cut(0)
            self._file.append(self._header)
            return
        self._check_journal(journal)
        self._check_data(journal, source, fingerprint)
        for event, line in zip(journal.events, journal.lines, strict=True):
            self._check_event(event, line)
        for event, line in zip(journal.events, journal.lines, strict=True):
            reason = why_refused(event)
            if reason:
                self.passed_over[line] = reason
            self._take(event)
        if journal.tail_is_whole:
            self._file.append(b"\n")
        elif journal.tail:
            self._file.cut(len(content) - len(journal.tail))
            self.n_dropped = 1

    def _check_journal(self, journal: Journal) -> None:
        version = None if journal.header is None else journal.header[MARK]
        if version is not None and version not in (1, VERSION):
            raise LabelFileError(
                f"{self.path} has version {version!r}, but version {VERSION} is needed: use the "
                "version of rarebit that wrote it."
            )
        if version is None and not journal.events and not starts_like_ours(journal.bad[0].text):
            raise LabelFileError(
                f"{self.path} is not a file of labels, and was left as it is: give a file that "
                "does not exist yet, or one that rarebit wrote."
            )
        if journal.bad:
            first = journal.bad[0]
            others = f" and {len(journal.bad) - 1} more" if len(journal.bad) > 1 else ""
            raise LabelFileError(
                f"Line {first.number} of {self.path}{others} cannot be used, because "
                f"{first.problem}: restore the file from a copy, or save all other lines with "
                f"rarebit labels recover {self.path}."
            )

    def _check_data(self, journal: Journal, source: str, fingerprint: str) -> None:
        header = journal.header
        assert header is not None  # a file without one has bad lines
        if header["fingerprint"] is None:  # recovered: ids have to do
            self._before_next = self._header
        elif (header["fingerprint"], header["rows"]) != (fingerprint, len(self._ids)):
            raise OtherLabelsError(
                f"{self.path} holds labels of {header['data'] or 'other data'} "
                f"({counted(header['rows'], 'row')}), which is not the data given, "
                f"{source or 'the rows'} ({counted(len(self._ids), 'row')}), or has changed since: "
                "give another file for the labels, or the data that they belong to."
            )
        if header[MARK] != VERSION:
            self._before_next = self._header  # from here on lines have checksums

    def _check_event(self, event: Line, line: int) -> None:
        if event.what not in KINDS:
            raise LabelFileError(
                f"Line {line} of {self.path} holds a {event.what!r}, which this version of rarebit "
                "does not know: use the version that wrote it."
            )
        if event.row == NO_ROW and event.what not in ANSWERS:
            return
        known = 0 <= event.row < len(self._ids)
        if not known or as_plain(self._ids[event.row]) != event.id:
            raise OtherLabelsError(
                f"Line {line} of {self.path} speaks of row {event.row} with id {event.id!r}, "
                "which is not in the data: read the data with the same options as before, or give "
                "another file for the labels."
            )

    def _write(
        self,
        what: Literal["label", "skip", "undo"],
        row: int,
        label: Any,
        how: str,
        by: str,
        *,
        of: int | None = None,
    ) -> None:
        if not 0 <= row < len(self._ids):
            raise ValueError(
                f"The data has rows 0 to {len(self._ids) - 1}, got row {row}: give one of these."
            )
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock:
            number = self.events[-1].number + 1 if self.events else 1
            name = as_plain(self._ids[row])
            self.append([Line(what, int(row), name, label, how, by, now, number=number, of=of)])

    def _take(self, event: Line) -> None:
        self.events.append(event)
        if event.what in ANSWERS:
            self._standing.append(event)
            self._apply(event)
        if event.what != "undo":
            return
        self._standing = [other for other in self._standing if other.number != event.of]
        self.labels.clear()
        self.skipped.clear()
        for earlier in self._standing:
            self._apply(earlier)

    def _apply(self, event: Line) -> None:
        if event.what == "skip":
            if event.row not in self.skipped:
                self.skipped.append(event.row)
        elif not why_refused(event):
            self.labels[event.row] = event.label
            if event.row in self.skipped:
                self.skipped.remove(event.row)
