"""What the command returns to the shell."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command ``rarebit``.

    Examples
    --------
    >>> from rarebit.cli import ExitCode
    >>> int(ExitCode.INTERRUPTED)
    130
    """

    OK = 0
    UNEXPECTED = 1
    """An error that is a bug here, or one that nobody foresaw."""
    USAGE = 2
    """An option or argument that does not exist or does not fit."""
    INPUT = 3
    """A file, a model or what they hold cannot be used."""
    OUTPUT = 4
    """A result could not be written: nothing half-written is left."""
    MISSING_PACKAGE = 5
    """A package that the command needs is not installed."""
    INTERRUPTED = 130
    """Ctrl-C, as shells count it: 128 + SIGINT."""
