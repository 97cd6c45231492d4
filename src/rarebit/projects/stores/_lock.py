"""A lock under which Ctrl-C waits: no transaction is left half-way by it."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Self


class StoreLock:
    """A reentrant lock; in the main thread it puts Ctrl-C off until it is let go.

    An interrupt within a statement leaves a connection in the middle of its transaction, and the
    view of a store without an answer that is on the disk. A second Ctrl-C does not wait, for those
    whose database does not answer. Programs with handlers of their own keep them.

    Examples
    --------
    >>> import signal
    >>> from rarebit.projects.stores._lock import StoreLock
    >>> lock, done = StoreLock(), []
    >>> try:
    ...     with lock:
    ...         signal.raise_signal(signal.SIGINT)
    ...         done.append("the transaction")
    ... except KeyboardInterrupt:
    ...     done.append("interrupted")
    >>> done
    ['the transaction', 'interrupted']
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._waits = False  # whether Ctrl-C waits for this lock
        self._depth = 0  # how often the main thread holds it
        self._interrupted = False

    def __enter__(self) -> Self:
        self._put_off()
        try:
            self._lock.acquire()
        except BaseException:
            self._let_through()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        if self._let_through():
            raise KeyboardInterrupt

    def _put_off(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        if not self._depth and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._interrupted = False
            self._waits = True
            signal.signal(signal.SIGINT, self._note)
        self._depth += 1

    def _let_through(self) -> bool:
        """Take Ctrl-C as before; True if there was one."""
        if threading.current_thread() is not threading.main_thread():
            return False
        self._depth -= 1
        if self._depth or not self._waits:
            return False
        self._waits = False
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return self._interrupted

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._interrupted:
            signal.default_int_handler(number, frame)
        self._interrupted = True
