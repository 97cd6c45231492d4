"""Votes of bags combined in several ways, one of which knows the answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from rarebit.classifiers import BaggedSVC
from rarebit.papers._folds import Floats, Fold

# Not a method: the most that the paper's weights could do.
ORACLE = "weights from the test rows"


def machine_values(model: BaggedSVC, X: Floats) -> Floats:
    """Return decision values of each machine of a bag, from its public coefficients."""
    kernel = rbf_kernel(X, model.support_vectors_, gamma=model.gamma)
    return np.asarray(kernel @ model.dual_coef_.T + model.intercept_)


def combine(method: str, model: BaggedSVC, data: Fold) -> NDArray[Any]:
    """Return the classes of the test rows that a combination of the machines gives.

    Parameters
    ----------
    method : str
        ``"BAVC"``, `ORACLE`, or another name for the model's own combiner.
    model : BaggedSVC
        The bags.
    data : Fold
        The test rows.
    """
    if method not in ("BAVC", ORACLE):
        return np.asarray(model.predict(data.X_test))
    values = machine_values(model, data.X_test)
    if method == "BAVC":
        return (values.mean(axis=1) > 0.0).astype(np.int64)
    labels = np.where(values > 0.0, 1.0, -1.0)
    rare = data.y_test == 1
    found, left = (labels[rare] > 0).mean(axis=0), (labels[~rare] < 0).mean(axis=0)
    weights = 2.0 * found * left / np.maximum(found + left, np.finfo(float).tiny)
    return (labels @ weights > 0.0).astype(np.int64)
