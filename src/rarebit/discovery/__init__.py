"""Find the classes of a pool without a label: explorers that ask, and are told.

Every explorer follows one protocol: ``start(X)``, then ``ask()`` for rows and ``tell(rows,
labels)`` their classes until ``done``; ``skip(rows)`` what nobody can label; ``status()`` says in
words what is going on. `discover` runs it against a function that knows the labels.
"""

from rarebit.discovery._advice import stop_when_dry
from rarebit.discovery._alice import Alice
from rarebit.discovery._discover import Discovery, discover
from rarebit.discovery._explorer import ContradictionError, Explorer
from rarebit.discovery._interleave import Interleave
from rarebit.discovery._malice import Malice
from rarebit.discovery._picture import plot_discovery
from rarebit.discovery._random import RandomExplorer
from rarebit.discovery._scout import Scout

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
