"""Entries of a BibTeX file, also of one whose braces do not match."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal, NamedTuple

# Entries in parentheses begin a line or follow an entry: comments may say "@home (evenings)".
_START = re.compile(r"(?m)@\s*(\w+)\s*\{|(?:^|(?<=[})]))[ \t]*+@\s*(\w+)\s*\(")
# An entry that begins a line: what an entry with unmatched braces cannot contain. Of a key with
# blanks, no key and parentheses, which a text may have as well, a field must follow.
_NEXT = re.compile(
    r"(?m)^[ \t]*+@\s*\w+\s*(?:\{\s*[^,\s{}=]+\s*,"
    r"|[{(]\s*+(?:[^,{}=\n]*+[,\n]\s*+)?\w[\w-]*+\s*+=)"
)
_HEAD = re.compile(r"@\s*(\w+)\s*[{(]\s*+")
# Blanks are taken whole (*+): a file that is all blanks must not be tried in every division.
_NAME = re.compile(r"[\s,]*+(\w[\w-]*)\s*=\s*")
# The next field behind something that is none.
_AGAIN = re.compile(r",\s*+(\w[\w-]*+)\s*+=\s*")
_KEY = re.compile(r"[^,=\n]*+")
_FIELD = r"^[ \t]*+,?[ \t]*+(\w[\w-]*)[ \t]*=[ \t]*"
_REST = re.compile(rf"(?m){_FIELD}[{{\"\w]")
_LINE = re.compile(rf"(?ms){_FIELD}(.*?)(?={_FIELD}|\Z)")
_BRACES = re.compile(r"[{}]")
_BOUNDS = re.compile(r"[{}()\"]")
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
# Commands whose text stays: of shape, of place on the line, of addresses. The first argument of
# some is none of the text. Others are kept, apart from what they are applied to.
_SHAPE = re.compile(
    r"\\(?:text(?:it|bf|sc|tt|rm|sf|sl|up|md|normal|superscript|subscript)|emph|underline|mbox"
    r"|url|nolinkurl|path|enquote|ensuremath|ce|math(?:rm|it|bf|sf|tt|cal|bb|normal))\s*+(?=\{)"
    r"|(?<=\{)\\(?:it(?:shape)?|bf(?:series)?|em|sc(?:shape)?|rm|tt|sf|sl)(?![A-Za-z])\s*+"
    r"|\\(?:href|textcolor|foreignlanguage)\s*+\{[^{}]*+\}\s*+(?=\{)"
)
_APPLIED = re.compile(r"(\\[A-Za-z]++)\s*+(?=\{)")
_ESCAPED = re.compile(r"\\([%&$#_])")


Damage = Literal["", "braces", "quotes"]


class Entry(NamedTuple):
    """One entry as the file has it, and what of it does not match or is not closed."""

    piece: str
    damage: Damage


def split_bibtex(text: str) -> list[Entry]:
    """Cut entries at their braces; what stands between them is a comment.

    An entry whose braces do not match ends where the next one begins a line.
    """
    entries = []
    place = 0
    closed = _closed(text)
    after = _NEXT.search(text)
    while (start := _START.search(text, place)) is not None:
        if after is not None and after.start() < start.end():
            after = _NEXT.search(text, start.end())
        limit = len(text) if after is None else after.start()
        opened = start.end() - 1
        end = closed.get(opened) if text[opened] == "{" else _in_parentheses(text, opened, limit)
        is_paper = (start[1] or start[2]).lower() not in _NOT_PAPERS
        whole = end is not None and (end <= limit or not is_paper)
        if whole and is_paper and end is not None:
            other = _START.search(text, end)
            gap = text[end : len(text) if other is None else other.start()]
            whole = _REST.search(gap) is None  # With a brace too many, more fields follow.
        place = end if whole and end is not None else limit
        piece = text[start.start() : place].strip()
        damage: Damage = "braces" if not whole else "" if _quotes_end(piece) else "quotes"
        entries.append(Entry(piece, damage))
    macros = _macros(entries)
    return [Entry(_resolved(each.piece, macros), each.damage) for each in entries]


def read_bibtex(entry: Entry) -> dict[str, str]:
    """Return the fields of an entry by name, with ``type`` and ``key``; none of a comment."""
    head = _head(entry.piece)
    if head is None:
        return {}
    found: dict[str, str] = {}
    if not entry.damage:
        piece, place = _braced(entry.piece), head.end
        while (name := _field(piece, place)) is not None:
            value, place = _value(piece, name.end(), {})
            found.setdefault(name[1].lower(), value)
    else:
        # What follows the key counts as a line.
        for line in _LINE.finditer(entry.piece[head.end :]):
            found.setdefault(line[1].lower(), line[2].strip().strip('",'))
    found = {name: plain_text(value) for name, value in found.items()}
    own = {"type": head.type} | ({"key": head.key} if head.key else {})
    return {name: value for name, value in found.items() if value and name not in own} | own


def plain_text(value: str) -> str:
    r"""Return a value without the braces, accents, shapes and escapes of LaTeX.

    Examples
    --------
    >>> from rarebit.tables._bibtex import plain_text
    >>> plain_text(r"G{\"o}del \& {\O}re, 5\% of {DNA}")
    'Gödel & Øre, 5% of DNA'
    """
    if "\\" in value:
        value = _ACCENT.sub(_accented, value)
        value = _LETTER.sub(lambda found: _LETTERS[found[1]], value)
        value = _APPLIED.sub(r"\1 ", _SHAPE.sub("", value))
        value = _ESCAPED.sub(r"\1", value)
    return " ".join(_BRACES.sub("", value).split())


def _accented(found: re.Match[str]) -> str:
    letter = found[3].lstrip("\\")
    return unicodedata.normalize("NFC", letter + _MARKS[found[1] or found[2]])


class _Head(NamedTuple):
    type: str
    key: str
    end: int  # where the fields begin


def _head(piece: str) -> _Head | None:
    """Return what an entry begins with; None of what is no paper."""
    start = _HEAD.match(piece)
    if start is None or start[1].lower() in _NOT_PAPERS:
        return None
    key = _KEY.match(piece, start.end())
    assert key is not None
    said, end = key[0], key.end()
    if piece[end : end + 1] == "=":  # A field in its place, or behind it without a comma.
        end = start.end() + len(said.rstrip()) - len((said.split() or [""])[-1])
        said = piece[start.end() : end]
    elif piece[end : end + 1] != ",":
        said = said.rstrip("}) ")
    return _Head(start[1].lower(), " ".join(said.split()), end)


def _field(piece: str, place: int) -> re.Match[str] | None:
    """Return the name of the next field, whose value follows."""
    return _NAME.match(piece, place) or _AGAIN.search(piece, place)


def _braced(piece: str) -> str:
    """Return an entry with a brace for its last parenthesis, at which the last field ends."""
    return f"{piece[:-1]}}}" if piece.endswith(")") else piece


def _quotes_end(piece: str) -> bool:
    """Whether the last value of an entry leaves the brace that closes it: no open quote does."""
    head = _head(piece) if '"' in piece else None
    if head is None:
        return True
    braced, place, ended = _braced(piece), head.end, True
    while (name := _field(braced, place)) is not None:
        place = _value(braced, name.end(), {})[1]
        ended = place < len(braced)
    return ended


def _in_parentheses(text: str, opened: int, limit: int) -> int | None:
    """Return where an entry in parentheses is closed, behind it, outside braces and quotes."""
    depth = inside = 0
    quoted = False
    for mark in _BOUNDS.finditer(text, opened, limit):
        if mark[0] in "{}":
            depth += 1 if mark[0] == "{" else -1
            if depth < 0:
                return None
        elif depth:
            continue
        elif mark[0] == '"':
            quoted = not quoted
        elif not quoted:
            inside += 1 if mark[0] == "(" else -1
            if not inside:
                return mark.end()
    return None


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
    for each in entries:
        piece = _braced(each.piece)
        head = _HEAD.match(piece)
        if head is not None and head[1].lower() == "string":
            name = _NAME.match(piece, head.end())
            if name is not None:
                found[name[1].lower()] = _value(piece, name.end(), found)[0]
    return found


def _resolved(piece: str, macros: Mapping[str, str]) -> str:
    """Return an entry with values instead of the names of macros, so that it stands alone."""
    head = _head(piece)
    if not macros or head is None:
        return piece
    parts, done, place = [], 0, head.end
    while (name := _field(piece, place)) is not None:
        start = name.end()
        value, place = _value(_braced(piece), start, macros)
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
