"""Scores that are sums: over features of linear SVMs, over support vectors of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.extmath import safe_sparse_dot

from rarebit.classifiers._bagged import BaggedSVC
from rarebit.classifiers._final_blend import BlendedClassifier
from rarebit.classifiers._final_parts import LinearScores
from rarebit.classifiers._pruned import PrunedSVC
from rarebit.svm import KernelSVC, OnlineSVC

Floats = NDArray[np.float64]


def linear_weights(classifier: Any, label: Any) -> Floats | None:
    """Return what the score of a class gains per unit of each feature.

    Parameters
    ----------
    classifier : estimator
        Fitted.
    label : object
        One of its classes.

    Returns
    -------
    ndarray of shape (n_features,) or None
        None where the score is no weighted sum of the features.

    Examples
    --------
    >>> from rarebit import KernelSVC
    >>> from rarebit.classifiers import linear_weights
    >>> machine = KernelSVC(kernel="linear").fit([[0.0, 5.0], [2.0, 5.0]], [0, 1])
    >>> linear_weights(machine, 1).round(3).tolist()
    [1.0, 0.0]
    """
    weights: Any = 0.0
    for scale, part, k in _terms(classifier, label):
        if isinstance(part, LinearScores):
            weights = weights + scale * _row(part.weights, k)
            continue
        if not _is_expansion(part) or part.kernel != "linear":
            return None
        weights = (
            weights
            + scale
            * safe_sparse_dot(
                _coefficients(part, k)[None, :], part.support_vectors_, dense_output=True
            ).ravel()
        )
    return np.asarray(weights, dtype=np.float64) if np.ndim(weights) else None


def support_parts(
    classifier: Any, X: Any, label: Any
) -> tuple[NDArray[np.intp], NDArray[np.bool_], Floats] | None:
    """Return what each training row adds to the score of a class.

    Parameters
    ----------
    classifier : estimator
        Fitted.
    X : array or CSR matrix of shape (n_rows, n_features)
        Rows with a score.
    label : object
        One of its classes.

    Returns
    -------
    tuple of ndarray or None
        Positions of the support vectors among the training rows (n_support,), whether they are of
        the class, and the part of each in each score (n_rows, n_support): its coefficient times its
        kernel value with the row. None where no part of the classifier is a kernel SVM.
    """
    rows: list[NDArray[np.intp]] = []
    sides: list[NDArray[np.bool_]] = []
    parts: list[Floats] = []
    for scale, part, k in _terms(classifier, label):
        if not _is_expansion(part):
            continue
        coefficients = _coefficients(part, k)
        counted = np.flatnonzero(coefficients)  # others support machines of other classes
        coefficients, vectors = coefficients[counted], part.support_vectors_[counted]
        own = sparse.csr_array(X) if sparse.issparse(vectors) and not sparse.issparse(X) else X
        kernel = pairwise_kernels(
            own, vectors, metric=part.kernel, filter_params=True, gamma=part._gamma,
            degree=part.degree, coef0=part.coef0,
        )  # fmt: skip
        rows.append(np.asarray(part.support_, dtype=np.intp)[counted])
        sides.append(coefficients > 0.0)
        parts.append(scale * coefficients * np.asarray(kernel, dtype=np.float64))
    if not rows:
        return None
    known, places = np.unique(np.concatenate(rows), return_inverse=True)
    sums = np.zeros((X.shape[0], len(known)))
    np.add.at(sums.T, places, np.concatenate(parts, axis=1).T)
    of_class = np.zeros(len(known), dtype=bool)
    of_class[places[np.concatenate(sides)]] = True
    return known, of_class, sums


def _terms(classifier: Any, label: Any) -> Iterator[tuple[float, Any, int]]:
    """Yield factor, classifier and class number (minus one: against the second) of a sum."""
    k = int(np.flatnonzero(np.asarray(classifier.classes_) == label)[0])
    two = len(classifier.classes_) == 2
    if not isinstance(classifier, BlendedClassifier):
        yield 1.0, classifier, k
        return
    column = 0 if two else k
    for name, weight in classifier.weights_.items():
        if weight:
            slope = classifier._final_slope[column] * classifier._slopes[name][column]
            yield float(weight * slope), classifier.parts_[name], k


def _is_expansion(part: Any) -> bool:
    """Return whether the score is a sum over support vectors."""
    if isinstance(part, BaggedSVC):
        return bool(part.combiner == "average" and part.kernel != "precomputed")
    machines = (KernelSVC, OnlineSVC, PrunedSVC)
    return isinstance(part, machines) and part.kernel != "precomputed"


def _coefficients(part: Any, k: int) -> Floats:
    """Return the coefficient of each support vector in the score of a class."""
    n_machines = 1 if len(part.classes_) == 2 else len(part.classes_)
    whole = np.asarray(part.dual_coef_, dtype=np.float64)
    if isinstance(part, BaggedSVC):
        bags = whole.reshape(part.n_estimators_, n_machines, -1)
        whole = bags.mean(axis=0)
    return _row(whole, k)


def _row(rows: Floats, k: int) -> Floats:
    if len(rows) > 1:
        return rows[k]
    return rows[0] if k == 1 else -rows[0]
