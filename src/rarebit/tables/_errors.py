"""What is wrong with a file."""

from __future__ import annotations

from rarebit.exceptions import RarebitError


class TableError(RarebitError, ValueError):
    """A file cannot be used as a table; the message says what is wrong and what to do next."""

    def __init__(self, message: str) -> None:
        # Rows in memory are called "the frame", wherever in a sentence they stand.
        super().__init__(message[:1].upper() + message[1:] if message[:4] == "the " else message)


class RepeatedIdError(TableError):
    """A column of ids names two rows alike; the message says which and what to do next."""


class ColumnsMismatchError(TableError):
    """A file does not have the columns that are needed; the message names them."""
