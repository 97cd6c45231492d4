"""Cases tried in child processes: bounded in time and memory, their end always known."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

SECONDS = 10.0  # of work
BYTES = 2 << 30
_CASES = 100  # tried by one child, so that what one leaves behind harms few

Judge = Callable[[Path], str]


class Refused(Exception):
    """Raised by a judge where rarebit said in one sentence that it does not take the input."""


@dataclass(frozen=True)
class Outcome:
    """How one case ended.

    Attributes
    ----------
    kind : {"ok", "refused", "unexpected", "crash", "hang", "memory"}
        The first two are good.
    message : str
        The sentence, or what was raised.
    peak : int
        Most bytes of memory that the child process had, up to this case.
    """

    kind: str
    message: str = ""
    peak: int = 0

    @property
    def good(self) -> bool:
        """Whether a user would be content."""
        return self.kind in ("ok", "refused")


def prepare(modules: list[str]) -> None:
    """Name what the server that children fork from imports once."""
    # A server that has imported everything and used nothing: its forks are quick and whole.
    multiprocessing.get_context("forkserver").set_forkserver_preload([__name__, *modules])


class Worker:
    """A child process that tries cases one after the other, and is replaced when one kills it.

    Parameters
    ----------
    seconds : float
        Most processor time of a case; six times as much by the clock.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._child: Any = None
        self._pipe: Any = None
        self._tried = 0

    def run(self, judge: Judge, path: Path) -> Outcome:
        """Let a judge try an input.

        Parameters
        ----------
        judge : function of Path
            Returns a remark, raises `Refused`, or anything else where rarebit is at fault.
        path : Path
            The input.

        Returns
        -------
        Outcome
            What happened.
        """
        if self._child is None or self._tried >= _CASES:
            self._replace()
        self._tried += 1
        try:
            self._pipe.send((judge, path))
            outcome = self._watch()
        except (EOFError, OSError):
            outcome = self._died()
        if outcome.kind in ("crash", "hang", "memory"):
            self.close()
        return outcome

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._pipe.close()
            if self._child.is_alive():
                self._child.kill()
            self._child.join()
            self._child = None

    def _replace(self) -> None:
        self.close()
        context: Any = multiprocessing.get_context("forkserver")
        self._pipe, theirs = context.Pipe()
        self._child = context.Process(target=_in_child, args=(theirs,), daemon=True)
        self._child.start()
        theirs.close()
        self._tried = 0
        # The first child waits for the server's imports.
        if not self._pipe.poll(300.0):
            raise RuntimeError("no child process began within five minutes")
        self._pipe.recv()

    def _watch(self) -> Outcome:
        pid = self._child.pid
        start, worked, peak = time.monotonic(), _worked(pid), 0
        while True:
            if self._pipe.poll(0.05):
                kind, message, peak = self._pipe.recv()
                return Outcome("memory" if peak > BYTES else kind, message, peak)
            peak = max(peak, _resident(pid))
            if peak > BYTES:
                return Outcome("memory", f"{peak >> 20:,} MB", peak)
            # On a busy machine a child may wait for its turn; one that waits for ever does nothing.
            late = time.monotonic() - start > 6 * self._seconds
            if late or _worked(pid) - worked > self._seconds:
                return Outcome("hang", f"no end after {self._seconds:g} s of work", peak)

    def _died(self) -> Outcome:
        self._child.join(10.0)
        code = self._child.exitcode or 0
        return Outcome("crash", signal.Signals(-code).name if code < 0 else f"exit code {code}")


def _in_child(pipe: Connection) -> None:
    # Nothing of what libraries write belongs on the screen, except what a sanitizer says.
    if "ASAN_OPTIONS" not in os.environ:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    pipe.send("ready")
    while True:
        try:
            judge, path = pipe.recv()
        except EOFError:
            os._exit(0)
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
            outcome = _try(judge, path)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        pipe.send((*outcome, peak))


def _try(judge: Judge, path: Path) -> tuple[str, str]:
    try:
        return "ok", judge(path)
    except Refused as error:
        return "refused", str(error)
    except BaseException as error:
        return "unexpected", f"{type(error).__module__}.{type(error).__name__}: {error}"


def _worked(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * resource.getpagesize()
