"""The list of rivals, so that a comparison can loop over it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from imblearn.ensemble import BalancedBaggingClassifier, EasyEnsembleClassifier
from imblearn.pipeline import make_pipeline
from imblearn.under_sampling import RandomUnderSampler
from sklearn.ensemble import RandomForestClassifier

from rarebit.rivals._adacost import AdaCostClassifier
from rarebit.rivals._cascade import BalanceCascadeClassifier
from rarebit.rivals._component import LinearComponent
from rarebit.rivals._costs import AsymmetricCostClassifier
from rarebit.rivals._databoost import DataBoostClassifier
from rarebit.rivals._oversampled import OversampledClassifier
from rarebit.rivals._smoteboost import SMOTEBoostClassifier

Recipe = Callable[[Any, Any], Any]  # component and seed to estimator


_RECIPES: dict[str, Recipe] = {
    "AdaCost": lambda c, seed: AdaCostClassifier(c, random_state=seed),
    "SMOTEBoost": lambda c, seed: SMOTEBoostClassifier(c, random_state=seed),
    "DataBoost-IM": lambda c, seed: DataBoostClassifier(c, random_state=seed),
    "weighted forest": lambda c, seed: RandomForestClassifier(
        n_estimators=40, class_weight="balanced", random_state=seed
    ),
    "undersampling": lambda c, seed: make_pipeline(RandomUnderSampler(random_state=seed), c),
    "SMOTE": lambda c, seed: OversampledClassifier(c, random_state=seed),
    "asymmetric cost": lambda c, seed: AsymmetricCostClassifier(c, random_state=seed),
    "SMOTE + cost": lambda c, seed: OversampledClassifier(
        AsymmetricCostClassifier(c), random_state=seed
    ),
    "BalanceCascade": lambda c, seed: BalanceCascadeClassifier(c, random_state=seed),
    "EasyEnsemble": lambda c, seed: EasyEnsembleClassifier(random_state=seed),
    "balanced bagging": lambda c, seed: BalancedBaggingClassifier(
        c, n_estimators=40, random_state=seed
    ),
}


def list_rivals() -> list[str]:
    """Names that `make_rival` knows.

    Returns
    -------
    list of str
        The boosting paper's eight first, in its order.

    Examples
    --------
    >>> from rarebit.rivals import list_rivals
    >>> list_rivals()[:2]
    ['AdaCost', 'SMOTEBoost']
    """
    return list(_RECIPES)


def make_rival(name: str, component: Any = None, random_state: Any = None) -> Any:
    """Make a rival, not fitted.

    Parameters
    ----------
    name : str
        One of `list_rivals`.
    component : estimator or None, default=None
        SVM inside, best one that takes sample weights; None for a `LinearComponent`.
        Forests and EasyEnsemble bring their own trees.
    random_state : int, RandomState or None, default=None
        Seed of the rival.

    Returns
    -------
    estimator
        A classifier that follows scikit-learn.

    Examples
    --------
    >>> from rarebit.rivals import make_rival
    >>> make_rival("AdaCost", random_state=0)
    AdaCostClassifier(estimator=LinearComponent(), random_state=0)
    """
    if name not in _RECIPES:
        raise ValueError(f"There is no rival {name!r}: choose one of {', '.join(_RECIPES)}.")
    return _RECIPES[name](LinearComponent() if component is None else component, random_state)
