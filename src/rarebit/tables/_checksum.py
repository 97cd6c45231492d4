"""Which data it was: the SHA-256 of a file, or of all files of a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


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
