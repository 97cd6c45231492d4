"""What a download shows while it runs: bytes and seconds, a bar where someone watches."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

# A download shorter than this stays silent.
QUIET_SECONDS = 2.0
# How often a terminal is told, and a file that nobody watches.
TERMINAL_SECONDS, FILE_SECONDS = 0.3, 15.0


class Watch:
    """Reports on a folder that grows while a library downloads into it.

    The library tells nothing while it works, but its files can be seen. Where it fetches through
    memory, or unpacks what it has fetched, the seconds continue and the bytes stand still.

    Parameters
    ----------
    what : str
        Opens the line.
    folder : Path
        Where the library puts its files.
    stream : text file or None, default=None
        Where to report; None for standard error.
    """

    def __init__(self, what: str, folder: Path, stream: TextIO | None = None) -> None:
        self.what = what
        self.folder = folder
        self.stream = sys.stderr if stream is None else stream
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._report, daemon=True)

    def __enter__(self) -> Self:
        self.start = time.time()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def received(self) -> int:
        """Return the bytes of all files that were written since the beginning."""
        total = 0
        for path in self.folder.rglob("*"):
            try:
                found = path.stat()
            except OSError:
                continue  # a temporary file that is gone
            # File systems keep times in steps.
            if path.is_file() and found.st_mtime >= self.start - 2.0:
                total += found.st_size
        return total

    def _report(self) -> None:
        if self._over.wait(QUIET_SECONDS):
            return
        terminal = self.stream.isatty()
        bar = _rich_bar(self.stream) if terminal else None
        if bar is not None:
            with bar:
                task = bar.add_task(self.what, total=None)
                while not self._over.wait(TERMINAL_SECONDS):
                    bar.update(task, completed=self.received())
            return
        while True:
            line = f"{self.what}: {self.received() / 1e6:.1f} MB, {time.time() - self.start:.0f} s"
            self.stream.write(f"{line:<78}\r" if terminal else f"{line}\n")
            self.stream.flush()
            if self._over.wait(TERMINAL_SECONDS if terminal else FILE_SECONDS):
                break
        if terminal:
            self.stream.write("\n")


def _rich_bar(stream: TextIO) -> Any:
    try:
        from rich import console, progress
    except ImportError:
        return None
    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),  # pulses, because the size is not known beforehand
        progress.DownloadColumn(),
        progress.TimeElapsedColumn(),
        console=console.Console(file=stream),
        transient=True,
    )
