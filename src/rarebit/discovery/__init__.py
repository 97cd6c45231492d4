"""Deprecated: the explorers moved to `rarebit.active`."""

import warnings

from rarebit.active import (
    Alice,
    ContradictionError,
    Discovery,
    Explorer,
    Interleave,
    Malice,
    RandomExplorer,
    Scout,
    discover,
    plot_discovery,
    stop_when_dry,
)

__all__ = [
    "Alice",
    "ContradictionError",
    "Discovery",
    "Explorer",
    "Interleave",
    "Malice",
    "RandomExplorer",
    "Scout",
    "discover",
    "plot_discovery",
    "stop_when_dry",
]

warnings.warn(
    "rarebit.discovery is deprecated and will be removed in 0.2: import from rarebit.active.",
    DeprecationWarning,
    stacklevel=2,
)
