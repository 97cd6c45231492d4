"""Keys as they are typed, without losing those typed ahead."""

from __future__ import annotations

import codecs
import os
import shutil
import sys
import textwrap
from types import TracebackType
from typing import Any, Self

import click

_LEAST_ROOM = 10  # letters of a line being typed that are seen at least


class Keys:
    """Reads single keys from the terminal while it is entered.

    The terminal stays in one mode between keys: what a quick person types while the next row is
    being found waits its turn, and is not thrown away as `click.getchar` does. Ctrl-C interrupts.
    """

    def __init__(self) -> None:
        self._saved: list[Any] | None = None
        self._ahead = b""  # read, and still to be taken

    def __enter__(self) -> Self:
        try:
            import termios
        except ImportError:  # Windows
            return self
        self._file = sys.stdin.fileno()
        self._saved = termios.tcgetattr(self._file)
        self._listen()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._restore()

    def read(self) -> str:
        """Return the next key; arrows and the like as their whole sequence."""
        if self._saved is None:
            return click.getchar()
        self._listen()  # a shell may have changed the mode while the program was suspended
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        key = ""
        while not key:
            byte, self._ahead = self._ahead[:1], self._ahead[1:]
            if not byte:
                self._wait()
                byte = os.read(self._file, 1)
            if not byte:
                return "\x04"  # the terminal is gone
            key = decoder.decode(byte)
        if key == "\x1b":
            key += self._rest_of_sequence()
        return key

    def line(self, prompt: str) -> str | None:
        """Let the person type a line; None when they leave it with Esc.

        Backspace takes back a letter, Ctrl-W a word, Ctrl-U all; arrows do nothing.
        """
        columns = shutil.get_terminal_size().columns
        if self._saved is not None and len(prompt) > columns - _LEAST_ROOM - 2:
            # A line that the terminal breaks cannot be written again in its place.
            print(textwrap.fill(prompt.strip(), max(columns - 1, 1)), file=sys.stderr)
            prompt = "> "
        print(prompt, end="", file=sys.stderr, flush=True)
        if self._saved is None:
            return sys.stdin.readline().rstrip("\n")
        text = ""
        while True:
            key = self.read()
            if key in ("\r", "\n", "\x04"):
                break
            if key == "\x1b" or (key[0] == "\x1b" and key[1] not in "[O"):
                # What was typed ahead after Esc looks like one key with Alt, and is none.
                self._ahead = key[1:].encode("latin-1") + self._ahead
                self._show(prompt, text, end="\n")
                return None
            if key in ("\x7f", "\b"):
                text = text[:-1]
            elif key == "\x15":
                text = ""
            elif key == "\x17":
                text = text.rstrip().rpartition(" ")[0]
            elif len(key) == 1 and key.isprintable():
                text += key
            elif key == "\t":
                text += " "
            self._show(prompt, text)
        self._show(prompt, text, end="\n")
        return text

    def _show(self, prompt: str, text: str, end: str = "") -> None:
        """Write a line that is being typed again in its place; a long one shows its end."""
        room = max(_LEAST_ROOM, shutil.get_terminal_size().columns - len(prompt) - 2)
        shown = text if len(text) <= room else "…" + text[1 - room :]
        print(f"\r\x1b[K{prompt}{shown}", end=end, file=sys.stderr, flush=True)

    def _wait(self) -> None:
        """Wait for something to read.

        Libraries such as polars take Ctrl-C in a way that lets a blocked read continue; a wait
        ends.
        """
        import select

        select.select([self._file], [], [])

    def _rest_of_sequence(self) -> str:
        import select

        rest = ""
        while select.select([self._file], [], [], 0.01)[0]:
            rest += os.read(self._file, 1).decode("latin-1")
            if rest[-1].isalpha() or rest[-1] == "~":
                break
        return rest

    def _listen(self) -> None:
        import termios
        import tty

        tty.setcbreak(self._file, termios.TCSADRAIN)

    def _restore(self) -> None:
        if self._saved is not None:
            import termios

            termios.tcsetattr(self._file, termios.TCSADRAIN, self._saved)
