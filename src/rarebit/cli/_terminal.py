"""Where a command speaks: results on standard output, all else on standard error."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import wrap
from typing import Any, Literal, TextIO

import click

from rarebit._text import visible, visible_json

# Nobody needs a bar for what is over at once.
PATIENCE = 0.5  # seconds
# What stands in the place of an empty cell: words may stand in cells themselves.
EMPTY = "(empty)"
# Letters of the bar of what nobody knows the end of, of its moving piece, and steps in a second.
_PULSE_WIDTH, _PULSE, _PULSE_SPEED = 24, 6, 12
# Steps from which a bar shows a share and no numbers.
_MANY = 1000
# Cells of a column of numbers; some may be empty.
_NUMBER = re.compile(r"(?:[-+−]?[\d.,]+(?:e[-+]?\d+)?\s*%?|nan|inf)?")


class Bar:
    """A bar that somebody may be watching.

    Parameters
    ----------
    what : str
        What takes the time.
    update : function or None
        Of the steps done and a new description; None where nobody watches.
    """

    def __init__(self, what: str, update: Callable[[int, str | None], None] | None = None) -> None:
        self._what, self._update = what, update
        self._said_at = self._cost = 0.0

    def __call__(self, steps: int) -> None:
        """Note steps done since the last call."""
        if self._update is not None:
            self._update(steps, None)

    def tell(self, say: Callable[[], str]) -> None:
        """Show how far it is, now and then: a twentieth of the time goes into it at most.

        Parameters
        ----------
        say : function
            Returns the words; it is not called where nobody watches.
        """
        now = time.monotonic()
        if self._update is None or now - self._said_at < max(PATIENCE, 20 * self._cost):
            return
        self._update(0, visible(f"{self._what}: {say()}"))
        self._said_at = time.monotonic()
        self._cost = self._said_at - now


class Pulse:
    """A short piece that goes to and fro, for what nobody knows the end of.

    Parameters
    ----------
    now : function, default=time.monotonic
        Returns the time in seconds.

    Examples
    --------
    >>> str(Pulse(lambda: 0.0)).strip("·"), len(str(Pulse()))
    ('━━━━━━', 24)
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now

    def __str__(self) -> str:
        way = _PULSE_WIDTH - _PULSE
        place = way - abs(int(_PULSE_SPEED * self._now()) % (2 * way) - way)
        return "·" * place + "━" * _PULSE + "·" * (way - place)

    def __format__(self, spec: str) -> str:
        return str(self)


class Terminal:
    """Results, notes and progress of one command.

    What is printed may quote names and cells of any file: control characters in it become visible
    here, ends of lines included, so that each call prints one line and steers nothing.

    Parameters
    ----------
    as_json : bool, default=False
        Whether the result is one JSON object; `say` and `table` then print nothing.
    quiet : bool, default=False
        Whether notes and progress are left out.

    Examples
    --------
    >>> terminal = Terminal(as_json=True)
    >>> terminal.say("for people")
    >>> terminal.result({"rows": 3})
    {"rows": 3}
    """

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self.as_json = as_json
        self.quiet = quiet
        self._notes = True

    def without_notes(self) -> Terminal:
        """Return a terminal that shows progress only, for a step that is repeated later."""
        other = Terminal(as_json=self.as_json, quiet=self.quiet)
        other._notes = False
        return other

    def say(self, text: str = "") -> None:
        """Print a line for people on standard output, broken between words in a terminal."""
        if not self.as_json:
            click.echo(_broken(visible(text), sys.stdout))

    def note(self, text: str) -> None:
        """Print a line for people on standard error, broken between words in a terminal."""
        if self._notes and not (self.quiet or self.as_json):
            click.echo(_broken(visible(text), sys.stderr), err=True)

    def result(self, value: Mapping[str, Any]) -> None:
        """Print the result for machines."""
        if self.as_json:
            click.echo(json_line(value))

    def table(
        self, headings: Sequence[str], rows: Sequence[Sequence[str]], *, width: int = 200
    ) -> None:
        """Print a table: the first column and words to the left, numbers to the right.

        Parameters
        ----------
        headings, rows : sequences of str
            What stands in it.
        width : int, default=200
            Letters of a line where nobody watches.
        """
        if self.as_json:
            return
        from rich import box
        from rich.console import Console
        from rich.table import Table

        drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for i, heading in enumerate(headings):
            words = not i or not all(_NUMBER.fullmatch(row[i]) for row in rows)
            side: Literal["left", "right"] = "left" if words else "right"
            drawn.add_column(_cell(heading), justify=side, no_wrap=not i)
        for row in rows:
            drawn.add_row(*map(_cell, row))
        # A pipe has no width of its own.
        letters = None if sys.stdout.isatty() else width
        Console(file=sys.stdout, width=letters, highlight=False, markup=False).print(drawn)

    @contextmanager
    def progress(self, what: str, total: int | None = None) -> Iterator[Bar]:
        """Show a bar on standard error if someone watches.

        Parameters
        ----------
        what : str
            What takes the time.
        total : int or None, default=None
            Steps to come; None where nobody knows.

        Yields
        ------
        Bar
            To be called with the steps done since the last call.
        """
        if self.quiet or self.as_json or not sys.stderr.isatty():
            yield Bar(what)
            return
        from rich.console import Console
        from rich.progress import Progress

        bar = Progress(*_bar_columns(total), console=Console(stderr=True), transient=True)
        task = bar.add_task(visible(what), total=total, pulse=Pulse())
        # The first step may take long: the bar must not wait for it.
        timer = threading.Timer(PATIENCE, bar.start)
        timer.daemon = True
        timer.start()
        try:
            yield Bar(what, lambda steps, said: bar.update(task, advance=steps, description=said))
        finally:
            timer.cancel()
            timer.join()
            bar.stop()


def _bar_columns(total: int | None) -> list[Any]:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    said = TextColumn("{task.description}", markup=False)
    # The bar of rich for an unknown end is as long as a full one.
    bar = BarColumn() if total is not None else TextColumn("{task.fields[pulse]}", style="cyan")
    columns: list[Any] = [said, bar]
    if total is not None:
        # Many are the rows of a file, whose number is a guess until all are read.
        columns.append(MofNCompleteColumn() if total < _MANY else TaskProgressColumn())
        columns.append(TimeRemainingColumn())
    return [*columns, TimeElapsedColumn()]


def json_line(value: Mapping[str, Any]) -> str:
    """Return a result as one line of JSON that is safe to show in a terminal."""
    return visible_json(json.dumps(_plain(value), ensure_ascii=False, allow_nan=False))


def _broken(text: str, stream: TextIO) -> str:
    """Return a line as lines that fit a terminal, which itself would break it within words."""
    width = shutil.get_terminal_size().columns
    if len(text) <= width or not stream.isatty():
        return text
    return "\n".join(wrap(text, width, break_long_words=False, break_on_hyphens=False))


def _cell(text: str) -> Any:
    from rich.text import Text

    return Text(visible(text))


def _plain(value: Any) -> Any:
    """Return what JSON has: numbers and labels of NumPy as Python's own, NaN as null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (str, int)) else str(value)
