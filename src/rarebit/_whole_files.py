"""Files that are whole or not there."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rarebit.exceptions import MissingFileError


@contextmanager
def replaced_whole(path: Path) -> Iterator[Path]:
    """Give a temporary file beside a path, which takes its place when everything went well.

    A reader never sees half a file, and a full disk leaves the earlier file alone. The content is
    on the disk before the name points to it, and the name is on the disk before the block ends, so
    that a power failure leaves the earlier file or the new one.

    Parameters
    ----------
    path : Path
        Where the file goes; one that is there is replaced.

    Yields
    ------
    Path
        Where to write.

    Raises
    ------
    MissingFileError
        There is no such folder; other errors of the system are its own, and name the path.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "result.txt"
    >>> with replaced_whole(path) as partial:
    ...     _ = partial.write_text("all of it")
    >>> path.read_text(), len(list(path.parent.iterdir()))
    ('all of it', 1)
    >>> folder.cleanup()
    """
    import tempfile

    try:
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix
        )
    except FileNotFoundError as error:
        raise MissingFileError(
            f"{str(path)!r} cannot be written, its folder does not exist: create "
            f"{str(path.parent)!r} or choose another.",
            str(path),
        ) from error
    except OSError as error:
        # Nobody knows the temporary file that the system names.
        raise OSError(error.errno, error.strerror, str(path)) from error
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        mask = os.umask(0)
        os.umask(mask)
        partial.chmod(0o666 & ~mask)
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
        sync_folder(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk; Windows has no call for it.

    Parameters
    ----------
    folder : Path
        Where a file was created, renamed or deleted.
    """
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network and user-space file systems cannot sync a folder; the file itself is safe.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
