"""The root of the errors that rarebit raises on purpose."""

from __future__ import annotations

import errno
from typing import Literal

__all__ = [
    "InUseError",
    "InputError",
    "InputTypeError",
    "Interface",
    "MissingFileError",
    "NoRoomError",
    "RarebitError",
]

# Where somebody reads a message: in Python, at the command line, or as the reply of a service.
Interface = Literal["python", "command", "service"]


class RarebitError(Exception):
    """Something that the caller can fix; the message says what is wrong and what to do next.

    Every error class of the package derives from it, and from `ValueError`, `TypeError` or
    `OSError` where scikit-learn or the standard library would raise these.

    Examples
    --------
    >>> import rarebit
    >>> from rarebit.tables import read_table
    >>> try:
    ...     read_table("payments.unknown")
    ... except (rarebit.RarebitError, OSError):
    ...     print("not a table")
    not a table
    """

    def message_for(self, interface: Interface) -> str:
        """Return the message with advice that can be followed where it is read.

        Parameters
        ----------
        interface : {"python", "command", "service"}
            Python, for which ``str`` of the error is; the command line; a service over HTTP.

        Returns
        -------
        str
            The message itself, unless the error has other advice there.
        """
        return str(self)


class InputError(RarebitError, ValueError):
    """A value that was given is not one of those allowed."""


class InputTypeError(RarebitError, TypeError):
    """What was given is of another type than those allowed."""


class MissingFileError(RarebitError, FileNotFoundError):
    """There is no file of a name that was given.

    Parameters
    ----------
    message : str
        What is missing and what to do.
    file : str, default=""
        The name; ``filename`` of the error.

    Examples
    --------
    >>> from rarebit.models import load_model
    >>> try:
    ...     load_model("nowhere.rarebit")
    ... except FileNotFoundError as error:
    ...     print(error)
    The model 'nowhere.rarebit' does not exist: check the path, or write one with save_model or
    rarebit fit.
    """

    def __init__(self, message: str, file: str = "") -> None:
        super().__init__(message)
        self.errno, self.filename = errno.ENOENT, file

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type[MissingFileError], tuple[str, str]]:
        return type(self), (str(self), str(self.filename))


class NoRoomError(RarebitError, OSError):
    """A disk is full; nothing half-written was left."""


class InUseError(RarebitError, RuntimeError):
    """An object of the engine was called while another thread is changing it.

    `BorderLearner` and `OnlineSVC` let one caller after the other in and never raise it; it meets
    those who call the engine's own objects, or call a learner back from its own observer.
    """
