"""One file of labels: a line an answer, on the disk before anybody is told that it was taken.

The first line says which data the labels belong to. Every other line is an event: a label, a skip,
or the undoing of the last of these that still stands. Nothing is ever rewritten, so that a process
killed at any moment leaves at most half a line at the end, which the next reader drops.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

VERSION = 1
_MARK = "rarebit-labels"
_START = f'{{"{_MARK}":'


class LabelFileError(ValueError):
    """A file of labels cannot be used; the message says why and what to do."""


@dataclass(frozen=True)
class Event:
    """One answer.

    Attributes
    ----------
    what : {"label", "skip", "undo"}
        Kind of the answer; an undo names the row whose answer it takes back.
    row : int
        Position of the row in the data.
    id : str or int
        Its id there.
    label : str, int, float, bool or None
        The class, for a label.
    how : str
        Who answered: ``"person"``, ``"oracle"`` or anything else.
    by : str
        What asked, so that a session can tell its own questions from others'.
    at : str
        When, in UTC.
    """

    what: Literal["label", "skip", "undo"]
    row: int
    id: Any
    label: Any = None
    how: str = ""
    by: str = ""
    at: str = ""


class LabelStore:
    """A file of labels that belongs to one data file.

    Parameters
    ----------
    path : str or Path
        The file; it is made when it does not exist, and gone on with when it does.
    ids : sequence
        Id of each row of the data, in its order.
    source : str, default=""
        Name of the data, for people.
    fingerprint : str, default=""
        Tells data apart, such as the SHA-256 of the file. A file of labels made for other data is
        refused.

    Attributes
    ----------
    events : list of Event
        Everything that was written, in its order.
    labels : dict of int to object
        Row to class, of labels that still stand, in the order told.
    skipped : list of int
        Rows skipped that still are.
    n_dropped : int
        Half-written lines at the end that were dropped at the start: 0 or 1.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarebit.labels import LabelStore
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "pool.labels.jsonl"
    >>> with LabelStore(path, ids=["a", "b", "c"], fingerprint="1f3") as store:
    ...     store.add(2, "fraud")
    ...     store.add(0, "ok")
    ...     taken_back = store.undo()
    >>> with LabelStore(path, ids=["a", "b", "c"], fingerprint="1f3") as store:
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
        self._header = {
            _MARK: VERSION, "data": source, "fingerprint": fingerprint, "rows": len(ids),
        }  # fmt: skip
        self.events: list[Event] = []
        self._standing: list[Event] = []
        self.labels: dict[int, Any] = {}
        self.skipped: list[int] = []
        self.n_dropped = 0
        # Neither truncates nor follows an earlier end: what is there is looked at first.
        binary = getattr(os, "O_BINARY", 0)  # Windows would write two bytes for the end of a line
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | binary, 0o666)
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise LabelFileError(
                    f"{self.path} is not an ordinary file: labels must stay where they are "
                    "written; give the name of a file."
                )
            self._lock()
            self._read()
        except BaseException:
            os.close(self._file)
            raise

    # --- answers ------------------------------------------------------------------------

    def add(self, row: int, label: Any, *, how: str = "person", by: str = "") -> None:
        """Write a label; it is on the disk when this returns.

        Parameters
        ----------
        row : int
            Position of the row.
        label : str, int, float or bool
            Its class.
        how, by : str
            Who answered, and what asked.
        """
        if label is None or not isinstance(label, str | int | float):
            raise TypeError(
                f"A label must be text or a number, got {label!r}: name the class by one of these."
            )
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

    def undo(self) -> Event | None:
        """Take back the last answer that still stands.

        Returns
        -------
        Event or None
            The answer taken back; None where there is none.
        """
        if not self._standing:
            return None
        last = self._standing[-1]
        self._write("undo", last.row, None, last.how, last.by)
        return last

    # --- the file -----------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _lock(self) -> None:
        """Keep a second session out: two of them would undo each other's answers."""
        try:
            import fcntl
        except ImportError:  # not on this system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LabelFileError(
                f"{self.path} is being written by another session: end that one first, or give "
                "another file for these labels."
            ) from None

    def _read(self) -> None:
        with open(self._file, "rb", closefd=False) as stream:
            content = stream.read()
        lines = content.splitlines(keepends=True)
        if not lines or (len(lines) == 1 and not lines[0].endswith(b"\n") and self._is_ours(lines)):
            # New, or killed while the first line was written.
            os.ftruncate(self._file, 0)
            self._end = 0
            self._append(self._header)
            _sync_folder(self.path.parent)
            return
        self._check_header(lines[0])
        self._end = len(lines[0])
        for number, line in enumerate(lines[1:], start=2):
            try:
                if not line.endswith(b"\n"):
                    raise ValueError("half a line")
                event = Event(**json.loads(line))
                self._check_event(event, number)
            except LabelFileError:
                raise
            except (ValueError, TypeError) as error:
                if number == len(lines):  # cut off while it was written
                    self.n_dropped = 1
                    break
                raise LabelFileError(
                    f"Line {number} of {self.path} is not an answer that rarebit wrote: restore "
                    "the file from a copy, or remove this line."
                ) from error
            self._end += len(line)
            self._take(event)
        os.ftruncate(self._file, self._end)

    def _is_ours(self, lines: Sequence[bytes]) -> bool:
        start = lines[0][: len(_START)].decode("utf-8", errors="replace")
        return _START.startswith(start) if len(start) < len(_START) else start == _START

    def _check_header(self, line: bytes) -> None:
        try:
            header = json.loads(line) if line.endswith(b"\n") else {}
        except ValueError:
            header = {}
        if not isinstance(header, dict) or _MARK not in header:
            raise LabelFileError(
                f"{self.path} is not a file of labels, and was left as it is: give a file that "
                "does not exist yet, or one that rarebit wrote."
            )
        if header[_MARK] != VERSION:
            raise LabelFileError(
                f"{self.path} has version {header[_MARK]!r}, but version {VERSION} is needed: use "
                "the version of rarebit that wrote it."
            )
        if (header["fingerprint"], header["rows"]) != (
            self._header["fingerprint"],
            self._header["rows"],
        ):
            raise LabelFileError(
                f"{self.path} holds labels of {header['data'] or 'other data'} "
                f"({header['rows']:,} rows), which is not the data given, {self._header['data']} "
                f"({len(self._ids):,} rows), or has changed since: give another file for the "
                "labels, or the data that they belong to."
            )

    def _check_event(self, event: Event, number: int) -> None:
        if event.what not in ("label", "skip", "undo"):
            raise ValueError(f"unknown answer {event.what!r}")
        known = 0 <= event.row < len(self._ids)
        if not known or _plain(self._ids[event.row]) != event.id:
            raise LabelFileError(
                f"Line {number} of {self.path} speaks of row {event.row} with id {event.id!r}, "
                "which is not in the data: read the data with the same options as before, or give "
                "another file for the labels."
            )

    def _write(self, what: Any, row: int, label: Any, how: str, by: str) -> None:
        if not 0 <= row < len(self._ids):
            raise ValueError(
                f"The data has rows 0 to {len(self._ids) - 1}, got row {row}: give one of these."
            )
        now = datetime.now(UTC).isoformat(timespec="seconds")
        event = Event(what, int(row), _plain(self._ids[row]), _plain(label), how, by, now)
        self._append(asdict(event))
        self._take(event)

    def _append(self, record: dict[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
        try:
            os.lseek(self._file, self._end, os.SEEK_SET)
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
            os.fsync(self._file)
        except BaseException as error:
            # A full disk may have taken half a line. Whoever asked is told that it failed.
            os.ftruncate(self._file, self._end)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, str(self.path)) from error
            raise
        self._end += len(line)

    def _take(self, event: Event) -> None:
        self.events.append(event)
        if event.what != "undo":
            self._standing.append(event)
            self._apply(event)
            return
        if self._standing:
            self._standing.pop()
        self.labels.clear()
        self.skipped.clear()
        for earlier in self._standing:
            self._apply(earlier)

    def _apply(self, event: Event) -> None:
        if event.what == "label":
            self.labels[event.row] = event.label
            if event.row in self.skipped:
                self.skipped.remove(event.row)
        elif event.row not in self.skipped:
            self.skipped.append(event.row)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _sync_folder(folder: Path) -> None:
    """Make the name of a new file as durable as its content, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems refuse
        pass
    finally:
        os.close(handle)
