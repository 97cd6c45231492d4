"""The status of an asker as data, and the one place where it becomes sentences."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class FoundClass:
    """A class that was found.

    Attributes
    ----------
    name : object
        The class as it was told.
    n_labels : int
        Number of its labels.
    first_label : int
        Number of labels spent when it was first seen; 0 when it was known from the start.
    """

    name: Any
    n_labels: int
    first_label: int


@dataclass(frozen=True)
class Status:
    """What an asker knows, what it does next, and why.

    ``str`` turns it into sentences.

    Attributes
    ----------
    asker : str
        Name of the class of the asker.
    n_rows : int
        Number of rows of the pool.
    n_labels : int
        Number of labels known.
    n_given : int
        Number of them that were known from the start.
    n_pending : int
        Number of rows that wait for an answer.
    n_skipped : int
        Number of rows left out.
    classes : tuple of FoundClass
        Classes found, in the order found.
    phase : str
        ``"explore"`` while classes are sought, ``"border"`` while the border between them is
        learned, ``"both"`` for both in turn, ``"harvest"`` while the rare rows are collected,
        ``"prove"`` while a recall is proved, ``"certify"`` while a frozen classifier is judged,
        ``"done"`` when there is nothing left to ask.
    activity : str
        What the next question is for, in a sentence without its full stop.
    done : bool
        Whether there is nothing left to ask.
    reasons : dict of str to str
        Why asking is over, in sentences by name; empty while it is not.

    Examples
    --------
    >>> from rarebit import RandomExplorer
    >>> status = RandomExplorer(random_state=0).start([[0.0], [1.0], [2.0]], {1: "a"}).status()
    >>> status.n_labels, status.phase, status.to_dict()["classes"]
    (1, 'explore', [{'name': 'a', 'n_labels': 1, 'first_label': 0}])
    >>> print(status)
    0 labels told of 3 rows, 1 known from the start; 1 class found: 'a' (given). Rows are drawn at
    random.
    """

    asker: str
    n_rows: int
    n_labels: int
    n_given: int = 0
    n_pending: int = 0
    n_skipped: int = 0
    classes: tuple[FoundClass, ...] = ()
    phase: str = "explore"
    activity: str = ""
    done: bool = False
    reasons: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that can be written as JSON when the labels can.

        Returns
        -------
        dict
            The attributes by name; ``classes`` is a list of dicts.
        """
        return {**asdict(self), "classes": [asdict(found) for found in self.classes]}

    def __str__(self) -> str:
        counts = [f"{counted(self.n_labels - self.n_given, 'label')} told of "
                  f"{counted(self.n_rows, 'row')}"]  # fmt: skip
        if self.n_given:
            counts.append(f"{self.n_given:,} known from the start")
        if self.n_pending:
            counts.append(f"{self.n_pending:,} waiting for an answer")
        if self.n_skipped:
            counts.append(f"{self.n_skipped:,} skipped")
        found = ", ".join(
            f"{one.name!r} ({f'label {one.first_label:,}' if one.first_label else 'given'})"
            for one in self.classes
        )
        classes = f"{counted(len(self.classes), 'class', 'classes')} found"
        said = [f"{', '.join(counts)}; {classes}{': ' if found else ''}{found}."]
        if self.activity:
            said.append(f"{self.activity}.")
        return " ".join([*said, *self.reasons.values()])


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun in the right form."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
