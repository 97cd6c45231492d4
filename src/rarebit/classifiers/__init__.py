"""Classifiers that do not ignore the rare class: bagged, boosted and pruned kernel machines.

Each trains many machines that differ by a bag, a weight or one row, on one set of kernel values.
"""

from rarebit.classifiers._bagged import BaggedSVC

__all__ = ["BaggedSVC"]
