"""The root of the errors that rarebit raises on purpose."""

from __future__ import annotations

__all__ = ["InUseError", "InputError", "InputTypeError", "NoRoomError", "RarebitError"]


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


class InputError(RarebitError, ValueError):
    """A value that was given is not one of those allowed."""


class InputTypeError(RarebitError, TypeError):
    """What was given is of another type than those allowed."""


class NoRoomError(RarebitError, OSError):
    """A disk is full; nothing half-written was left."""


class InUseError(RarebitError, RuntimeError):
    """An object of the engine was called while another thread is changing it.

    `BorderLearner` and `OnlineSVC` let one caller after the other in and never raise it; it meets
    those who call the engine's own objects, or call a learner back from its own observer.
    """
