"""When looking for further classes has ceased to pay: a pure function of what was found."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

# New classes have ceased when the search has been in vain for so many times the longest one that
# ended well, and at least for so many labels.
PATIENCE = 2
LEAST = 20


def is_dry(vain: int, longest: int) -> bool:
    """Whether a search has found nothing for long enough, given the longest successful one."""
    return vain >= max(LEAST, PATIENCE * longest)


def stop_when_dry(discovered: Mapping[Any, int], n_labels: int) -> dict[str, str]:
    """Say whether new classes have ceased to turn up.

    Parameters
    ----------
    discovered : mapping of class to int
        Labels spent when each class was first seen, as ``discovered_`` of explorers holds it; 0
        for classes known from the start.
    n_labels : int
        Labels spent so far.

    Returns
    -------
    dict
        Reasons to stop, in sentences by name; empty to continue. No rule can know that nothing is
        left: a class of few rows may still be hidden.

    Examples
    --------
    >>> from rarebit.active import stop_when_dry
    >>> stop_when_dry({"a": 1, "b": 15}, 30)
    {}
    >>> print(*stop_when_dry({"a": 1, "b": 15}, 50).values())
    The last 35 labels showed no new class; the longest search that found one took 14.
    """
    seen = sorted({0, *discovered.values()})
    longest = max((later - earlier for earlier, later in pairwise(seen)), default=0)
    vain = n_labels - seen[-1]
    if len(discovered) < 2 or not is_dry(vain, longest):
        return {}
    took = f"; the longest search that found one took {longest:,}" if longest else ""
    return {"dry": f"The last {vain:,} labels showed no new class{took}."}
