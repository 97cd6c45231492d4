"""Names of classes that are probably known ones, misspelt."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

_CLOSE = 0.8  # similarity from which on a new class may be an old one misspelt


def misspelt(name: str, known: Sequence[str]) -> str | None:
    """Return the class that a name is probably meant to be, None if it is one or a new one.

    Names that differ by what stands before them, or in a number, are different classes.

    Parameters
    ----------
    name : str
        As somebody wrote it.
    known : sequence of str
        Classes so far.

    Returns
    -------
    str or None
        One of them.

    Examples
    --------
    >>> misspelt("relevan", ["irrelevant", "relevant"])
    'relevant'
    >>> misspelt("irrelevant", ["relevant"]), misspelt("type 2", ["type 1"])
    (None, None)
    """
    if name in known:
        return None
    own = name.casefold()
    others = {
        each.casefold(): each
        for each in known
        if own == each.casefold()
        or not (
            own.endswith(each.casefold())
            or each.casefold().endswith(own)
            or _digits(own) != _digits(each)
        )
    }
    near = get_close_matches(own, others, n=1, cutoff=_CLOSE)
    return others[near[0]] if near else None


def _digits(name: str) -> str:
    return "".join(letter for letter in name if letter.isdigit())
