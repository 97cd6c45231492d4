"""Asks a person in the terminal: shows a row, and waits for one key."""

from __future__ import annotations

import re
import shutil
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rarebit._text import counted, visible
from rarebit.cli._keys import Keys
from rarebit.cli._misspelt import misspelt
from rarebit.cli._terminal import EMPTY

if TYPE_CHECKING:
    from rarebit.projects import Project
    from rarebit.tables import Shown

_COMMANDS = "nsuqmce?"
KEYS = [key for key in "123456789" + string.ascii_lowercase if key not in _COMMANDS]
HELP = """\
1 2 3 …  the row is of the class beside the key
n        it is of a class that is not listed yet: type its name
c        type the name of a class instead of its key; Esc leaves it
s        skip the row: nobody can tell
u        undo the last answer, also one given earlier
e        earlier answers: look at them, search, change one
m        show all of a long row
o        open the file of an image
q        quit; every answer is saved already, and the same command continues"""
_MOST_FIELDS = 24
_MOST_LETTERS = 1500


@dataclass(frozen=True)
class Reply:
    """What the person did."""

    what: Literal["label", "skip", "undo", "earlier", "quit"]
    label: str = ""


class TerminalAnnotator:
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
        keys = dict(zip(KEYS, classes, strict=False))
        lines = self._key_lines(keys, len(classes), shown)
        self._show(shown, heading, len(lines))
        self._show_keys(lines)
        while True:
            key = self._keys.read()
            # Answers typed with the shift key mean the same.
            key = key.lower() if len(key) == 1 else key
            if key in keys:
                self.say(f"→ {visible(keys[key])}")
                return Reply("label", keys[key])
            if key in ("n", "c"):
                name = self._read_name(classes)
                if name:
                    return Reply("label", name)
                self._show_keys(lines)
            elif key == "s":
                self.say("→ skipped")
                return Reply("skip")
            elif key == "u":
                return Reply("undo")
            elif key == "e":
                return Reply("earlier")
            elif key in ("q", "\x04"):
                return Reply("quit")
            elif key == "m":
                self._show(shown, heading, whole=True)
                self._show_keys(lines)
            elif key == "o" and shown.file is not None:
                from rarebit.cli._programs import open_file

                self.say(open_file(shown.file))
            elif key == "?":
                self.say(HELP)
            else:
                self.say("That key does nothing here; press ? for the list of keys.")

    def say(self, text: str) -> None:
        """Print some lines, broken between words in a terminal."""
        self._console.print(visible(text, lines=True), soft_wrap=not self._console.is_terminal)

    def say_entry(self, *parts: str) -> None:
        """Print the parts of an entry in one line, which the terminal does not break.

        What follows a part is always seen: each may take half of the room that those before leave.
        """
        room, line = self._console.width, ""
        for part in parts[:-1]:
            part = visible(part)
            most = max(2, (room - _width(line)) // 2 - 2)
            line += (part if _width(part) <= most else _shortened(part, most)) + "  "
        line += visible(parts[-1])
        self.say(line if _width(line) <= room else _shortened(line, room))

    @property
    def n_lines(self) -> int:
        """Lines that the terminal shows at once."""
        return shutil.get_terminal_size().lines

    @property
    def n_columns(self) -> int:
        """Letters that a line of the terminal has."""
        return shutil.get_terminal_size().columns

    def read_line(self, prompt: str) -> str | None:
        """Let the person type a line; None when they leave it with Esc."""
        return self._keys.line(prompt)

    def read_key(self) -> str:
        """Return the next key, in small letters."""
        return self._keys.read().lower()

    def show(self, shown: Shown, heading: str) -> None:
        """Show a row, as much of it as the terminal has room for."""
        self._show(shown, heading)

    def choose(self, classes: Sequence[str]) -> str:
        """Let the person name a class by its key or by typing it; empty when they leave."""
        keys = dict(zip(KEYS, classes, strict=False))
        entries = [*_listed(keys, len(classes)), "[n] another name", "[Esc] leave"]
        self._show_keys(self._packed(entries, "  "))
        while True:
            key = self.read_key()
            if key in keys:
                return keys[key]
            if key in ("n", "c"):
                return self._read_name(classes)
            if key in ("\x1b", "q", "\x04"):
                return ""

    def _read_name(self, classes: Sequence[str] = ()) -> str:
        name = " ".join((self._keys.line("Name of the class: ") or "").split())
        if not name:
            self.say("No name was given.")
            return ""
        meant = misspelt(name, classes)
        if meant is not None:
            there, own = f"{visible(meant)} exists already:", f"{visible(name)} a class of its own"
            self._show_keys(self._packed([there, "[y] use it", f"[n] make {own}", "[Esc] leave"]))
            while (key := self.read_key()) not in ("y", "n", "\r", "\n", "\x1b", "\x04"):
                pass
            name = {"n": name, "\x1b": "", "\x04": ""}.get(key, meant)
        if name:
            self.say(f"→ {visible(name)}")
        return name

    def _show(
        self, shown: Shown, heading: str, n_key_lines: int = 2, *, whole: bool = False
    ) -> None:
        from rich.rule import Rule
        from rich.table import Table
        from rich.text import Text

        from rarebit.cli._blocks import picture
        from rarebit.projects import short_value

        console = self._console
        *above, title = self._title(heading, shown)
        # Lines for the row, so that the heading stays in sight.
        room = max(5, min(32, self.n_lines - 5 - len(above) - n_key_lines))
        console.print()
        for line in above:
            self.say(line)
        console.print(Rule(Text(title), align="left"))
        if shown.image is not None:
            # Without colours, as NO_COLOR asks for, half blocks would be one solid rectangle.
            color = console.color_system is not None and not console.no_color
            console.print(
                picture(shown.image, columns=min(64, console.width), lines=room, color=color)
            )
        if shown.text is not None:
            fields = min(len(shown.fields), _MOST_FIELDS, room // 2)
            letters = console.width * max(3, room - fields - 1)
            console.print(Text(_cut(visible(shown.text, lines=True), whole, letters)))
        if shown.fields:
            grid = Table.grid(padding=(0, 2))
            most = len(shown.fields) if whole else max(3, min(_MOST_FIELDS, room - 1))
            if shown.text is not None and not whole:
                most = min(most, max(3, room // 2))
            most = len(shown.fields) if len(shown.fields) == most + 1 else most
            for name, value in list(shown.fields.items())[:most]:
                cell = _cut(visible(short_value(value), lines=True), whole, 2 * console.width)
                told = Text(EMPTY, style="dim") if value in (None, "") else Text(cell)
                grid.add_row(Text(visible(name), style="bold"), told)
            console.print(grid)
            if len(shown.fields) > most:
                self.say(f"… and {counted(len(shown.fields) - most, 'column')} more: m shows them")

    def _title(self, heading: str, shown: Shown) -> list[str]:
        """Return the lines above a row; the last one, which ends with its id, stands in a rule."""
        lines = self._packed(re.split(r"(?<=[,;]) ", visible(heading)), " ")
        title = f"{lines[-1]} · {visible(shown.id)}"
        if _width(title) <= self._console.width - 2:
            return [*lines[:-1], title]
        # The id is what people look for, so it is not what is cut off.
        return [*lines, visible(shown.id)]

    def _show_keys(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.say(line)

    def _key_lines(self, keys: dict[str, str], n_classes: int, shown: Shown) -> list[str]:
        listed = _listed(keys, n_classes)
        opens = () if shown.file is None else ("[o] open the file",)
        commands = self._packed([*_KEYS_SHOWN[:4], *opens, *_KEYS_SHOWN[4:]], "  ")
        return [*(self._packed(listed, "  ") if listed else []), *commands]

    def _packed(self, entries: Sequence[str], between: str = "  ") -> list[str]:
        """Put entries into lines that fit the terminal, so that none is broken in two."""
        width = self._console.width
        lines: list[str] = []
        for entry in entries:
            short = entry if _width(entry) <= width else _shortened(entry, width)
            if lines and _width(lines[-1] + between + short) <= width:
                lines[-1] += between + short
            else:
                lines.append(short)
        return lines


_KEYS_SHOWN = ("[n] new class", "[s] skip", "[u] undo", "[e] earlier", "[q] quit", "[?] help")


def ask_annotator(project: Project, keys: Keys) -> None:
    """Ask until the project has no question or the person quits."""
    from rarebit.cli._earlier import change_earlier
    from rarebit.projects import advise, expected_classes, heading_line

    person = TerminalAnnotator(keys)
    expected = expected_classes(project.settings)
    classes = list(expected)
    advised = False
    while (question := project.question()) is not None:
        status = project.status()
        # A hunt has no further question when it has learned enough; an explorer goes further.
        if status.stop_reasons and not advised:
            person.say(f"\n{advise(status)}")
        advised = bool(status.stop_reasons)
        # A class without any answer left, by undo or correction, has no key unless it is expected.
        there = [str(found.name) for found in status.classes]
        classes = [name for name in classes if name in there or name in expected]
        classes += [name for name in there if name not in classes]
        heading = heading_line(status, "--recall 0.9")
        reply = person.ask(project.show(question.row), heading, classes)
        if reply.what == "label":
            project.answer(question.row, reply.label)
        elif reply.what == "skip":
            project.skip(question.row)
        elif reply.what == "undo":
            taken = project.undo()
            person.say("→ undone" if taken is not None else "There is nothing to undo.")
        elif reply.what == "earlier":
            change_earlier(project, person, classes)
        else:
            break


def _listed(keys: dict[str, str], n_classes: int) -> list[str]:
    listed = [f"[{key}] {visible(name)}" for key, name in keys.items()]
    return [*listed, f"… {n_classes - len(keys)} more: c"] if n_classes > len(keys) else listed


def _width(text: str) -> int:
    """Return the columns of the terminal that a text takes: Chinese letters take two."""
    from rich.cells import cell_len

    return cell_len(text)


def _shortened(text: str, width: int) -> str:
    from rich.cells import set_cell_size

    return f"{set_cell_size(text, width - 1)}…"


def _cut(text: str, whole: bool, most: int = _MOST_LETTERS) -> str:
    if whole or len(text) <= most:
        return text
    return f"{text[:most]} … ({counted(len(text) - most, 'letter')} more: m shows them)"
