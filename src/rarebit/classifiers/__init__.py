"""Classifiers that do not ignore the rare class: bagged, boosted, pruned and blended SVMs.

Each trains many SVMs that differ by a bag, a weight or one row, on one set of kernel values.
"""

from rarebit.classifiers._additive import linear_weights, support_parts
from rarebit.classifiers._bagged import BaggedSVC
from rarebit.classifiers._boosted import BoostedSVC
from rarebit.classifiers._final import FINAL_METHODS, final_classifier
from rarebit.classifiers._final_blend import BlendedClassifier
from rarebit.classifiers._final_parts import LinearScores as LinearScores
from rarebit.classifiers._operating import OperatingPoint, sweep_hull, upper_hull
from rarebit.classifiers._pruned import PrunedSVC
from rarebit.classifiers._trees import TreeEnsemble as TreeEnsemble

__all__ = [
    "FINAL_METHODS",
    "BaggedSVC",
    "BlendedClassifier",
    "BoostedSVC",
    "OperatingPoint",
    "PrunedSVC",
    "final_classifier",
    "linear_weights",
    "support_parts",
    "sweep_hull",
    "upper_hull",
]
