"""Scorers for ``scoring=`` that know which class is the rare one.

They derive from scikit-learn's own scorer class, because its searches look inside a scorer:
multi-metric searches share predictions between such scorers only, ``TunedThresholdClassifierCV``
rebuilds a scorer from ``_score_func``, ``_sign`` and ``_kwargs``, and metadata routing asks it for
requests. These parts are the same from scikit-learn 1.6 on; the tests exercise each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics._scorer import _Scorer

from ._minority import estimator_classes, minority_class, minority_scores
from ._ranking import Flags, area_under_roc, break_even
from ._rates import g_mean_score, sensitivity_score, specificity_score
from ._validation import Floats, Labels, check_labels, check_same_kind, check_same_length


def _known_labels(estimator: Any, y_true: Any) -> Labels:
    y = check_labels(y_true, "y_true")
    classes = estimator_classes(estimator)
    if classes is not None:
        check_same_kind(classes, y, "classes_ of the estimator and y_true")
    return y


class _NamedScorer(_Scorer):  # type: ignore[misc, unused-ignore]
    """A scorer that prints as the name under which it is imported."""

    def __init__(
        self, name: str, score_func: Callable[..., float], response_method: str | tuple[str, ...]
    ) -> None:
        super().__init__(score_func, 1, {}, response_method)
        self._name = name

    def __repr__(self) -> str:
        return self._name


class LabelScorer(_NamedScorer):
    """Score predicted classes, with the classes of the estimator and its rare class.

    Parameters
    ----------
    name : str
        Name under which the scorer is imported.
    score_func : callable
        Function of ``y_true``, ``y_pred``, ``labels``, ``sample_weight`` and, when `one_class`,
        ``pos_label``.
    one_class : bool
        Whether the score is that of one class, the rare one, rather than of all classes.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from rarebit.metrics import g_mean_scorer, specificity_scorer
    >>> X, y = [[0], [0], [0], [1]], ["normal", "normal", "normal", "attack"]
    >>> lazy = DummyClassifier(strategy="most_frequent").fit(X, y)
    >>> g_mean_scorer(lazy, X, y), specificity_scorer(lazy, X, y)
    (0.0, 1.0)
    """

    def __init__(self, name: str, score_func: Callable[..., float], *, one_class: bool) -> None:
        super().__init__(name, score_func, "predict")
        self._one_class = one_class

    def _score(
        self, method_caller: Callable[..., Any], estimator: Any, X: Any, y_true: Any, **kwargs: Any
    ) -> float:
        y = _known_labels(estimator, y_true)
        # Through the caller, so that the scorers of one search predict once.
        y_pred = check_labels(method_caller(estimator, "predict", X, pos_label=None), "y_pred")
        check_same_kind(y, y_pred, "y_true and y_pred")
        # A class that the fold lacks is still a class of the problem.
        known = estimator_classes(estimator)
        columns = (y, y_pred) if known is None else (y, y_pred, known)
        settings: dict[str, Any] = {"labels": np.unique(np.concatenate(columns)), **kwargs}
        if self._one_class:
            minority = minority_class(estimator, y)
            if len(settings["labels"]) > 1:
                settings.setdefault("pos_label", minority)
        return float(self._score_func(y, y_pred, **settings))


def _refuse_thresholds(y_true: ArrayLike, y_pred: ArrayLike) -> NoReturn:
    # scikit-learn calls the bare function only to compare thresholds.
    raise ValueError(
        "A score of a ranking is the same at every threshold: scorers of predicted labels are "
        "allowed in threshold tuning, got prbep_scorer or minority_auc_scorer; use g_mean_scorer, "
        "sensitivity_scorer or specificity_scorer."
    )


class RankingScorer(_NamedScorer):
    """Score how well the estimator ranks the rare class above the rest.

    Parameters
    ----------
    name : str
        Name under which the scorer is imported.
    rank_func : callable
        Function of a boolean column (rare or not) and a column of scores.

    Examples
    --------
    The rare class sorts first, so ``decision_function`` favours the other one; the scorer knows.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from rarebit.metrics import minority_auc_scorer, prbep_scorer
    >>> X, y = [[0], [1], [2], [9]], ["normal", "normal", "normal", "attack"]
    >>> model = LogisticRegression().fit(X, y)
    >>> prbep_scorer(model, X, y), minority_auc_scorer(model, X, y)
    (1.0, 1.0)
    """

    def __init__(self, name: str, rank_func: Callable[[Flags, Floats], float]) -> None:
        super().__init__(name, _refuse_thresholds, ("decision_function", "predict_proba"))
        self._rank_func = rank_func

    def _score(
        self, method_caller: Callable[..., Any], estimator: Any, X: Any, y_true: Any, **kwargs: Any
    ) -> float:
        if kwargs:
            raise TypeError(
                f"{self._name} takes no further arguments: (estimator, X, y) is allowed, got "
                f"{sorted(kwargs)} as well; leave them out."
            )
        y = _known_labels(estimator, y_true)
        minority = minority_class(estimator, y)
        # Not through the caller: its cache forgets which class a decision value favours, so a
        # scorer that runs before this one could turn the ranking round.
        scores = minority_scores(estimator, X, minority)
        check_same_length(y, scores, "y_true and the scores of the estimator")
        return self._rank_func(y == minority, scores)


g_mean_scorer = LabelScorer("g_mean_scorer", g_mean_score, one_class=False)
sensitivity_scorer = LabelScorer("sensitivity_scorer", sensitivity_score, one_class=True)
specificity_scorer = LabelScorer("specificity_scorer", specificity_score, one_class=True)
prbep_scorer = RankingScorer("prbep_scorer", break_even)
minority_auc_scorer = RankingScorer("minority_auc_scorer", area_under_roc)
