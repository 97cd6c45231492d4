"""How well a classifier finds the rare class, and how few labels that took.

Accuracy is useless when one row in a thousand matters. The scores here look at each class by itself
(g-mean, sensitivity, specificity), at the top of a ranking (PRBEP, ROC AUC), or at the price in
labels. None of them guesses the direction of a score: it favours the rare class or `pos_label`.

Examples
--------
>>> from rarebit.metrics import g_mean_score, prbep_score
>>> g_mean_score([1, 0, 0, 0], [0, 0, 0, 0])
0.0
>>> prbep_score([1, 0, 0, 0], [0.9, 0.1, 0.2, 0.3])
1.0
"""

from __future__ import annotations

from ._efficiency import data_efficiency, label_efficiency
from ._ranking import prbep_score
from ._rates import g_mean_score, sensitivity_score, specificity_score
from ._report import ClassReport, RareReport, rare_report
from ._scorers import (
    g_mean_scorer,
    minority_auc_scorer,
    prbep_scorer,
    sensitivity_scorer,
    specificity_scorer,
)

__all__ = [
    "ClassReport",
    "RareReport",
    "data_efficiency",
    "g_mean_score",
    "g_mean_scorer",
    "label_efficiency",
    "minority_auc_scorer",
    "prbep_score",
    "prbep_scorer",
    "rare_report",
    "sensitivity_score",
    "sensitivity_scorer",
    "specificity_score",
    "specificity_scorer",
]
