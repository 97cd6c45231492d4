"""Decisions of classifiers whose `decision_function` follows scikit-learn: classes and scores."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin


class DecisionMixin(ClassifierMixin):
    """`predict` of a classifier that has ``classes_`` and `decision_function`."""

    classes_: NDArray[Any]

    @abstractmethod
    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return values of shape (n_rows,) for two classes, else (n_rows, n_classes)."""

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class of each row.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels out of ``classes_``.
        """
        values = self.decision_function(X)
        chosen = (values > 0.0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[chosen]


class RareClassMixin(DecisionMixin):
    """`minority_score` of a classifier that knows its ``minority_class_`` as well."""

    minority_class_: Any

    def __setstate__(self, state: Any) -> None:
        # States come from files: without this, another type ends as an accident of `dict.update`.
        if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
            raise TypeError(
                f"The state of {type(self).__name__} must be a dict of attributes by name, got "
                f"{type(state).__name__}: it is damaged, or belongs to something else."
            )
        super().__setstate__(state)

    @property
    def _rare_column(self) -> int:
        return int(np.flatnonzero(self.classes_ == self.minority_class_)[0])

    def minority_score(self, X: ArrayLike) -> NDArray[np.float64]:
        """Score of rows for the rare class: the higher, the more likely rare.

        Unlike `decision_function` its sign does not depend on how the labels sort.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows to score.

        Returns
        -------
        ndarray of shape (n_rows,)
            Positive values favour ``minority_class_``.
        """
        values = self.decision_function(X)
        if values.ndim == 1:
            return values if self._rare_column == 1 else -values
        return values[:, self._rare_column]
