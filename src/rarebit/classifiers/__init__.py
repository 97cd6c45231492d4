"""Classifiers that do not ignore the rare class: bagged, boosted and pruned kernel machines.

Each trains many machines that differ by a bag, a weight or one row, on one set of kernel values.
"""

from rarebit.classifiers._bagged import BaggedSVC
from rarebit.classifiers._boosted import BoostedSVC
from rarebit.classifiers._operating import OperatingPoint
from rarebit.classifiers._pruned import PrunedSVC

__all__ = ["BaggedSVC", "BoostedSVC", "OperatingPoint", "PrunedSVC"]
