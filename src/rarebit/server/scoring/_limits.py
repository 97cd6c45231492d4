"""How much one request may ask for, and who works on it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from rarebit._text import counted
from rarebit.server._replies import fail

Result = TypeVar("Result")


@dataclass(frozen=True)
class Limits:
    """What one request, and all of them together, may take.

    Parameters
    ----------
    max_bytes : int, default=64 MB
        Size of a body, and four times as much for the cells in it.
    max_rows : int, default=100,000
        Rows of a request.
    max_explained : int, default=1,000
        Rows of a request that are explained.
    seconds : float, default=30.0
        Time until a request is answered.
    workers : int, default=2
        Requests that are worked on at once.
    max_waiting : int, default=200
        Requests that wait for a worker; more are refused.
    """

    max_bytes: int = 64 << 20
    max_rows: int = 100_000
    max_explained: int = 1_000
    seconds: float = 30.0
    workers: int = 2
    max_waiting: int = 200

    def check_rows(self, n_rows: int, most: int | None = None) -> None:
        """Refuse more rows than a request may have."""
        most = self.max_rows if most is None else most
        if n_rows > most:
            raise fail(
                413, f"A request may have {counted(most, 'row')}, got {n_rows:,}: send fewer."
            )


class Workers:
    """Threads that do the work of requests, within the limits.

    Parameters
    ----------
    limits : Limits
        How many there are, how many requests wait, and for how long.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="scoring")
        self._lock = threading.Lock()
        self.in_progress = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do some work, or end the request: too many wait, or it takes too long."""
        with self._lock:
            if self.in_progress >= self._limits.workers + self._limits.max_waiting:
                raise fail(503, "Too many requests wait: try again soon.", {"Retry-After": "1"})
            self.in_progress += 1
        future = self._threads.submit(_contained, work)
        future.add_done_callback(self._finished)
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            seconds = f"{self._limits.seconds:g}"
            raise fail(
                503, f"The request took more than {seconds} seconds: send fewer rows, or try again."
            ) from None

    def _finished(self, future: Future[Result]) -> None:
        # A thread that nobody waits for any more is busy until it ends.
        with self._lock:
            self.in_progress -= 1

    def close(self) -> None:
        """End the threads when their work is done; what waits is dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _contained(work: Callable[[], Result]) -> Result:
    """Do some work; a panic of compiled code, which is no Exception, is an error like others."""
    try:
        return work()
    except Exception:
        raise
    except BaseException as error:
        raise RuntimeError(f"{type(error).__name__}: {error}") from error
