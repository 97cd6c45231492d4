"""Which worker keeps which partition, when workers come and go."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence


def assign_homes(homes: Sequence[str | None], workers: Sequence[str]) -> list[str]:
    """Give every partition a worker, and move no more of them than needed.

    A partition that moves is encoded again, so those of workers that are still there stay, unless a
    new worker would have nothing to do.

    Parameters
    ----------
    homes : sequence of str or None
        Worker of each partition so far; None for one that has none.
    workers : sequence of str
        Workers that are there.

    Returns
    -------
    list of str
        A worker for each partition, the same number for each, give or take one.

    Examples
    --------
    >>> assign_homes([None, None, None], ["a", "b"])
    ['a', 'b', 'a']
    >>> assign_homes(["a", "b", "a", "c"], ["b", "c"])
    ['b', 'b', 'c', 'c']
    """
    most = -(-len(homes) // len(workers))
    load = Counter(dict.fromkeys(workers, 0))
    kept: list[str | None] = []
    for home in homes:
        if home is not None and home in load and load[home] < most:
            load[home] += 1
            kept.append(home)
        else:
            kept.append(None)
    least = [(n, worker) for worker, n in load.items()]
    heapq.heapify(least)
    found: list[str] = []
    for home in kept:
        if home is None:
            n, home = heapq.heappop(least)
            heapq.heappush(least, (n + 1, home))
        found.append(home)
    return found
