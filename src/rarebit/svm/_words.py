"""What to say where rows hold words instead of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_SIGNS = ("could not convert string", "Cannot cast", "must be a string or a")


@contextmanager
def words_explained() -> Iterator[None]:
    """Add to an error on strings in rows what turns them into numbers.

    Examples
    --------
    >>> with words_explained():  # doctest: +ELLIPSIS
    ...     float("SE")
    Traceback (most recent call last):
    ...
    ValueError: could not convert string to float: 'SE'; columns of words and dates become ...
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        said = str(error)
        if not any(sign in said for sign in _SIGNS):
            raise
        raise type(error)(
            f"{said.rstrip('.')}; columns of words and dates become numbers by "
            "rarebit.tables.TableEncoder, first in a pipeline or by its fit_transform."
        ) from error
