"""Which data it was: the SHA-256 of a file, or of all files of a folder."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl


@dataclass(frozen=True)
class FrameChecksum:
    """The SHA-256 of rows in memory: frames below each other have that of one frame of all rows.

    Attributes
    ----------
    frames : tuple of function
        Each returns a lazy frame.
    """

    frames: tuple[Callable[[], pl.LazyFrame], ...]

    def __call__(self) -> str:
        parts = [open_frame().collect() for open_frame in self.frames]
        rows = io.BytesIO()
        pl.concat(parts, how="diagonal_relaxed").rechunk().write_ipc_stream(rows)
        return hashlib.sha256(rows.getbuffer()).hexdigest()


def checksum_of(path: Path, files: Iterable[Path] | None = None) -> str:
    """Return the SHA-256 of a file as ``sha256sum`` prints it, or one for the files of a folder.

    Parameters
    ----------
    path : Path
        The file, or the folder.
    files : iterable of Path, optional
        Files below the folder, in the order in which they count.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    if files is None:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            own = hashlib.file_digest(stream, "sha256").hexdigest()
        digest.update(f"{own}  {file.relative_to(path).as_posix()}\n".encode())
    return digest.hexdigest()
