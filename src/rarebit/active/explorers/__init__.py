"""Explorers find the classes of a pool that has no label yet."""

from rarebit.active.explorers._advice import is_dry, stop_when_dry
from rarebit.active.explorers._alice import Alice
from rarebit.active.explorers._discover import Discovery, discover
from rarebit.active.explorers._explorer import Explorer
from rarebit.active.explorers._interleave import Interleave
from rarebit.active.explorers._malice import Malice
from rarebit.active.explorers._picture import plot_discovery
from rarebit.active.explorers._random import RandomExplorer
from rarebit.active.explorers._scout import Scout

__all__ = [
    "Alice",
    "Discovery",
    "Explorer",
    "Interleave",
    "Malice",
    "RandomExplorer",
    "Scout",
    "discover",
    "is_dry",
    "plot_discovery",
    "stop_when_dry",
]
