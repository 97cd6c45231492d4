"""How many threads a call of the engine may use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import parent_process
from numbers import Integral
from typing import Any

from joblib import cpu_count


def engine_threads(n_jobs: int | None) -> int:
    """Turn ``n_jobs`` as scikit-learn means it into a number of threads.

    A worker process of joblib or Dask has no more than its share of the processors, which its
    parent tells by ``OMP_NUM_THREADS``: an ensemble on all processors does not start as many
    threads in each of its workers.

    Parameters
    ----------
    n_jobs : int or None
        None for one thread, -1 for one per processor, -2 for all but one.

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> from rarebit._engine.threads import engine_threads
    >>> engine_threads(None), engine_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    given: Any = n_jobs  # states and model files may hold anything
    if not isinstance(given, Integral) or given == 0:
        raise ValueError(
            "n_jobs must be None, a number of threads, or -1 for all processors, got "
            f"{n_jobs!r:.40}: use None for one thread."
        )
    threads = int(n_jobs) if n_jobs > 0 else int(cpu_count()) + 1 + int(n_jobs)
    share = os.environ.get("OMP_NUM_THREADS", "")
    if parent_process() is not None and share.isdigit():
        threads = min(threads, int(share))
    return max(1, min(threads, 2**31 - 1))  # the engine has a limit of its own


@contextmanager
def working_threads(n: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Give a function that works as ``map`` does, by several threads; results keep their order.

    For work in NumPy and SciPy that gives up Python's lock. An exception, Ctrl-C among them, drops
    what has not begun.

    Parameters
    ----------
    n : int
        Number of threads; with one, it is ``map``.

    Examples
    --------
    >>> from rarebit._engine.threads import working_threads
    >>> with working_threads(2) as each:
    ...     list(each(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    if n <= 1:
        yield map
        return
    pool = ThreadPoolExecutor(n)
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)
