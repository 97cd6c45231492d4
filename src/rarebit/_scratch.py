"""Temporary files that vanish with the process, however it ends."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

# Open files by number: with it a file needs no name of its own to be opened a second time.
_OPEN_FILES = Path("/proc/self/fd")
_NAMED = re.compile(r"rarebit-(?P<process>\d+)-\w+\.tmp")


class ScratchFile:
    """A temporary file that is written once and then read by its path.

    On Linux it has no name in any folder, so that nothing is left even after ``kill -9``.
    Elsewhere its name holds the number of the process: it is removed with this object or at exit,
    and what a killed process left is removed when the next one makes a file.

    Attributes
    ----------
    stream : binary file
        Where to write.
    path : Path
        Where to read, as long as this object lives.

    Examples
    --------
    >>> scratch = ScratchFile()
    >>> _ = scratch.stream.write(b"a,b")
    >>> scratch.stream.flush()
    >>> scratch.path.read_bytes()
    b'a,b'
    """

    def __init__(self) -> None:
        self.stream: IO[bytes]
        if _OPEN_FILES.is_dir():
            self.stream = tempfile.TemporaryFile(prefix="rarebit-")  # noqa: SIM115
            self.path = _OPEN_FILES / str(self.stream.fileno())
            weakref.finalize(self, self.stream.close)
            return
        remove_leftovers()
        handle, name = tempfile.mkstemp(prefix=f"rarebit-{os.getpid()}-", suffix=".tmp")
        self.stream = os.fdopen(handle, "w+b")
        self.path = Path(name)
        weakref.finalize(self, _remove, self.stream, self.path)


class NamedScratch:
    """A temporary file with a name of one's choice, for readers that go by its ending.

    On Linux the name is a link to a `ScratchFile`: after ``kill -9`` the content is gone, and the
    next process that makes one removes the empty folder. Elsewhere content and folder stay until
    then.

    Parameters
    ----------
    name : str
        Of the file, with its ending.

    Attributes
    ----------
    stream : binary file
        Where to write.
    path : Path
        Where to read, as long as this object lives.

    Examples
    --------
    >>> scratch = NamedScratch("rows.csv")
    >>> _ = scratch.stream.write(b"a,b")
    >>> scratch.stream.flush()
    >>> scratch.path.name, scratch.path.read_bytes()
    ('rows.csv', b'a,b')
    """

    def __init__(self, name: str) -> None:
        remove_leftovers()
        prefix = f"rarebit-{os.getpid()}-"
        self._folder = tempfile.TemporaryDirectory(prefix=prefix, suffix=".tmp")
        self.path = Path(self._folder.name) / name
        self._content: ScratchFile | None = None
        if _OPEN_FILES.is_dir():
            self._content = ScratchFile()
            self.stream: IO[bytes] = self._content.stream
            # By number, so that child processes find it as well.
            self.path.symlink_to(f"/proc/{os.getpid()}/fd/{self.stream.fileno()}")
        else:
            self.stream = self.path.open("wb")
            weakref.finalize(self, self.stream.close)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give an empty folder; what a killed process left is removed when the next one makes one."""
    remove_leftovers()
    with tempfile.TemporaryDirectory(prefix=f"rarebit-{os.getpid()}-", suffix=".tmp") as name:
        yield Path(name)


def remove_leftovers() -> None:
    """Remove named temporary files and folders of processes that are no more."""
    folder = Path(tempfile.gettempdir())
    for file in folder.glob("rarebit-*-*.tmp"):
        found = _NAMED.fullmatch(file.name)
        if found and not _is_alive(int(found["process"])):
            _try_to_remove(file)


def _is_alive(process: int) -> bool:
    # Windows does not remove a file that is open, so that trying is the test there; signal 0
    # would end the process.
    if sys.platform == "win32":
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # another user's
    return True


def _remove(stream: IO[bytes], path: Path) -> None:
    stream.close()
    _try_to_remove(path)


def _try_to_remove(path: Path) -> None:
    try:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError:
        return  # open, or another user's
