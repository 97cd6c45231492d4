"""What a label file holds: answers, and what may be an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from rarebit.exceptions import RarebitError

What = Literal[
    "label", "skip", "correction", "undo", "note", "ask", "repeat", "certify", "settings", "rows"
]  # fmt: skip
# An undo takes back one of these; lines of other kinds leave the labels as they are.
ANSWERS = ("label", "skip", "correction")
OLD_KINDS = ("label", "skip", "undo")  # of version 1
KINDS: tuple[str, ...] = get_args(What)
NO_ROW = -1


class LabelFileError(RarebitError, ValueError):
    """A file of labels cannot be used; the message says why and what to do."""


class OtherLabelsError(LabelFileError):
    """A file holds labels of other data than those at hand."""


class LabelError(RarebitError, ValueError):
    """An answer names no class, such as NaN."""


@dataclass(frozen=True)
class Line:
    """One line: an answer, or what a project keeps beside them.

    Attributes
    ----------
    what : {"label", "skip", "correction", "undo", "note", "ask", "repeat", "certify", "settings", \
"rows"}
        Kind of the line; an undo names the row whose answer it takes back. Those after it are
        written by projects only.
    row : int
        Position of the row in the data; -1 for lines about no row.
    id : str or int
        Its id there.
    label : str, int, float, bool or None
        The class, for a label.
    how : str
        Who answered: ``"person"``, ``"oracle"`` or anything else.
    by : str
        What asked, so that it can tell its own questions from others'.
    at : str
        When, in UTC.
    number : int
        Number of the answer in its file, from 1.
    of : int or None
        For an undo: number of the answer that it takes back; 0 where there is none.
    extra : mapping
        Further fields of the line, kept as they are.
    """

    what: What
    row: int
    id: Any
    label: Any = None
    how: str = ""
    by: str = ""
    at: str = ""
    number: int = 0
    of: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)


def as_plain(value: Any) -> Any:
    """Return a scalar of NumPy as Python's own; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def check_label(label: Any) -> None:
    """Refuse what names no class: every asker would refuse it, when it is too late.

    Parameters
    ----------
    label : object
        An answer.

    Examples
    --------
    >>> check_label("fraud")
    >>> check_label(float("nan"))
    Traceback (most recent call last):
        ...
    rarebit._journal.line.LabelError: A label must name a class, got nan: skip a row without label.
    """
    if label is None or not isinstance(label, str | int | float):
        raise TypeError(
            f"A label must be text or a number, got {label!r}: name the class by one of these."
        )
    if label != label:
        raise LabelError(f"A label must name a class, got {label!r}: skip a row without label.")


def why_refused(event: Line) -> str:
    """Say why an answer of a file cannot be learned; empty where it can."""
    if event.what not in ("label", "correction"):
        return ""
    try:
        check_label(event.label)
    except (TypeError, ValueError) as error:
        return str(error)
    return ""
