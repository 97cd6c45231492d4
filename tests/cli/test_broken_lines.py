"""Lines that are longer than the terminal are broken between words, keys beside what they do."""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console
from rich.progress import Progress

from rarebit.cli import _annotator
from rarebit.cli._terminal import Pulse, Terminal, _bar_columns

SENTENCE = "The class 'irrelevant' has 12 rows, and 'relevant' has 3 rows of 1,544 so far. " * 3


def make_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is captured be a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)


class Typed:
    """Somebody who types a name, and then a key."""

    def line(self, prompt: str) -> str:
        return "irrelevan-and-quite-long-a-name-of-it"

    def read(self) -> str:
        return "y"


def test_sentences_are_broken_between_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_narrow(monkeypatch)
    Terminal().say(SENTENCE)
    Terminal().note(SENTENCE)
    _annotator.TerminalAnnotator(Typed()).say(SENTENCE)  # type: ignore[arg-type]
    told = capsys.readouterr()
    for text, times in ((told.out, 1), (told.err, 2)):
        assert max(len(line) for line in text.splitlines()) <= 80, text
        assert text.split() == SENTENCE.split() * times


def test_a_pipe_has_no_width(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().say(SENTENCE)
    assert capsys.readouterr().out == f"{SENTENCE}\n"


def test_a_key_stands_beside_what_it_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_narrow(monkeypatch)
    person = _annotator.TerminalAnnotator(Typed())  # type: ignore[arg-type]
    known = "irrelevant-and-quite-long-a-name-of-it"
    assert person._read_name([known]) == known
    lines = capsys.readouterr().err.splitlines()
    assert any("[Esc] leave" in line for line in lines)
    assert all(len(line) <= 80 for line in lines)


def test_a_bar_shows_a_guessed_number_of_rows_as_a_share() -> None:
    def drawn(total: int) -> str:
        console = Console(width=100, file=io.StringIO(), force_terminal=True)
        bar = Progress(*_bar_columns(total), console=console)
        bar.update(bar.add_task("reading a.csv", total=total), advance=total // 4)
        with console.capture() as caught:
            console.print(bar.get_renderable())
        return caught.get()

    assert "25%" in drawn(5_250_430)
    assert "5250430" not in drawn(5_250_430)
    assert "2/8" in drawn(8)


@pytest.mark.parametrize("seconds", [0.0, 0.7, 1.5, 2.9, 1000.3])
def test_a_bar_without_a_known_end_does_not_look_full(seconds: float) -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100, color_system=None)
    bar = Progress(*_bar_columns(None), console=console)
    bar.add_task("Making features", total=None, pulse=Pulse(lambda: seconds))
    console.print(bar.get_renderable())
    told = written.getvalue()
    assert told.count("━") == 6
    assert told.count("·") == 18
    assert "Making features" in told
    assert len({str(Pulse(lambda j=j: seconds + j / 10)) for j in range(20)}) > 10  # type: ignore[misc]
