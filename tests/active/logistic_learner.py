"""Another base learner in one class: uncertainty sampling with logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_array

from rarebit.active import BaseAsker, QueryReason


class LogisticLearner(BaseAsker):
    """Asks for the rows whose class is least certain; random ones until there are two classes.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the regularisation.
    seed : int, default=0
        Seed of the random order.
    """

    def __init__(self, C: float = 1.0, seed: int = 0) -> None:
        self.C = C
        self.seed = seed

    def _open_pool(self, X: Any) -> int:
        self._X = check_array(X, accept_sparse="csr")
        self._order = np.random.default_rng(self.seed).permutation(self._X.shape[0])
        return int(self._X.shape[0])

    def _next_queries(self, n: int) -> Sequence[tuple[int, QueryReason]]:
        is_open = np.zeros(self.n_rows_, dtype=np.bool_)
        is_open[self._open_rows()] = True
        rows = self._order[is_open[self._order]]
        if len(self.discovered_) < 2:
            return [(int(row), QueryReason.START) for row in rows[:n]]
        if rows.size:
            chances = np.sort(self.classifier_.predict_proba(self._X[rows]), axis=1)
            rows = rows[np.argsort(chances[:, -1] - chances[:, -2], kind="stable")]
        return [(int(row), QueryReason.BORDER) for row in rows[:n]]

    @property
    def classifier_(self) -> LogisticRegression:
        """A logistic regression fitted on the rows labelled so far."""
        labels = self.labels_
        if len(self.discovered_) < 2:
            raise NotFittedError("A classifier needs labels of two classes: tell more labels.")
        model = LogisticRegression(C=self.C, class_weight="balanced", max_iter=200)
        return model.fit(self._X[list(labels)], np.array(list(labels.values())))
