"""The error of every store."""

from __future__ import annotations

from rarebit.exceptions import NoRoomError, RarebitError


class StoreError(RarebitError, ValueError):
    """A store of labels cannot be opened, read or written; the message says what to do next."""


class StoreConflictError(StoreError):
    """A request that contradicts what is stored: a key of another request, an old version."""


class OtherDataError(StoreError):
    """A store holds labels of other data than those at hand."""


class StoreFullError(StoreError, NoRoomError):
    """The disk of a store is full; the answer was not stored."""
