"""What the rivals written here share: checks, classes, one class against the rest."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import HasMethods, Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rarebit._decisions import RareClassMixin
from rarebit.metrics import rarest_class
from rarebit.rivals._component import LinearComponent

Floats = NDArray[np.float64]
Labels = NDArray[Any]


class RareEnsemble(RareClassMixin, BaseEstimator):
    """Base of the rivals; a subclass says in `_fit_sides` how it learns +1 against -1."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    estimator: Any
    random_state: Any

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Training rows.
        y : array-like of shape (n_rows,)
            Class labels.

        Returns
        -------
        RareEnsemble
            The fitted classifier.
        """
        self._validate_params()
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None: pass "
                "one class label per row."
            )
        rows, labels = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs rows of at least two classes to fit, but the data "
                f"holds one class ({self.classes_.tolist()[0]!r}): add rows of another class."
            )
        self.minority_class_ = rarest_class(labels, self.classes_)
        rng = check_random_state(self.random_state)
        # The rare side is +1: of two classes the rarer, of more each class against the rest.
        targets = [self.minority_class_] if len(self.classes_) == 2 else self.classes_
        self.runs_ = [
            self._fit_sides(rows, np.where(labels == target, 1.0, -1.0), rng) for target in targets
        ]
        return self

    def _fit_sides(
        self, X: Any, y: Floats, rng: np.random.RandomState
    ) -> Run:  # pragma: no cover - abstract
        raise NotImplementedError

    def _component(self, rng: np.random.RandomState) -> Any:
        """Return a fresh component; a seed is passed on to one that takes it."""
        component = LinearComponent() if self.estimator is None else clone(self.estimator)
        if "random_state" in component.get_params():
            component.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
        return component

    def decision_function(self, X: ArrayLike) -> Floats:
        """Score of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Positive values favour ``classes_[1]``; with more than two classes, column k is the
            score of class k against the rest.
        """
        check_is_fitted(self, "runs_")
        rows = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        scores = np.stack([run.score(rows) for run in self.runs_], axis=1)
        if len(self.classes_) > 2:
            return scores
        rare_last = self.classes_[1] == self.minority_class_
        return scores[:, 0] if rare_last else -scores[:, 0]


class Run:
    """Fitted components of one side against the other, and how they add up."""

    def __init__(self) -> None:
        self.components: list[Any] = []
        self.weights: list[float] = []
        self.distributions: list[Floats] = []  # weights of the rows before each round

    def add(self, component: Any, weight: float) -> None:
        """Append a component."""
        self.components.append(component)
        self.weights.append(weight)

    def answers(self, X: Any) -> Floats:
        """Return labels (±1), one column per component."""
        return np.stack([sides(component, X) for component in self.components], axis=1)

    def score(self, X: Any) -> Floats:
        """Return the weighted sum of labels."""
        return np.asarray(self.answers(X) @ np.array(self.weights))


class SingleRun(Run):
    """One component whose own score is the score."""

    def score(self, X: Any) -> Floats:
        """Return decision values of the component."""
        return raw_score(self.components[0], X)


def sides(component: Any, X: Any) -> Floats:
    """Return the labels that a component gives, as ±1."""
    return np.where(np.asarray(component.predict(X)) > 0, 1.0, -1.0)


def raw_score(component: Any, X: Any) -> Floats:
    """Return decision values that favour +1, or the log-odds of probabilities."""
    if hasattr(component, "decision_function"):
        return np.asarray(component.decision_function(X), dtype=np.float64)
    if hasattr(component, "predict_proba"):
        share = np.clip(np.asarray(component.predict_proba(X))[:, -1], 1e-6, 1.0 - 1e-6)
        return np.asarray(np.log(share / (1.0 - share)))
    return sides(component, X)


def confidence(component: Any, X: Any) -> Floats:
    """Return how much a component believes in +1, from 0 to 1.

    Probabilities where it has them; an SVM's decision value goes through a logistic.
    """
    if hasattr(component, "predict_proba"):
        return np.asarray(component.predict_proba(X))[:, -1]
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(raw_score(component, X), -500.0, 500.0))))


def fit_component(
    component: Any,
    X: Any,
    y: Floats,
    weights: Floats,
    rng: np.random.RandomState,
    *,
    total: float | None = None,
) -> Any:
    """Fit with weights of this sum, or on a sample drawn by them where weights are not taken.

    None for a mean of 1. Where classes have costs of their own, the sum that gives rows of the
    larger class a mean of 1 keeps ``C`` on the scale of `rarebit.BoostedSVC`.
    """
    from sklearn.utils.validation import has_fit_parameter

    weights = weights * ((len(weights) if total is None else total) / weights.sum())
    if has_fit_parameter(component, "sample_weight"):
        return component.fit(X, y, sample_weight=weights)
    drawn = rng.choice(len(y), len(y), p=weights / weights.sum())
    # Both sides must be there.
    missing = [s for s in (-1.0, 1.0) if not np.any(y[drawn] == s)]
    drawn = np.concatenate([drawn, *[np.flatnonzero(y == s)[:1] for s in missing]])
    return component.fit(X[drawn], y[drawn])
