"""Progress of a run: a bar where rich is installed and someone watches, else plain lines."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, TextIO


class Progress:
    """Tells of each experiment that is finished.

    Parameters
    ----------
    stream : text file or None
        Where to; None for nowhere.
    name : str
        The plan.
    total : int
        Experiments to come.
    """

    def __init__(self, stream: TextIO | None, name: str, total: int) -> None:
        self.stream = stream
        self.name = name
        self.total = total
        self.done = 0
        self._bar: Any = None

    def __enter__(self) -> Self:
        if self.stream is not None and self.total and self.stream.isatty():
            self._bar = _rich_bar(self.stream)
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task(self.name, total=self.total, last="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, what: str, seconds: float, lacks: str = "") -> None:
        """Count one experiment."""
        self.done += 1
        if self._bar is not None:
            self._bar.update(self._task, advance=1, last=what)
        elif self.stream is not None and not lacks:
            self.stream.write(f"{self.name} {self.done}/{self.total}: {what}, {seconds:.1f} s\n")
            self.stream.flush()


def _rich_bar(stream: TextIO) -> Any:
    try:
        from rich import console, progress
    except ImportError:
        return None
    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.fields[last]}"),
        console=console.Console(file=stream),
    )
