"""Plain text behind a file name: unpacked, in UTF-8, with a known delimiter."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import os
import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rarebit.tables._errors import TableError

DELIMITERS = (",", "\t", ";", "|")
# Bytes that tell the encoding and the delimiter.
SAMPLE = 1 << 20
_CHUNK = 1 << 20
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
        What was guessed.
    """

    path: Path
    sample: str
    encoding: str
    notes: tuple[str, ...] = ()


def open_text(path: Path, encoding: str | None) -> TextFile:
    """Unpack and recode a file if it needs to be, piece by piece, into a temporary file."""
    unpack = _unpacker(path)
    start = _read_start(path, unpack)
    if not start.strip():
        raise TableError(f"{path.name} is empty: give a file with a line of names and rows.")
    found = encoding or detect_encoding(start)
    try:
        codecs.lookup(found)
    except LookupError:
        raise TableError(
            f"There is no encoding {found!r}: give a name that Python knows, such as utf-8, "
            "latin-1 or utf-16."
        ) from None
    notes: tuple[str, ...] = ()
    if encoding is None and found in {"cp1252", "latin-1"}:
        notes = (f"{path.name} is not UTF-8 and was read as Latin-1; --encoding changes that.",)
    try:
        sample = _decode(start, found)
    except UnicodeDecodeError as error:
        raise _wrong_encoding(path, found) from error
    plain = unpack is None and codecs.lookup(found).name in {"utf-8", "ascii"}
    if plain:
        return TextFile(path, sample, found, notes)
    copy = _recode(path, unpack, found)
    file = TextFile(copy, sample, found, notes)
    weakref.finalize(file, copy.unlink, missing_ok=True)
    return file


def detect_encoding(start: bytes) -> str:
    """Guess from the first bytes: a mark, zeros in every second place, valid UTF-8, or Latin-1.

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
    """
    lines = sample.splitlines()
    # The last line of a sample may be cut off.
    lines = [line for line in (lines[:-1] if len(lines) > 2 else lines) if line.strip()][:200]
    best, most = ",", 1.0
    for delimiter in DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        except csv.Error:
            continue
        if not widths or widths[0] < 2:
            continue
        same = sum(width == widths[0] for width in widths) / len(widths)
        if widths[0] * same**4 > most:
            best, most = delimiter, widths[0] * same**4
    return best


def count_lines_roughly(file: TextFile) -> int:
    """Guess how many lines a file has, rather too many than too few."""
    lines = file.sample.count("\n")
    size = file.path.stat().st_size
    sample = len(file.sample.encode())
    if sample >= size:
        return lines + 1
    # Room that is never written to costs nothing.
    return int(1.05 * size / sample * lines) + 1


def _unpacker(path: Path) -> Callable[[Path], IO[bytes]] | None:
    suffix = path.suffix.lower()
    openers: dict[str, Any] = {
        ".gz": gzip.open,
        ".bz2": bz2.open,
        ".xz": lzma.open,
        ".zst": _open_zstandard,
        ".zip": _open_zip,
    }
    return openers.get(suffix)


def _open_zstandard(path: Path) -> IO[bytes]:
    import pyarrow as pa

    return io.BufferedReader(_Readable(pa.input_stream(str(path), compression="zstd")))


class _Readable(io.RawIOBase):
    """A stream of pyarrow, which lacks ``readinto`` on some versions, for the standard library."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer."""
        piece = self._stream.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def _open_zip(path: Path) -> IO[bytes]:
    archive = zipfile.ZipFile(path)
    names = [name for name in archive.namelist() if not name.endswith("/")]
    names = [name for name in names if not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise TableError(
            f"{path.name} holds {len(names):,} files: a zip archive with one file is allowed; "
            "unpack it and give the file."
        )
    return archive.open(names[0])


def _read_start(path: Path, unpack: Callable[[Path], IO[bytes]] | None) -> bytes:
    try:
        with path.open("rb") if unpack is None else unpack(path) as stream:
            return stream.read(SAMPLE)
    except _BROKEN as error:
        raise _broken(path, error) from error


_BROKEN = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile, ValueError)


def _broken(path: Path, error: Exception) -> TableError:
    if isinstance(error, TableError):
        return error
    return TableError(
        f"{path.name} cannot be unpacked ({error}): it is cut off or not what its name says; get "
        "the file again."
    )


def _decode(start: bytes, encoding: str) -> str:
    # A sample may end in the middle of a character, a whole file may not.
    return codecs.getincrementaldecoder(encoding)().decode(start, len(start) < SAMPLE)


def _wrong_encoding(path: Path, encoding: str) -> TableError:
    return TableError(
        f"{path.name} is not written in {encoding}: leave out the encoding to have it detected, or "
        "give the right one (latin-1, utf-16, …)."
    )


def _recode(path: Path, unpack: Callable[[Path], IO[bytes]] | None, encoding: str) -> Path:
    """Write a copy in UTF-8 and return its path."""
    handle, name = tempfile.mkstemp(suffix=".txt", prefix="rarebit-")
    copy = Path(name)
    try:
        with (
            os.fdopen(handle, "wb") as out,
            path.open("rb") if unpack is None else unpack(path) as stream,
        ):
            if codecs.lookup(encoding).name in {"utf-8", "ascii"}:
                shutil.copyfileobj(stream, out, _CHUNK)
            else:
                decoder = codecs.getincrementaldecoder(encoding)(errors="strict")
                while piece := stream.read(_CHUNK):
                    out.write(decoder.decode(piece).encode("utf-8"))
                out.write(decoder.decode(b"", final=True).encode("utf-8"))
    except UnicodeDecodeError as error:
        copy.unlink(missing_ok=True)
        raise _wrong_encoding(path, encoding) from error
    except _BROKEN as error:
        copy.unlink(missing_ok=True)
        raise _broken(path, error) from error
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    return copy
