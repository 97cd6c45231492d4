"""One writer per file: a lock that goes with the process, also when it is killed."""

from __future__ import annotations

import os
import sys


def lock_file(handle: int) -> bool:
    """Lock an open file for this process, without waiting.

    Parameters
    ----------
    handle : int
        File descriptor, open for writing; closing it unlocks.

    Returns
    -------
    bool
        False if another process has it.
    """
    if sys.platform == "win32":
        # Written from the documentation of msvcrt and never run: there is no Windows among the
        # machines that test rarebit. A lock there keeps other programs from reading what is
        # locked, so it takes one byte far behind the end.
        import msvcrt

        os.lseek(handle, 2**31 - 2, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
