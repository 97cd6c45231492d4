"""Asks a person in the terminal: shows a row, and waits for one key."""

from __future__ import annotations

import shutil
import string
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import TYPE_CHECKING, Any, Literal

from rarebit.cli._keys import Keys

if TYPE_CHECKING:
    from rarebit.tables import Shown

_COMMANDS = "nsuqmc?"
KEYS = [key for key in "123456789" + string.ascii_lowercase if key not in _COMMANDS]
HELP = """\
1 2 3 …  the row is of the class beside the key
n        it is of a class that is not listed yet: type its name
c        type the name of a class instead of its key
s        skip the row: nobody can tell
u        undo the last answer, also of an earlier session
m        show all of a long row
q        quit; every answer is saved already, and the same command goes on"""
_MOST_FIELDS = 24
_MOST_LETTERS = 1500


@dataclass(frozen=True)
class Reply:
    """What the person did."""

    what: Literal["label", "skip", "undo", "quit"]
    label: str = ""


class Person:
    """A person at the terminal. Speaks on standard error, so that results can be redirected.

    Parameters
    ----------
    keys : Keys
        What they type.
    """

    def __init__(self, keys: Keys) -> None:
        from rich.console import Console

        self._keys = keys
        self._console = Console(stderr=True, highlight=False, markup=False)

    def ask(self, shown: Shown, heading: str, classes: Sequence[str]) -> Reply:
        """Show a row and return the answer to it.

        Parameters
        ----------
        shown : Shown
            The row.
        heading : str
            A line above it.
        classes : sequence of str
            Classes that have keys, in their order.

        Returns
        -------
        Reply
            The answer.
        """
        self._show(shown, heading, whole=False)
        keys = dict(zip(KEYS, classes, strict=False))
        self._show_keys(keys, len(classes))
        while True:
            key = self._keys.read()
            # Answers typed with the shift key mean the same.
            key = key.lower() if len(key) == 1 else key
            if key in keys:
                self.say(f"→ {printable(keys[key])}")
                return Reply("label", keys[key])
            if key in ("n", "c"):
                name = self._read_name()
                if name:
                    return Reply("label", name)
                self._show_keys(keys, len(classes))
            elif key == "s":
                self.say("→ skipped")
                return Reply("skip")
            elif key == "u":
                return Reply("undo")
            elif key in ("q", "\x04"):
                return Reply("quit")
            elif key == "m":
                self._show(shown, heading, whole=True)
                self._show_keys(keys, len(classes))
            elif key == "?":
                self.say(HELP)
            else:
                self.say("That key means nothing here; ? explains the keys.")

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, soft_wrap=True)

    def _read_name(self) -> str:
        name = " ".join(self._keys.line("Name of the class: ").split())
        if not name:
            self.say("No name was given.")
        return name

    def _show(self, shown: Shown, heading: str, *, whole: bool) -> None:
        from rich.rule import Rule
        from rich.table import Table
        from rich.text import Text

        from rarebit.cli._blocks import picture

        console = self._console
        console.print()
        console.print(Rule(Text(f"{heading} · {printable(shown.id)}"), align="left"))
        if shown.image is not None:
            lines = max(8, min(32, shutil.get_terminal_size().lines - 8))
            color = console.color_system is not None
            console.print(
                picture(shown.image, columns=min(64, console.width), lines=lines, color=color)
            )
        if shown.text is not None:
            console.print(Text(_cut(printable(shown.text), whole)))
        if shown.fields:
            grid = Table.grid(padding=(0, 2))
            most = len(shown.fields) if whole else _MOST_FIELDS
            for name, value in list(shown.fields.items())[:most]:
                cell = _cut(printable(short_value(value)), whole)
                grid.add_row(Text(printable(name), style="bold"), Text(cell))
            console.print(grid)
            if len(shown.fields) > most:
                self.say(f"… and {len(shown.fields) - most:,} columns more: m shows them")

    def _show_keys(self, keys: dict[str, str], n_classes: int) -> None:
        listed = "  ".join(f"[{key}] {printable(name)}" for key, name in keys.items())
        if n_classes > len(keys):
            listed += f"  … {n_classes - len(keys)} more: c"
        if listed:
            self.say(listed)
        self.say("[n] new class  [s] skip  [u] undo  [q] quit  [?] help")


def _cut(text: str, whole: bool) -> str:
    if whole or len(text) <= _MOST_LETTERS:
        return text
    left = len(text) - _MOST_LETTERS
    return f"{text[:_MOST_LETTERS]} … ({left:,} letters more: m shows them)"


def short_value(value: Any) -> str:
    """Return a cell as people write it: few digits, days without a time.

    Examples
    --------
    >>> from datetime import datetime
    >>> short_value(0.123456789), short_value(datetime(2026, 5, 26)), short_value(None)
    ('0.123457', '2026-05-26', 'missing')
    """
    if value is None:
        return "missing"
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def printable(value: object) -> str:
    """Return text that cannot steer the terminal: control characters become visible.

    Examples
    --------
    >>> printable("a\\x1b[2Jb")
    'a�[2Jb'
    """
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else "�" for letter in str(value)
    )
