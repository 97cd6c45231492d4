"""Labels in a file that people can read: one line of JSON per event, one writer at a time."""

from __future__ import annotations

import errno
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rarebit._journal.file import LabelFile
from rarebit._journal.line import LabelFileError, Line, OtherLabelsError
from rarebit.projects.stores._base import BaseStore
from rarebit.projects.stores._errors import OtherDataError, StoreError, StoreFullError
from rarebit.projects.stores._event import Event
from rarebit.projects.stores._header import Header
from rarebit.projects.stores._protocol import Lease

# Fields of an event that every line has; the others are further fields of the line.
_OF_LINES = {"number", "what", "row", "id", "label", "source", "by", "at", "of"}
_NO_ROW = -1


class JournalStore(BaseStore):
    """Labels in a file of JSON lines, which earlier versions of rarebit can have begun.

    Only one process can have it open. Leases live in the memory of that process, and are not
    events. Several events that are stored together become several lines in one write: if the
    process is killed during it, the first of them may be there without the others.

    Parameters
    ----------
    path : Path
        The file.
    ids : sequence
        Id of each row of the data, in its order.
    header : Header
        The data at hand; a file of other data is refused.
    """

    _leases_are_events = False

    def __init__(self, path: Path, ids: Sequence[Any] | NDArray[Any], header: Header) -> None:
        super().__init__(ids, header)
        self._path = path
        self._leases: dict[int, Lease] = {}
        self._closed = False
        with self._translated():
            self._file = LabelFile(path, ids, source=header.source, fingerprint=header.fingerprint)
        try:
            for line in self._file.events:
                self._answers.take(event_of_line(line))
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> str:
        """Name of the file."""
        return str(self._path)

    @property
    def n_dropped(self) -> int:
        """Number of unfinished lines at the end that were cut off when it was opened: 0 or 1."""
        return self._file.n_dropped

    @property
    def passed_over(self) -> dict[int, str]:
        """Line number of answers that name no class, such as NaN, and why."""
        return dict(self._file.passed_over)

    def close(self) -> None:
        """Let go of the file; it can be closed twice."""
        with self._lock:
            self._closed = True
            self._file.close()

    def _refresh(self) -> None:
        if self._closed:
            raise StoreError(f"{self._path} is closed: open it again.")

    @contextmanager
    def _writing(self) -> Iterator[_JournalTransaction]:
        self._refresh()
        transaction = _JournalTransaction(self._leases)
        yield transaction
        if transaction.events:
            lines = [_to_line(event) for event in transaction.events]
            with self._translated():
                self._file.append(lines, data=_new_data(transaction.events))
        self._leases = transaction.held

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OtherLabelsError as error:
            raise OtherDataError(str(error)) from error
        except LabelFileError as error:
            raise StoreError(str(error)) from error
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise StoreFullError(
                    f"{self._path} could not be written, because the disk is full: make room, then "
                    "repeat the answer."
                ) from error
            if error.errno == errno.ENOENT:
                raise StoreError(
                    f"The folder of {self._path} does not exist: create it, or give another "
                    "address."
                ) from error
            raise StoreError(
                f"{self._path} could not be opened or written ({error.strerror}): change its "
                "permissions or those of its folder, then repeat the answer."
            ) from error


class _JournalTransaction:
    """Events that are written at the end of a transaction, and leases in memory."""

    def __init__(self, held: dict[int, Lease]) -> None:
        self.held = dict(held)
        self.events: list[Event] = []

    def now(self) -> float:
        return time.time()

    def insert(self, events: Sequence[Event]) -> None:
        self.events += events

    def leases(self, rows: Collection[int] | None = None) -> dict[int, Lease]:
        return dict(self.held)

    def put(self, leases: Sequence[Lease], *, replace: bool) -> None:
        self.held.update((lease.row, lease) for lease in leases)

    def drop(self, rows: Sequence[int]) -> None:
        for row in rows:
            self.held.pop(row, None)


def _new_data(events: Sequence[Event]) -> tuple[str, str, int] | None:
    """Return name, checksum and number of rows of the data, if they grow by these events."""
    for event in events:
        if event.what == "rows" and event.data is not None:
            header = Header(**event.data)
            return header.source, header.fingerprint, header.n_rows
    return None


def _to_line(event: Event) -> Line:
    record = event.to_json()
    return Line(
        event.what,  # type: ignore[arg-type]  # leases are not events here
        _NO_ROW if event.row is None else event.row,
        event.id,
        event.label,
        event.source,
        event.by,
        event.at,
        number=event.number,
        of=(event.of or 0) if event.what == "undo" else None,
        extra={name: value for name, value in record.items() if name not in _OF_LINES},
    )


def event_of_line(line: Line) -> Event:
    """Return the event that a line holds."""
    record = {
        **line.extra,
        "number": line.number,
        "what": line.what,
        "row": None if line.row == _NO_ROW else line.row,
        "id": line.id,
        "label": line.label,
        "source": line.how,
        "by": line.by,
        "at": line.at,
        "of": line.of or None,
    }
    return Event.from_json(record)
