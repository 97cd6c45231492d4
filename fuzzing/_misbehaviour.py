"""Judges that behave as badly as code can, to see that the fuzzer notices."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from fuzzing._bounded import Refused


def passes(path: Path) -> str:
    """Do nothing wrong."""
    return path.name


def refuses(path: Path) -> str:
    """Refuse the input in a sentence."""
    raise Refused(f"{path.name} is not allowed; give another.")


def stumbles(path: Path) -> str:
    """Raise what nobody foresaw."""
    raise KeyError(path.name)


def aborts(path: Path) -> str:
    """End the process as an assertion of C does."""
    os.abort()


def leaves(path: Path) -> str:
    """End the process quietly."""
    os._exit(3)


def exits(path: Path) -> str:
    """Raise what is no error."""
    sys.exit(0)


def hangs(path: Path) -> str:
    """Never end."""
    while True:
        pass


def hoards(path: Path) -> str:
    """Take more memory than is allowed."""
    taken = []
    while True:
        taken.append(bytearray(b"x" * (64 << 20)))
