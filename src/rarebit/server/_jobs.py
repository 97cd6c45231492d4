"""Long work for one page, such as a simulation, in a process of its own."""

from __future__ import annotations

import multiprocessing
import secrets
import threading
from collections.abc import Callable
from typing import Any

from rarebit.exceptions import RarebitError


class BusyError(RarebitError, ValueError):
    """Another job is running."""


class Jobs:
    """Jobs of one project, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, dict[str, Any]] = {}
        self._processes: dict[str, Any] = {}

    def begin(
        self, work: Callable[..., Any], arguments: tuple[Any, ...], say: Callable[[Any], None]
    ) -> str:
        """Start a job; return its name.

        Parameters
        ----------
        work : function
            Called in a fresh process with a function that sends ``("progress", share)``,
            ``("done", result)`` or ``("failed", sentence)``, and the arguments.
        arguments : tuple
            Can be pickled.
        say : function of dict
            Called with the job whenever it changes.

        Returns
        -------
        str
            Name for `get` and `stop`.
        """
        with self._lock:
            if any(job["state"] == "running" for job in self._jobs.values()):
                raise BusyError("A simulation is running: wait for it, or stop it first.")
            name = secrets.token_hex(4)
            job = {"job": name, "state": "running", "progress": 0.0, "message": "", "result": None}
            self._jobs[name] = job
            while len(self._jobs) > 20:
                self._jobs.pop(next(iter(self._jobs)))
            context = multiprocessing.get_context("spawn")
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_run, args=(work, there, arguments), daemon=True)
            self._processes[name] = process
        process.start()
        there.close()
        threading.Thread(target=self._follow, args=(job, here, say), daemon=True).start()
        return name

    def _follow(self, job: dict[str, Any], here: Any, say: Callable[[Any], None]) -> None:
        while job["state"] == "running":
            try:
                what, value = here.recv()
            except EOFError:
                if job["state"] == "running":
                    job |= {"state": "failed", "message": "The simulation ended unexpectedly."}
                break
            if what == "progress":
                job["progress"] = value
            elif what == "done":
                job |= {"state": "done", "progress": 1.0, "result": value}
            else:
                job |= {"state": "failed", "message": value}
            say(dict(job))
        say(dict(job))

    def get(self, name: str) -> dict[str, Any] | None:
        """Return a job, or None."""
        job = self._jobs.get(name)
        return None if job is None else dict(job)

    def latest(self) -> dict[str, Any] | None:
        """Return the job that was begun last, unless it failed or was stopped; or None."""
        job = next(reversed(self._jobs.values()), None)
        return None if job is None or job["state"] == "failed" else dict(job)

    def stop(self, name: str) -> bool:
        """Stop a job; False if there is none."""
        job = self._jobs.get(name)
        if job is None:
            return False
        if job["state"] == "running":
            job |= {"state": "failed", "message": "It was stopped."}
            self._processes[name].terminate()
        return True

    def close(self) -> None:
        """Stop everything."""
        for name in list(self._jobs):
            self.stop(name)


def _run(work: Callable[..., Any], there: Any, arguments: tuple[Any, ...]) -> None:
    try:
        result = work(lambda share: there.send(("progress", share)), *arguments)
        there.send(("done", result))
    except Exception as error:  # goes to the page, as every error of this process must
        there.send(("failed", str(error) or type(error).__name__))
