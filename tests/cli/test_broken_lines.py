"""Lines that are longer than the terminal are broken between words, keys beside what they do."""

from __future__ import annotations

import sys

import pytest

from rarebit.cli import _annotator
from rarebit.cli._terminal import Terminal

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
