"""Entries of a BibTeX file, also of one whose braces do not match."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

_START = re.compile(r"@\s*(\w+)\s*\{")
# An entry that begins a line: what an entry with unmatched braces cannot contain.
_NEXT = re.compile(r"(?m)^[ \t]*@\s*\w+\s*\{\s*[^,\s{}=]+\s*,")
_HEAD = re.compile(r"@\s*(\w+)\s*\{\s*+([^,\s{}]*)\s*,")
# Blanks are taken whole (*+): a file that is all blanks must not be tried in every division.
_NAME = re.compile(r"\s*+,?\s*+(\w[\w-]*)\s*=\s*")
_FIELD = r"^[ \t]*+,?[ \t]*+(\w[\w-]*)[ \t]*=[ \t]*"
_REST = re.compile(rf"(?m){_FIELD}[{{\"\w]")
_LINE = re.compile(rf"(?ms){_FIELD}(.*?)(?={_FIELD}|\Z)")
_BRACES = re.compile(r"[{}]")
_NOT_PAPERS = ("comment", "string", "preamble")
# Marks of LaTeX over or under a letter, as combining characters.
_MARKS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
    "r": "\u030a",
}  # fmt: skip
_ACCENT = re.compile(
    r"\\(?:([\"'`^~=.])\s*+|([uvHckr])(?:\s++|(?=\{)))\{?\s*+(\\[ij](?![A-Za-z])|[A-Za-z])\s*\}?"
)
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å",
    "AA": "Å", "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ",
}  # fmt: skip
_LETTER = re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|[oOlLij])(?![A-Za-z])\s*")
_ESCAPED = re.compile(r"\\([%&$#_])")


class Entry(NamedTuple):
    """One entry as the file has it, and whether its braces match."""

    piece: str
    whole: bool


def split_bibtex(text: str) -> list[Entry]:
    """Cut entries at their braces; what stands between them is a comment.

    An entry whose braces do not match ends where the next one begins a line.
    """
    entries = []
    place = 0
    closed = _closed(text)
    after = _NEXT.search(text)
    while (start := _START.search(text, place)) is not None:
        end = closed.get(start.end() - 1)
        if after is not None and after.start() < start.end():
            after = _NEXT.search(text, start.end())
        limit = len(text) if after is None else after.start()
        is_paper = start[1].lower() not in _NOT_PAPERS
        whole = end is not None and (end <= limit or not is_paper)
        if whole and is_paper and end is not None:
            other = _START.search(text, end)
            gap = text[end : len(text) if other is None else other.start()]
            whole = _REST.search(gap) is None  # With a brace too many, more fields follow.
        place = end if whole and end is not None else limit
        entries.append(Entry(text[start.start() : place].rstrip(), whole))
    macros = _macros(entries)
    return [Entry(_resolved(each.piece, macros), each.whole) for each in entries]


def read_bibtex(entry: Entry) -> dict[str, str]:
    """Return the fields of an entry by name, with ``type`` and ``key``; none of a comment."""
    head = _HEAD.match(entry.piece)
    if head is None or head[1].lower() in _NOT_PAPERS:
        return {}
    found: dict[str, str] = {}
    if entry.whole:
        place = head.end()
        while (name := _NAME.match(entry.piece, place)) is not None:
            value, place = _value(entry.piece, name.end(), {})
            found.setdefault(name[1].lower(), value)
    else:
        for line in _LINE.finditer(entry.piece, head.end()):
            found.setdefault(line[1].lower(), line[2].strip().strip('",'))
    found = {name: plain_text(value) for name, value in found.items()}
    own = {"type": head[1].lower()} | ({"key": head[2]} if head[2] else {})
    return {name: value for name, value in found.items() if value and name not in own} | own


def plain_text(value: str) -> str:
    r"""Return a value without the braces, accents and escapes of LaTeX.

    Examples
    --------
    >>> from rarebit.tables._bibtex import plain_text
    >>> plain_text(r"G{\"o}del \& {\O}re, 5\% of {DNA}")
    'Gödel & Øre, 5% of DNA'
    """
    if "\\" in value:
        value = _ACCENT.sub(_accented, value)
        value = _LETTER.sub(lambda found: _LETTERS[found[1]], value)
        value = _ESCAPED.sub(r"\1", value)
    return " ".join(_BRACES.sub("", value).split())


def _accented(found: re.Match[str]) -> str:
    letter = found[3].lstrip("\\")
    return unicodedata.normalize("NFC", letter + _MARKS[found[1] or found[2]])


def _closed(text: str) -> dict[int, int]:
    """Return where each brace that is closed is closed, behind it."""
    opened: list[int] = []
    found: dict[int, int] = {}
    for brace in _BRACES.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            found[opened.pop()] = brace.end()
    return found


def _closing(text: str, opened: int) -> int | None:
    """Return where the brace at ``opened`` is closed, behind it; None if it is not."""
    depth = 0
    for brace in _BRACES.finditer(text, opened):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    return None


def _macros(entries: list[Entry]) -> dict[str, str]:
    """Values that ``@string`` gives to names."""
    found: dict[str, str] = {}
    for piece, _ in entries:
        head = _START.match(piece)
        if head is not None and head[1].lower() == "string":
            name = _NAME.match(piece, head.end())
            if name is not None:
                found[name[1].lower()] = _value(piece, name.end(), found)[0]
    return found


def _resolved(piece: str, macros: Mapping[str, str]) -> str:
    """Return an entry with values instead of the names of macros, so that it stands alone."""
    head = _HEAD.match(piece)
    if not macros or head is None or head[1].lower() in _NOT_PAPERS:
        return piece
    parts, done, place = [], 0, head.end()
    while (name := _NAME.match(piece, place)) is not None:
        start = name.end()
        value, place = _value(piece, start, macros)
        if any(part.strip().lower() in macros for part in piece[start:place].split("#")):
            parts += [piece[done:start], "{", value, "}"]
            done = place
    return "".join([*parts, piece[done:]])


def _value(piece: str, place: int, macros: Mapping[str, str]) -> tuple[str, int]:
    """Return a value in braces, in quotes or plain, joined by #, and where it ends."""
    parts = []
    while True:
        part, place = _part(piece, place, macros)
        parts.append(part)
        joined = re.compile(r"\s*#\s*").match(piece, place)
        if joined is None:
            return "".join(parts), place
        place = joined.end()


def _part(piece: str, place: int, macros: Mapping[str, str]) -> tuple[str, int]:
    if piece[place : place + 1] == "{":
        end = _closing(piece, place)
        return (
            (piece[place + 1 :], len(piece)) if end is None else (piece[place + 1 : end - 1], end)
        )
    if piece[place : place + 1] == '"':
        depth = 0
        for mark in re.compile(r'[{}"]').finditer(piece, place + 1):
            depth += {"{": 1, "}": -1}.get(mark[0], 0)
            if mark[0] == '"' and depth <= 0:
                return piece[place + 1 : mark.start()], mark.end()
        return piece[place + 1 :], len(piece)
    end = place
    while end < len(piece) and piece[end] not in ",}#\n":
        end += 1
    plain = piece[place:end].strip()
    return macros.get(plain.lower(), plain), end
