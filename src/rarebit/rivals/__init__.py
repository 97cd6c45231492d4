"""What imbalanced learning is measured against: methods of the literature under one list.

AdaCost, SMOTEBoost, DataBoost-IM, BalanceCascade and oversampling with costs are written here,
because no well-kept library has them; the rest are thin recipes over scikit-learn and
imbalanced-learn.

Examples
--------
>>> from rarebit.rivals import list_rivals, make_rival
>>> "AdaCost" in list_rivals()
True
>>> make_rival("undersampling", random_state=0)  # doctest: +ELLIPSIS
Pipeline(...)
"""

from rarebit.rivals._adacost import AdaCostClassifier
from rarebit.rivals._cascade import BalanceCascadeClassifier
from rarebit.rivals._component import LinearComponent
from rarebit.rivals._costs import AsymmetricCostClassifier
from rarebit.rivals._databoost import DataBoostClassifier
from rarebit.rivals._oversampled import OversampledClassifier
from rarebit.rivals._recipes import list_rivals, make_rival
from rarebit.rivals._smoteboost import SMOTEBoostClassifier

__all__ = [
    "AdaCostClassifier",
    "AsymmetricCostClassifier",
    "BalanceCascadeClassifier",
    "DataBoostClassifier",
    "LinearComponent",
    "OversampledClassifier",
    "SMOTEBoostClassifier",
    "list_rivals",
    "make_rival",
]
