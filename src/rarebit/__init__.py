"""Find the rare class, learn its border, and classify without ignoring it."""

from importlib.metadata import version

from rarebit._products import use_products_of_environment
from rarebit.border import BorderLearner, BorderSVC
from rarebit.discovery import Alice, Interleave, Malice, RandomExplorer, Scout, discover
from rarebit.hunt import Hunt
from rarebit.svm import KernelSVC, OnlineSVC

__all__ = [
    "Alice",
    "BorderLearner",
    "BorderSVC",
    "Hunt",
    "Interleave",
    "KernelSVC",
    "Malice",
    "OnlineSVC",
    "RandomExplorer",
    "Scout",
    "discover",
]

__version__ = version("rarebit")

use_products_of_environment()
