"""Messages between two processes over pipes, and the child process at the other end."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pickle
import struct
import subprocess
import sys
import threading
import time
from typing import IO, Any

_SIZE = struct.Struct("<Q")
SPARE_SECONDS = 60.0  # after which a process that nobody needs ends by itself
_MARGIN = 10.0  # seconds: one that is about to end is not given out
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from rarebit.projects._learning import main; main()"
)


class Channel:
    """Pickled messages over two pipes, between processes that trust each other.

    Parameters
    ----------
    reading, writing : binary file
        Ends of the pipes.
    """

    def __init__(self, reading: IO[bytes], writing: IO[bytes]) -> None:
        self._reading, self._writing = reading, writing
        self._lock = threading.Lock()

    def send(self, *message: Any) -> None:
        """Send a message; OSError or ValueError if nobody is there."""
        frame = pickle.dumps(message, protocol=5)
        with self._lock:
            self._writing.write(_SIZE.pack(len(frame)))
            self._writing.write(frame)
            self._writing.flush()

    def receive(self) -> tuple[Any, ...] | None:
        """Return the next message; None when the other process has ended."""
        try:
            head = self._reading.read(_SIZE.size)
            if len(head) < _SIZE.size:
                return None
            (size,) = _SIZE.unpack(head)
            frame = self._reading.read(size)
        except (OSError, ValueError):
            return None
        if len(frame) < size:
            return None
        message: tuple[Any, ...] = pickle.loads(frame)
        return message


class Child:
    """A process that runs `rarebit.projects._learning.main`, and the channel to it.

    It is a program of its own, so that a caller's script is never imported a second time, and it
    ends when this process does, however that happens: its pipe is closed then.
    """

    def __init__(self) -> None:
        # Modules are found where this process finds them, and not in the current folder.
        command = [sys.executable, "-P", "-c", _PROGRAM, json.dumps(sys.path)]
        # Ctrl-C in the terminal is for this process, which ends the other one in good order.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            start_new_session=os.name == "posix",
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.channel = Channel(self._process.stdout, self._process.stdin)
        self._owner = os.getpid()
        _living.add(self)

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    @classmethod
    def take(cls) -> Child:
        """Return a process that waits for work, or start one."""
        with _spares_lock:
            while _spares:
                child, until = _spares.pop()
                if time.monotonic() < until and child._process.poll() is None:
                    return child
                child.end()
        return cls()

    def rest(self) -> None:
        """Let the process wait for other work; without any it ends after a minute."""
        with _spares_lock:
            if not _spares:
                _spares.append((self, time.monotonic() + SPARE_SECONDS - _MARGIN))
                return
        self.end()

    def end(self, seconds: float = 0.0) -> int:
        """Wait for the end of the process for so long, then end it; return its exit code."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        _living.discard(self)
        return self._process.returncode


_spares: list[tuple[Child, float]] = []
_spares_lock = threading.Lock()
_living: set[Child] = set()  # those that nobody has ended yet


@atexit.register
def _end_all() -> None:
    """End what is left: a process that still imports would notice its closed pipe only later."""
    with _spares_lock:
        _spares.clear()
    for child in list(_living):
        if child._owner == os.getpid() and child._process.poll() is None:  # not of a fork's parent
            child._process.kill()
            child._process.wait()


def warm_up() -> None:
    """Start a process ahead of the work for it: what it imports takes as long as reading data."""
    Child().rest()


def parent_channel() -> Channel:
    """Return the channel to the process that started this one.

    Whatever this process prints goes to the terminal and not into the channel.
    """
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return Channel(reading, writing)
