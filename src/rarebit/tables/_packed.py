"""Files packed by gzip, bzip2, xz, Zstandard or zip, read as streams."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rarebit.tables._errors import TableError

# What the standard library raises for a damaged file, beside OSError without a number.
_BROKEN = (
    EOFError,
    gzip.BadGzipFile,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn errors of unpacking into ours."""
    try:
        yield
    except (TableError, UnicodeError):
        raise
    except (*_BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        why = " ".join(str(error).split()) or type(error).__name__
        raise TableError(
            f"{path.name} cannot be unpacked ({why}): it is cut off, damaged or not what its name "
            "says; get the file again."
        ) from error


def unpacker(path: Path) -> Callable[[Path], IO[bytes]] | None:
    """Return what opens a packed file, by its name; None for a plain file."""
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
