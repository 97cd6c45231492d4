"""How much a packed file may unpack to, and how many columns a table may have."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from rarebit.tables._errors import TableError
from rarebit.tables._matrix import SHARE, free_memory

# A packed file may become so many times as large; text of tables shrinks to a third or a tenth.
TIMES = 200
# A small file may become as large as this all the same.
ALWAYS = 256 << 20
# Cells of 8 bytes may take so many times the size of the file: Parquet writes a column of one value
# in a few bytes, and a line that lacks most columns still has their cells.
TIMES_CELLS = 2000
# Share of the free disk that one unpacked file may take.
DISK_SHARE = 0.8
# Columns of one dense table. Names and statistics of each stay in memory.
MAX_COLUMNS = 1_000_000


def unpacked_limit(path: Path, given: int | None, *, memory: bool) -> int:
    """Return how many bytes a file may unpack to.

    Parameters
    ----------
    path : Path
        The packed file.
    given : int or None
        What the caller allows; None for 200 times the size of the file, 256 MB at least.
    memory : bool
        Whether it is unpacked into memory, not into a temporary file.

    Returns
    -------
    int
        The limit; never more than what there is room for.
    """
    room = int(SHARE * free_memory()) if memory else int(DISK_SHARE * _free_disk())
    wanted = max(ALWAYS, TIMES * path.stat().st_size) if given is None else given
    return min(wanted, room)


def too_large(path: Path, limit: int, given: int | None, *, memory: bool) -> TableError:
    """Return the error of a file that unpacks to more than its limit."""
    wanted = max(ALWAYS, TIMES * path.stat().st_size) if given is None else given
    if limit < wanted:
        where = "memory" if memory else f"disk under {tempfile.gettempdir()}"
        advice = "keep more memory free" if memory else "set TMPDIR to a larger disk"
        return TableError(
            f"{path.name} unpacks to more than {in_words(limit)}, which is what the free {where} "
            f"allows: {advice}, or give a smaller file."
        )
    return TableError(
        f"{path.name} ({in_words(path.stat().st_size)}) unpacks to more than {in_words(limit)}, "
        f"which is allowed for a file of its size: if you trust it, allow more with --max-unpacked "
        "(max_unpacked in Python)."
    )


def most_cells(path: Path, given: int | None) -> int:
    """Return how many cells the table of a file may have; ``given`` as in `unpacked_limit`."""
    return (max(ALWAYS, TIMES_CELLS * path.stat().st_size) if given is None else given) // 8


def too_many_cells(path: Path, limit: int) -> TableError:
    """Return the error of a file with more cells than its limit."""
    return TableError(
        f"{path.name} ({in_words(path.stat().st_size)}) has more than {limit:,} cells, which is "
        "allowed for a file of its size: if you trust it, allow more with --max-unpacked "
        "(max_unpacked in Python; a cell counts 8 bytes), or drop columns."
    )


def in_words(size: int) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> in_words(268435456), in_words(1500), in_words(3 << 30)
    ('256 MB', '1,500 bytes', '3 GB')
    """
    for power, unit in ((30, "GB"), (20, "MB"), (10, "kB")):
        if size >= 2 << power or size == 1 << power:
            return f"{size / (1 << power):,.4g} {unit}"
    return f"{size:,} bytes"


def _free_disk() -> int:
    try:
        return shutil.disk_usage(tempfile.gettempdir()).free
    except OSError:
        return 1 << 62
