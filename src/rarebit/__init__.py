"""Find the rare class, learn its border, and classify without ignoring it."""

from importlib.metadata import version

from rarebit._products import use_products_of_environment
from rarebit.border import BorderLearner, BorderSVC
from rarebit.classifiers import BaggedSVC, BoostedSVC, PrunedSVC
from rarebit.comparison import compare
from rarebit.discovery import Alice, Interleave, Malice, RandomExplorer, Scout, discover
from rarebit.hunt import Hunt
from rarebit.svm import KernelSVC, OnlineSVC

__all__ = [
    "Alice",
    "BaggedSVC",
    "BoostedSVC",
    "BorderLearner",
    "BorderSVC",
    "Hunt",
    "Interleave",
    "KernelSVC",
    "Malice",
    "OnlineSVC",
    "PrunedSVC",
    "RandomExplorer",
    "Scout",
    "compare",
    "discover",
]

__version__ = version("rarebit")

use_products_of_environment()
