"""A file that only grows: bytes are on the disk, in the file of that name, or an error is raised.

Between two writes the file may be deleted, replaced by an editor or a program that synchronises
folders, cut off or written by somebody else; the process may have been forked. A write that went
into a file that nobody will find again is not safe, so all of it is checked before and after.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from rarebit._journal.line import LabelFileError
from rarebit._journal.lock import lock_file
from rarebit._whole_files import sync_folder

# After these the file is as it was, and the next write may find room.
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class GrowingFile:
    """A locked file, opened to be read once and then appended to.

    Parameters
    ----------
    path : Path
        An ordinary file, or none yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._place = path.absolute()  # the working folder may change
        self._process = os.getpid()
        self._broken = ""
        # Whoever created the file may have been killed before its name was on the disk.
        self._name_is_safe = False
        # Neither truncates nor follows an earlier end: what is there is looked at first.
        binary = getattr(os, "O_BINARY", 0)  # Windows would write two bytes for the end of a line
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | binary, 0o666)
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise LabelFileError(
                    f"{path} is not an ordinary file: labels must stay where they are written; "
                    "give the name of a file."
                )
            if not lock_file(self._file):
                raise LabelFileError(
                    f"{path} is being written by another process: end that one first, or give "
                    "another file for these labels."
                )
            with open(self._file, "rb", closefd=False) as stream:
                self.content = stream.read()
        except BaseException:
            os.close(self._file)
            raise
        self._end = len(self.content)

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def cut(self, end: int) -> None:
        """Leave only so many bytes: what follows was never finished."""
        os.ftruncate(self._file, end)
        os.fsync(self._file)
        self._end = end

    def append(self, data: bytes) -> None:
        """Write at the end; the bytes are on the disk when this returns.

        Parameters
        ----------
        data : bytes
            Whole lines.
        """
        self._check(self._end)
        try:
            os.lseek(self._file, self._end, os.SEEK_SET)
            written = 0
            while written < len(data):
                written += os.write(self._file, data[written:])
            os.fsync(self._file)
            if not self._name_is_safe:
                sync_folder(self._place.parent)
                self._name_is_safe = True
        except BaseException as error:
            self._take_back(error)
            if isinstance(error, OSError):
                raise OSError(error.errno, error.strerror, str(self.path)) from error
            raise
        self._check(self._end + len(data))
        self._end += len(data)

    def _take_back(self, error: BaseException) -> None:
        """Remove what a failed write has left; whoever asked is told that it failed."""
        if isinstance(error, OSError) and error.errno not in _NO_ROOM:
            # A system may forget what it could not write, and report success the next time.
            self._broken = f"could not be written ({error.strerror})"
        os.ftruncate(self._file, self._end)

    def _check(self, size: int) -> None:
        if self._file < 0:
            raise LabelFileError(
                f"{self.path} has been closed, so the answer was not taken: open the labels again."
            )
        if os.getpid() != self._process:
            raise LabelFileError(
                f"{self.path} was opened by another process, of which this one is a copy, so the "
                "answer was not taken: open a file of labels in the process that writes to it."
            )
        self._broken = self._broken or self._what_happened(size)
        if self._broken:
            raise LabelFileError(
                f"{self.path} {self._broken} since it was opened, so the answer was not taken: "
                "put the file back as it was, or choose another, and start again."
            )

    def _what_happened(self, size: int) -> str:
        here = os.fstat(self._file)
        try:
            there = os.stat(self._place)
        except FileNotFoundError:
            return "was deleted or moved"
        # Windows does not let an open file be replaced, and numbers files in more than one way.
        if os.name != "nt" and not os.path.samestat(here, there):
            return "was replaced by another file"
        if here.st_size != size:
            return f"was {'cut off' if here.st_size < size else 'written'} by another program"
        return ""
