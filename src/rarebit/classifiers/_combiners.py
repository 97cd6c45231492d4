"""How the SVMs of an ensemble become one answer.

A combiner is two decisions: what an SVM weighs, given its answers on validation rows, and
whether labels or decision values are summed. Answers are class numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Answers = NDArray[np.intp]


def class_accuracies(answers: Answers, truth: Answers, n_classes: int) -> Floats:
    """Share of the rows of each class that each SVM gets right, one row per SVM.

    Parameters
    ----------
    answers : ndarray of shape (n_rows, n_machines)
    truth : ndarray of shape (n_rows,)
    n_classes : int
    """
    right = answers == truth[:, None]
    return np.stack([right[truth == c].mean(axis=0) for c in range(n_classes)], axis=1)


def harmonic_weights(answers: Answers, truth: Answers, n_classes: int) -> Floats:
    """Harmonic mean of an SVM's class accuracies; 0 when it misses a class altogether."""
    accuracies = class_accuracies(answers, truth, n_classes)
    present = np.all(accuracies > 0.0, axis=1)
    weights = np.zeros(len(accuracies))
    weights[present] = n_classes / np.sum(1.0 / accuracies[present], axis=1)
    return weights


def accuracy_weights(answers: Answers, truth: Answers, n_classes: int) -> Floats:
    """Share of all rows that an SVM gets right."""
    return np.asarray((answers == truth[:, None]).mean(axis=0), dtype=np.float64)


@dataclass(frozen=True)
class Combiner:
    """``weigh`` is None when all SVMs weigh the same: then no validation rows are needed."""

    weigh: Callable[[Answers, Answers, int], Floats] | None
    sums_labels: bool


COMBINERS = {
    "balanced": Combiner(harmonic_weights, True),
    "weighted": Combiner(accuracy_weights, True),
    "vote": Combiner(None, True),
    "average": Combiner(None, False),
}


def answers_of(values: Floats) -> Answers:
    """Class numbers that SVMs answer.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_machines, n_values)
        Decision values: one for two classes, else one per class.
    """
    if values.shape[2] == 1:
        return (values[:, :, 0] > 0.0).astype(np.intp)
    return values.argmax(axis=2)


def vote(answers: Answers, weights: Floats, n_classes: int) -> Floats:
    """Share of the weight that each class gets, shape (n_rows, n_classes)."""
    total = weights.sum()
    return np.stack([(answers == c) @ weights / total for c in range(n_classes)], axis=1)
