"""The paper's metrics of one machine on test rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from rarebit.metrics import g_mean_score, prbep_score, sensitivity_score, specificity_score
from rarebit.papers._rows import Row
from rarebit.svm import KernelSVC

SCORES = ("g_mean", "prbep", "auc", "sensitivity", "specificity", "sv_ratio")


def score_machine(machine: KernelSVC, X: Any, y: NDArray[np.int64]) -> Row:
    """Score a machine whose classes are 0 and 1, in percent but for the ratio.

    Parameters
    ----------
    machine : KernelSVC
        A fitted machine.
    X, y
        Test rows, 1 for the rare class.

    Returns
    -------
    dict
        The columns `SCORES`; ``sv_ratio`` counts support vectors of the majority for one of the
        minority.
    """
    values = machine.decision_function(X)
    predicted = (values > 0.0).astype(np.int64)
    majority, minority = (int(n) for n in machine.n_support_)
    return {
        "g_mean": 100.0 * g_mean_score(y, predicted, labels=[0, 1]),
        "prbep": 100.0 * prbep_score(y, values),
        "auc": 100.0 * float(roc_auc_score(y, values)),
        "sensitivity": 100.0 * sensitivity_score(y, predicted, pos_label=1),
        "specificity": 100.0 * specificity_score(y, predicted, pos_label=1),
        "sv_ratio": majority / minority,
    }


def score_blindness(y: NDArray[np.int64]) -> Row:
    """Score a machine that has met one class only: it ranks nothing and finds nothing."""
    return {
        "g_mean": 0.0,
        "prbep": 100.0 * prbep_score(y, np.zeros(len(y))),
        "auc": 50.0,
        "sensitivity": 0.0,
        "specificity": 100.0,
        "sv_ratio": None,
    }
