"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> from rarebit.projects import counted
    >>> counted(1, "label"), counted(1200, "class", "classes")
    ('1 label', '1,200 classes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
