"""Files opened by the program that the system has for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from rarebit._text import visible

# Seconds after which an opener that has not failed is taken to have opened the file.
_PATIENCE = 3.0


def open_file(path: str | Path) -> str:
    """Open a file, and return a line that says so or says why not.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    str
        For people; with the whole path where the file has to be opened by hand.
    """
    whole = visible(str(Path(path).resolve()))
    try:
        failed = _launch(str(Path(path).resolve()))
    except OSError:
        failed = True
    if failed:
        return f"No program here can open the file: open it by hand, {whole}"
    return f"→ opened {visible(str(path))}"


def _launch(path: str) -> bool:
    """Start the opener, silently; return whether it failed."""
    start: Any = getattr(os, "startfile", None)
    if start is not None:
        start(path)
        return False
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        [opener, path], stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True
    )
    try:
        return process.wait(_PATIENCE) != 0
    except subprocess.TimeoutExpired:
        return False
