"""Plain text behind a file name: unpacked, in UTF-8, with a known delimiter."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO

from rarebit._scratch import ScratchFile
from rarebit.tables._errors import TableError
from rarebit.tables._limits import too_large, unpacked_limit
from rarebit.tables._packed import readable, unpacker

DELIMITERS = (",", "\t", ";", "|")
# Bytes that tell the encoding and the delimiter.
SAMPLE = 1 << 20
_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_GROUPED = re.compile(r"[-+]?[0-9]{1,3}(?: [0-9]{3})+(?:\.[0-9]+)?")
_CHUNK = 1 << 20
# Characters that are looked at to name the line of an error.
_LOOKED_AT = 200 << 20
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class TextFile:
    """A file of UTF-8 text on disk: the given one, or a copy that is removed with this object.

    Attributes
    ----------
    path : Path
        Where to read.
    sample : str
        How it begins.
    encoding : str
        What the given file is written in.
    notes : tuple of str
        Guesses made on reading, one sentence each.
    """

    path: Path
    sample: str
    encoding: str
    notes: tuple[str, ...] = ()
    # Keeps the copy alive.
    copy: ScratchFile | None = None


def open_text(path: Path, encoding: str | None, max_unpacked: int | None = None) -> TextFile:
    """Unpack and recode a file if it needs to be, piece by piece, into a temporary file."""
    unpack = unpacker(path)
    start = _read_start(path, unpack)
    if not start.strip():
        raise TableError(f"{path.name} is empty: give a file with a line of names and rows.")
    found = encoding or detect_encoding(start)
    if not _is_text_encoding(found):
        raise TableError(
            f"There is no encoding {found!r}: give a name that Python knows, such as utf-8, "
            "latin-1 or utf-16."
        )
    notes: tuple[str, ...] = ()
    if encoding is None and found in {"cp1252", "latin-1"}:
        called = "Windows-1252" if found == "cp1252" else "Latin-1"
        notes = (f"{path.name} is not UTF-8 and was read as {called}; --encoding changes that.",)
    try:
        sample = _decode(start, found)
    except UnicodeError as error:
        raise _wrong_encoding(path, found) from error
    plain = unpack is None and codecs.lookup(found).name in {"utf-8", "ascii"}
    if plain:
        return TextFile(path, sample, found, notes)
    copy = _recode(path, unpack, found, max_unpacked)
    return TextFile(copy.path, sample, found, notes, copy)


def detect_encoding(start: bytes) -> str:
    """Guess from the first bytes: a mark, zeros in every second place, UTF-8, or Windows-1252.

    Examples
    --------
    >>> detect_encoding("é".encode()), detect_encoding("é".encode("latin-1"))
    ('utf-8', 'cp1252')
    >>> detect_encoding("name,é".encode("utf-16"))
    'utf-16'
    """
    for mark, name in _BOMS.items():
        if start.startswith(mark):
            return name
    head = start[:4096]
    zeros = head.count(0)
    if zeros > len(head) // 4:
        return "utf-16-le" if head[1::2].count(0) >= head[::2].count(0) else "utf-16-be"
    # What Windows calls Latin-1 has signs in places where Latin-1 itself has none.
    for name in ("utf-8", "cp1252"):
        try:
            _decode(start, name)
        except UnicodeDecodeError:
            continue
        return name
    return "latin-1"


def detect_delimiter(sample: str) -> str:
    r"""Return the delimiter that cuts the lines into the same number of fields, and most of them.

    Examples
    --------
    >>> detect_delimiter("a;b\n1,5;2\n3,1;4\n")
    ';'
    >>> detect_delimiter("-0.9 0.2\n1.5 3.0\n0.1 0.4\n")
    ' '
    """
    lines = sample.splitlines()
    # The last line of a sample may be cut off.
    lines = [line for line in (lines[:-1] if len(lines) > 2 else lines) if line.strip()][:200]
    best, most = ",", 1.0
    for delimiter in DELIMITERS:
        widths = [len(row) for row in split_cells(lines, delimiter) if row]
        if not widths or widths[0] < 2:
            continue
        same = sum(width == widths[0] for width in widths) / len(widths)
        if widths[0] * same**4 > most:
            best, most = delimiter, widths[0] * same**4
    return " " if most == 1.0 and _is_matrix(lines) else best


def _is_matrix(lines: list[str]) -> bool:
    """Return whether every line holds equally many numbers with one blank between them."""
    rows = [line.split(" ") for line in lines]
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return False
    # One number may have blanks as well: thousands such as 1 234, telephones such as 0171 234.
    if all(_GROUPED.fullmatch(line) for line in lines):
        return False
    return all(_NUMBER.fullmatch(cell) for row in rows for cell in row)


def split_cells(lines: list[str], delimiter: str) -> list[list[str]]:
    """Split lines into cells, which may be as long as they like; an open quote ends the list."""
    rows: list[list[str]] = []
    with _long_cells():
        reader = csv.reader(lines, delimiter=delimiter)
        try:
            rows.extend(reader)
        except csv.Error:
            return rows
    return rows


def find_line_longer_than(path: Path, delimiter: str, width: int) -> int | None:
    """Return the number, from 1, of the first line with more cells; None where none is near."""
    seen = 0
    with _long_cells(), path.open(encoding="utf-8", errors="replace", newline="") as lines:
        reader = csv.reader(lines, delimiter=delimiter)
        try:
            for row in reader:
                seen += sum(map(len, row))
                if len(row) > width:
                    return reader.line_num
                if seen > _LOOKED_AT:
                    return None
        except csv.Error:
            return None
    return None


def find_open_quote(path: Path, delimiter: str) -> int | None:
    """Return the number, from 1, of the line where a quote opens that is not closed; None as above.

    A quote that closes a cell stands at its end. One that does not is that of a later cell.
    """
    opening = re.compile(f'(?:^|{re.escape(delimiter)})"')
    inside = re.compile(r'(?:[^"]+|"")*')
    begun, seen = None, 0
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            seen += len(line)
            if seen > _LOOKED_AT:
                return None
            place = 0
            while True:
                if begun is None:
                    found = opening.search(line, place)
                    if found is None:
                        break
                    begun, place = number, found.end()
                end = inside.match(line, place)
                assert end is not None  # it may be empty
                place = end.end() + 1
                if place > len(line):
                    break
                if line[place : place + 1] not in (delimiter, "\n", ""):
                    return begun
                begun = None
    return begun


def find_short_lines(path: Path, delimiter: str, width: int) -> tuple[int, list[int]]:
    """Return how many lines have fewer cells than there are columns, and numbers of the first five.

    Parameters
    ----------
    path : Path
        A text in UTF-8.
    delimiter : str
        What stands between cells.
    width : int
        Number of columns.

    Returns
    -------
    tuple of int and list of int
        Of the first 200 million characters; lines are counted from 1, empty ones are none.
    """
    first: list[int] = []
    count = seen = 0
    with _long_cells(), path.open(encoding="utf-8", errors="replace", newline="") as lines:
        reader = csv.reader(lines, delimiter=delimiter)
        try:
            for row in reader:
                seen += sum(map(len, row))
                if 0 < len(row) < width:
                    count += 1
                    if len(first) < 5:
                        first.append(reader.line_num)
                if seen > _LOOKED_AT:
                    break
        except csv.Error:
            pass
    return count, first


def find_line_without_object(path: Path) -> int | None:
    """Return the number, from 1, of the first line that is no JSON object; None as above."""
    seen = 0
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            seen += len(line)
            try:
                good = not line.strip() or isinstance(json.loads(line), dict)
            except (ValueError, RecursionError):
                good = False
            if not good:
                return number
            if seen > _LOOKED_AT:
                return None
    return None


_LIMIT = Lock()


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let the standard library read cells of any length; its limit is one for all threads."""
    with _LIMIT:
        before = csv.field_size_limit(1 << 30)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def count_lines_roughly(file: TextFile) -> int:
    """Guess how many lines a file has, rather too many than too few."""
    lines = file.sample.count("\n")
    size = file.path.stat().st_size
    sample = len(file.sample.encode())
    if sample >= size:
        return lines + 1
    # Room that is never written to costs nothing.
    return int(1.05 * size / sample * lines) + 1


def _read_start(path: Path, unpack: Callable[[Path], IO[bytes]] | None) -> bytes:
    with readable(path), path.open("rb") if unpack is None else unpack(path) as stream:
        return stream.read(SAMPLE)


def _is_text_encoding(name: str) -> bool:
    # Python also calls packers and ciphers encodings, such as zip and rot13.
    try:
        codecs.getincrementaldecoder(name)
        b"a".decode(name)
    except UnicodeError:
        return True  # a wrong byte, told later
    except (LookupError, ValueError):
        return False
    return True


def _decode(start: bytes, encoding: str) -> str:
    # A sample may end in the middle of a character, a whole file may not.
    return codecs.getincrementaldecoder(encoding)().decode(start, len(start) < SAMPLE)


def _wrong_encoding(path: Path, encoding: str) -> TableError:
    return TableError(
        f"{path.name} is not written in {encoding}: leave out the encoding to have it detected, or "
        "give the right one (latin-1, utf-16, …)."
    )


def _recode(
    path: Path, unpack: Callable[[Path], IO[bytes]] | None, encoding: str, given: int | None
) -> ScratchFile:
    """Write a copy in UTF-8."""
    limit = unpacked_limit(path, given, memory=False)
    # Bytes that become others need a decoder; its errors are those of the encoding.
    plain = codecs.lookup(encoding).name in {"utf-8", "ascii"}
    decoder = codecs.getincrementaldecoder(encoding)(errors="strict")
    copy = ScratchFile()
    try:
        with readable(path), path.open("rb") if unpack is None else unpack(path) as stream:
            size = 0
            while piece := stream.read(_CHUNK):
                size += len(piece)
                if unpack is not None and size > limit:
                    raise too_large(path, limit, given, memory=False)
                copy.stream.write(piece if plain else decoder.decode(piece).encode("utf-8"))
            if not plain:
                copy.stream.write(decoder.decode(b"", final=True).encode("utf-8"))
            copy.stream.flush()
    except UnicodeError as error:
        raise _wrong_encoding(path, encoding) from error
    return copy
